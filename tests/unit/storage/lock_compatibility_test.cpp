// The compatibility of lock modes, against the tables of the literature and of PostgreSQL's documentation, and the
// lock manager's behaviour against the same tables: every pair of modes of every space.
#include "storage/lock/lock_compatibility.h"

#include <string>

#include <gtest/gtest.h>

namespace indigo::storage {
namespace {

constexpr std::chrono::milliseconds kNoTimeout{0};

TEST(LockCompatibility, MatricesAreSymmetric) {
  for (LockModeCode a = 0; a < kKeyValueModeCount; a++) {
    for (LockModeCode b = 0; b < kKeyValueModeCount; b++) {
      EXPECT_EQ((kKeyValueConflicts[a] >> b) & 1, (kKeyValueConflicts[b] >> a) & 1);
    }
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
  for (LockModeCode code = 0; code < kKeyValueModeCount; code++) EXPECT_EQ(key_value_code(key_value_mode(code)), code);
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

TEST(LockCompatibility, LockManagerGrantsKeyValuesByTheMatrix) {
  check_pairs(
      0, kKeyValueModeCount, LockName::Space::kKeyValue, [](LockManager& locks, LockOwner& owner, LockModeCode mode) {
        return locks.lock_key_value_components(owner, IndexId{42}, "key", key_value_mode(mode), false, kNoTimeout);
      });
}

}  // namespace
}  // namespace indigo::storage
