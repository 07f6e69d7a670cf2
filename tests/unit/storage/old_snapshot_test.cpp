// Scans by snapshots of different ages over chains of different lengths: updated, erased, inserted again, and not yet
// inserted records, small and large ones, beside records in another's hands.
#include <random>

#include "tests/random_seed.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

class OldSnapshotTest : public StoreFixture {
 protected:
  static constexpr int kKeys = 300, kReaders = 25;

  // Changes a third of the keys; a row may be too large for a leaf.
  void change(std::mt19937& random, const std::string& value) {
    for (int i = 0; i < kKeys / 3; i++) {
      std::string key = key_of(static_cast<int>(random() % kKeys));
      if (random() % 4 == 0) {
        if (model_.erase(key) == 1) remove(key);
        continue;
      }
      model_[key] = value + (random() % 20 == 0 ? std::string(5000, 'x') : std::string(random() % 150, 'y'));
      put(key, model_[key]);
    }
  }
  void check(Transaction& reader, const Rows& expected) {
    EXPECT_EQ(scan(reader), expected);
    auto backward = scan_list(reader, KeyRange::all(), Direction::kBackward);
    EXPECT_EQ(backward.size(), expected.size());
    EXPECT_TRUE(std::equal(backward.begin(), backward.end(), expected.rbegin(), expected.rend(),
                           [](const auto& a, const auto& b) { return a.first == b.first && a.second == b.second; }));
  }

  Rows model_;
};

TEST_F(OldSnapshotTest, EachReaderSeesItsMoment) {
  std::mt19937 random(seed_or(20));
  std::vector<std::pair<std::unique_ptr<Transaction>, Rows>> readers;
  for (int r = 0; r < kReaders; r++) {
    change(random, std::to_string(r) + ":");
    readers.emplace_back(begin(Isolation::kRepeatableRead), model_);
  }
  change(random, "newest:");
  auto writer = begin();
  for (int i = 0; i < kKeys; i += 11) {
    StorageStatus s = update(*writer, key_of(i), "pending");
    EXPECT_EQ(s, model_.contains(key_of(i)) ? StorageStatus::kOk : StorageStatus::kNotFound);
  }
  for (auto& [reader, rows] : readers) check(*reader, rows);
  store->rollback(*writer);
  // Versions that no other snapshot needs are cut out of the chains.
  std::shuffle(readers.begin(), readers.end(), random);
  while (readers.size() > 3) {
    readers.pop_back();
    change(random, "later" + std::to_string(readers.size()) + ":");
    check(*readers.front().first, readers.front().second);
  }
  EXPECT_EQ(committed(), model_);
}

}  // namespace
}  // namespace indigo::storage
