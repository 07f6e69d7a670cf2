// What a session consists of. Each part knows one thing and has its own header; statements, programs and system functions get
// this, and include the headers of the parts that they use.
//
//   message()      the message being worked on: sink, notices, timestamp     current_message.h
//   block()        the transaction and its savepoints                        transaction_block.h
//   notifications() LISTEN and NOTIFY                                        notify/session_notifications.h
//   changes()      what logical replication is told of its transactions     replication/session_changes.h
//   scope()        the statement's snapshot, views of programs               statement_scope.h
//   settings()     values; setting_effects(): what they do;                  settings/settings.h, session_settings.h,
//                  applied_settings(): what they come to                     settings/applied_settings.h
//   roles()        whom the session acts as                                  session_roles.h
//   statements()   prepared statements by name                               portal/prepared_statements.h
//   portals()      portals and cursors by name                               portal/portals.h
//   preparation()  text -> plan, through the cache                           portal/preparation.h
//   parameters()   literals and Bind's values -> a portal's parameters       portal/parameter_binding.h
//   runner()       runs portals and utility statements                       statement_runner.h
//   auto_explain() who tells of plans that took long                        auto_explain.h
//   statement_counter()  who counts statements for pg_stat_statements       statement_counter.h
//   executions()   operators that wait for their plan's next run             execution_pool.h
//   sequences()    currval and the like                                       sequence_values.h
//   routines()     functions and procedures in SQL and PL/pgSQL              programs/programs.h
//   remote()       connections to other servers                              remote/remote_connections.h
//   triggers()     trigger functions, for the executor                       programs/trigger_caller.h
//   context()      all of it as SQL functions see it                         session_functions.h
//
// Thread safety: none; belongs to a session.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "base/ids.h"

namespace indigo {
class Arena;
class Waiter;
}  // namespace indigo

namespace indigo::types {
class FuncContext;
}

namespace indigo::storage {
class LockOwner;
class Store;
class Transaction;
}  // namespace indigo::storage

namespace indigo::catalog {
class Database;
class SessionCatalog;
class SessionContext;
}  // namespace indigo::catalog

namespace indigo::engine {

namespace exec {
class ForeignHost;
class ScanCounts;
}  // namespace exec
namespace replication {
class SessionChanges;
}
namespace programs {
class Programs;
class TriggerCaller;
}  // namespace programs

class AutoExplain;
class StatementCounter;
class CurrentMessage;
class ExecutionPool;
class InstanceImpl;
class ParameterBinding;
class Portals;
class Preparation;
class PreparedStatements;
class RemoteConnections;
class SequenceValues;
class SessionFunctions;
class SessionRoles;
class SessionSettings;
class SessionNotifications;
class Settings;
class StatementRunner;
class StatementScope;
class TransactionBlock;
enum class Severity : uint8_t;
enum class StatementShown : uint8_t;
struct AppliedSettings;

class SessionParts {
 public:
  SessionParts(InstanceImpl& instance, Waiter& waiter, std::shared_ptr<catalog::Database> database, int32_t pid);
  // Rolls back, drops temporary objects, releases locks.
  ~SessionParts();
  SessionParts(const SessionParts&) = delete;
  SessionParts& operator=(const SessionParts&) = delete;

  InstanceImpl& instance() { return instance_; }
  Waiter& waiter() { return waiter_; }
  int32_t pid() const { return pid_; }
  catalog::SessionCatalog& session_catalog() { return *catalog_; }
  storage::LockOwner& session_locks() { return *session_locks_; }

  CurrentMessage& message() { return *message_; }
  SessionNotifications& notifications() { return *notifications_; }
  const SessionNotifications& notifications() const { return *notifications_; }
  replication::SessionChanges& changes() { return *changes_; }
  TransactionBlock& block() { return *block_; }
  const TransactionBlock& block() const { return *block_; }
  StatementScope& scope() { return *scope_; }
  Settings& settings() { return *settings_; }
  SessionSettings& setting_effects() { return *setting_effects_; }
  const SessionSettings& setting_effects() const { return *setting_effects_; }
  const AppliedSettings& applied_settings() const { return *applied_; }
  SessionRoles& roles() { return *roles_; }
  PreparedStatements& statements() { return *statements_; }
  Portals& portals() { return *portals_; }
  Preparation& preparation() { return *preparation_; }
  ParameterBinding& parameters() { return *parameters_; }
  StatementRunner& runner() { return *runner_; }
  AutoExplain& auto_explain() { return *auto_explain_; }
  StatementCounter& statement_counter() { return *statement_counter_; }
  ExecutionPool& executions() { return *executions_; }
  SequenceValues& sequences() { return *sequences_; }
  programs::Programs& routines() { return *programs_; }
  RemoteConnections& remote() { return *remote_; }
  programs::TriggerCaller& triggers() { return *triggers_; }
  catalog::SessionContext& context();
  // For encoding this session's values; its memory lives until the next message begins.
  types::FuncContext& output_context() { return *output_context_; }

  // Short for what nearly every statement asks of a part.
  Oid user() const;
  bool is_superuser();
  storage::Store& store();
  storage::Transaction& transaction();
  Status begin_statement();
  void notice(Severity severity, const Error& text);
  void notice(Severity severity, const Error& text, StatementShown logged);

  // Around each message: the session works in its database. Waits while that is being put back, and sees the result; an error
  // when the session is told to stop meanwhile.
  Status enter_database();
  void leave_database();
  // A message begins, and ends.
  void begin_message(std::string_view text);
  void end_message();
  // A statement has failed: an implicit transaction rolls back, a block becomes failed.
  void fail_statement();
  // What an exception has passed through is thrown away.
  void discard_broken();
  // DISCARD PLANS: the cache, programs and waiting executions.
  void discard_plans();

 private:
  void adopt_image();
  void discard_stale_plans();
  void drop_temporary_objects();

  InstanceImpl& instance_;
  Waiter& waiter_;
  const int32_t pid_;
  // In the order in which they are made: each may use those above it.
  const std::unique_ptr<Settings> settings_;
  const std::unique_ptr<AppliedSettings> applied_;
  const std::unique_ptr<catalog::SessionCatalog> catalog_;
  const std::unique_ptr<SessionNotifications> notifications_;
  const std::unique_ptr<replication::SessionChanges> changes_;
  const std::unique_ptr<TransactionBlock> block_;
  const std::unique_ptr<storage::LockOwner> session_locks_;
  const std::unique_ptr<CurrentMessage> message_;
  const std::unique_ptr<SessionRoles> roles_;
  const std::unique_ptr<SequenceValues> sequences_;
  const std::unique_ptr<SessionFunctions> functions_;
  const std::unique_ptr<SessionSettings> setting_effects_;
  const std::unique_ptr<AutoExplain> auto_explain_;
  const std::unique_ptr<StatementCounter> statement_counter_;
  const std::unique_ptr<ExecutionPool> executions_;
  const std::unique_ptr<Portals> portals_;
  const std::unique_ptr<programs::TriggerCaller> triggers_;
  const std::shared_ptr<exec::ScanCounts> scans_;
  const std::unique_ptr<StatementScope> scope_;
  const std::unique_ptr<PreparedStatements> statements_;
  const std::unique_ptr<Preparation> preparation_;
  const std::unique_ptr<ParameterBinding> parameters_;
  const std::unique_ptr<StatementRunner> runner_;
  const std::unique_ptr<programs::Programs> programs_;
  const std::unique_ptr<RemoteConnections> remote_;
  const std::unique_ptr<exec::ForeignHost> foreign_host_;
  const std::unique_ptr<Arena> output_arena_;
  const std::unique_ptr<types::FuncContext> output_context_;
  bool in_database_ = false;
  uint64_t plans_version_ = 0;  // of the catalog, when stale plans were discarded last
};

}  // namespace indigo::engine
