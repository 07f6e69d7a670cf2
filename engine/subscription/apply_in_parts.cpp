// What the worker applies of transactions that do not come in one piece: those in progress, whose changes come in streams and are
// kept until they end, and those of two-phase commit.
#include "base/sqlstate.h"
#include "catalog/catalog.h"
#include "engine/ddl/object_lookup.h"
#include "engine/instance_impl.h"
#include "engine/subscription/apply_worker.h"
#include "storage/prepared.h"

namespace indigo::engine::subscription {

namespace {

// The publisher hears of the worker at least so often while a transaction of many changes is applied.
constexpr std::chrono::seconds kReportInterval(10);

// Of a message that may come within a stream; null: none.
const char* name_of_streamed(char kind) {
  switch (kind) {
    case 'R': return "RELATION";
    case 'Y': return "TYPE";
    case 'I': return "INSERT";
    case 'U': return "UPDATE";
    case 'D': return "DELETE";
    case 'T': return "TRUNCATE";
    case 'M': return "MESSAGE";
    default: return nullptr;
  }
}

}  // namespace

// ---- transactions in progress

Status ApplyWorker::apply(const StreamStartChange& start) {
  streaming_ = start.transaction;
  return {};
}

Status ApplyWorker::apply(const StreamStopChange&) {
  if (!streaming_) return Error(sqlstate::kProtocolViolation, "STREAM STOP message without STREAM START");
  streaming_.reset();
  return {};
}

Status ApplyWorker::keep(std::string_view message) {
  if (message[0] == 'O') return {};  // an origin, which has no transaction
  const char* const name = name_of_streamed(message[0]);
  if (name == nullptr) {
    return Error(sqlstate::kProtocolViolation,
                 std::string("unexpected logical replication message type \"") + message[0] + "\" in a stream");
  }
  INDIGO_ASSIGN(StreamedMessage streamed, read_streamed(message));
  Status kept = streamed_.add(*streaming_, std::move(streamed));
  if (!kept.ok()) doing_ = "message type \"" + std::string(name) + "\"";
  return kept;
}

Status ApplyWorker::replay(uint32_t transaction) {
  for (std::string& message : streamed_.take(transaction)) {
    INDIGO_TRY(apply(message));
    std::string().swap(message);
    if (stop_->is_set()) return stopped_error();
    if (Clock::now() >= told_ + kReportInterval) INDIGO_TRY(report(false));
  }
  return {};
}

Status ApplyWorker::apply(const StreamCommitChange& commit) {
  INDIGO_TRY(apply(BeginChange{commit.commit_lsn, commit.transaction}));
  INDIGO_TRY(replay(commit.transaction));
  return apply(CommitChange{commit.end_lsn});
}

Status ApplyWorker::apply(const StreamAbortChange& abort) {
  streamed_.abort(abort.transaction, abort.subtransaction);
  return {};
}

// ---- two-phase commit

std::string ApplyWorker::prepared_name(uint32_t transaction) const {
  return "pg_" + std::to_string(subscription_.oid) + "_" + std::to_string(transaction);
}

bool ApplyWorker::is_prepared(uint32_t transaction) const {
  const std::string name = prepared_name(transaction);
  const auto all = storage::prepared_transactions(instance_.catalog().store()).list();
  return std::any_of(all.begin(), all.end(), [&](const auto& prepared) {
    return prepared.name.name == name && prepared.name.database == subscription_.database;
  });
}

Status ApplyWorker::apply(const BeginPrepareChange& begin) {
  INDIGO_TRY(apply(BeginChange{begin.prepare_lsn, begin.transaction}));
  prepared_before_ = is_prepared(begin.transaction);
  return {};
}

// One without changes, or whose changes are skipped, is prepared, too: it will be committed by its name.
Status ApplyWorker::apply(const PrepareChange& prepare) {
  if (prepare.streamed) {
    INDIGO_TRY(apply(BeginPrepareChange{prepare.prepare_lsn, prepare.transaction}));
    INDIGO_TRY(replay(prepare.transaction));
  }
  doing_ = prepare.streamed ? "message type \"STREAM PREPARE\"" : "message type \"PREPARE\"";
  if (!prepared_before_) {
    INDIGO_TRY(begin_if_needed());
    INDIGO_TRY(session_->run("PREPARE TRANSACTION " + ddl::literal(prepared_name(prepare.transaction))));
  }
  const bool skips = is_skipped();
  // One that was prepared before the publisher decoded at PREPARE is told with the place of then.
  const uint64_t end = std::max(prepare.end_lsn, applied_);
  INDIGO_TRY(in_transaction([&](DdlContext& c) -> Status {
    if (skips) INDIGO_TRY(forget_skipped_lsn(c));
    return set_progress(c, subscription_.oid, {end});
  }));
  unflushed_++;
  if (skips) skipped();
  return end_at(end);
}

Status ApplyWorker::apply(const CommitPreparedChange& commit) {
  INDIGO_TRY(apply(BeginChange{commit.commit_lsn, commit.transaction}));
  doing_ = "message type \"COMMIT PREPARED\"";
  const std::string name = prepared_name(commit.transaction);
  if (is_prepared(commit.transaction)) {
    INDIGO_TRY(in_transaction([&](DdlContext& c) {
      return set_progress(c, subscription_.oid, {.lsn = commit.commit_lsn, .committing_prepared = true});
    }));
    INDIGO_TRY(session_->run("COMMIT PREPARED " + ddl::literal(name)));
  } else if (committing_ != commit.commit_lsn) {
    return Error(sqlstate::kUndefinedObject, "prepared transaction with identifier \"" + name + "\" does not exist");
  }
  committing_ = 0;
  INDIGO_TRY(in_transaction([&](DdlContext& c) { return set_progress(c, subscription_.oid, {commit.end_lsn}); }));
  unflushed_++;
  return end_at(commit.end_lsn);
}

// One that is not here was prepared before the publisher decoded at PREPARE, or has been rolled back when this came before.
Status ApplyWorker::apply(const RollbackPreparedChange& rollback) {
  INDIGO_TRY(apply(BeginChange{rollback.end_lsn, rollback.transaction}));
  doing_ = "message type \"ROLLBACK PREPARED\"";
  if (is_prepared(rollback.transaction))
    INDIGO_TRY(session_->run("ROLLBACK PREPARED " + ddl::literal(prepared_name(rollback.transaction))));
  INDIGO_TRY(in_transaction([&](DdlContext& c) { return set_progress(c, subscription_.oid, {rollback.end_lsn}); }));
  unflushed_++;
  return end_at(rollback.end_lsn);
}

}  // namespace indigo::engine::subscription
