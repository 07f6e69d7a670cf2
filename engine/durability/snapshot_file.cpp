#include "engine/durability/snapshot_file.h"

#include <array>
#include <map>

#include "base/sqlstate.h"
#include "engine/exec/errors.h"
#include "engine/exec/execution.h"
#include "engine/replication/change_journal.h"
#include "storage/durability.h"
#include "storage/prepared.h"

namespace indigo::engine {

namespace {

constexpr size_t kRowsAtOnce = 256;
// A cancelled writer waits for no more than this to reach the disk.
constexpr uint64_t kBytesBetweenSyncs = uint64_t{64} << 20;

class Snapshot {
 public:
  Snapshot(log::CheckpointWriter& writer, const std::atomic<bool>* cancelled)
      : writer_(writer), cancelled_(cancelled) {}

  Status write(storage::Transaction& txn, log::DurableId id, storage::Table& table) {
    const auto cursor = table.scan(txn, txn.view(), storage::KeyRange::all());
    std::array<storage::RowRef, kRowsAtOnce> rows;
    for (;;) {
      INDIGO_TRY(look());
      size_t count = 0;
      const storage::StorageStatus status = cursor->next(rows, count);
      if (status != storage::StorageStatus::kOk) return storage_error(status, nullptr);
      if (count == 0) return {};
      for (size_t i = 0; i < count; i++) INDIGO_TRY(writer_.put(id, rows[i].key, rows[i].row));
    }
  }
  Status look() {
    if (cancelled_ == nullptr) return {};
    if (cancelled_->load()) return Error(sqlstate::kQueryCanceled, "the backup was canceled");
    if (writer_.bytes() - synced_ < kBytesBetweenSyncs) return {};
    synced_ = writer_.bytes();
    return writer_.sync();
  }

 private:
  log::CheckpointWriter& writer_;
  const std::atomic<bool>* cancelled_;
  uint64_t synced_ = 0;
};

}  // namespace

Result<uint64_t> write_snapshot(const SnapshotSource& source, log::Directory& directory, log::CheckpointHeader header,
                                bool with_slots, const std::atomic<bool>* cancelled) {
  // Invariant 3 of README.md: first the horizon, then the snapshot and everything else. What is dropped meanwhile belongs to the
  // snapshot, too, and is held from before it.
  std::map<log::DurableId, std::shared_ptr<storage::Table>> tables;
  const auto list_tables = [&] {
    for (auto& table : storage::durable_tables(source.store)) tables.try_emplace(table.id, std::move(table.table));
  };
  std::map<log::DurableId, std::shared_ptr<catalog::Sequence>> sequences;
  const auto list_sequences = [&] {
    for (auto& sequence : source.catalog.sequences()) sequences.try_emplace(sequence->durable_id(), sequence);
  };
  list_tables();
  list_sequences();
  storage::PreparedTransactions::Listing prepared(storage::prepared_transactions(source.store));
  storage::settle(source.store);
  auto txn = source.store.begin(storage::Isolation::kRepeatableRead, 0);
  txn->take_statement_snapshot();
  prepared.snapshot_taken();
  list_tables();
  list_sequences();
  if (!with_slots) tables.erase(replication::ChangeJournal::kTable);
  header.stamp = txn->view().stamp.value;
  INDIGO_ASSIGN(auto writer, log::CheckpointWriter::create(directory, header));
  Snapshot snapshot(*writer, cancelled);
  INDIGO_TRY(writer->oids(source.catalog.oid_bound()));
  for (const auto& [id, sequence] : sequences) {
    const auto state = sequence->logged_state();
    INDIGO_TRY(writer->sequence(id, state.last_value, state.is_called));
  }
  for (const auto& [id, table] : tables) INDIGO_TRY(snapshot.write(*txn, id, *table));
  for (const auto& stream : prepared.undecided(CommitStamp(header.stamp))) INDIGO_TRY(writer->prepared(*stream));
  source.store.rollback(*txn);
  // The log must tell of everything that the checkpoint has, or it could be older than what it follows.
  if (!source.log.wait_durable(source.log.appended())) return source.log.failure().take_error();
  INDIGO_TRY(snapshot.look());
  INDIGO_TRY(writer->finish());
  return writer->bytes();
}

}  // namespace indigo::engine
