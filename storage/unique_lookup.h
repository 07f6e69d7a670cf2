// Look-ups by the whole keys of a unique secondary index, several at once: their cache misses overlap in the index
// (Index::lookup_many) and in the table. What an index cursor over each key would give, with the same notes for SERIALIZABLE.
//
// Thread safety: one session's. Holds nothing in index or table between calls.
// Invariant: of a key, at most one row is visible: the index is unique, and its constraint not deferrable.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "storage/index/index.h"
#include "storage/table.h"

namespace indigo::storage {

class TableImpl;
struct TableIndex;

class UniqueLookup {
 public:
  // Tables that are made up of others (those of the catalog) have no such look-ups.
  static bool possible(const Table& table);
  UniqueLookup(Table& table, IndexId index);
  ~UniqueLookup();

  // rows[i] when found[i]; they stay valid until the next call. The index was usable for the view when the statement began.
  StorageStatus look_up(Transaction& txn, const ReadView& view, std::span<const Bytes> keys, std::span<RowRef> rows,
                        std::span<bool> found);

 private:
  TableImpl& table_;
  const std::shared_ptr<TableIndex> index_;  // null: dropped meanwhile, then there are no rows
  IndexMatches matches_;
  std::vector<Bytes> candidates_;
  std::vector<std::string> images_;
  std::unique_ptr<bool[]> visible_;
  size_t visible_size_ = 0;
  std::string row_key_;
};

}  // namespace indigo::storage
