#include "catalog/sequence.h"

#include <gtest/gtest.h>

namespace indigo::catalog {
namespace {

TEST(Sequence, StartsAtItsStart) {
  Sequence s(5);
  SequenceOptions o;
  EXPECT_EQ(*s.next(o, "s"), 5);
  EXPECT_EQ(*s.next(o, "s"), 6);
  EXPECT_EQ(s.state().last_value, 6);
}

TEST(Sequence, EndsWithPostgresMessage) {
  Sequence s(3, true);
  SequenceOptions o;
  o.maximum = 3;
  const auto r = s.next(o, "s");
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error().state.text(), "2200H");
  EXPECT_EQ(r.error().message, "nextval: reached maximum value of sequence \"s\" (3)");
  o.cycle = true;
  EXPECT_EQ(*s.next(o, "s"), 1);
}

TEST(Sequence, DescendsAndSurvivesOverflow) {
  SequenceOptions o;
  o.increment = INT64_MIN;
  o.minimum = INT64_MIN;
  o.maximum = -1;
  Sequence s(-1);
  EXPECT_EQ(*s.next(o, "s"), -1);
  EXPECT_FALSE(s.next(o, "s").ok());
}

TEST(Sequence, SetChecksBounds) {
  Sequence s(1);
  SequenceOptions o;
  o.maximum = 10;
  EXPECT_TRUE(s.set(10, false, o, "s").ok());
  EXPECT_EQ(*s.next(o, "s"), 10);
  const auto r = s.set(11, true, o, "s");
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error().message, "setval: value 11 is out of bounds for sequence \"s\" (1..10)");
}

}  // namespace
}  // namespace indigo::catalog
