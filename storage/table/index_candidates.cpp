#include "storage/index_candidates.h"

#include <algorithm>

#include "storage/okvl/key_locks.h"
#include "storage/ssn/range_read.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

StorageStatus index_candidates(Table& table, Transaction& transaction, const ReadView& view, IndexId id,
                               const KeyRange& range, size_t most, Candidates& out) {
  out.all = false;
  out.primary_keys.clear();
  auto& owner = static_cast<TableImpl&>(table);
  auto& txn = static_cast<TransactionImpl&>(transaction);
  const std::shared_ptr<TableIndex> index = owner.find_index(id);
  if (index == nullptr) return StorageStatus::kOk;
  const bool point = range.has_low && range.has_high && range.high_inclusive && range.low == range.high;
  if (txn.locks_reads(view)) {
    out.all = !point;
    if (out.all) return StorageStatus::kOk;
    const KeySpace space(owner, *index);
    const StorageStatus locked = KeyLocks(txn, space).read_value(range.low);
    if (locked != StorageStatus::kOk) return locked;
  }
  RangeRead read;
  read.begin(txn, view, id.value, range, Direction::kForward);
  constexpr size_t kBatch = 256;
  const std::unique_ptr<IndexScan> scan = index->index->scan(range, Direction::kForward);
  for (;;) {
    const auto entries = scan->next(kBatch);
    txn.shown(owner.gone());
    if (entries.empty()) break;
    out.all = entries.size() > most - out.primary_keys.size();
    if (out.all) return StorageStatus::kOk;
    for (const IndexEntry& entry : entries) out.primary_keys.emplace_back(entry.primary_key);
    if (Waiter::current().interrupted() != InterruptReason::kNone) return StorageStatus::kInterrupted;
    Waiter::current().yield_if_due();
  }
  read.reached_end(txn);
  if (point) return StorageStatus::kOk;
  std::sort(out.primary_keys.begin(), out.primary_keys.end());
  out.primary_keys.erase(std::unique(out.primary_keys.begin(), out.primary_keys.end()), out.primary_keys.end());
  return StorageStatus::kOk;
}

}  // namespace indigo::storage
