// The parts of Index-SSN: intervals, read sets, the stamps of ranges, the log of writes.
#include <random>

#include <gtest/gtest.h>

#include "log/log.h"
#include "storage/ssn/range_stamps.h"
#include "storage/ssn/read_set.h"
#include "storage/ssn/write_log.h"

namespace indigo::storage {
namespace {

KeyRange range_of(Bytes low, Bytes high) {  // inclusive
  KeyRange range;
  range.has_low = range.has_high = true;
  range.low_inclusive = range.high_inclusive = true;
  range.low = low;
  range.high = high;
  return range;
}
KeyInterval interval(Bytes low, Bytes high) { return interval_of(range_of(low, high)); }

TEST(KeyIntervalTest, BoundsAreHalfOpen) {
  KeyInterval i = interval("b", "d");
  EXPECT_FALSE(i.contains("a"));
  EXPECT_TRUE(i.contains("b"));
  EXPECT_TRUE(i.contains("d"));
  EXPECT_FALSE(i.contains(Bytes("d\0", 2)));
  EXPECT_TRUE(interval("b", "b").is_point());
  EXPECT_FALSE(i.is_point());
  KeyRange open = range_of("b", "d");
  open.low_inclusive = open.high_inclusive = false;
  EXPECT_FALSE(interval_of(open).contains("b"));
  EXPECT_TRUE(interval_of(open).contains(Bytes("b\0", 2)));
  EXPECT_FALSE(interval_of(open).contains("d"));
  EXPECT_TRUE(interval_of(KeyRange::all()).contains(""));
}

TEST(RangeStampsTest, AgreesWithAnArray) {
  constexpr int kKeys = 64;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    RangeStamps stamps;
    std::vector<uint64_t> expected(kKeys, 0);
    auto key = [](size_t k) { return std::string(1, static_cast<char>('0' + k)); };
    uint64_t stamp = 100;
    for (int step = 0; step < 400; step++) {
      size_t a = random() % kKeys, b = a + random() % (kKeys - a);
      stamp += random() % 3;
      if (random() % 16 == 0) {
        uint64_t oldest = stamp - random() % 50;
        stamps.trim(oldest);
        for (uint64_t& s : expected) s = s <= oldest ? 0 : s;
      } else {
        uint64_t s = stamp - random() % 20;
        stamps.raise(interval(key(a), key(b)), s);
        for (size_t k = a; k <= b; k++) expected[k] = std::max(expected[k], s);
      }
      for (size_t k = 0; k < kKeys; k++) ASSERT_EQ(stamps.at(key(k)), expected[k]) << step << " " << k;
    }
  }
}

TEST(RangeStampsTest, TooManySegmentsBecomeOneThatIsNotSmaller) {
  RangeStamps stamps;
  for (uint64_t i = 0; i < 100000; i++) {
    std::string key = std::to_string(1000000 + i);
    stamps.raise(interval(key, key + "5"), 10 + i % 7);
    if (stamps.due()) stamps.trim(5);
  }
  EXPECT_LE(stamps.size(), size_t{1} << 18);
  EXPECT_GE(stamps.at("1000000"), 10u);
  EXPECT_GE(stamps.at("1099999"), 10 + 99999 % 7);
}

TEST(ReadSetTest, AScanHasReadAsFarAsItCame) {
  ReadSet reads;
  KeyRange range = range_of("b", "m");
  const uint32_t forward = reads.open_range(1), backward = reads.open_range(2), all = reads.open_range(3);
  reads.open_range(4);  // and reads nothing of it
  reads.seen_to(forward, range, Direction::kForward, "d");
  reads.seen_to(backward, range, Direction::kBackward, "k");
  reads.seen_to(backward, range, Direction::kBackward, "h");
  reads.seen_to(all, range, Direction::kForward, "d");
  reads.seen_all(all, range);
  reads.finish();
  auto read = [&](uint64_t space, Bytes key) {
    for (const auto& r : reads.ranges()) {
      if (r.space == space && r.interval.contains(key)) return true;
    }
    return false;
  };
  EXPECT_TRUE(read(1, "b") && read(1, "d") && !read(1, "e") && !read(1, "a"));
  EXPECT_TRUE(read(2, "m") && read(2, "h") && !read(2, "g") && !read(2, "n"));
  EXPECT_TRUE(read(3, "b") && read(3, "m") && !read(3, "n"));
  EXPECT_FALSE(read(4, "c"));
}

TEST(ReadSetTest, OverlappingRangesAreMergedAndPointsBecomeKeys) {
  ReadSet reads;
  for (const char* low : {"c", "a", "b", "x"}) {
    uint32_t scan = reads.open_range(7);
    reads.seen_all(scan, range_of(low, std::string(low) == "x" ? "z" : "d"));
    reads.close_range(scan);
  }
  uint32_t point = reads.open_range(7);
  reads.seen_all(point, range_of("p", "p"));
  reads.finish();
  EXPECT_EQ(reads.ranges().size(), 2u);
  ASSERT_EQ(reads.points().size(), 1u);
  EXPECT_EQ(reads.points()[0], hash_read(7, "p"));
}

TEST(ReadSetTest, TooMuchIsEverything) {
  ReadSet reads;
  for (uint64_t i = 0; i < 5000000; i++) reads.add_point(i % 1000);
  EXPECT_FALSE(reads.everything());
  for (uint64_t i = 0; i < 5000000; i++) reads.add_point(i);
  EXPECT_TRUE(reads.everything());
  reads.clear();
  EXPECT_FALSE(reads.everything());
}

TEST(WriteLogTest, FindsWhatWasWrittenSince) {
  auto slots = std::make_unique<KeySlots>();
  auto log = std::make_unique<WriteLog>(*slots);
  log->append(10, 9, 111, 1, "b");
  log->append(11, 5, 222, 1, "d");
  log->append(12, 12, 111, 1, "b");
  EXPECT_EQ(log->least_pi(111, 9), 9u);
  EXPECT_EQ(log->least_pi(111, 10), 12u);
  EXPECT_EQ(log->least_pi(111, 12), kInfinity);
  EXPECT_EQ(log->least_pi(333, 0), kInfinity);
  EXPECT_EQ(log->least_pi(1, interval("a", "c"), 9), 9u);
  EXPECT_EQ(log->least_pi(1, interval("a", "d"), 9), 5u);
  EXPECT_EQ(log->least_pi(2, interval("a", "d"), 9), kInfinity);
  EXPECT_EQ(log->least_pi_since(11), 12u);
  EXPECT_EQ(log->newest(111, 5), 12u);
  EXPECT_EQ(log->newest(222, 11), 0u);
  log->trim(11);
  EXPECT_EQ(log->size(), 1u);
  EXPECT_EQ(log->least_pi(111, 11), 12u);
}

// A transaction that needs what had to be forgotten is told the worst of it.
TEST(WriteLogTest, WhatIsForgottenTooEarlyIsAssumed) {
  auto slots = std::make_unique<KeySlots>();
  auto log = std::make_unique<WriteLog>(*slots);
  uint64_t n = WriteLog::kMaxRecords + 10;
  for (uint64_t c = 1; c <= n; c++) log->append(c, c == 3 ? 2 : c, c, 1, "k");
  EXPECT_EQ(log->size(), WriteLog::kMaxRecords);
  EXPECT_EQ(log->least_pi(n, 9), 1u);  // 1, 2, 3 and up to 10 are gone
  EXPECT_EQ(log->least_pi(n, 10), n);
  EXPECT_EQ(log->newest(3, 2), 10u);
  EXPECT_EQ(log->newest(3, 10), 0u);
  log->trim(20);
  EXPECT_EQ(log->least_pi(n, 20), n);
}

}  // namespace
}  // namespace indigo::storage
