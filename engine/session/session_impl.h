// The one implementation of Session. Its member functions stand in several files by concept:
//   session_impl.cpp     life, settings, interrupts
//   statement_edge.cpp   the messages, with exceptions caught
//   simple_query.cpp     Query messages
//   extended_query.cpp   Parse, Bind, Describe, Execute, Close, Sync
//   preparation.cpp      text -> Prepared, through the statement cache
//   execution.cpp        running portals: locks, snapshots, rows, tags
//   cursor_position.cpp  what cursors stand on
//   session_context.cpp  what SQL functions ask of their session
//   session_roles.cpp    whom the session acts as
// and utility statements in engine/utility/.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/wait_point.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/session_context.h"
#include "engine/exec/scan/cursor_rows.h"
#include "engine/instance.h"
#include "engine/programs/active_view.h"
#include "engine/programs/programs.h"
#include "engine/session.h"
#include "engine/session/portal.h"
#include "engine/session/transaction_block.h"
#include "engine/settings/settings.h"
#include "engine/statement/repeated_rows.h"
#include "engine/statement/statement_cache.h"
#include "types/function/context.h"

namespace indigo::engine {

class InstanceImpl;

// What others may see of a session (pg_stat_activity). The session writes under `mutex`, rarely.
struct SessionActivity {
  std::mutex mutex;
  std::string query, state = "idle", application_name, client_address;
  int client_port = -1;
  int64_t backend_start = 0, transaction_start = 0, query_start = 0, state_change = 0;
  Oid database = kInvalidOid, user = kInvalidOid;
  std::string database_name, user_name;
};

// A statement made by Parse or PREPARE.
struct NamedStatement {
  std::shared_ptr<const ParsedStatement> parsed;
  std::vector<Oid> parameter_types;  // as declared; resolved ones in prepared
  PreparedPtr prepared;              // null for an empty statement
  PreparedPtr for_cursor;            // the same, for named portals that read; made when first needed
  bool from_sql = false;
  int64_t prepare_time = 0;
};

class SessionImpl final : public Session, public catalog::SessionContext, public exec::CursorRows {
 public:
  SessionImpl(InstanceImpl& instance, Waiter& waiter, std::shared_ptr<catalog::Database> database, int32_t pid,
              int32_t cancel_key);
  ~SessionImpl() override;

  // After construction: user and startup settings. `stored` ones (ALTER ROLE ... SET) that are not valid any more are left
  // out; those of `options` replace them.
  Status start(const ConnectOptions& options, std::span<const std::pair<std::string, std::string>> stored = {});

  // ---- Session
  int32_t pid() const override { return pid_; }
  int32_t cancel_key() const override { return cancel_key_; }
  std::vector<std::pair<std::string, std::string>> reported_settings() const override;
  char transaction_status() const override { return block_.status_byte(); }
  void query(std::string_view text, RowSink& sink) override;
  Status parse(std::string_view name, std::string_view text, std::span<const Oid> parameter_types,
               RowSink& sink) override;
  Status bind(const BindMessage& bind, RowSink& sink) override;
  Status describe_statement(std::string_view name, RowSink& sink) override;
  Status describe_portal(std::string_view name, RowSink& sink) override;
  Status execute(std::string_view portal, uint32_t max_rows, RowSink& sink) override;
  Status close_statement(std::string_view name) override;
  Status close_portal(std::string_view name) override;
  Status sync(RowSink& sink) override;
  void fail_transaction() override;
  types::FuncContext& output_context() override { return output_context_; }
  Deadline idle_deadline() const override;
  bool checks_connection() const override { return checks_connection_; }
  std::optional<Error> must_end() override;

  // ---- catalog::SessionContext
  const types::FormatSettings& format() override { return format_; }
  catalog::CatalogView& catalog() override { return catalog_; }
  int64_t transaction_timestamp() override { return block_.start_timestamp(); }
  int64_t statement_timestamp() override { return statement_timestamp_; }
  std::string current_user() override { return user_name_; }
  std::string session_user() override { return session_user_name_; }
  int32_t backend_pid() override { return pid_; }
  bool setting(std::string_view name, std::string& value) override;
  Status set_setting(std::string_view name, std::string_view value, bool local) override;
  Result<int64_t> nextval(Oid sequence) override;
  Result<int64_t> currval(Oid sequence) override;
  Result<int64_t> lastval() override;
  Status setval(Oid sequence, int64_t value, bool is_called) override;
  Status sleep(double seconds) override;
  Status system_rows(std::string_view function, std::span<const Datum> args,
                     const std::function<void(std::span<const Datum>)>& sink) override;
  Result<OwnedDatum> system_value(std::string_view function, std::span<const Datum> args) override;
  Result<OwnedDatum> call_routine(const types::CallInfo& call, std::span<const Datum> args) override;
  Result<std::unique_ptr<types::SetProducer>> open_routine(const types::CallInfo& call,
                                                           std::span<const Datum> args) override;

  // ---- exec::CursorRows (cursor_position.cpp)
  Result<std::optional<Row>> current_row(std::string_view cursor, const catalog::RelationInfo& relation) override;

  // ---- for utility statements and system functions
  InstanceImpl& instance() { return instance_; }
  Waiter& waiter() { return waiter_; }
  catalog::SessionCatalog& session_catalog() { return catalog_; }
  Settings& settings() { return settings_; }
  TransactionBlock& block() { return block_; }
  SessionActivity& activity() { return *activity_; }
  std::shared_ptr<SessionActivity> shared_activity() { return activity_; }
  bool is_superuser() { return catalog_.is_superuser(user_); }
  Oid user() const { return user_; }
  std::map<std::string, NamedStatement, std::less<>>& statements() { return statements_; }
  std::map<std::string, std::unique_ptr<Portal>, std::less<>>& portals() { return portals_; }
  storage::LockOwner& session_locks() { return *session_locks_; }
  std::chrono::milliseconds lock_timeout() const { return lock_timeout_; }
  void notice(Severity severity, const Error& text);
  RowSink* sink() { return sink_; }
  uint64_t work_memory_bytes() const { return work_memory_bytes_; }
  // SECURITY DEFINER: privileges are that role's until it changes again.
  void act_as(Oid role);

  // ---- programs (engine/programs)
  programs::Programs& routines() { return *programs_; }
  ActiveView*& active_view() { return active_view_; }
  // What the statement that runs now reads with.
  storage::ReadView current_view();
  // What a statement inside a program reads with. `fresh`: of a new command, and under READ COMMITTED of a new snapshot.
  storage::ReadView nested_view(bool fresh);

  // Makes sure that a transaction is open with a snapshot for the next statement; a new command begins.
  Status begin_statement();
  storage::Transaction& transaction() { return *block_.transaction(); }
  storage::Store& store() { return catalog_.catalog().store(); }

  // preparation.cpp. `sample` are parameter values for selectivity only; `for_cursor`: WHERE CURRENT OF may name its portal.
  Result<PreparedPtr> prepare(const std::shared_ptr<const ParsedStatement>& parsed,
                              std::span<const Oid> parameter_types, bool variable_parameters,
                              std::span<const sql::LiftedLiteral> lifted, std::span<const Datum> sample,
                              bool for_cursor = false);
  // The same for a statement within another (EXPLAIN, COPY, DECLARE): `node` belongs to outer's tree.
  Result<PreparedPtr> prepare_node(const ParsedStatement& outer, const PgQuery__Node* node,
                                   std::span<const Oid> parameter_types, bool for_cursor = false);
  // Plans again what a change of the catalog has outdated.
  Status refresh(PreparedPtr& prepared);

  // execution.cpp
  // Snapshot, locks and operators of a ready portal.
  Status open_plan(Portal& portal);
  // Runs a planned portal: at most max_rows rows into the sink (0: all), then sets portal.status and portal.tag.
  Status run_plan(Portal& portal, uint32_t max_rows, RowSink& sink);
  // Fetches from a portal's buffer or operators without a tag; returns rows sent.
  // `as`: formats that differ from the portal's own (FETCH in the extended protocol).
  Result<uint64_t> fetch_rows(Portal& portal, uint64_t max_rows, RowSink& sink, const ResultShape* as = nullptr);
  // Everything that is left of the portal's rows goes into its buffer.
  Status materialise(Portal& portal);
  void close(Portal& portal);
  Status run_utility(Portal& portal, RowSink& sink);
  // Result columns of a prepared statement in the given formats; null when it has none.
  Result<std::shared_ptr<const ResultShape>> shape_of(const Prepared& prepared, std::span<const Format> formats);
  // Table locks of a plan, and its re-check against the catalog; replaces `prepared` when it had to be planned again.
  Status lock_relations(PreparedPtr& prepared);
  Status check_allowed(const Prepared& prepared);
  // 25P02 unless the statement may run in a failed transaction block.
  Status check_failed_block(const ParsedStatement& parsed);
  // Parameters from literals of the text or from a Bind message, into the portal's arena.
  Status bind_literals(Portal& portal, const ScannedText& scanned);
  Result<Datum> bind_literal(Portal& portal, const ScannedText& scanned, size_t i, const types::TypeRef& type,
                             std::string& buffer);
  // The rows of the INSERT in folded_ as data of the portal's plan. False: its plan cannot take them, or a value is wrong.
  bool bind_rows(Portal& portal, const ScannedText& whole);
  // What a plan runs in: this transaction, at that view.
  ExecutionContext execution_context(const storage::ReadView& view, std::span<const Datum> parameters) {
    return {store(), transaction(), view, *this, parameters, work_memory_bytes_, &block_.deferred_checks(), this};
  }
  // Constraint checks that need not wait any more: at COMMIT all, by SET CONSTRAINTS those that became immediate.
  Status run_deferred_checks(bool commit);
  void forget_sequences() {
    sequence_values_.clear();
    last_sequence_ = kInvalidOid;
  }
  void discard_plans() {
    if (active_view_ == nullptr) programs_->forget();
    cache_.clear();
    idle_executions_.clear();
    last_execution_ = {};
  }
  // Plans of another state of the catalog are of no use any more, and would keep tables that were dropped.
  void discard_stale_plans();

 private:
  friend class InstanceImpl;
  // statement_edge.cpp: the messages, with exceptions caught. What each of them does:
  template <class F>
  auto at_edge(F&& message) -> decltype(message());
  void discard_broken();
  void run_query(std::string_view text, RowSink& sink);
  Status make_statement(std::string_view name, std::string_view text, std::span<const Oid> parameter_types,
                        RowSink& sink);
  Status make_portal(const BindMessage& bind, RowSink& sink);
  Status send_statement_description(std::string_view name, RowSink& sink);
  Status send_portal_description(std::string_view name, RowSink& sink);
  Status run_portal(std::string_view name, uint32_t max_rows, RowSink& sink);
  Status end_pipeline(RowSink& sink);

  Status run_one(const std::shared_ptr<const ParsedStatement>& parsed, bool last, RowSink& sink);
  Status run_portal_simple(Portal& portal, bool last, RowSink& sink);
  Status run_text(std::string_view text, RowSink& sink);
  Status run_cached(const ScannedText& scanned, std::string_view text, RowSink& sink);
  Result<PreparedPtr> prepare_cached(const ScannedText& scanned, std::string_view text);
  // The statement's plan for a named portal.
  Result<PreparedPtr> for_cursor(NamedStatement& statement);
  NamedStatement* find_statement(std::string_view name);
  void statement_error(const Error& error, RowSink& sink);
  void begin_message(std::string_view text);
  void end_message();
  void set_timeouts();
  void apply_setting(uint32_t index);
  Result<std::string> check_setting(uint32_t index, std::string value);
  // Of the settings session_authorization and role.
  Status check_role(std::string_view setting, const std::string& name);
  void apply_roles();
  void end_portals(size_t depth, TransactionBlock::End end);
  void drop_temporary_objects();
  Status check_may_connect(const catalog::RoleInfo& role);
  // What must be done or checked before a commit.
  Status finish_transaction();

  std::unique_ptr<Execution> take_execution(const Prepared& prepared);
  void return_execution(const Prepared& prepared, std::unique_ptr<Execution> execution);
  void report_changed_settings(RowSink& sink);
  Result<std::pair<std::shared_ptr<catalog::Sequence>, catalog::SequenceOptions>> find_sequence(Oid sequence,
                                                                                                std::string& name);

  InstanceImpl& instance_;
  Waiter& waiter_;
  const int32_t pid_, cancel_key_;
  Settings settings_;
  catalog::SessionCatalog catalog_;
  TransactionBlock block_;
  std::unique_ptr<storage::LockOwner> session_locks_;
  std::shared_ptr<SessionActivity> activity_;
  Oid login_user_ = kInvalidOid;
  std::map<std::string, Oid, std::less<>> role_oids_;  // of the names that session_authorization and role have had

  // Kept current by apply_setting.
  Oid user_ = kInvalidOid, session_user_ = kInvalidOid;
  std::string user_name_, session_user_name_;
  bool activity_tracked_ = true;
  types::FormatSettings format_;
  bool checks_connection_ = false;
  std::chrono::milliseconds statement_timeout_{0}, lock_timeout_{0}, idle_timeout_{0}, idle_transaction_timeout_{0};
  uint64_t work_memory_bytes_ = 0;
  Severity client_min_severity_ = Severity::kNotice;
  std::vector<uint32_t> changed_reported_;
  uint64_t plan_generation_ = 1;

  std::unique_ptr<programs::Programs> programs_;
  ActiveView* active_view_ = nullptr;  // of the innermost statement that runs

  StatementCache cache_;
  uint64_t plans_version_ = 0;  // of the catalog, when stale plans were discarded last
  ScannedText scanned_;
  FoldedText folded_;
  Portal simple_portal_;
  std::map<std::string, NamedStatement, std::less<>> statements_;
  std::map<std::string, std::unique_ptr<Portal>, std::less<>> portals_;
  NamedStatement unnamed_statement_;
  // Executions that wait for their next run, by plan; the last one used without a look-up.
  std::pair<const sql::PlannedStatement*, std::unique_ptr<Execution>> last_execution_{nullptr, nullptr};
  absl::flat_hash_map<const sql::PlannedStatement*, std::vector<std::unique_ptr<Execution>>> idle_executions_;

  types::FuncContext bind_context_, output_context_;
  Arena output_arena_;
  RowSink* sink_ = nullptr;  // of the message being worked on
  int64_t statement_timestamp_ = 0;
  bool statement_running_ = false;
  std::map<Oid, int64_t> sequence_values_;  // currval
  Oid last_sequence_ = kInvalidOid;
};

}  // namespace indigo::engine
