// The parts of Index-SSN: intervals, read sets, the stamps of ranges, the records of writes, the map of ranges.
#include <algorithm>
#include <array>
#include <bit>
#include <random>

#include <gtest/gtest.h>

#include "log/log.h"
#include "storage/ssn/point_partition.h"
#include "storage/ssn/range_map.h"
#include "storage/ssn/range_partition.h"
#include "storage/ssn/range_stamps.h"
#include "storage/ssn/read_set.h"
#include "storage/ssn/safe_snapshots.h"

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

// Of two spaces, which share the list. Fewer keys than there is room for segments: so it is exact.
TEST(RangeStampsTest, AgreesWithAnArray) {
  constexpr size_t kKeys = 64;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    RangeStamps stamps;
    std::array<std::vector<uint64_t>, 2> expected{std::vector<uint64_t>(kKeys), std::vector<uint64_t>(kKeys)};
    auto key = [](size_t k) { return std::string(1, static_cast<char>('0' + k)); };
    uint64_t stamp = 100, oldest = 0;
    for (int step = 0; step < 400; step++) {
      const size_t space = random() % 2, a = random() % kKeys, b = a + random() % (kKeys - a);
      stamp += random() % 3;
      if (random() % 16 == 0) {
        oldest = std::max(oldest, stamp - random() % 50);
        stamps.trim(oldest);
      } else {
        const uint64_t s = stamp - random() % 20;
        const bool unbounded = random() % 8 == 0;
        stamps.raise(7 + space, unbounded ? KeyInterval{key(a), {}, true} : interval(key(a), key(b)), s, oldest);
        for (size_t k = a; k <= (unbounded ? kKeys - 1 : b); k++) {
          expected[space][k] = std::max(expected[space][k], s);
        }
      }
      for (size_t of = 0; of < 2; of++) {
        uint64_t greatest = 0;
        for (size_t k = 0; k < kKeys; k++) {
          const uint64_t is = stamps.at({7 + of, key(k)}), should = expected[of][k];
          ASSERT_TRUE(is == should || std::max(is, should) <= oldest) << step << " " << of << " " << k;
          greatest = std::max(greatest, should);
        }
        ASSERT_GE(std::max(stamps.greatest(7 + of), oldest), greatest);
      }
    }
  }
}

TEST(RangeStampsTest, TooManySegmentsBecomeFewerThatAreNotSmaller) {
  RangeStamps stamps;
  constexpr uint64_t kRanges = 100000;
  const auto key = [](uint64_t i) { return std::to_string(1000000 + i); };
  for (uint64_t i = 0; i < kRanges; i++) {
    stamps.raise(1, interval(key(i), key(i) + "5"), 10 + i % 7, 5);
    ASSERT_LE(stamps.size(), RangeStamps::kSegments);
  }
  for (uint64_t i = 0; i < kRanges; i += 101) {
    EXPECT_GE(stamps.at({1, key(i)}), 10 + i % 7);
    EXPECT_GE(stamps.at({1, key(i) + "3"}), 10 + i % 7);
  }
  EXPECT_EQ(stamps.at({1, "0"}), 0U);
  stamps.trim(16);
  EXPECT_EQ(stamps.size(), 0U);
}

// Intervals grow when their ends are cut off.
TEST(RangeStampsTest, LongKeysAreCovered) {
  RangeStamps stamps;
  const std::string begin(200, 'b');
  stamps.raise(1, interval(begin + "b", begin + "d"), 10, 0);
  EXPECT_EQ(stamps.at({1, begin + "c"}), 10U);
  EXPECT_EQ(stamps.at({1, "a"}), 0U);
  EXPECT_EQ(stamps.at({1, "bc"}), 0U);
  const std::string last(200, '\xff');
  stamps.raise(2, interval(last, last + "x"), 11, 0);
  EXPECT_EQ(stamps.at({2, last + "a"}), 11U);
  EXPECT_EQ(stamps.at({2, "a"}), 0U);
  EXPECT_EQ(stamps.at({3, "a"}), 0U);
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

// Beyond what a commit looks at, neighbours are taken together.
TEST(ReadSetTest, ManyRangesBecomeFewerThatCoverThem) {
  ReadSet reads;
  constexpr uint64_t kRanges = 3 * ReadSet::kMaxCertified;
  const auto key = [](uint64_t i) { return std::to_string(1000000 + i); };
  for (uint64_t i = 0; i < kRanges; i++) {
    const uint32_t scan = reads.open_range(1 + i % 2);
    reads.seen_all(scan, range_of(key(i), key(i) + "5"));
    reads.close_range(scan);
  }
  reads.finish();
  EXPECT_LE(reads.ranges().size(), ReadSet::kMaxCertified);
  for (uint64_t i = 0; i < kRanges; i += 7) {
    const auto covers = [&](const ReadSet::Range& r) {
      return r.space == 1 + i % 2 && r.interval.contains(key(i)) && r.interval.contains(key(i) + "5");
    };
    EXPECT_TRUE(std::any_of(reads.ranges().begin(), reads.ranges().end(), covers)) << i;
  }
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

class PartitionTest : public ::testing::Test {
 protected:
  void point(uint64_t c, uint64_t pi, uint64_t hash) { points->append(c, pi, hash, (*slots)[hash], oldest); }
  uint64_t least_pi(uint64_t hash, uint64_t stamp) { return points->least_pi((*slots)[hash], hash, stamp); }
  uint64_t newest(uint64_t hash, uint64_t stamp) { return points->newest((*slots)[hash], hash, stamp); }

  const std::unique_ptr<KeySlots> slots = std::make_unique<KeySlots>();
  const std::unique_ptr<PointPartition> points = std::make_unique<PointPartition>();
  const std::unique_ptr<RangePartition> ranges = std::make_unique<RangePartition>();
  uint64_t oldest = 0;
};

TEST_F(PartitionTest, FindsWhatWasWrittenSince) {
  constexpr uint64_t kA = 111, kB = 222, kBesideA = kA + KeySlots::kSlots;  // in one slot with A
  point(10, 9, kA);
  point(11, 5, kB);
  point(12, 12, kA);
  point(13, 3, kBesideA);
  EXPECT_EQ(least_pi(kA, 9), 9U);
  EXPECT_EQ(least_pi(kA, 10), 12U);
  EXPECT_EQ(least_pi(kA, 12), kInfinity);
  EXPECT_EQ(least_pi(kBesideA, 0), 3U);
  EXPECT_EQ(least_pi(333, 0), kInfinity);
  EXPECT_EQ(points->least_pi_since(10), 3U);
  EXPECT_EQ(points->least_pi_since(13), kInfinity);
  EXPECT_EQ(newest(kA, 5), 12U);
  EXPECT_EQ(newest(kB, 11), 0U);
  points->writes.trim(11);
  EXPECT_EQ(points->writes.size(), 2U);
  EXPECT_EQ(least_pi(kA, 11), 12U);
  points->writes.trim(13);
  EXPECT_EQ(points->writes.size(), 0U);
  point(20, 20, kA);
  EXPECT_EQ(least_pi(kA, 13), 20U);
}

TEST_F(PartitionTest, ARangeIsAskedByItsKeys) {
  const std::string start(200, 'x');
  ranges->append(10, 9, {1, "b"}, 0);
  ranges->append(11, 5, {1, "d"}, 0);
  ranges->append(12, 4, {2, "b"}, 0);
  ranges->append(13, 2, {1, start + "m"}, 0);
  EXPECT_EQ(ranges->least_pi(1, interval("a", "c"), 9), 9U);
  EXPECT_EQ(ranges->least_pi(1, interval("a", "d"), 9), 5U);
  EXPECT_EQ(ranges->least_pi(1, interval("a", "d"), 11), kInfinity);
  EXPECT_EQ(ranges->least_pi(2, interval("a", "d"), 0), 4U);
  EXPECT_EQ(ranges->least_pi(3, interval("a", "d"), 0), kInfinity);
  EXPECT_EQ(ranges->least_pi(1, interval("e", "w"), 0), kInfinity);
  // Of a long key the beginning is known: whoever has read keys that begin so has read it.
  EXPECT_EQ(ranges->least_pi(1, interval(start + "a", start + "z"), 0), 2U);
  EXPECT_EQ(ranges->least_pi(1, {"x", {}, true}, 0), 2U);
}

// A transaction that needs what had to be forgotten is told the worst of it.
TEST_F(PartitionTest, WhatIsForgottenTooEarlyIsAssumed) {
  constexpr uint64_t n = PointPartition::kRecords + 10;
  for (uint64_t c = 1; c <= n; c++) point(c, c == 3 ? 2 : c, c);
  EXPECT_EQ(points->writes.size(), PointPartition::kRecords);
  EXPECT_EQ(least_pi(n, 9), 1U);  // 1, 2, 3 and up to 10 are gone
  EXPECT_EQ(least_pi(n, 10), n);
  EXPECT_EQ(newest(3, 2), 10U);
  EXPECT_EQ(newest(3, 10), 0U);
  points->writes.trim(20);
  EXPECT_EQ(least_pi(n, 20), n);
  points->writes.summarise(n + 5, 7);  // as a transaction of very many writes leaves
  EXPECT_EQ(least_pi(5000, n), 7U);
  EXPECT_EQ(least_pi(5000, n + 5), kInfinity);
}

// While nothing is needed for long, what commits write to stays the same memory.
TEST_F(PartitionTest, ARingThatNobodyNeedsBeginsAgain) {
  const void* first = &points->writes[points->writes.first()];
  size_t at_first = 0;
  for (uint64_t c = 1; c <= 10000; c++) {
    oldest = c - 1;
    point(c, c, c * 977);
    EXPECT_LE(points->writes.size(), 17U);
    at_first += &points->writes[points->writes.first()] == first ? 1 : 0;
  }
  EXPECT_GT(at_first, 9000U);
}

// Whatever the fences: a key is in a partition of every interval that has it.
TEST(RangeMapTest, AnIntervalHasThePartitionsOfItsKeys) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    RangeMap map;
    const std::string begin(random() % 60, 'p');
    const auto key = [&] {
      std::string k = random() % 16 == 0 ? std::string() : begin;
      for (size_t n = random() % 12; n > 0; n--) k.push_back(static_cast<char>(random() % 256));
      return k;
    };
    int renewed = 0;
    for (int i = 0; i < 5000; i++) {
      if (auto fences = map.sample({7, key()})) {
        map.install(map.keep(*fences));
        renewed++;
      }
      std::string low = key(), high = key();
      if (low > high) std::swap(low, high);
      const KeyInterval interval{low, high, random() % 8 == 0};
      const std::string inside = random() % 4 == 0 ? low : key();
      if (!interval.contains(inside)) continue;
      ASSERT_TRUE(map.partitions_of(7, interval) >> map.partition_of({7, inside}) & 1);
    }
    EXPECT_GE(renewed, 1);
    EXPECT_EQ(std::popcount(map.partitions_of(7)), static_cast<int>(RangeMap::kBuckets));
    EXPECT_EQ(std::popcount(map.partitions_of(8)), 1);
  }
}

// Who writes in different places of one space is in different partitions, after a while.
TEST(RangeMapTest, FencesDivideWhatIsWritten) {
  RangeMap map;
  std::mt19937_64 random(1);
  const auto key = [&] {
    std::string k = "table:";
    for (uint64_t n = big_endian(random() % 1000000), i = 0; i < 8; i++) k.push_back(static_cast<char>(n >> 8 * i));
    return k;
  };
  for (int i = 0; i < 1000; i++) {
    if (auto fences = map.sample({7, key()})) map.install(map.keep(*fences));
  }
  std::array<int, RangeMap::kPartitions> counts{};
  for (int i = 0; i < 10000; i++) counts[map.partition_of({7, key()})]++;
  EXPECT_LT(*std::max_element(counts.begin(), counts.end()), 2000);
  EXPECT_LE(std::popcount(map.partitions_of(7, interval("table:", "table:"))), 1);
}

// An entry of the map whose space has gone is taken over.
TEST(RangeMapTest, ASpaceThatComesOftenTakesAnEntryOver) {
  RangeMap map;
  std::mt19937_64 random(1);
  for (uint64_t space : {7, 7 + 256, 7}) {
    for (int i = 0; i < 10000; i++) {
      if (auto fences = map.sample({space, std::to_string(random())})) map.install(map.keep(*fences));
    }
    EXPECT_EQ(std::popcount(map.partitions_of(space)), static_cast<int>(RangeMap::kBuckets));
  }
}

TEST(SafeSnapshotsTest, ACommitOverABackEdgeMakesSnapshotsBetweenUnsafe) {
  SafeSnapshots safe;
  SafeSnapshots::Reader before, between, after;
  before.snapshot = 3;
  between.snapshot = 7;
  after.snapshot = 10;
  for (auto* r : {&before, &between, &after}) safe.add(*r);
  safe.committed(10, 5, 0);
  EXPECT_FALSE(before.unsafe);
  EXPECT_TRUE(between.unsafe);
  EXPECT_FALSE(after.unsafe);
  EXPECT_EQ(safe.least_pi_since(9), 5U);
  EXPECT_EQ(safe.least_pi_since(10), kInfinity);
  safe.remove(between);
  safe.remove(before);
  EXPECT_EQ(safe.first(), &after);
  // More than it keeps: the worst of those that are still needed is assumed.
  for (uint64_t c = 11; c < 5000; c++) safe.committed(c, c == 1000 ? 6 : c - 1, 20);
  EXPECT_EQ(safe.least_pi_since(20), 6U);
  EXPECT_EQ(safe.least_pi_since(4998), 4998U);
}

}  // namespace
}  // namespace indigo::storage
