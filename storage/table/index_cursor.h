// A range scan through a secondary index: entries in index order, each re-checked at its primary record.
//
// Thread safety: one session. Holds nothing in the index or the tree between calls.
// Invariant: a row is handed out for an entry only if the full entry key equals the key computed from the version that
// the view sees; so each visible row comes once, in the order of its own key (docs/theory.md, rule 1).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/memory/arena.h"
#include "storage/ssn/range_read.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

class IndexCursor final : public Cursor {
 public:
  // `index` may be null (dropped meanwhile): then there are no rows.
  IndexCursor(TableImpl& table, TransactionImpl& txn, const ReadView& view, std::shared_ptr<TableIndex> index,
              const KeyRange& range, Direction direction, bool entries_only = false);

  StorageStatus next(std::span<RowRef> out, size_t& count) override;
  void rebind(const KeyRange& range, const ReadView& view, Direction direction) override;

 private:
  StorageStatus verify(std::span<const IndexEntry> entries, std::span<RowRef> out, size_t& count);

  TableImpl& table_;
  TransactionImpl& txn_;
  ReadView view_;
  std::shared_ptr<TableIndex> index_;
  std::unique_ptr<IndexScan> scan_;
  RangeRead read_;
  size_t batch_ = 8;  // entries at a time; doubles, so that a LIMIT does not read what it will not use
  std::vector<Bytes> keys_;
  std::vector<std::string> rows_;
  std::unique_ptr<bool[]> found_;
  const bool entries_only_;  // RowRef::row is the entry's key (storage/index_entries.h)
  std::string row_key_;
};

}  // namespace indigo::storage
