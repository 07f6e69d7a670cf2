// The compatibility of lock modes, against the tables of the literature and of PostgreSQL's documentation, and the
// lock manager's behaviour against the same tables: every pair of modes of every space.
#include "storage/lock/lock_compatibility.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "storage/lock/lock_manager.h"
#include "storage/lock/mode_vector.h"

namespace indigo::storage {
namespace {

constexpr std::chrono::milliseconds kNoTimeout{0};

TEST(LockCompatibility, MatricesAreSymmetric) {
  for (size_t a = 0; a < kBasicModeCount; a++) {
    for (size_t b = 0; b < kBasicModeCount; b++)
      EXPECT_EQ(compatible(BasicMode(a), BasicMode(b)), compatible(BasicMode(b), BasicMode(a)));
  }
  for (size_t a = 0; a <= kTableModeCount; a++) {
    for (size_t b = 0; b <= kTableModeCount; b++)
      EXPECT_EQ((kTableConflicts[a] >> b) & 1, (kTableConflicts[b] >> a) & 1);
  }
}

TEST(LockCompatibility, TableModesAreThoseOfTheDocumentation) {
  // Table 13.2; rows and columns in the order of TableLockMode, X marks a conflict.
  const std::string kTable13_2[] = {
      ".......X", "......XX", "....XXXX", "...XXXXX", "..XX.XXX", "..XXXXXX", ".XXXXXXX", "XXXXXXXX",
  };
  for (int a = 0; a < 8; a++) {
    for (int b = 0; b < 8; b++) {
      EXPECT_EQ(compatible(TableLockMode(a + 1), TableLockMode(b + 1)), kTable13_2[a][b] == '.') << a << " " << b;
    }
  }
}

TEST(LockCompatibility, RowModesAreThoseOfTheDocumentation) {
  // Table 13.3: KEY SHARE, SHARE, NO KEY UPDATE, UPDATE.
  const std::string kTable13_3[] = {"...X", "..XX", ".XXX", "XXXX"};
  for (int a = 0; a < 4; a++) {
    for (int b = 0; b < 4; b++) {
      EXPECT_EQ(compatible(RowLockMode(a), RowLockMode(b)), kTable13_3[a][b] == '.') << a << " " << b;
    }
  }
}

TEST(LockCompatibility, KeyValueModesConflictWhenAComponentDoes) {
  constexpr KeyValueMode kEqualityQuery{.whole = BasicMode::kS};
  constexpr KeyValueMode kInsert{.whole = BasicMode::kIX, .partition = BasicMode::kX};
  constexpr KeyValueMode kGapRead{.gap = BasicMode::kS};
  constexpr KeyValueMode kGapWrite{.gap = BasicMode::kX};
  static_assert(!compatible(kEqualityQuery, kInsert));
  static_assert(compatible(kEqualityQuery, kEqualityQuery));
  static_assert(!compatible(kInsert, kInsert));  // one partition
  static_assert(compatible(kGapRead, kInsert));  // orthogonal: the value's entries are not the gap
  static_assert(!compatible(kGapRead, kGapWrite));
  // Two partitions are two things.
  static_assert(compatible(kInsert, KeyValueMode{BasicMode::kIX, BasicMode::kX, BasicMode::kN, 1}));
}

TEST(LockCompatibility, TheSupremumOfTwoModesConflictsWithWhatEitherConflictsWith) {
  EXPECT_EQ(supremum(BasicMode::kS, BasicMode::kIX), BasicMode::kSIX);
  EXPECT_EQ(supremum(BasicMode::kS, BasicMode::kU), BasicMode::kU);
  EXPECT_EQ(supremum(BasicMode::kIS, BasicMode::kIX), BasicMode::kIX);
  EXPECT_EQ(supremum(BasicMode::kN, BasicMode::kIS), BasicMode::kIS);
  for (size_t a = 0; a < kBasicModeCount; a++) {
    for (size_t b = 0; b < kBasicModeCount; b++) {
      const BasicMode both = supremum(BasicMode(a), BasicMode(b));
      EXPECT_EQ(both, supremum(BasicMode(b), BasicMode(a)));
      EXPECT_TRUE(covers(both, BasicMode(a)) && covers(both, BasicMode(b)));
    }
  }
}

// Every request that the rules of storage/okvl make, and those between, over two partitions.
std::vector<KeyValueMode> all_key_value_modes() {
  std::vector<KeyValueMode> modes;
  for (size_t whole = 0; whole < kBasicModeCount; whole++) {
    for (const BasicMode gap : {BasicMode::kN, BasicMode::kS, BasicMode::kX}) {
      for (const BasicMode partition : {BasicMode::kN, BasicMode::kS, BasicMode::kX}) {
        for (uint16_t index = 0; index < 2; index++) {
          modes.push_back({BasicMode(whole), partition, gap, index});
          if (partition == BasicMode::kN) break;
        }
      }
    }
  }
  modes.erase(modes.begin());  // nothing at all
  return modes;
}

// Every pair of modes of a space, taken by two owners through the lock manager without waiting.
template <class Take>
void check_pairs(LockModeCode first, LockModeCode end, LockName::Space space, Take take) {
  auto locks = LockManager::create();
  auto one = locks->create_owner(TxnId{1}, 1);
  auto two = locks->create_owner(TxnId{2}, 2);
  for (LockModeCode a = first; a < end; a++) {
    for (LockModeCode b = first; b < end; b++) {
      ASSERT_EQ(take(*locks, *one, a), StorageStatus::kOk);
      bool granted = take(*locks, *two, b) == StorageStatus::kOk;
      EXPECT_EQ(granted, (conflicts(space, a) & mode_bit(b)) == 0) << int{a} << " then " << int{b};
      EXPECT_EQ(locks->snapshot().size(), granted ? 2 : 1);
      locks->release_all(*one);
      locks->release_all(*two);
      EXPECT_TRUE(locks->snapshot().empty());
    }
  }
}

TEST(LockCompatibility, LockManagerGrantsTablesByTheMatrix) {
  check_pairs(1, 9, LockName::Space::kTable, [](LockManager& locks, LockOwner& owner, LockModeCode mode) {
    return locks.lock_table(owner, 42, TableLockMode(mode), false, kNoTimeout);
  });
}

TEST(LockCompatibility, LockManagerGrantsRowsByTheMatrix) {
  check_pairs(0, 4, LockName::Space::kRow, [](LockManager& locks, LockOwner& owner, LockModeCode mode) {
    return locks.lock_row(owner, TableId{42}, "key", RowLockMode(mode), false, kNoTimeout);
  });
}

TEST(LockCompatibility, LockManagerGrantsKeyValuesByTheirComponents) {
  auto locks = LockManager::create();
  auto one = locks->create_owner(TxnId{1}, 1);
  auto two = locks->create_owner(TxnId{2}, 2);
  const auto take = [&](LockOwner& owner, const KeyValueMode& mode) {
    return locks->lock_key_value_components(owner, IndexId{42}, "key", mode, false, kNoTimeout);
  };
  const std::vector<KeyValueMode> modes = all_key_value_modes();
  for (const KeyValueMode& a : modes) {
    for (const KeyValueMode& b : modes) {
      ASSERT_EQ(take(*one, a), StorageStatus::kOk);
      const bool granted = take(*two, b) == StorageStatus::kOk;
      EXPECT_EQ(granted, compatible(a, b));
      locks->release_all(*one);
      locks->release_all(*two);
      EXPECT_TRUE(locks->snapshot().empty());
    }
  }
}

// A vector holds what was added to it, and conflicts when one of its parts does.
TEST(LockCompatibility, AVectorIsTheSumOfItsModes) {
  for (const uint16_t partitions : {1, 29, 30, 253, 4093}) {
    const auto last = static_cast<uint16_t>(partitions - 1);
    ModeVector held;
    held.add({BasicMode::kIX, BasicMode::kX, BasicMode::kN, last});
    EXPECT_EQ(held.partition(last), BasicMode::kX);
    EXPECT_FALSE(held.compatible_with({BasicMode::kIX, BasicMode::kS, BasicMode::kN, last}));
    EXPECT_FALSE(held.compatible_with({.whole = BasicMode::kS}));
    EXPECT_TRUE(held.compatible_with({.gap = BasicMode::kX}));
    EXPECT_EQ(held.compatible_with({BasicMode::kIX, BasicMode::kX, BasicMode::kN, 0}), last > 0);
    held.add({.whole = BasicMode::kS, .gap = BasicMode::kS});
    EXPECT_EQ(held.whole(), BasicMode::kSIX);
    EXPECT_EQ(held.gap(), BasicMode::kS);
    EXPECT_TRUE(held.covers_mode({BasicMode::kIX, BasicMode::kX, BasicMode::kS, last}));
    EXPECT_FALSE(held.covers_mode({.whole = BasicMode::kX}));
    EXPECT_EQ(held.text(), "SIX gap S " + std::to_string(last) + ":X");
    held.clear();
    EXPECT_EQ(held.mask(), 0);
  }
}

}  // namespace
}  // namespace indigo::storage
