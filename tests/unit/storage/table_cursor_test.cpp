// Range scans: whatever part of which leaves they copy, they hand out what a map holds, and no torn row beside writers.
#include "storage/table/table_cursor.h"

#include <atomic>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "storage/shared_bytes.h"
#include "tests/random_seed.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

using List = std::vector<std::pair<std::string, std::string>>;

class TableCursorTest : public StoreFixture {
 protected:
  TableCursorTest() : StoreFixture(2048) {}

  // The rows of a range, asked for in these portions (the last one again and again).
  List read(Transaction& t, const KeyRange& range, Direction direction, const std::vector<size_t>& portions) {
    auto cursor = table->scan(t, t.view(), range, direction);
    List list;
    for (size_t i = 0;; i++) {
      std::vector<RowRef> out(portions[std::min(i, portions.size() - 1)]);
      size_t n;
      EXPECT_EQ(cursor->next(out, n), StorageStatus::kOk);
      if (n == 0) return list;
      EXPECT_LE(n, out.size());
      for (size_t j = 0; j < n; j++) list.emplace_back(out[j].key, out[j].row);
    }
  }
  static List expected(const Rows& rows, const KeyRange& range, Direction direction) {
    List list;
    for (const auto& [k, v] : rows) {
      if (range.has_low && (range.low_inclusive ? k < range.low : k <= range.low)) continue;
      if (range.has_high && (range.high_inclusive ? k > range.high : k >= range.high)) continue;
      list.emplace_back(k, v);
    }
    if (direction == Direction::kBackward) std::reverse(list.begin(), list.end());
    return list;
  }
};

TEST_F(TableCursorTest, ReadsWhatAMapHolds) {
  const uint32_t seed = random_seed();
  SCOPED_TRACE(seed_trace(seed));
  std::mt19937 random(seed);
  auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  // Keys shorter and longer than a prefix, rows of all lengths, some of them too large for a leaf.
  auto random_key = [&] { return key_of(static_cast<int>(below(700))).substr(2) + std::string(below(2) * 7, 'k'); };
  Rows rows;
  for (int i = 0; i < 1500; i++) {
    std::string key = random_key();
    if (below(6) == 0 && rows.contains(key)) {
      remove(key);
      rows.erase(key);
    } else {
      std::string row(below(50) == 0 ? 3000 : below(120), static_cast<char>('a' + below(26)));
      put(key, row);
      rows[key] = row;
    }
  }
  auto t = begin(Isolation::kRepeatableRead);
  for (int i = 0; i < 400; i++) {
    KeyRange range;
    range.has_low = below(4) != 0;
    range.has_high = below(4) != 0;
    if (range.has_low) range.low = random_key();
    if (range.has_high) range.high = random_key();
    range.low_inclusive = below(2) == 0;
    range.high_inclusive = below(2) == 0;
    const Direction direction = below(2) == 0 ? Direction::kForward : Direction::kBackward;
    std::vector<size_t> portions;
    for (size_t n = 1 + below(3); n > 0; n--) portions.push_back(1 + below(below(2) == 0 ? 4 : 200));
    ASSERT_EQ(read(*t, range, direction, portions), expected(rows, range, direction)) << "scan " << i;
    if (i == 200) {  // from now on the view is older than some of the leaves' images
      for (int n = 0; n < 200; n++) put(random_key(), "newer");
    }
  }
}

TEST_F(TableCursorTest, AShortScanGoesOnToTheNextLeafAtOnce) {
  for (int i = 0; i < 300; i++) put(key_of(i), std::string(40, 'x'));
  auto& tree = static_cast<TableImpl&>(*table).tree();
  ASSERT_GT(tree.leaf_count(), 10u);
  auto t = begin();
  // Twelve rows from anywhere are in two leaves at most: one call has them all, and not a row more.
  for (int i = 0; i + 12 <= 300; i++) {
    KeyRange range = KeyRange::all();
    range.has_low = true;
    range.low = key_of(i);
    auto cursor = table->scan(*t, t->view(), range, Direction::kForward);
    std::vector<RowRef> out(12);
    size_t n;
    ASSERT_EQ(cursor->next(out, n), StorageStatus::kOk);
    ASSERT_EQ(n, 12u) << "from " << i;
    for (int j = 0; j < 12; j++) ASSERT_EQ(out[static_cast<size_t>(j)].key, key_of(i + j));
  }
}

TEST_F(TableCursorTest, RowsAreWholeBesideWriters) {
  constexpr int kKeys = 400;
  constexpr int kScans = kThreadSanitizer ? 300 : 4000;
  auto row_of = [](int value) {
    return std::string(static_cast<size_t>(20 + value % 60), static_cast<char>('a' + value % 26));
  };
  for (int i = 0; i < kKeys; i += 2) put(key_of(i), row_of(i));
  std::atomic<bool> stop{false};
  // Even keys are always there and change, grow and shrink; odd ones come and go, so that leaves split and merge.
  std::thread writer([&] {
    std::mt19937 random(seed_or(1));
    for (int round = 0; !stop; round++) {
      put(key_of(static_cast<int>(random() % (kKeys / 2)) * 2), row_of(round));
      int odd = static_cast<int>(random() % (kKeys / 2)) * 2 + 1;
      auto t = begin();
      if (get(*t, key_of(odd)) == "-") {
        ASSERT_EQ(insert(*t, key_of(odd), row_of(round)), StorageStatus::kOk);
      } else {
        ASSERT_EQ(erase(*t, key_of(odd)), StorageStatus::kOk);
      }
      commit(*t);
    }
  });
  std::mt19937 random(seed_or(2));
  std::unique_ptr<Transaction> t;
  for (int i = 0; i < kScans && !HasFailure(); i++) {
    const int low = static_cast<int>(random() % kKeys);
    const int high = low + 1 + static_cast<int>(random() % 60);
    KeyRange range;
    range.has_low = range.has_high = true;
    range.low = key_of(low);
    range.high = key_of(high);
    range.low_inclusive = true;
    range.high_inclusive = false;
    // Mostly of a snapshot that is older than some of the leaves' images: then records are not plain.
    if (t == nullptr || i % 16 == 0) t = begin(Isolation::kRepeatableRead);
    int even = 0;
    std::string last;
    for (auto& [k, v] : read(*t, range, Direction::kForward, {1 + random() % 80})) {
      EXPECT_LT(last, k);
      last = k;
      EXPECT_GE(v.size(), 20u);
      EXPECT_EQ(v, std::string(v.size(), v[0])) << "torn";
      if (std::stoi(k) % 2 == 0) even++;
    }
    int wanted = 0;
    for (int n = low; n < std::min(high, kKeys); n++) wanted += n % 2 == 0 ? 1 : 0;
    EXPECT_EQ(even, wanted) << "from " << low << " to " << high;
  }
  stop = true;
  writer.join();
}

}  // namespace
}  // namespace indigo::storage
