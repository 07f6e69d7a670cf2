// A range scan that locks what it reads: all values of a stretch and the gaps between them first, then their rows.
//
// A stretch is locked as it is seen, and looked at again; when it has nothing then that is not locked, it stays so to the
// transaction's end.
//
// Thread safety: one session. Holds neither latch nor guard between calls.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "storage/okvl/key_locks.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

class LockedCursor final : public Cursor {
 public:
  // `index` null: the primary keys.
  LockedCursor(TableImpl& table, TransactionImpl& txn, const ReadView& view, std::shared_ptr<TableIndex> index,
               const KeyRange& range, Direction direction);

  StorageStatus next(std::span<RowRef> out, size_t& count) override;
  void rebind(const KeyRange& range, const ReadView& view, Direction direction) override;

 private:
  struct Row {
    std::string key, row;
  };

  StorageStatus read_stretch(size_t most);
  // Locks values_ and the gaps that belong to them.
  StorageStatus lock_stretch(const KeyRange& range);
  // What lies before the first value, in the order of keys.
  KeySpace::GapName first_gap(const KeyRange& range) const;
  bool first_gap_is_known() const;
  // Under the name that it has now.
  bool first_gap_is_locked(const KeyRange& range) const;
  bool begin_with_value(const std::vector<std::string>& values, const KeyRange& range) const;
  StorageStatus read_rows(const KeyRange& range);
  StorageStatus read_entries(const KeyRange& range);
  StorageStatus read_records(const KeyRange& range);

  TableImpl& table_;
  TransactionImpl& txn_;
  ReadView view_;
  const std::shared_ptr<TableIndex> index_;
  const KeySpace space_;
  KeyLocks locks_;
  KeyRange range_;  // what is left of it
  Direction direction_;
  bool at_start_ = true, at_end_ = false;
  size_t batch_ = 0;
  std::vector<std::string> values_, seen_;
  std::vector<Row> rows_;
  size_t row_count_ = 0, next_row_ = 0;
  std::string row_key_;
};

}  // namespace indigo::storage
