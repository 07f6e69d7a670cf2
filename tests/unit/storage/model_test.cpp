// Random transactions against std::map: keys of all shapes, rows of all sizes, savepoints, rollbacks, old snapshots, and
// a secondary index that has to agree. Single-threaded (tests/unit/storage/paused_model_test.cpp has threads).
#include <random>

#include <gtest/gtest.h>

#include "tests/random_seed.h"
#include "tests/unit/storage/colon_extractor.h"
#include "tests/unit/storage/mapped_copy.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

class ModelTest : public StoreFixture {
 protected:
  explicit ModelTest(uint32_t leaf_bytes = 1024) : StoreFixture(leaf_bytes) {}

  std::string random_key() {
    static const std::string kLong(40, 'p');
    switch (random() % 4) {
      case 0: return key_of(static_cast<int>(random() % 300));
      case 1: return kLong + key_of(static_cast<int>(random() % 100));
      case 2: return std::string(random() % 12, '\0') + static_cast<char>(random() % 3);
      default: return std::string(1 + random() % 9, static_cast<char>('a' + random() % 3));
    }
  }
  std::string random_row() {
    size_t n = random() % 20 == 0 ? random() % 2000 : random() % 60;
    std::string prefix = random() % 8 == 0 ? "" : "s" + std::to_string(random() % 20) + ":";
    return prefix + std::string(n, static_cast<char>('A' + random() % 26));
  }
  // One random change of both; false when the transaction cannot continue.
  void change(Transaction& t, Rows& model) {
    std::string key = random_key(), row = random_row();
    Claimed claimed;
    t.next_command();
    switch (random() % 5) {
      case 0:
      case 1: {
        StorageStatus s = insert(t, key, row);
        if (row.size() > 1024 * 1024) return;
        ASSERT_EQ(s, model.contains(key) ? StorageStatus::kDuplicateKey : StorageStatus::kOk);
        model.try_emplace(key, row);
        break;
      }
      case 2:
        ASSERT_EQ(update(t, key, row), model.contains(key) ? StorageStatus::kOk : StorageStatus::kNotFound);
        if (model.contains(key)) model[key] = row;
        break;
      case 3:
        ASSERT_EQ(erase(t, key), model.contains(key) ? StorageStatus::kOk : StorageStatus::kNotFound);
        model.erase(key);
        break;
      case 4: {
        StorageStatus s = table->claim(t, t.view(), key, RowLockMode::kUpdate, LockWait::kWait, claimed);
        ASSERT_EQ(s, model.contains(key) ? StorageStatus::kOk : StorageStatus::kNotFound);
        if (s != StorageStatus::kOk) break;
        ASSERT_EQ(claimed.row, model[key]);
        std::string to = random_key();
        s = table->update_key(t, key, to, row, nullptr);
        if (to != key && model.contains(to)) {
          ASSERT_EQ(s, StorageStatus::kDuplicateKey);
          table->unclaim(t, key);
          break;
        }
        ASSERT_EQ(s, StorageStatus::kOk);
        model.erase(key);
        model[to] = row;
        break;
      }
    }
  }
  void expect_equal(Transaction& t, const Rows& model) {
    t.next_command();
    ASSERT_EQ(scan(t), model);
    auto backward = scan_list(t, KeyRange::all(), Direction::kBackward);
    ASSERT_TRUE(std::equal(model.rbegin(), model.rend(), backward.begin(), backward.end(),
                           [](const auto& a, const auto& b) { return a.first == b.first && a.second == b.second; }));
    if (!index) return;
    std::vector<std::pair<std::string, std::string>> expected;  // secondary, primary
    for (auto& [k, v] : model) {
      size_t colon = v.find(':');
      if (colon != std::string::npos) expected.emplace_back(v.substr(0, colon), k);
    }
    std::sort(expected.begin(), expected.end());
    std::vector<std::pair<std::string, std::string>> found;
    for (auto& [k, v] : drain(*table->scan_index(t, t.view(), index, KeyRange::all(), Direction::kForward))) {
      found.emplace_back(v.substr(0, v.find(':')), k);
    }
    ASSERT_EQ(found, expected);
  }
  void run(uint32_t own_seed, int transactions);
  LeafThresholds random_thresholds() {
    const auto within = [this](Bounds b) { return b.least + random() % (b.most - b.least + 1); };
    LeafThresholds t;
    t.fill_percent = static_cast<uint8_t>(within(LeafThresholds::kFill));
    t.merge_percent = static_cast<uint8_t>(within(LeafThresholds::kMerge));
    t.dead_percent = static_cast<uint8_t>(within(LeafThresholds::kDead));
    if (random() % 2 == 0) t.inline_bytes = static_cast<uint32_t>(128 + random() % 1000);
    return t;
  }

  // Other thresholds every now and then, from the beginning.
  bool changing_thresholds = false;
  uint64_t random() { return generator(); }
  std::mt19937_64 generator;
  IndexId index;
  Rows initial;  // what the table has
  uint64_t operations = 0;
};

void ModelTest::run(uint32_t own_seed, int transactions) {
  const uint32_t seed = seed_or(own_seed);
  SCOPED_TRACE(seed_trace(seed));
  generator.seed(seed);
  Rows model = initial;
  std::vector<std::pair<std::unique_ptr<Transaction>, Rows>> readers;
  for (int i = 0; i < transactions && !HasFatalFailure(); i++) {
    if (changing_thresholds && i % 20 == 0) {
      table->set_thresholds(random_thresholds());
      if (index) table->set_index_fill(index, static_cast<uint8_t>(10 + random() % 91));
    }
    auto t = begin();
    Rows changed = model;
    std::vector<Rows> savepoints;
    for (size_t n = random() % 30; n > 0 && !HasFatalFailure(); n--) {
      change(*t, changed);
      operations++;
      if (random() % 12 == 0) {
        ASSERT_EQ(t->savepoint(), savepoints.size() + 1);
        savepoints.push_back(changed);
      } else if (!savepoints.empty() && random() % 8 == 0) {
        size_t level = 1 + random() % savepoints.size();
        if (random() % 2 == 0) {
          t->rollback_to(static_cast<uint32_t>(level));
          changed = savepoints[level - 1];
          savepoints.resize(level);
        } else {
          t->release(static_cast<uint32_t>(level));
          savepoints.resize(level - 1);
        }
      }
    }
    if (random() % 4 == 0) expect_equal(*t, changed);
    if (random() % 5 == 0) {
      store->rollback(*t);
    } else {
      commit(*t);
      model = changed;
    }
    if (random() % 10 == 0) {
      readers.emplace_back(begin(Isolation::kRepeatableRead), model);
      if (readers.size() > 5) readers.erase(readers.begin() + static_cast<long>(random() % readers.size()));
    }
    if (random() % 10 == 0) store->reclaim();
    for (auto& [reader, rows] : readers) {
      if (random() % 5 == 0) expect_equal(*reader, rows);
    }
  }
  readers.clear();
  auto t = begin();
  expect_equal(*t, model);
  report_operations(operations);
}

constexpr int kTransactions = kThreadSanitizer ? 100 : 400;

TEST_F(ModelTest, RandomTransactionsAgreeWithAMap) { run(1, kTransactions); }
TEST_F(ModelTest, RandomTransactionsAgreeWithAMapAgain) { run(2, kTransactions); }

TEST_F(ModelTest, RandomTransactionsWithASecondaryIndex) {
  auto t = begin();
  index = IndexId(store->next_id().value);
  ASSERT_EQ(table->create_index(*t, index, {}, std::make_shared<ColonExtractor>(), nullptr), StorageStatus::kOk);
  commit(*t);
  run(3, kTransactions);
  // Nothing is left behind: every entry is some version's.
  for (const auto& k : scan_all_keys()) remove(k);
  for (int i = 0; i < 10; i++) store->reclaim();
  EXPECT_EQ(static_cast<TableImpl&>(*table).indexes()->front()->index->entry_count(), 0u);
  EXPECT_EQ(store->statistics().versions_kept, 0u);
}

TEST_F(ModelTest, RandomTransactionsOverMappedLeaves) {
  for (int i = 0; i < 300; i++) {
    const std::string key = i % 4 == 0 ? std::string(40, 'p') + key_of(i % 100) : key_of(i);
    initial[key] = "s" + std::to_string(i % 20) + ":" + std::string(static_cast<size_t>(i % 60), 'm');
  }
  for (auto& [k, v] : initial) put(k, v);
  index = IndexId(store->next_id().value);
  table = mapped_copy(*store, *table, index);
  run(4, kTransactions);
  for (const auto& k : scan_all_keys()) remove(k);
  for (int i = 0; i < 10; i++) store->reclaim();
  EXPECT_EQ(static_cast<TableImpl&>(*table).indexes()->front()->index->entry_count(), 0u);
  EXPECT_EQ(store->statistics().versions_kept, 0u);
}

// The larger leaves have room for rows of more sizes.
class ThresholdsModelTest : public ModelTest, public ::testing::WithParamInterface<uint32_t> {
 protected:
  ThresholdsModelTest() : ModelTest(GetParam()) { changing_thresholds = true; }
};

TEST_P(ThresholdsModelTest, ThresholdsChangeNoResult) {
  auto t = begin();
  index = IndexId(store->next_id().value);
  ASSERT_EQ(table->create_index(*t, index, {}, std::make_shared<ColonExtractor>(), nullptr), StorageStatus::kOk);
  commit(*t);
  for (unsigned seed = 10; seed < 14 && !HasFatalFailure(); seed++) {
    run(seed, kTransactions / 4);
    for (const auto& k : scan_all_keys()) remove(k);
  }
}

INSTANTIATE_TEST_SUITE_P(LeafBytes, ThresholdsModelTest, ::testing::Values(1024, 4096));

TEST_F(ModelTest, EmptiedLeavesAreMerged) {
  for (int i = 0; i < 2000; i++) put(key_of(i), std::string(40, 'x'));
  uint64_t full = table->statistics().leaf_count;
  EXPECT_GT(full, 100u);
  for (int i = 0; i < 2000; i++) {
    if (i % 100 != 0) remove(key_of(i));
  }
  for (int i = 0; i < 20; i++) store->reclaim();
  EXPECT_LT(table->statistics().leaf_count, full / 3);
  EXPECT_EQ(committed().size(), 20u);
  EXPECT_EQ(table->statistics().rows, 20u);
}

TEST_F(ModelTest, ARolledBackLoadLeavesNoLeavesBehind) {
  auto t = begin();
  for (int i = 0; i < 2000; i++) ASSERT_EQ(insert(*t, key_of(i), std::string(40, 'x')), StorageStatus::kOk);
  uint64_t full = table->statistics().leaf_count;
  store->rollback(*t);
  for (int i = 0; i < 20; i++) store->reclaim();
  EXPECT_LT(table->statistics().leaf_count, full / 10);
  EXPECT_EQ(committed(), Rows{});
}

TEST_F(ModelTest, AscendingInsertsFillTheLeaves) {
  auto t = begin();
  for (int i = 0; i < 3000; i++) ASSERT_EQ(insert(*t, key_of(i), std::string(50, 'x')), StorageStatus::kOk);
  commit(*t);
  double used = 3000.0 * (32 + 50);
  EXPECT_LT(static_cast<double>(table->statistics().leaf_count) * 1024, used * 1.25);
}

}  // namespace
}  // namespace indigo::storage
