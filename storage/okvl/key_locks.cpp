#include "storage/okvl/key_locks.h"

#include <functional>
#include <string_view>

#include "base/mutation.h"
#include "storage/lock/lock_compatibility.h"
#include "storage/store_impl.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

namespace {

// A table as a whole, of which intentions are taken before its values and gaps are locked.
IndexId whole_table(TableId table) {
  constexpr uint64_t kWholeTableBit = uint64_t{1} << 61;  // no id is that great
  return IndexId(table.value | kWholeTableBit);
}

}  // namespace

StorageStatus KeyLocks::lock(IndexId space, Bytes key, const KeyValueMode& mode, bool wait) {
  LockManager& locks = txn_.store().locks();
  LockOwner& owner = txn_.lock_owner();
  const auto take = [&](IndexId in, Bytes name, const KeyValueMode& as) {
    const StorageStatus s = locks.lock_key_value_components(owner, in, name, as, wait, txn_.lock_timeout());
    return s == StorageStatus::kWouldBlock ? s : txn_.failed(s);
  };
  const TableId table = space_.table();
  const bool writes = mode.whole == BasicMode::kX || mode.whole == BasicMode::kIX;
  // A wait gives the thread away, but not the transaction: what it has of the table is looked up again after each.
  const auto take_table = [&](BasicMode whole) {
    const StorageStatus s = take(whole_table(table), {}, {.whole = whole});
    TransactionImpl::TableLocks& t = txn_.locks_of(table);
    if (s == StorageStatus::kOk) t.whole = supremum(t.whole, whole);
    return s;
  };
  const BasicMode enough = writes ? BasicMode::kX : BasicMode::kS, intention = writes ? BasicMode::kIX : BasicMode::kIS;
  StorageStatus s = StorageStatus::kOk;
  if (!covers(txn_.locks_of(table).whole, intention)) s = take_table(intention);
  if (s == StorageStatus::kOk && txn_.locks_of(table).count >= txn_.store().lock_escalation() &&
      !covers(txn_.locks_of(table).whole, enough)) {
    s = take_table(enough);
  }
  if (s != StorageStatus::kOk || covers(txn_.locks_of(table).whole, enough)) return s;
  const uint32_t before = locks.mark(owner);
  s = take(space, key, mode);
  txn_.locks_of(table).count += locks.mark(owner) - before;
  return s;
}

bool KeyLocks::reads_all() const { return covers(txn_.locks_of(space_.table()).whole, BasicMode::kS); }

StorageStatus KeyLocks::read_value(Bytes key, bool with_gap) {
  if (mutated(Mutation::kReadUnlocked)) return StorageStatus::kOk;
  const bool gap = with_gap && !mutated(Mutation::kNoGapLock);
  const BasicMode whole = txn_.may_change(space_.table()) ? BasicMode::kU : BasicMode::kS;
  return lock(space_.id(), key, {.whole = whole, .gap = gap ? BasicMode::kS : BasicMode::kN});
}

StorageStatus KeyLocks::read_gap(const KeySpace::GapName& gap) {
  if (mutated(Mutation::kNoGapLock)) return StorageStatus::kOk;
  return lock(gap.space, gap.key, {.gap = BasicMode::kS});
}

StorageStatus KeyLocks::write_value(Bytes key, bool wait) {
  return lock(space_.id(), key, {.whole = BasicMode::kX}, wait);
}

StorageStatus KeyLocks::lock_value(Bytes key, RowLockMode mode, bool wait) {
  const bool to_write = mode == RowLockMode::kUpdate || mode == RowLockMode::kNoKeyUpdate;
  return lock(space_.id(), key, {.whole = to_write ? BasicMode::kU : BasicMode::kS}, wait);
}

StorageStatus KeyLocks::write_entry(Bytes key, Bytes primary_key) {
  const uint16_t partitions = txn_.store().lock_partitions();
  if (space_.index()->options.unique || partitions == 1) return write_value(key);
  const auto partition = static_cast<uint16_t>(std::hash<std::string_view>()(primary_key) % partitions);
  return lock(space_.id(), key, {.whole = BasicMode::kIX, .partition = BasicMode::kX, .partition_index = partition});
}

StorageStatus NewValue::open(const KeySpace& space, Bytes key) {
  LockManager& locks = txn_.store().locks();
  if (txn_.locks_of(space.table()).whole == BasicMode::kX) return StorageStatus::kOk;
  for (;;) {
    space.settle();  // the value may be on its way out
    std::optional<KeySpace::GapName> gap = space.gap_around(key);
    if (!gap) return StorageStatus::kOk;
    const BasicMode before = locks.gap_mode(txn_.lock_owner(), gap->space, gap->key);
    StorageStatus s = locks.lock_key_value_components(txn_.lock_owner(), gap->space, gap->key, {.gap = BasicMode::kX},
                                                      true, txn_.lock_timeout());
    if (s != StorageStatus::kOk) return txn_.failed(s);
    gap_ = std::move(gap);
    before_ = before;
    space.settle();
    if (space.gap_around(key) != gap_) {
      close();
      continue;
    }
    // The value divides the gap: who has read all of it has read both parts, and that the value had no entry. Nobody else has, or
    // this would have waited.
    if (before != BasicMode::kN && !mutated(Mutation::kNoGapInherited)) {
      s = locks.lock_key_value_components(txn_.lock_owner(), space.id(), key, {.whole = before, .gap = before}, true,
                                          txn_.lock_timeout());
    }
    return txn_.failed(s);
  }
}

void NewValue::close() {
  if (!gap_) return;
  txn_.store().locks().lower_gap(txn_.lock_owner(), gap_->space, gap_->key, before_);
  gap_.reset();
}

}  // namespace indigo::storage
