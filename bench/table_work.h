// What several benchmarks do with a table of storage: load it, and change one row.
// Thread safety: one transaction belongs to one thread.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "bench/layout/layout.h"
#include "storage/store.h"
#include "storage/table.h"

namespace indigo::bench {

// Rows 0 to rows - 1 in the order of their keys, many in each transaction.
inline void load_rows(storage::Store& store, storage::Table& table, uint64_t rows, Bytes row) {
  constexpr uint64_t kBatch = 10'000;
  for (uint64_t i = 0; i < rows;) {
    auto txn = store.begin(storage::Isolation::kReadCommitted, 0);
    txn->take_statement_snapshot();
    for (uint64_t n = 0; n < kBatch && i < rows; n++, i++) {
      if (table.insert(*txn, Key(i), row, nullptr) != storage::StorageStatus::kOk) std::abort();
    }
    if (store.commit(*txn) != storage::StorageStatus::kOk) std::abort();
  }
}

// A transaction of one update; false when it was rolled back.
inline bool update_row(storage::Store& store, storage::Table& table, storage::Isolation isolation, uint64_t n,
                       Bytes row) {
  const Key key(n);
  auto txn = store.begin(isolation, 0);
  txn->take_statement_snapshot();
  thread_local storage::Claimed claimed;
  if (table.claim(*txn, txn->view(), key, storage::RowLockMode::kNoKeyUpdate, storage::LockWait::kWait, claimed) ==
          storage::StorageStatus::kOk &&
      table.update(*txn, key, row, nullptr) == storage::StorageStatus::kOk) {
    return store.commit(*txn) == storage::StorageStatus::kOk;
  }
  store.rollback(*txn);
  return false;
}

}  // namespace indigo::bench
