// What the engine of storage counts, for monitoring views, benchmarks and tests. Apart from store.h and table.h, so that
// a new figure concerns only those who show it.
//
// Thread safety: all functions. Figures are read one after the other while others work: they fit together roughly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "storage/index/index.h"
#include "storage/lock/lock_mode.h"
#include "storage/memory/memory_account.h"
#include "storage/memory/table_memory.h"
#include "storage/status.h"

namespace indigo::storage {

class Store;
class Table;

// Why a transaction was rolled back, when storage had refused it something. The rest was the client's wish, or an error
// above storage.
enum class AbortReason : uint8_t {
  kConflict,       // first updater wins
  kSerialization,  // Index-SSN
  kDeadlock,
  kTimeout,   // of a lock
  kCanceled,  // while it waited
  kMemory,
};
inline constexpr size_t kAbortReasons = 6;
// None for what is no reason to abort.
constexpr std::optional<AbortReason> abort_reason(StorageStatus status) {
  switch (status) {
    case StorageStatus::kConflict:
    case StorageStatus::kConflictDelete: return AbortReason::kConflict;
    case StorageStatus::kSerialization: return AbortReason::kSerialization;
    case StorageStatus::kDeadlock: return AbortReason::kDeadlock;
    case StorageStatus::kLockTimeout: return AbortReason::kTimeout;
    case StorageStatus::kInterrupted: return AbortReason::kCanceled;
    case StorageStatus::kOutOfMemory: return AbortReason::kMemory;
    default: return std::nullopt;
  }
}

struct StoreStatistics {
  uint64_t commits = 0, rollbacks = 0;
  std::array<uint64_t, kAbortReasons>
      aborts{};                     // of the rollbacks, by the last failure; savepoints that were left do not count
  uint64_t records_in_process = 0;  // the mapping table's size
  uint64_t versions = 0;            // older versions kept for snapshots, those to be freed included
  uint64_t retired_objects = 0;     // unlinked, waiting for their epoch
  std::array<int64_t, kMemoryKinds> memory_bytes{};
  uint64_t memory_total_bytes = 0;
  uint64_t memory_limit_bytes = 0;  // 0: none
  uint64_t aborts_by(AbortReason reason) const { return aborts[static_cast<size_t>(reason)]; }
  int64_t bytes_of(MemoryKind kind) const { return memory_bytes[static_cast<size_t>(kind)]; }
};
StoreStatistics statistics_of(Store& store);

// The sessions of the serializable writers that this session waits for, to see whether its snapshot is safe (DEFERRABLE).
std::vector<uint64_t> safe_snapshot_blockers(Store& store, uint64_t session);

struct TableStatistics {
  uint64_t leaves = 0, leaf_bytes = 0;       // leaf_bytes: of each
  uint64_t splits = 0, merges = 0;           // since the table was made
  uint64_t versions = 0, version_bytes = 0;  // older versions kept for snapshots
  uint64_t chains = 0;                       // records with such versions
  uint64_t chained_versions = 0;             // counted by walking the chains
  uint64_t chain_length_max = 0;
};
// Walks the leaves that have chains: takes a while for a large table whose rows all have them.
// Nothing for tables that storage has not made (what catalog lays over built-in rows, sequences).
std::optional<TableStatistics> statistics_of(Table& table);
// What the index does in the background; nothing for those that do not, and where there is none.
std::optional<IndexServiceStatistics> index_service_of(const Table& table, IndexId index);
// How many entries it has; nothing as above.
std::optional<uint64_t> index_entries_of(const Table& table, IndexId index);
// Where its bytes are; quick, and exact without concurrent writers. Of the same tables.
std::optional<TableMemory> memory_of(const Table& table);
// A record that a running transaction has changed or is about to: there before it, and its own until it ends.
struct RowWriter {
  std::string key;
  TxnId transaction;
  RowLockMode mode;  // kNoKeyUpdate, kUpdate
};
// In key order; what is inserted is not among them. Walks all leaves. Nothing for tables that storage has not made.
std::vector<RowWriter> row_writers_of(Table& table);
// Records that committed transactions have changed since the table was made here; none for other tables. One that a transaction
// changes several times counts once, as what has come of it.
struct RowChanges {
  uint64_t inserted = 0, updated = 0, deleted = 0;
  uint64_t all() const { return inserted + updated + deleted; }
};
RowChanges changes_of(const Table& table);

}  // namespace indigo::storage
