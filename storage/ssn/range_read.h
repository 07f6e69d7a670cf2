// A scan's part in its transaction's read set: the interval that it has looked at so far.
//
// Thread safety: its cursor's. Costs one test of a pointer when the transaction is not tracked, or reads newest versions.
// A cursor may outlive its transaction: so nothing happens in a destructor; a scan left open counts as far as it came.
#pragma once

#include "storage/ssn/read_set.h"
#include "storage/transaction.h"
#include "storage/txn/transaction_impl.h"

namespace indigo::storage {

class RangeRead {
 public:
  // The scan begins, or begins again with the same transaction.
  void begin(TransactionImpl& txn, const ReadView& view, uint64_t space, const KeyRange& range, Direction direction) {
    if (tracked(txn)) txn.serializable()->reads.close_range(scan_);
    scan_ = ReadSet::kNoRange;
    if (txn.serializable() == nullptr || view.stamp == kMaxStamp) return;
    range_ = range;
    direction_ = direction;
    scan_ = txn.serializable()->reads.open_range(space);
  }
  // Everything up to `last` has been handed out.
  void reached(TransactionImpl& txn, Bytes last) {
    if (tracked(txn)) txn.serializable()->reads.seen_to(scan_, range_, direction_, last);
  }
  void reached_end(TransactionImpl& txn) {
    if (tracked(txn)) txn.serializable()->reads.seen_all(scan_, range_);
  }

 private:
  bool tracked(const TransactionImpl& txn) const { return scan_ != ReadSet::kNoRange && txn.serializable() != nullptr; }

  KeyRange range_;
  Direction direction_ = Direction::kForward;
  uint32_t scan_ = ReadSet::kNoRange;
};

}  // namespace indigo::storage
