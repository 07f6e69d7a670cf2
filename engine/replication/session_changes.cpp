#include "engine/replication/session_changes.h"

#include <utility>

#include "engine/replication/changed_table.h"

namespace indigo::engine::replication {

Status SessionChanges::add(RowChange change) {
  const size_t bytes = change.bytes();
  INDIGO_TRY(stream_.count_gathered(bytes));
  bytes_ += bytes;
  changes_.push_back(std::move(change));
  return {};
}

Status SessionChanges::add_row(RowChange::Kind kind, const RowChange::Relation& relation, Bytes old_row,
                               Bytes new_row) {
  auto& identity = identities_[relation];
  // Types may have changed since, which the relation's descriptor does not tell.
  if (identity == nullptr || table_of(*identity).version != catalog_.version()) {
    identity = changed_table(catalog_, relation);
  }
  RowChange change;
  change.kind = kind;
  change.relation = relation;
  change.identity = identity;
  change.old_row = old_row;
  change.new_row = new_row;
  return add(std::move(change));
}

void SessionChanges::rollback_to(const Mark& mark) {
  if (changes_.size() <= mark.changes) return;
  changes_.resize(mark.changes);
  stream_.forget_gathered(bytes_ - mark.bytes);
  bytes_ = mark.bytes;
}

void SessionChanges::forget_changes() {
  changes_.clear();
  stream_.forget_gathered(std::exchange(bytes_, 0));
}

Status SessionChanges::inserted(const RowChange::Relation& relation, Bytes row) {
  return add_row(RowChange::Kind::kInsert, relation, Bytes(), row);
}

Status SessionChanges::updated(const RowChange::Relation& relation, Bytes old_row, Bytes new_row) {
  return add_row(RowChange::Kind::kUpdate, relation, old_row, new_row);
}

Status SessionChanges::erased(const RowChange::Relation& relation, Bytes old_row) {
  return add_row(RowChange::Kind::kDelete, relation, old_row, Bytes());
}

void SessionChanges::truncated(std::span<const RowChange::Relation> tables, bool cascades, bool restarts_sequences) {
  if (!wanted()) return;
  RowChange change;
  change.cascades = cascades;
  change.restarts_sequences = restarts_sequences;
  change.kind = RowChange::Kind::kTruncate;
  for (const RowChange::Relation& table : tables) {
    if (wanted(*table)) change.truncated.push_back(table);
  }
  if (!change.truncated.empty()) changes_.push_back(std::move(change));  // a few bytes, which are not counted
}

Status SessionChanges::message(std::string_view prefix, std::string_view content) {
  RowChange change;
  change.kind = RowChange::Kind::kMessage;
  change.old_row = prefix;
  change.new_row = content;
  return add(std::move(change));
}

Result<uint64_t> SessionChanges::message_now(std::string_view prefix, std::string_view content, int64_t now) {
  auto batch = std::make_shared<CommittedChanges>();
  batch->database = database_;
  batch->kind = CommittedChanges::Kind::kMessage;
  batch->committed_at = now;
  RowChange& change = batch->changes.emplace_back();
  change.kind = RowChange::Kind::kMessage;
  change.old_row = prefix;
  change.new_row = content;
  batch->bytes = change.bytes();
  Turn turn(stream_);
  INDIGO_TRY(turn.take());
  INDIGO_TRY(stream_.place(*batch, nullptr));
  stream_.publish(batch);
  return batch->end;
}

std::shared_ptr<CommittedChanges> SessionChanges::make_batch(uint64_t transaction) {
  auto batch = std::make_shared<CommittedChanges>();
  batch->database = database_;
  batch->transaction = transaction;
  for (const RowChange& change : changes_) batch->bytes += change.bytes();
  batch->changes = std::move(changes_);
  changes_.clear();
  identities_.clear();
  return batch;
}

Status SessionChanges::before_commit(storage::Transaction& txn, bool defines, int64_t now) {
  if (changes_.empty() && !(defines && wanted())) return {};
  auto batch = make_batch(txn.id().value);
  INDIGO_TRY(stream_.take_turn());
  batch_ = std::move(batch);  // from here on the turn goes back with it
  batch_->committed_at = now;
  return stream_.place(*batch_, &txn);
}

Status SessionChanges::prepare(const std::string& name, storage::Transaction& txn, bool defines, int64_t now) {
  if (changes_.empty() && !(defines && wanted())) return {};
  auto batch = make_batch(txn.id().value);
  batch->kind = CommittedChanges::Kind::kCommitPrepared;
  batch->prepared.name = name;
  batch->prepared.prepared_at = now;
  batch->gathered = bytes_;
  if (stream_.decodes_at_prepare(database_)) INDIGO_TRY(place_prepare(*batch));
  Status status = stream_.prepare(txn, std::move(batch));
  if (status.ok()) {
    bytes_ = 0;
  } else if (batch_ != nullptr) {
    stream_.withdraw(*batch_);
  }
  return status;
}

// A copy of the changes is told at once, under the turn; `batch` learns its place.
Status SessionChanges::place_prepare(CommittedChanges& batch) {
  auto told = std::make_shared<CommittedChanges>(batch);
  told->kind = CommittedChanges::Kind::kPrepare;
  told->gathered = 0;
  told->committed_at = batch.prepared.prepared_at;
  INDIGO_TRY(stream_.take_turn());
  batch_ = std::move(told);  // from here on the turn goes back with it
  if (Status status = stream_.place_prepare(*batch_); !status.ok()) {
    stream_.withdraw(*batch_);
    return status;
  }
  batch.prepared = batch_->prepared;
  return {};
}

void SessionChanges::prepare_failed(const std::string& name, int64_t now) {
  stream_.forget_prepared({name, now});
  if (batch_ != nullptr) stream_.withdraw(*batch_);
}

void SessionChanges::after_commit() {
  if (batch_ != nullptr) {
    stream_.publish(batch_);
    batch_ = nullptr;
    stream_.give_turn();
  }
  forget_changes();
}

void SessionChanges::forget() {
  forget_changes();
  identities_.clear();
  if (batch_ == nullptr) return;
  batch_ = nullptr;
  stream_.give_turn();
}

}  // namespace indigo::engine::replication
