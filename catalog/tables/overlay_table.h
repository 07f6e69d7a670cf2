// A storage table in two layers: constant base rows that every view sees, and a versioned storage table with what
// transactions changed. A changed base row has its new image above under the same key; a deleted one has a marker there.
// So a system table costs nothing until it is read (the base rows are encoded then, once for all databases) or written
// (the upper table and its indexes are made then).
//
// Invariants: 1. The base never changes. 2. An upper row hides the base row of its key from every view that sees it.
// 3. An upper marker exists only over a base row.
// Thread safety: as storage::Table.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/once.h"
#include "catalog/tables/base_rows.h"
#include "log/durable_id.h"
#include "storage/table.h"

namespace indigo::storage {
class Cloner;
class Store;
struct TableMemory;
}  // namespace indigo::storage

namespace indigo::catalog {

struct OverlayIndex {
  storage::IndexOptions options;
  std::shared_ptr<const storage::KeyExtractor> extractor;
};

class OverlayTable final : public storage::Table {
 public:
  // `durable_id`: the upper table's name in the log.
  OverlayTable(storage::Store& store, log::DurableId durable_id, std::shared_ptr<const BaseRows> base,
               std::vector<OverlayIndex> indexes);
  ~OverlayTable() override;

  // The id of secondary index number i.
  IndexId index_id(size_t i) const { return indexes_[i].id; }
  const storage::KeyExtractor& extractor(size_t i) const { return *indexes_[i].definition.extractor; }

  TableId id() const override { return id_; }
  // False: nothing was ever written, there are the base rows alone.
  bool has_upper() const { return upper() != nullptr; }
  // The upper table, made if there is none.
  storage::StorageStatus make_upper(storage::Table*& out);
  // Recovery: the upper table as it was, without its indexes. Before anybody uses this.
  storage::StorageStatus restore(std::shared_ptr<storage::Table> upper);
  storage::StorageStatus get(storage::Transaction& txn, const storage::ReadView& view, Bytes key,
                             std::string& row) override;
  storage::StorageStatus get_many(storage::Transaction& txn, const storage::ReadView& view, std::span<const Bytes> keys,
                                  std::span<std::string> rows, std::span<bool> found) override;
  std::unique_ptr<storage::Cursor> scan(storage::Transaction& txn, const storage::ReadView& view,
                                        const storage::KeyRange& range, storage::Direction direction) override;
  std::unique_ptr<storage::Cursor> scan_index(storage::Transaction& txn, const storage::ReadView& view, IndexId index,
                                              const storage::KeyRange& range, storage::Direction direction) override;
  storage::StorageStatus insert(storage::Transaction& txn, Bytes key, Bytes row,
                                storage::Duplicate* duplicate) override;
  uint64_t next_row_id() override;
  storage::StorageStatus claim(storage::Transaction& txn, const storage::ReadView& view, Bytes key,
                               storage::RowLockMode mode, storage::LockWait wait, storage::Claimed& out) override;
  void unclaim(storage::Transaction& txn, Bytes key) override;
  storage::StorageStatus update(storage::Transaction& txn, Bytes key, Bytes row,
                                storage::Duplicate* duplicate) override;
  storage::StorageStatus update_key(storage::Transaction& txn, Bytes key, Bytes new_key, Bytes row,
                                    storage::Duplicate* duplicate) override;
  storage::StorageStatus erase(storage::Transaction& txn, Bytes key) override;
  storage::StorageStatus lock_row(storage::Transaction& txn, const storage::ReadView& view, Bytes key,
                                  storage::RowLockMode mode, storage::LockWait wait, storage::Claimed& out) override;
  storage::StorageStatus create_index(storage::Transaction& txn, IndexId id, const storage::IndexOptions& options,
                                      std::shared_ptr<const storage::KeyExtractor> extractor,
                                      storage::Duplicate* duplicate) override;
  void drop_index(IndexId id) override;
  bool index_usable(IndexId index, const storage::ReadView& view) const override;
  Statistics statistics() const override;
  uint64_t rows() const override;
  storage::TableMemory memory() const;

  // Clones what was changed above the base rows into `target`, a table over the same base without changes of its own.
  void clone_changes(storage::Cloner& cloner, OverlayTable& target);

  static bool is_marker(Bytes row) { return row.size() == 1; }

 private:
  friend class OverlayCursor;
  friend class OverlayIndexCursor;
  struct BaseIndexEntry {
    std::string key;
    uint32_t position;
  };
  struct Index {
    IndexId id;
    OverlayIndex definition;
    Once once;
    std::vector<BaseIndexEntry> entries;  // of the base, by (key, position)
    std::atomic<size_t> entry_bytes{0};   // of memory
  };
  // The upper table, null while nothing was ever written.
  storage::Table* upper() const {
    return upper_.load(std::memory_order_acquire);
  }  // pairs with the store in make_upper
  storage::StorageStatus index_upper(storage::Table& table);
  const std::vector<BaseIndexEntry>& base_index(Index& index) const;
  Index* find_index(IndexId id);
  // A unique index's entry of a base row (not hidden above) that equals row's.
  bool base_conflict(storage::Transaction& txn, Bytes key, Bytes row, storage::Duplicate* duplicate);
  // Brings an unchanged base row into the upper table.
  storage::StorageStatus lift(storage::Transaction& txn, storage::Table& upper, size_t position);

  storage::Store& store_;
  const log::DurableId durable_id_;
  std::shared_ptr<const BaseRows> base_;
  TableId id_;
  mutable std::deque<Index> indexes_;
  std::mutex mutex_;  // guards the making of owned_
  std::shared_ptr<storage::Table> owned_;
  std::atomic<storage::Table*> upper_{nullptr};
};

}  // namespace indigo::catalog
