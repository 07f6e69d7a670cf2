#include "base/check.h"
#include "storage/prepared.h"
#include "storage/table/table_impl.h"
#include "storage/txn/transaction_impl.h"

namespace indigo::storage {

StorageStatus restore_pending_row(Table& table, Transaction& txn, Bytes key, Bytes row, RowLockMode mode) {
  txn.next_command();
  Claimed claimed;
  const StorageStatus status = table.claim(txn, txn.newest_view(), key, mode, LockWait::kNoWait, claimed);
  if (status == StorageStatus::kOk) return table.update(txn, key, row, nullptr);
  return status == StorageStatus::kNotFound ? table.insert(txn, key, row, nullptr) : status;
}

StorageStatus restore_pending_erase(Table& table, Transaction& txn, Bytes key) {
  txn.next_command();
  Claimed claimed;
  const StorageStatus status =
      table.claim(txn, txn.newest_view(), key, RowLockMode::kUpdate, LockWait::kNoWait, claimed);
  if (status == StorageStatus::kOk) return table.erase(txn, key);
  return status == StorageStatus::kNotFound ? StorageStatus::kOk : status;  // it had made the row itself
}

void TableImpl::restore_move(TransactionImpl& txn, Bytes key, Bytes new_key) {
  PendingVersion* p = my_pending(txn, key);
  PendingEntry* top = p != nullptr ? p->top.load(std::memory_order_relaxed) : nullptr;
  if (top != nullptr && top->tombstone) top->new_key = txn.keep(new_key);
}

void restore_pending_move(Table& table, Transaction& txn, Bytes key, Bytes new_key) {
  static_cast<TableImpl&>(table).restore_move(static_cast<TransactionImpl&>(txn), key, new_key);
}

void TableImpl::restore_mode(TransactionImpl& txn, Bytes key, RowLockMode mode) {
  if (PendingVersion* p = my_pending(txn, key)) p->mode = mode;
}

void restore_pending_mode(Table& table, Transaction& txn, Bytes key, RowLockMode mode) {
  static_cast<TableImpl&>(table).restore_mode(static_cast<TransactionImpl&>(txn), key, mode);
}

void restore_serializable(Transaction& transaction) {
  auto& txn = static_cast<TransactionImpl&>(transaction);
  if (txn.serializable() != nullptr) txn.serializable()->reads.add_everything();
}

}  // namespace indigo::storage
