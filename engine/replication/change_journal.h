// Where a server with a data directory keeps what its slots hold back, and the slots: rows of a table that no catalog names. Log,
// checkpoints and recovery treat it as they treat every table, so it needs no format of its own there; backups leave it out, as
// PostgreSQL's do.
//
//   'b'                              the bound: no position above it has been given
//   'c' begin u64 part u32           committed changes (change_codec.h), in pieces
//   'p' number (16 bytes) part u32   those of a prepared transaction, which have no place yet
//   't' begin u64                    the head of a prepared transaction whose PREPARE was told, and whose end was not yet
//   's' name                         a slot
// Numbers in keys are big-endian, so keys ascend with positions.
//
// Invariants:
// 1. Changes are written by the transaction that made them: they are kept exactly if it is. Those of a prepared one become
//    readable when it commits, and then get their place, before the turn is given back, or after the next start.
// 2. A position is given to changes only below a bound that lies before them in the log. After a crash positions go on at the
//    bound.
// 3. What slots are told at a PREPARE is written before it, by a transaction of its own, with the mark 't'. Its end takes the mark
//    away. A mark that is left at the start, of a transaction that is not prepared, is of one that was rolled back, or was never
//    prepared and told to nobody; both are told as rolled back.
// 4. What slots have confirmed is kept late: after a crash they may be told again what they had confirmed, and never less.
// Thread safety: all functions; writers are one after the other by the stream's turn, save() by its caller.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "engine/replication/change_codec.h"
#include "engine/replication/slot_info.h"
#include "log/durable_id.h"
#include "storage/store.h"
#include "storage/table.h"

namespace indigo::engine::replication {

class ChangeJournal {
 public:
  // Of no database, and above all system tables' numbers.
  static constexpr log::DurableId kTable{0xFFFFFFFF};

  ChangeJournal(storage::Store& store, std::shared_ptr<storage::Table> table)
      : store_(store), table_(std::move(table)) {}

  // ---- by the holder of the turn
  // `txn` null: in a transaction of its own.
  Status write(storage::Transaction* txn, const CommittedChanges& changes);
  Status keep_bound(uint64_t bound);
  // A PREPARE that is told, before it happens; and what takes it back when it does not.
  Status write_prepare(const CommittedChanges& prepare);
  Status erase_prepare(const CommittedChanges& prepare);
  Status write_rollback(const CommittedChanges& rollback);
  // Heads of those whose end was not told.
  Result<std::vector<CommittedChanges>> told_prepares();
  // In the transaction that is about to be prepared.
  Status write_prepared(storage::Transaction& txn, const CommittedChanges& changes);
  struct Prepared {
    std::string number;
    std::shared_ptr<CommittedChanges> changes;
  };
  // Of those that have committed.
  Result<std::vector<Prepared>> prepared();
  // They have their place now; `wanted`: and some slot needs them.
  Status settle(const Prepared& prepared, bool wanted);

  // Slots as they are, without what lies below `needed`. `durable`: survives a crash when this returns.
  Status save(std::span<const SlotInfo> slots, uint64_t needed, bool durable);
  // Null when they are not there any more.
  Result<std::shared_ptr<CommittedChanges>> load(uint64_t begin);

  // What is there at the start: heads without changes, in their order.
  struct Contents {
    uint64_t bound = 0;
    std::vector<SlotInfo> slots;
    std::vector<CommittedChanges> heads;
  };
  Result<Contents> contents();

  Lsn appended() const;
  // 58030 and its kin when the log has failed.
  Status wait_durable(Lsn lsn);

 private:
  class Change;

  storage::Store& store_;
  const std::shared_ptr<storage::Table> table_;
  ChangeDecoder decoder_;
};

}  // namespace indigo::engine::replication
