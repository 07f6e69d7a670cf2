// What one session's transaction tells logical replication: gathered while it runs, published when it has committed. What was
// gathered since a savepoint goes when that is rolled back.
//
// Invariant: between before_commit() and after_commit() or forget() the session holds the stream's turn, if it has gathered
// anything.
// Thread safety: none; belongs to a session.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "engine/replication/change_stream.h"
#include "engine/replication/row_change.h"

namespace indigo::engine::replication {

class SessionChanges {
 public:
  SessionChanges(ChangeStream& stream, catalog::CatalogView& catalog, Oid database)
      : stream_(stream), catalog_(catalog), database_(database) {}
  ~SessionChanges() { forget(); }
  SessionChanges(const SessionChanges&) = delete;
  SessionChanges& operator=(const SessionChanges&) = delete;

  // Whether a slot asks for changes of this relation.
  bool wanted(const catalog::RelationInfo& relation) const {
    return stream_.wanted() && (relation.kind == catalog::RelationKind::kTable || relation.is_partitioned()) &&
           relation.persistence == 'p' && relation.oid >= oid::kFirstUserOid;
  }
  bool wanted() const { return stream_.wanted(); }

  // 53200 when too much is gathered; the statement fails.
  Status inserted(const RowChange::Relation& relation, Bytes row);
  Status updated(const RowChange::Relation& relation, Bytes old_row, Bytes new_row);
  Status erased(const RowChange::Relation& relation, Bytes old_row);
  void truncated(std::span<const RowChange::Relation> tables, bool cascades, bool restarts_sequences);
  Status message(std::string_view prefix, std::string_view content);
  // Outside of transactions, at once.
  Result<uint64_t> message_now(std::string_view prefix, std::string_view content, int64_t now);

  struct Mark {
    size_t changes = 0, bytes = 0;
  };
  Mark mark() const { return {changes_.size(), bytes_}; }
  void rollback_to(const Mark& mark);
  bool used() const { return !changes_.empty(); }
  bool holds_turn() const { return batch_ != nullptr; }
  // `defines`: it has changed definitions, and so is told even if it has changed no rows.
  Status before_commit(storage::Transaction& txn, bool defines, int64_t now);
  void after_commit();
  void forget();
  // The transaction is about to be prepared under the name, with what it has gathered; or could not be. Then after_commit() or
  // forget(), between which and this the session holds the turn if a slot is told at PREPARE.
  Status prepare(const std::string& name, storage::Transaction& txn, bool defines, int64_t now);
  void prepare_failed(const std::string& name, int64_t now);

 private:
  // Of all changes. Their bytes stay counted until they are published or forgotten.
  std::shared_ptr<CommittedChanges> make_batch(uint64_t transaction);
  Status place_prepare(CommittedChanges& batch);

  Status add(RowChange change);
  Status add_row(RowChange::Kind kind, const RowChange::Relation& relation, Bytes old_row, Bytes new_row);
  void forget_changes();

  ChangeStream& stream_;
  catalog::CatalogView& catalog_;
  const Oid database_;
  std::vector<RowChange> changes_;
  size_t bytes_ = 0;  // of them, and of the batch's, counted in the stream
  // Of the relations that the transaction has changed, as they are now: another descriptor is another key.
  std::unordered_map<RowChange::Relation, std::shared_ptr<const ReplicaIdentity>> identities_;
  std::shared_ptr<CommittedChanges> batch_;  // while the session holds the turn
};

}  // namespace indigo::engine::replication
