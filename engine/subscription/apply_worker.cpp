#include "engine/subscription/apply_worker.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/memory/process_memory.h"
#include "base/server_log.h"
#include "base/sqlstate.h"
#include "catalog/catalog.h"
#include "engine/ddl/object_lookup.h"
#include "engine/ddl/rows.h"
#include "engine/instance_impl.h"
#include "engine/replication/change_stream.h"
#include "engine/session/clock.h"
#include "engine/subscription/published_table.h"
#include "log/log.h"
#include "storage/durability.h"

namespace indigo::engine::subscription {

namespace pg_subscription = catalog::pg_subscription;

namespace {

// Commits reach the device together: when nothing comes for so long, when there are so many, or when they have waited.
constexpr std::chrono::milliseconds kQuiet(2), kUnflushedFor(100);
constexpr int kUnflushedMax = 1000;
constexpr size_t kSlotColumns = 4;  // of CREATE_REPLICATION_SLOT's answer
// The publisher frees a slot when it sees that its reader's connection has ended.
constexpr std::chrono::milliseconds kSlotPause(100);
constexpr int kSlotTries = 50;
constexpr int kStreamingVersion = 140000, kTwoPhaseVersion = 150000;  // of publishers

const char* name_of(RowChange::Kind kind) {
  switch (kind) {
    case RowChange::Kind::kInsert: return "INSERT";
    case RowChange::Kind::kUpdate: return "UPDATE";
    default: return "DELETE";
  }
}

// What transactions in progress may hold: a fifth of what the server may have.
uint64_t most_streamed_bytes(InstanceImpl& instance) {
  const auto limit = static_cast<uint64_t>(std::strtoll(instance.setting("memory_limit").c_str(), nullptr, 10)) * 1024;
  return (limit != 0 ? limit : machine_memory_bytes() / 5 * 4) / 5;
}

}  // namespace

ApplyWorker::ApplyWorker(InstanceImpl& instance, Waiter& waiter, const Subscription& subscription, StopEventPtr stop,
                         WorkerStatus& status)
    : instance_(instance),
      waiter_(waiter),
      subscription_(subscription),
      stop_(std::move(stop)),
      status_(status),
      streamed_(most_streamed_bytes(instance)) {}

int64_t ApplyWorker::setting(const char* name) const {
  return std::strtoll(instance_.setting(name).c_str(), nullptr, 10);
}

Status ApplyWorker::in_transaction(const std::function<Status(DdlContext&)>& step) {
  INDIGO_TRY(session_->begin());
  Status done = session_->in_catalog(step);
  if (done.ok()) return session_->commit();
  session_->rollback();
  return done;
}

Status ApplyWorker::open() {
  const auto database = instance_.catalog().database(subscription_.database);
  if (database == nullptr) return Error(sqlstate::kInvalidCatalogName, "the subscription's database does not exist");
  INDIGO_ASSIGN(session_, ApplySession::open(instance_, waiter_, database, subscription_.owner,
                                             subscription_.synchronous_commit));
  INDIGO_TRY(in_transaction([&](DdlContext& c) -> Status {
    const Progress so_far = progress(c, subscription_.oid);
    applied_ = flushed_ = so_far.lsn;
    if (so_far.committing_prepared) committing_ = so_far.lsn;
    for (const TableState& table : table_states(c, subscription_.oid)) tables_[table.relation] = table;
    return {};
  }));
  return connect();
}

Status ApplyWorker::connect() {
  publisher_ = nullptr;
  auto publisher = Publisher::connect(subscription_.connection, subscription_.name, stop_);
  if (!publisher.ok()) {
    Error error = publisher.error();
    if (error.state == sqlstate::kConnectionFailure)
      error.message = "could not connect to the publisher: " + error.message;
    return error;
  }
  publisher_ = *std::move(publisher);
  return {};
}

// ---- copies

Status ApplyWorker::copy_tables() {
  std::vector<TableState> wanted;
  for (const auto& [relation, table] : tables_) {
    if (table.state == kTableInit) wanted.push_back(table);
  }
  for (const TableState& table : wanted) {
    Status copied = copy_table(table);
    if (copied.ok()) continue;
    if (session_->in_transaction()) session_->rollback();
    return copied;
  }
  return {};
}

Status ApplyWorker::copy_table(TableState table) {
  PublishedName name;
  INDIGO_TRY(in_transaction([&](DdlContext& c) -> Status {
    if (const auto relation = c.catalog.relation(table.relation)) name = {relation->schema_name, relation->name};
    return {};
  }));
  if (name.name.empty()) return {};  // dropped meanwhile
  doing_ = "copying table \"" + name.schema + "." + name.name + "\"";
  INDIGO_ASSIGN(const auto source, Publisher::connect(subscription_.connection, subscription_.name, stop_));
  INDIGO_TRY(source->tell("BEGIN READ ONLY ISOLATION LEVEL REPEATABLE READ"));
  const std::string slot = "pg_" + std::to_string(subscription_.oid) + "_sync_" + std::to_string(table.relation) + "_" +
                           std::to_string(instance_.system_identifier());
  const bool new_syntax = source->server_version() >= 150000;
  INDIGO_ASSIGN(const Publisher::Rows made,
                source->ask("CREATE_REPLICATION_SLOT \"" + slot + "\" TEMPORARY LOGICAL pgoutput " +
                                (new_syntax ? "(SNAPSHOT 'use')" : "USE_SNAPSHOT"),
                            kSlotColumns));
  const auto place = made.empty() || !made[0][1] ? std::nullopt : replication::read_position(*made[0][1]);
  if (!place) return Error(sqlstate::kProtocolViolation, "the publisher did not tell where its snapshot is");
  INDIGO_ASSIGN(const PublishedTable published, published_table(*source, name, subscription_.publications));
  std::string columns;
  for (const std::string& column : published.columns)
    columns += (columns.empty() ? "" : ", ") + ddl::identifier(column);
  INDIGO_TRY(source->begin_copy(published.copy));
  INDIGO_TRY(session_->begin());
  std::string row;
  INDIGO_TRY(session_->copy_in("COPY " + quoted_name(name.schema, name.name) + " (" + columns + ") FROM STDIN",
                               [&](std::string& out) -> Result<bool> {
                                 INDIGO_ASSIGN(const Publisher::Got got, source->receive(row, kNoDeadline));
                                 if (got == Publisher::Got::kEnd) return false;
                                 out += row;
                                 return true;
                               }));
  table.state = kTableSynced;
  table.lsn = *place;
  INDIGO_TRY(session_->in_catalog([&](DdlContext& c) { return set_table(c, subscription_.oid, table); }));
  INDIGO_TRY(session_->commit());
  tables_[table.relation] = table;
  log_info("logical replication of subscription \"" + subscription_.name + "\" has copied table \"" + name.schema +
           "." + name.name + "\"");
  return {};
}

Status ApplyWorker::reached(uint64_t lsn) {
  for (auto& [relation, table] : tables_) {
    if (table.state != kTableSynced || lsn < table.lsn) continue;
    TableState ready = table;
    ready.state = kTableReady;
    INDIGO_TRY(in_transaction([&](DdlContext& c) { return set_table(c, subscription_.oid, ready); }));
    unflushed_++;
    table = ready;
  }
  return {};
}

// ---- the stream

Status ApplyWorker::start_stream() {
  std::string names;
  for (const std::string& name : subscription_.publications) names += (names.empty() ? "" : ",") + ddl::quoted(name);
  const bool streams = subscription_.streaming && publisher_->server_version() >= kStreamingVersion;
  // The slot remembers that it decodes at PREPARE.
  const bool enables = may_enable_two_phase();
  const bool two_phase = enables || subscription_.two_phase == kTwoPhaseEnabled;
  const char* protocol = two_phase ? "3" : streams ? "2" : "1";
  std::string command = "START_REPLICATION SLOT \"" + subscription_.slot.value_or(subscription_.name) + "\" LOGICAL " +
                        replication::position_text(applied_) + " (proto_version '" + protocol +
                        "', publication_names " + ddl::literal(names);
  if (streams) command += ", streaming 'on'";
  if (enables) command += ", two_phase 'on'";
  if (subscription_.binary) command += ", binary 'true'";
  INDIGO_TRY(publisher_->begin_copy(command + ")"));
  if (!enables) return {};
  INDIGO_TRY(in_transaction([&](DdlContext& c) { return set_two_phase(c, subscription_.oid, kTwoPhaseEnabled); }));
  subscription_.two_phase = kTwoPhaseEnabled;
  return {};
}

Status ApplyWorker::start_stream_again() {
  log_info("logical replication apply worker for subscription \"" + subscription_.name +
           "\" starts again so that two_phase can be enabled");
  streamed_ = StreamedTransactions(most_streamed_bytes(instance_));
  for (int left = kSlotTries;; left--) {
    INDIGO_TRY(connect());
    Status started = start_stream();
    if (started.ok() || started.error().state != sqlstate::kObjectInUse || left == 0) return started;
    if (stop_->wait(Clock::now() + kSlotPause)) return stopped_error();
  }
}

bool ApplyWorker::all_ready() const {
  return !tables_.empty() &&
         std::all_of(tables_.begin(), tables_.end(), [](const auto& t) { return t.second.state == kTableReady; });
}

bool ApplyWorker::may_enable_two_phase() const {
  return subscription_.two_phase == kTwoPhasePending && all_ready() && publisher_->server_version() >= kTwoPhaseVersion;
}

Status ApplyWorker::report(bool wants_reply) {
  const int64_t now = timestamp_now();
  INDIGO_TRY(publisher_->send(status_update(applied_, flushed_, now, wants_reply)));
  told_ = Clock::now();
  status_.reported_lsn = flushed_;
  status_.reported = now;
  return {};
}

// Whatever has been committed is on the device, and the publisher knows it.
Status ApplyWorker::flush() {
  if (unflushed_ != 0) {
    log::Log& log = storage::log_of(instance_.catalog().store());
    if (!log.wait_durable(log.appended())) {
      INDIGO_TRY(log.failure());
      return stopped_error();
    }
    unflushed_ = 0;
  }
  flushed_ = applied_;
  return report(false);
}

// When to stop waiting for the publisher.
Deadline ApplyWorker::next_event(Deadline heard, bool asked) const {
  const std::chrono::seconds interval(setting("wal_receiver_status_interval"));
  const std::chrono::milliseconds timeout(setting("wal_receiver_timeout"));
  Deadline next = interval.count() > 0 ? told_ + interval : kNoDeadline;
  if (timeout.count() > 0) next = std::min(next, heard + (asked ? timeout : timeout / 2));
  return unflushed_ != 0 ? std::min(next, Clock::now() + kQuiet) : next;
}

Status ApplyWorker::stream() {
  Deadline heard = Clock::now();
  told_ = heard;
  bool asked = false;
  std::string message;
  while (true) {
    INDIGO_ASSIGN(const Publisher::Got got, publisher_->receive(message, next_event(heard, asked)));
    const Deadline now = Clock::now();
    if (got == Publisher::Got::kEnd) return Error(sqlstate::kConnectionFailure, "data stream from publisher has ended");
    if (got == Publisher::Got::kNothing) {
      const std::chrono::milliseconds timeout(setting("wal_receiver_timeout"));
      if (timeout.count() > 0 && now >= heard + timeout)
        return Error(sqlstate::kConnectionFailure, "terminating logical replication worker due to timeout");
      asked = timeout.count() > 0 && now >= heard + timeout / 2;
      INDIGO_TRY(unflushed_ != 0 ? flush() : report(asked));
      continue;
    }
    heard = now;
    asked = false;
    INDIGO_ASSIGN(const StreamMessage part, read_stream_message(message));
    status_.received_lsn = std::max(status_.received_lsn.load(), part.end_lsn);
    status_.sent = part.sent;
    status_.received = timestamp_now();
    if (!part.keepalive) {
      INDIGO_TRY(apply(part.payload));
      if (unflushed_ >= kUnflushedMax || (unflushed_ != 0 && now >= told_ + kUnflushedFor)) INDIGO_TRY(flush());
    } else {
      if (!in_remote_ && part.end_lsn > applied_) {
        applied_ = part.end_lsn;
        INDIGO_TRY(reached(applied_));
        if (unflushed_ == 0) flushed_ = applied_;
      }
      if (part.wants_reply) INDIGO_TRY(flush());
    }
    if (!in_remote_ && !streaming_ && may_enable_two_phase()) return flush();
  }
}

Status ApplyWorker::apply(std::string_view message) {
  if (streaming_ && !message.empty() && message[0] != 'E') return keep(message);
  INDIGO_ASSIGN(const ChangeMessage change, read_change(message));
  return std::visit([&](const auto& one) { return apply(one); }, change);
}

Status ApplyWorker::apply(const BeginChange& begin) {
  begin_ = begin;
  in_remote_ = true;
  prepared_before_ = false;
  return {};
}

Status ApplyWorker::begin_if_needed() { return session_->in_transaction() ? Status() : session_->begin(); }

Status ApplyWorker::forget_skipped_lsn(DdlContext& c) const {
  return ddl::update_row(c, pg_subscription::kOid, {Datum::of_oid(subscription_.oid)},
                         [](catalog::RowValues& row) { row.i64(pg_subscription::c_subskiplsn, 0); });
}

void ApplyWorker::skipped() {
  subscription_.skip_lsn = 0;
  log_info("logical replication completed skipping transaction at LSN " + replication::position_text(begin_.final_lsn));
}

Status ApplyWorker::apply(const CommitChange& commit) {
  doing_ = "message type \"COMMIT\"";
  const bool skips = is_skipped();
  if (skips) INDIGO_TRY(begin_if_needed());
  if (session_->in_transaction()) {
    INDIGO_TRY(session_->in_catalog([&](DdlContext& c) -> Status {
      if (skips) INDIGO_TRY(forget_skipped_lsn(c));
      return set_progress(c, subscription_.oid, {commit.end_lsn});
    }));
    INDIGO_TRY(session_->commit());
    unflushed_++;
  }
  if (skips) skipped();
  return end_at(commit.end_lsn);
}

// A transaction of the publisher has been dealt with.
Status ApplyWorker::end_at(uint64_t end_lsn) {
  in_remote_ = prepared_before_ = false;
  doing_.clear();
  applied_ = end_lsn;
  if (unflushed_ == 0) flushed_ = applied_;
  return reached(applied_);
}

Status ApplyWorker::apply(const RelationChange& relation) {
  if (const auto known = targets_.find(relation.relation); known != targets_.end()) {
    known->second.forget(*session_);
    targets_.erase(known);
  }
  remote_[relation.relation] = relation;
  return {};
}

Result<TargetTable*> ApplyWorker::target(uint32_t remote) {
  const auto described = remote_.find(remote);
  if (described == remote_.end())
    return Error(sqlstate::kProtocolViolation,
                 "no relation map entry for remote relation ID " + std::to_string(remote));
  auto found = targets_.find(remote);
  if (found == targets_.end()) {
    INDIGO_ASSIGN(TargetTable made, TargetTable::find(*session_, described->second));
    found = targets_.emplace(remote, std::move(made)).first;
  }
  const auto table = tables_.find(found->second.relation());
  const bool takes_part =
      table != tables_.end() && (table->second.state == kTableReady ||
                                 (table->second.state == kTableSynced && table->second.lsn <= begin_.final_lsn));
  return takes_part ? &found->second : nullptr;
}

Status ApplyWorker::apply(const RowChange& row) {
  if (passes_over()) return {};
  doing_ = "message type \"" + std::string(name_of(row.kind)) + "\"";
  if (const auto described = remote_.find(row.relation); described != remote_.end()) {
    doing_ += " for replication target relation \"" + described->second.schema + "." + described->second.name + "\"";
  }
  INDIGO_TRY(begin_if_needed());
  INDIGO_ASSIGN(TargetTable * table, target(row.relation));
  return table == nullptr ? Status() : table->apply(*session_, row);
}

Status ApplyWorker::apply(const TruncateChange& truncate) {
  if (passes_over()) return {};
  doing_ = "message type \"TRUNCATE\"";
  INDIGO_TRY(begin_if_needed());
  std::string names;
  for (const uint32_t remote : truncate.relations) {
    INDIGO_ASSIGN(const TargetTable* table, target(remote));
    if (table != nullptr) names += (names.empty() ? "" : ", ") + table->truncated_name();
  }
  if (names.empty()) return {};
  return session_->run("TRUNCATE " + names + (truncate.restart_sequences ? " RESTART IDENTITY" : ""));
}

// ---- the whole

void ApplyWorker::disable() {
  const Status done = in_transaction([&](DdlContext& c) {
    return ddl::update_row(c, pg_subscription::kOid, {Datum::of_oid(subscription_.oid)},
                           [](catalog::RowValues& row) { row.flag(pg_subscription::c_subenabled, false); });
  });
  if (done.ok()) log_info("subscription \"" + subscription_.name + "\" has been disabled because of an error");
}

Status ApplyWorker::run() {
  INDIGO_TRY(open());
  log_info("logical replication apply worker for subscription \"" + subscription_.name + "\" has started");
  Status done = copy_tables();
  if (done.ok()) done = start_stream();
  while (done.ok()) {
    done = stream();
    if (done.ok()) done = start_stream_again();
  }
  if (stop_->is_set()) return done;
  if (!doing_.empty()) {
    Error& error = done.error();
    std::string where = "processing remote data for replication origin \"pg_" + std::to_string(subscription_.oid) +
                        "\" during " + doing_;
    if (in_remote_) {
      where += " in transaction " + std::to_string(begin_.transaction) + ", finished at " +
               replication::position_text(begin_.final_lsn);
    }
    error.add_context(where);
    if (session_->in_transaction()) session_->rollback();
    if (subscription_.disable_on_error) disable();
  }
  return done;
}

}  // namespace indigo::engine::subscription
