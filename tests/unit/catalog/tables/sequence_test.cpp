#include "catalog/tables/sequence.h"

#include <gtest/gtest.h>

#include "log/log.h"

namespace indigo::catalog {
namespace {

class Sequences : public testing::Test {
 protected:
  Lsn needed;
};

TEST_F(Sequences, StartsAtItsStart) {
  Sequence s(5);
  SequenceOptions o;
  EXPECT_EQ(*s.next(o, "s", needed), 5);
  EXPECT_EQ(*s.next(o, "s", needed), 6);
  EXPECT_EQ(s.state().last_value, 6);
}

TEST_F(Sequences, EndsWithPostgresMessage) {
  Sequence s(3, true);
  SequenceOptions o;
  o.maximum = 3;
  const auto r = s.next(o, "s", needed);
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error().state.text(), "2200H");
  EXPECT_EQ(r.error().message, "nextval: reached maximum value of sequence \"s\" (3)");
  o.cycle = true;
  EXPECT_EQ(*s.next(o, "s", needed), 1);
}

TEST_F(Sequences, DescendsAndSurvivesOverflow) {
  SequenceOptions o;
  o.increment = INT64_MIN;
  o.minimum = INT64_MIN;
  o.maximum = -1;
  Sequence s(-1);
  EXPECT_EQ(*s.next(o, "s", needed), -1);
  EXPECT_FALSE(s.next(o, "s", needed).ok());
}

TEST_F(Sequences, SetChecksBounds) {
  Sequence s(1);
  SequenceOptions o;
  o.maximum = 10;
  EXPECT_TRUE(s.set(10, false, o, "s", needed).ok());
  EXPECT_EQ(*s.next(o, "s", needed), 10);
  const auto r = s.set(11, true, o, "s", needed);
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error().message, "setval: value 11 is out of bounds for sequence \"s\" (1..10)");
}

// A log that is on the device at once; its LSN says how often something was noted.
class CountingLog final : public log::Log {
 public:
  uint64_t notes = 0;
  bool records() const override { return true; }
  Outcome reserve(size_t, log::Reservation& out) override {
    out.block = 1;
    return Outcome::kOk;
  }
  void release(log::Reservation&) override {}
  Lsn append(log::Reservation&, log::RecordKind, CommitStamp, Lsn, Bytes) override { return Lsn(++notes); }
  void parts_done(Lsn) override {}
  bool wait_durable(Lsn) override { return true; }
  Lsn appended() const override { return Lsn(notes); }
};

TEST_F(Sequences, NotesNumbersAheadAndEveryNumberNeedsItsNote) {
  CountingLog log;
  Sequence s(1);
  SequenceOptions o;
  s.attach(log, log::DurableId{7});
  ASSERT_TRUE(s.note_state().ok());
  for (int64_t i = 1; i <= 2 * Sequence::kAhead + 1; i++) {
    ASSERT_EQ(*s.next(o, "s", needed), i);
    EXPECT_EQ(needed.value, 2 + (i - 1) / Sequence::kAhead);
    EXPECT_GE(s.logged_state().last_value, i) << "a crash would give it out again";
  }
  ASSERT_TRUE(s.set(5, true, o, "s", needed).ok());
  EXPECT_EQ(s.logged_state().last_value, 5);
  EXPECT_EQ(*s.next(o, "s", needed), 6);
}

}  // namespace
}  // namespace indigo::catalog
