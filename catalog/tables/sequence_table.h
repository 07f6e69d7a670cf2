// SELECT * FROM a_sequence: its one row (last_value, log_cnt, is_called) as a table that only reads.
// Thread safety: as storage::Table.
#pragma once

#include <memory>

#include "catalog/tables/sequence.h"
#include "catalog/types.h"
#include "storage/table.h"

namespace indigo::catalog {

class SequenceTable final : public storage::Table {
 public:
  SequenceTable(std::shared_ptr<Sequence> sequence, const SequenceOptions& options, RowLayout layout)
      : sequence_(std::move(sequence)), options_(options), layout_(std::move(layout)) {}
  const std::shared_ptr<Sequence>& sequence() const { return sequence_; }
  const SequenceOptions& options() const { return options_; }

  TableId id() const override { return {}; }
  storage::StorageStatus get(storage::Transaction& txn, const storage::ReadView& view, Bytes key,
                             std::string& row) override;
  storage::StorageStatus get_many(storage::Transaction& txn, const storage::ReadView& view, std::span<const Bytes> keys,
                                  std::span<std::string> rows, std::span<bool> found) override;
  std::unique_ptr<storage::Cursor> scan(storage::Transaction& txn, const storage::ReadView& view,
                                        const storage::KeyRange& range, storage::Direction direction) override;
  std::unique_ptr<storage::Cursor> scan_index(storage::Transaction& txn, const storage::ReadView& view, IndexId index,
                                              const storage::KeyRange& range, storage::Direction direction) override;
  // A sequence cannot be changed by INSERT, UPDATE or DELETE: the analyzer refuses, these answer kNotFound.
  storage::StorageStatus insert(storage::Transaction&, Bytes, Bytes, storage::Duplicate*) override;
  uint64_t next_row_id() override { return 0; }
  storage::StorageStatus claim(storage::Transaction&, const storage::ReadView&, Bytes, storage::RowLockMode,
                               storage::LockWait, storage::Claimed&) override;
  void unclaim(storage::Transaction&, Bytes) override {}
  storage::StorageStatus update(storage::Transaction&, Bytes, Bytes, storage::Duplicate*) override;
  storage::StorageStatus update_key(storage::Transaction&, Bytes, Bytes, Bytes, storage::Duplicate*) override;
  storage::StorageStatus erase(storage::Transaction&, Bytes) override;
  storage::StorageStatus lock_row(storage::Transaction&, const storage::ReadView&, Bytes, storage::RowLockMode,
                                  storage::LockWait, storage::Claimed&) override;
  storage::StorageStatus create_index(storage::Transaction&, IndexId, const storage::IndexOptions&,
                                      std::shared_ptr<const storage::KeyExtractor>, storage::Duplicate*) override;
  void drop_index(IndexId) override {}
  bool index_usable(IndexId, const storage::ReadView&) const override { return false; }
  Statistics statistics() const override { return {1, 0, 0}; }

 private:
  std::string image(storage::Transaction& reader) const;
  std::shared_ptr<Sequence> sequence_;
  const SequenceOptions options_;
  RowLayout layout_;
};

}  // namespace indigo::catalog
