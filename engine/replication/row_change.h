// What a transaction has done to rows, as logical decoding tells it. Rows are images in the layout of the relation as it was
// when the change was made, so no later definition makes them unreadable.
// Thread safety: immutable once its transaction has committed; shared by pointer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "catalog/descriptor/relation_info.h"
#include "engine/replication/replica_identity.h"

namespace indigo::engine::replication {

struct RowChange {
  enum class Kind : uint8_t { kInsert, kUpdate, kDelete, kTruncate, kMessage };
  using Relation = std::shared_ptr<const catalog::RelationInfo>;
  Kind kind = Kind::kInsert;
  Relation relation;                                  // null: kTruncate, kMessage
  std::shared_ptr<const ReplicaIdentity> identity;    // the relation's, then
  std::string old_row, new_row;                       // kMessage: prefix and content
  std::vector<Relation> truncated;                    // kTruncate
  bool cascades = false, restarts_sequences = false;  // kTruncate

  size_t bytes() const { return sizeof(RowChange) + old_row.size() + new_row.size(); }
};

// What a transaction of two-phase commit was prepared as.
struct PreparedPlace {
  std::string name;
  int64_t prepared_at = 0;
  // Where the stream has its PREPARE, or has it at its COMMIT PREPARED when it was not told before: begin < prepare < end.
  uint64_t begin = 0, prepare = 0, end = 0;
};

// One transaction's, in the order of its statements. A message outside of transactions is one of its own.
struct CommittedChanges {
  // kCommitPrepared has the changes, too, for slots that are told of them only then; kRollbackPrepared has none.
  enum class Kind : uint8_t {
    kMessage = 0,
    kTransaction = 1,
    kPrepare = 2,
    kCommitPrepared = 3,
    kRollbackPrepared = 4
  };
  Oid database = kInvalidOid;
  uint64_t transaction = 0;  // its number
  int64_t committed_at = 0;  // or prepared, or rolled back; microseconds since 2000-01-01
  Kind kind = Kind::kTransaction;
  PreparedPlace prepared;  // from kPrepare on
  std::vector<RowChange> changes;
  size_t bytes = 0;
  size_t gathered = 0;  // a prepared transaction's bytes that ChangeStream::count_gathered has counted
  // Positions in the stream, given when it is published: begin < commit < end; the next one begins at `end`.
  uint64_t begin = 0, commit = 0, end = 0;
  bool journaled = false;  // the journal has them, too

  bool transactional() const { return kind != Kind::kMessage; }
  // Of one that has ended: its PREPARE has a place of its own before it.
  bool prepared_before() const { return prepared.begin != 0 && prepared.begin < begin; }
};

}  // namespace indigo::engine::replication
