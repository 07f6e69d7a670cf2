// What a transaction locks in one key space, before it reads or writes there: the one place that says which request in which
// mode. The rules, and why they are enough, are in README.md.
//
// Thread safety: the transaction's session. Every function may wait; it needs no latch and no guard.
#pragma once

#include <optional>
#include <string>

#include "storage/lock/lock_manager.h"
#include "storage/okvl/key_space.h"
#include "storage/status.h"

namespace indigo::storage {

class TransactionImpl;

class KeyLocks {
 public:
  KeyLocks(TransactionImpl& txn, const KeySpace& space) : txn_(txn), space_(space) {}

  // All entries of the value, whether there are any or not.
  StorageStatus read_value(Bytes key, bool with_gap = false);
  StorageStatus read_gap(const KeySpace::GapName& gap);
  // A record, for who will change it; `wait` false answers kWouldBlock.
  StorageStatus write_value(Bytes key, bool wait = true);
  // Is the whole table locked, so that nothing of it changes?
  bool reads_all() const;
  // A record that FOR UPDATE and its like read.
  StorageStatus lock_value(Bytes key, RowLockMode mode, bool wait);
  // One entry of the value comes or goes.
  StorageStatus write_entry(Bytes key, Bytes primary_key);

 private:
  StorageStatus lock(IndexId space, Bytes key, const KeyValueMode& mode, bool wait = true);

  TransactionImpl& txn_;
  const KeySpace& space_;
};

// While it is open, a new value may come where nobody reads: it holds the gap into which the value falls. Afterwards the
// value's own lock says that it is there.
class NewValue {
 public:
  explicit NewValue(TransactionImpl& txn) : txn_(txn) {}
  ~NewValue() { close(); }
  NewValue(const NewValue&) = delete;
  NewValue& operator=(const NewValue&) = delete;

  // The value itself is locked.
  StorageStatus open(const KeySpace& space, Bytes key);
  void close();

 private:
  TransactionImpl& txn_;
  std::optional<KeySpace::GapName> gap_;
  BasicMode before_ = BasicMode::kN;
};

}  // namespace indigo::storage
