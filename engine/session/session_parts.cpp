#include "engine/session/session_parts.h"

#include "base/fiber/interrupt_error.h"
#include "base/fiber/wait_point.h"
#include "base/memory/arena.h"
#include "base/memory/memory_reserve.h"
#include "catalog/catalog.h"
#include "catalog/database.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/foreign/session_foreign_host.h"
#include "engine/instance_impl.h"
#include "engine/notify/session_notifications.h"
#include "engine/programs/call_context.h"
#include "engine/programs/programs.h"
#include "engine/programs/trigger_caller.h"
#include "engine/remote/remote_connections.h"
#include "engine/replication/session_changes.h"
#include "engine/session/auto_explain.h"
#include "engine/session/clock.h"
#include "engine/session/current_message.h"
#include "engine/session/execution_pool.h"
#include "engine/session/portal/parameter_binding.h"
#include "engine/session/portal/portals.h"
#include "engine/session/portal/preparation.h"
#include "engine/session/portal/prepared_statements.h"
#include "engine/session/running_session.h"
#include "engine/session/sequence_values.h"
#include "engine/session/session_functions.h"
#include "engine/session/session_roles.h"
#include "engine/session/session_settings.h"
#include "engine/session/statement_counter.h"
#include "engine/session/statement_runner.h"
#include "engine/session/statement_scope.h"
#include "engine/session/transaction_block.h"
#include "engine/utility/definition_host.h"
#include "engine/utility/prepared_transaction.h"
#include "storage/lock/lock_manager.h"
#include "storage/running_transactions.h"
#include "types/function/context.h"

namespace indigo::engine {

SessionParts::SessionParts(InstanceImpl& instance, Waiter& waiter, std::shared_ptr<catalog::Database> database,
                           int32_t pid)
    : instance_(instance),
      waiter_(waiter),
      pid_(pid),
      settings_(std::make_unique<Settings>(instance.defaults())),
      applied_(std::make_unique<AppliedSettings>()),
      catalog_(std::make_unique<catalog::SessionCatalog>(instance.catalog(), std::move(database),
                                                         static_cast<uint64_t>(pid))),
      notifications_(
          std::make_unique<SessionNotifications>(instance.notification_hub(), catalog_->database(), waiter, pid)),
      changes_(
          std::make_unique<replication::SessionChanges>(instance.change_stream(), *catalog_, catalog_->database())),
      block_(std::make_unique<TransactionBlock>(instance.catalog().store(), *catalog_, *settings_, *notifications_,
                                                *changes_, static_cast<uint64_t>(pid))),
      session_locks_(instance.catalog().store().locks().create_owner(TxnId(), static_cast<uint64_t>(pid))),
      message_(std::make_unique<CurrentMessage>(waiter, *applied_, *block_)),
      roles_(std::make_unique<SessionRoles>(*catalog_, *block_, *settings_)),
      sequences_(std::make_unique<SequenceValues>(*catalog_, *block_, instance.catalog().store())),
      functions_(std::make_unique<SessionFunctions>(*this)),
      setting_effects_(std::make_unique<SessionSettings>(
          *settings_, SettingSession{*applied_, *block_, *roles_, message_->activity(), *catalog_, *functions_})),
      auto_explain_(std::make_unique<AutoExplain>(*this)),
      statement_counter_(std::make_unique<StatementCounter>(*this)),
      executions_(std::make_unique<ExecutionPool>(*auto_explain_)),
      portals_(std::make_unique<Portals>(*executions_)),
      triggers_(std::make_unique<programs::TriggerCaller>(*this)),
      scans_(instance.scan_counts().open(catalog_->database())),
      scope_(std::make_unique<StatementScope>(instance.catalog().store(), *block_, *message_, *applied_, *functions_,
                                              *portals_, *triggers_, *scans_)),
      statements_(std::make_unique<PreparedStatements>()),
      preparation_(
          std::make_unique<Preparation>(*catalog_, *functions_, *setting_effects_, *scope_, instance_.shared_plans())),
      parameters_(std::make_unique<ParameterBinding>(*functions_, *settings_)),
      runner_(std::make_unique<StatementRunner>(*this)),
      programs_(std::make_unique<programs::Programs>(*this)),
      remote_(std::make_unique<RemoteConnections>()),
      foreign_host_(make_foreign_host(*this)),
      output_arena_(std::make_unique<Arena>()),
      output_context_(std::make_unique<types::FuncContext>(*functions_)) {
  output_context_->set_arena(output_arena_.get());
  catalog_->set_formats(applied_->format);
  applied_->spill->statistics = instance.spill_statistics();
  applied_->spill->database = catalog_->database();
  block_->before_end = [this](size_t depth, TransactionBlock::End end) {
    // Within a program it is the statement that runs: what ends is a part of it.
    portals_->end(depth, end, scope_->active_view() != nullptr);
    // What has failed is rolled back on other servers before its block hears of it, so that its locks are free.
    if (end != TransactionBlock::End::kCommit && depth > 0) remote_->roll_back(depth);
    if (end == TransactionBlock::End::kFailure && depth == 0) remote_->end_transaction();
  };
  block_->numbered_end = [this](TxnId id, bool committed) {
    instance_.transaction_outcomes().ended(id, committed, storage::newest_stamp(store()));
  };
  block_->after_end = [this](bool) { remote_->end_transaction(); };
  block_->after_release = [this](size_t depth) { remote_->release(depth); };
  block_->before_commit = [this]() -> Status {
    INDIGO_TRY(runner_->finish_transaction());
    return remote_->commit();
  };
  scope_->set_foreign(foreign_host_.get());
  preparation_->set_counter(statement_counter_.get());
  block_->before_prepare = [this] { return engine::before_prepare(*this); };
  enter_running_sessions(waiter_, *this);
}

SessionParts::~SessionParts() {
  const MustNotFail scope;
  // Portals hold cursors of the transaction: they go first.
  portals_->abandon_all();
  block_->rollback();
  drop_temporary_objects();
  if (in_database_) message_->activity().use.leave();
  store().locks().release_all(*session_locks_);
  instance_.scan_counts().close(scans_);
  instance_.change_stream().drop_temporary(pid_);
  leave_running_sessions(waiter_, *this);
}

catalog::SessionContext& SessionParts::context() { return *functions_; }

Oid SessionParts::user() const { return roles_->user(); }

bool SessionParts::is_superuser() { return roles_->is_superuser(); }

storage::Store& SessionParts::store() { return scope_->store(); }

storage::Transaction& SessionParts::transaction() { return scope_->transaction(); }

Status SessionParts::begin_statement() { return scope_->begin_statement(); }

void SessionParts::notice(Severity severity, const Error& text) { notice(severity, text, StatementShown::kYes); }

void SessionParts::notice(Severity severity, const Error& text, StatementShown logged) {
  const programs::CallContext* place = programs_->innermost_context();
  if (place == nullptr) return message_->notice(severity, text, logged);
  Error told = text;
  told.add_context(place->lines());
  message_->notice(severity, told, logged);
}

Status SessionParts::enter_database() {
  DatabaseUse& use = message_->activity().use;
  if (in_database_) {
    if (block_->in_block()) use.go_on();
    return {};
  }
  if (!use.enter()) {
    waiter_.clear_cancel();  // those that came before are void
    if (instance_.database_opened().wait([&] { return use.enter(); }) == WaitResult::kInterrupted) {
      return interrupt_error(waiter_.interrupted());
    }
  }
  in_database_ = true;
  if (catalog_->database_object().replaced()) adopt_image();
  return {};
}

void SessionParts::leave_database() {
  if (!in_database_) return;
  if (block_->in_block()) return message_->activity().use.rest();
  if (block_->state() != TransactionBlock::State::kIdle) return;  // a pipeline goes on
  in_database_ = false;
  message_->activity().use.leave();
}

// Its transactions have ended, and nothing of the image before may be used any more.
void SessionParts::adopt_image() {
  auto image = instance_.catalog().database(catalog_->database());
  if (image == nullptr) return;  // dropped: there is nothing to work in but what it has
  catalog_->adopt(std::move(image));
  sequences_->forget();
  discard_plans();
  discard_stale_plans();
}

void SessionParts::begin_message(std::string_view text) {
  message_->begin(text);
  block_->set_several(false);
  scope_->end_statement();
  output_arena_->reset();
}

void SessionParts::end_message() {
  message_->end();
  scope_->end_statement();
  if (catalog_->version() != plans_version_) discard_stale_plans();
}

void SessionParts::fail_statement() {
  portals_->abandon(portals_->simple());
  portals_->simple().status = Portal::Status::kFailed;
  block_->fail();
  scope_->end_statement();
  replication::ChangeStream& stream = instance_.change_stream();
  if (stream.wanted()) stream.drop_temporary(pid_);  // as in PostgreSQL
}

void SessionParts::discard_broken() {
  const MustNotFail scope;
  portals_->discard_broken();
  discard_plans();
  parameters_->reset();
  output_context_->take_error();
  block_->fail();
  scope_->end_statement();
}

void SessionParts::discard_plans() {
  if (scope_->active_view() == nullptr) programs_->forget();
  preparation_->clear_cache();
  executions_->clear();
}

// What is outdated is of no use any more, and would keep tables that were dropped.
void SessionParts::discard_stale_plans() {
  plans_version_ = catalog_->version();
  if (scope_->active_view() == nullptr) programs_->forget();
  preparation_->discard_stale();
  executions_->clear();
  if (!portals_->simple().execution) portals_->simple().prepared = nullptr;
  statements_->discard_stale_plans(*preparation_);
  // What the catalog's view has looked up, likewise.
  if (!block_->in_block()) catalog_->search_path();
}

void SessionParts::drop_temporary_objects() {
  if (catalog_->temp_schema() == kInvalidOid) return;
  message_->set_timestamp(timestamp_now());
  waiter_.clear_interrupt();  // the session ends: nothing may stop its last words
  if (!begin_statement().ok()) return;
  DefinitionHost host(*this, nullptr);
  DdlContext context{*catalog_, transaction(), host, {}};
  const Status dropped = engine::drop_temporary_objects(context);
  if (!dropped.ok() || !block_->commit().ok()) block_->rollback();
}

}  // namespace indigo::engine
