#include "engine/session/statement_runner.h"

#include <algorithm>
#include <vector>

#include "base/fiber/interrupt_error.h"
#include "base/sqlstate.h"
#include "catalog/catalog.h"
#include "catalog/database.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/trigger_info.h"
#include "engine/exec/change/row_triggers.h"
#include "engine/exec/errors.h"
#include "engine/exec/query_state.h"
#include "engine/programs/row_catcher.h"
#include "engine/session/auto_explain.h"
#include "engine/session/execution_pool.h"
#include "engine/session/portal/portals.h"
#include "engine/session/portal/preparation.h"
#include "engine/session/repeated_statement.h"
#include "engine/session/required_privileges.h"
#include "engine/session/session_parts.h"
#include "engine/session/session_settings.h"
#include "engine/session/statement_scope.h"
#include "engine/settings/applied_settings.h"
#include "engine/statement/repeated_rows.h"
#include "engine/statement/result_shape.h"
#include "engine/utility/definition_host.h"
#include "engine/utility/utility.h"
#include "sql/partition/lock_pruning.h"
#include "sql/plan/outgrown.h"
#include "storage/lock/lock_manager.h"
#include "storage/txn/advance_snapshot.h"
#include "types/function/phys_of.h"
#include "types/oids.h"

namespace indigo::engine {

namespace {

constexpr int kMostAttempts = 100;
Error catalog_keeps_changing() { return Error(sqlstate::kInternalError, "the catalog keeps changing"); }

std::string command_tag(sql::CommandKind command, uint64_t rows) {
  switch (command) {
    case sql::CommandKind::kSelect: return "SELECT " + std::to_string(rows);
    case sql::CommandKind::kInsert: return "INSERT 0 " + std::to_string(rows);
    case sql::CommandKind::kUpdate: return "UPDATE " + std::to_string(rows);
    case sql::CommandKind::kDelete: return "DELETE " + std::to_string(rows);
    case sql::CommandKind::kMerge: return "MERGE " + std::to_string(rows);
  }
  return "";
}

const sql::LockRowsPlan* find_row_locks(const sql::Plan& plan) {
  if (plan.kind == sql::PlanKind::kLockRows) return static_cast<const sql::LockRowsPlan*>(&plan);
  for (const auto& input : plan.inputs) {
    if (const auto* found = find_row_locks(*input)) return found;
  }
  return nullptr;
}

const char* select_name(const sql::PlannedStatement& plan) {
  const sql::LockRowsPlan* locks = find_row_locks(*plan.root);
  if (locks == nullptr || locks->locks.empty()) return "SELECT";
  switch (locks->locks[0].mode) {
    case storage::RowLockMode::kKeyShare: return "SELECT FOR KEY SHARE";
    case storage::RowLockMode::kShare: return "SELECT FOR SHARE";
    case storage::RowLockMode::kNoKeyUpdate: return "SELECT FOR NO KEY UPDATE";
    default: return "SELECT FOR UPDATE";
  }
}

const char* command_name(const sql::PlannedStatement& plan) {
  switch (plan.command) {
    case sql::CommandKind::kInsert: return "INSERT";
    case sql::CommandKind::kUpdate: return "UPDATE";
    case sql::CommandKind::kDelete: return "DELETE";
    case sql::CommandKind::kMerge: return "MERGE";
    case sql::CommandKind::kSelect: return select_name(plan);
  }
  return "";
}

// The statement's own plan and those that rules have added.
template <class F>
void for_each_plan(const Prepared& prepared, F&& f) {
  f(*prepared.plan);
  for (const PreparedPtr& part : prepared.before) f(*part->plan);
  for (const PreparedPtr& part : prepared.after) f(*part->plan);
}

// A read-only transaction may change temporary tables.
bool changes_permanent(const sql::PlannedStatement& plan) {
  return !plan.read_only && std::any_of(plan.relations.begin(), plan.relations.end(), [](const auto& dependency) {
    return dependency.lock != storage::TableLockMode::kAccessShare && dependency.relation->persistence != 't';
  });
}

// Superusers' own changes of the system tables: what any session has made of their rows is looked up again.
void tell_of_catalog_changes(catalog::SessionCatalog& catalog, const sql::PlannedStatement& plan) {
  if (plan.read_only) return;
  for (size_t i = 0; i < plan.always_locked; i++) {  // the others are partitions, which no system table has
    const auto& dependency = plan.relations[i];
    if (dependency.lock < storage::TableLockMode::kRowExclusive || dependency.relation->oid >= oid::kFirstUserOid)
      continue;
    catalog.changed({kInvalidOid});
    catalog.changed_shared();
    return;
  }
}

}  // namespace

Status StatementRunner::lock(const sql::PlannedStatement::Dependency& dependency) {
  if (dependency.relation->oid < oid::kFirstUserOid) return {};  // system tables are never dropped
  storage::Store& store = session_.store();
  const auto status =
      store.locks().lock_table(store.lock_owner(session_.transaction()),
                               catalog::lock_object(session_.session_catalog().database(), dependency.relation->oid),
                               dependency.lock, true, session_.applied_settings().lock_timeout);
  if (status == storage::StorageStatus::kOk) return {};
  if (status == storage::StorageStatus::kInterrupted) return interrupt_error(session_.waiter().interrupted());
  return storage_error(status, dependency.relation.get());
}

Status StatementRunner::lock_all(const sql::PlannedStatement& plan) {
  for (const auto& dependency : plan.relations) INDIGO_TRY(lock(dependency));
  return {};
}

Status StatementRunner::lock_relations(PreparedPtr& prepared, std::span<const Datum> parameters, Columns columns) {
  // Whose rights were looked at before are looked at again as they are behind the wait: of an object's new owner, or after REVOKE.
  const bool checked =
      prepared->allowed.user != kInvalidOid || (prepared->privileges.empty() && prepared->functions.empty());
  for (int attempt = 0;; attempt++) {
    const sql::PlannedStatement& plan = *prepared->plan;
    if (prepared->rewritten) {
      Status locked;
      for_each_plan(*prepared, [&](const sql::PlannedStatement& of_rule) {
        if (locked.ok()) locked = lock_all(of_rule);
      });
      INDIGO_TRY(std::move(locked));
    } else if (plan.lock_prunings.empty()) {
      INDIGO_TRY(lock_all(plan));
    } else {
      for (size_t i = 0; i < plan.always_locked; i++) INDIGO_TRY(lock(plan.relations[i]));
      INDIGO_ASSIGN(const auto left, sql::partition::pruned_dependencies(session_.context(), plan, parameters));
      for (const uint32_t i : left) {
        INDIGO_TRY(lock(plan.relations[i]));
        prepared->outgrown = prepared->outgrown || sql::outgrown(plan.relations[i]);
      }
    }
    const uint64_t generation = session_.preparation().generation();
    if (session_.preparation().is_current(*prepared) && prepared->plan_settings == generation)
      return checked ? check_rights(*prepared) : Status();
    if (attempt == kMostAttempts) return catalog_keeps_changing();
    INDIGO_TRY(session_.preparation().refresh(prepared, columns));
    // What waited for the lock must see what the lock's holder has committed.
    session_.scope().renew_snapshot();
  }
}

Status StatementRunner::lock_named(const Prepared& prepared) {
  Status locked;
  for_each_plan(prepared, [&](const sql::PlannedStatement& plan) {
    const size_t count = plan.lock_prunings.empty() ? plan.relations.size() : plan.always_locked;
    for (size_t i = 0; i < count && locked.ok(); i++) locked = lock(plan.relations[i]);
  });
  return locked;
}

Status StatementRunner::check_rights(const Prepared& prepared) {
  if (prepared.privileges.empty() && prepared.functions.empty()) return {};
  catalog::SessionCatalog& catalog = session_.session_catalog();
  const Prepared::Allowed now{session_.user(), catalog.version(), catalog.catalog().shared_version()};
  if (prepared.allowed == now) return {};
  INDIGO_TRY(check_privileges(catalog, prepared.privileges));
  INDIGO_TRY(check_functions(catalog, prepared.functions));
  prepared.allowed = now;
  return {};
}

Status StatementRunner::check_allowed(const Prepared& prepared) {
  INDIGO_TRY(check_rights(prepared));
  bool changes = changes_permanent(*prepared.plan);
  if (prepared.rewritten) {
    for_each_plan(prepared, [&](const sql::PlannedStatement& plan) { changes |= changes_permanent(plan); });
  }
  if (session_.block().read_only() && changes) {
    return Error(sqlstate::kReadOnlySqlTransaction,
                 std::string("cannot execute ") + command_name(*prepared.plan) + " in a read-only transaction");
  }
  tell_of_catalog_changes(session_.session_catalog(), *prepared.plan);
  return {};
}

Status StatementRunner::open_plan(Portal& portal, Columns columns) {
  INDIGO_TRY(session_.begin_statement());
  INDIGO_TRY(check_allowed(*portal.prepared));
  // What repeats takes one row's parameters after the other.
  const std::span<const Datum> parameters =
      portal.rows == nullptr ? std::span<const Datum>(portal.parameters) : std::span<const Datum>();
  INDIGO_TRY(lock_relations(portal.prepared, parameters, columns));
  // Rights and rows are of one moment: else it would read rows of a time when others had the right to them.
  for (int attempt = 0; !session_.scope().follows_catalog(); attempt++) {
    if (attempt == kMostAttempts) return catalog_keeps_changing();
    session_.scope().renew_snapshot();
    INDIGO_TRY(check_rights(*portal.prepared));
  }
  if (!portal.prepared->before.empty()) {
    const PreparedPtr prepared = portal.prepared;  // it may be planned again while it runs
    INDIGO_TRY(run_rule_queries(prepared->before, portal.parameters, portal.rule_sink));
    session_.transaction().next_command();
  }
  portal.ahead = ReadAhead();
  portal.execution_version = session_.session_catalog().version();
  portal.execution = session_.executions().take(*portal.prepared, portal.execution_version);
  portal.view = session_.transaction().view();
  storage::mark_statement(session_.transaction());
  ActiveView active(session_.scope().active_view(), portal.view, portal.prepared->plan.get());
  ExecutionContext context = session_.scope().execution_context(portal.view, portal.parameters);
  context.text = portal.client_text();
  if (portal.rows != nullptr) {
    context.rows = portal.rows.get();
    portal.rows->values = repeating_values(*portal.prepared->plan, portal.rows->first_parameter.size());
    if (portal.rows->values == nullptr) {  // planned again, when others have redefined what it calls
      return Error(sqlstate::kFeatureNotSupported, "cached plan must not change parameter types");
    }
  }
  INDIGO_TRY(portal.execution->open(context));
  portal.status = Portal::Status::kRunning;
  portal.created_at_depth = session_.block().depth();
  return {};
}

Status StatementRunner::run_plan(Portal& portal, uint32_t max_rows, RowSink& sink) {
  const RunningPortal running(portal);
  if (portal.status == Portal::Status::kReady) INDIGO_TRY(open_plan(portal));
  const auto& plan = *portal.prepared->plan;
  bool changes = plan.command != sql::CommandKind::kSelect;
  if (changes && max_rows != 0 && portal.shape != nullptr && portal.buffer == nullptr) INDIGO_TRY(materialise(portal));
  auto fetched = fetch_rows(portal, max_rows, sink);
  while (!fetched.ok() && begins_again(session_, portal, fetched.error())) {
    INDIGO_TRY(open_plan(portal));
    fetched = fetch_rows(portal, max_rows, sink);
  }
  INDIGO_ASSIGN(const uint64_t sent, std::move(fetched));
  portal.rows_sent += sent;
  if (portal.status == Portal::Status::kDone) {
    if (!portal.buffer && !portal.prepared->after.empty()) {
      INDIGO_TRY(run_rule_queries(portal.prepared->after, portal.parameters, portal.rule_sink));
    }
    uint64_t rows = changes ? portal.execution ? portal.execution->affected_rows() : 0 : portal.rows_sent;
    if (portal.tag.empty()) portal.tag = command_tag(plan.command, rows);
    session_.portals().close(portal);
    INDIGO_TRY(check_transaction_open(changes));
  } else if (portal.execution && !portal.pin) {
    portal.pin = session_.transaction().pin(portal.view);  // later statements take other snapshots
  }
  return {};
}

Status StatementRunner::check_transaction_open(bool changes) {
  if (!session_.block().in_block() || session_.block().isolation() != storage::Isolation::kSerializable) return {};
  const storage::StorageStatus status = session_.transaction().check_open();
  if (status != storage::StorageStatus::kOk) return between_statements_error(status, changes);
  return {};
}

Status StatementRunner::run_rule_queries(std::span<const PreparedPtr> queries, std::span<const Datum> parameters,
                                         RowSink* sink) {
  for (const PreparedPtr& query : queries) {
    session_.transaction().next_command();
    const storage::ReadView view = session_.transaction().view();
    const ActiveView active(session_.scope().active_view(), view, query->plan.get());
    const auto execution = session_.auto_explain().execution(*query);
    const bool shown = sink != nullptr && query->plan->command == sql::CommandKind::kSelect && query->text_shape;
    if (shown) sink->row_description(*query->text_shape);
    INDIGO_TRY(execution->open(session_.scope().execution_context(view, parameters)));
    for (;;) {
      INDIGO_ASSIGN(const Chunk* chunk, execution->next(0));
      if (chunk == nullptr) break;
      if (shown) INDIGO_TRY(sink->rows(*query->text_shape, *chunk));
    }
    execution->close();
  }
  return {};
}

Status StatementRunner::materialise(Portal& portal) {
  const RunningPortal running(portal);
  std::vector<Phys> columns;
  for (const auto& column : portal.prepared->plan->root->columns) {
    if (columns.size() == portal.prepared->plan->targets.size() + portal.prepared->plan->cursor_columns) break;
    columns.push_back(types::phys_of(session_.session_catalog(), column.type.oid));
  }
  exec::SpillSpace& space = *session_.applied_settings().spill;
  auto buffer = std::make_unique<RowBuffer>(columns, space.may_spill() ? &space : nullptr);
  ActiveView active(session_.scope().active_view(), portal.view, portal.prepared->plan.get());
  for (;;) {
    INDIGO_ASSIGN(const Chunk* chunk, portal.next(0));
    if (chunk == nullptr) break;
    INDIGO_TRY(buffer->append(*chunk));
  }
  if (portal.prepared->plan->command != sql::CommandKind::kSelect) {
    portal.tag = command_tag(portal.prepared->plan->command, portal.execution->affected_rows());
  }
  INDIGO_TRY(run_rule_queries(portal.prepared->after, portal.parameters, nullptr));
  portal.buffer = std::move(buffer);
  session_.executions().give_back(*portal.prepared, std::move(portal.execution), portal.execution_version);
  portal.pin.reset();
  return {};
}

Status StatementRunner::hold_pinned() {
  Portals& portals = session_.portals();
  if (portals.any_unheld()) {
    return Error(sqlstate::kObjectNotInPrerequisiteState,
                 "cannot perform transaction commands inside a cursor loop that is not read-only");
  }
  for (const auto& [name, portal] : portals.named()) {
    if (!portal->pinned || portal->held()) continue;
    if (portal->status == Portal::Status::kRunning && portal->buffer == nullptr) INDIGO_TRY(materialise(*portal));
    portal->hold = true;
    portal->pin.reset();
    portal->created_at_depth = SIZE_MAX;
  }
  return {};
}

Result<uint64_t> StatementRunner::fetch_rows(Portal& portal, uint64_t max_rows, RowSink& sink, const ResultShape* as) {
  const RunningPortal running(portal);
  uint64_t sent = 0;
  static const ResultShape kNoColumns;
  ActiveView active(session_.scope().active_view(), portal.view, portal.prepared->plan.get());
  const ResultShape& shape = as != nullptr ? *as : portal.shape ? *portal.shape : kNoColumns;
  while (max_rows == 0 || sent < max_rows) {
    uint64_t wanted = max_rows == 0 ? 0 : max_rows - sent;
    const Chunk* chunk = nullptr;
    if (portal.buffer) {
      INDIGO_ASSIGN(
          chunk, portal.buffer->chunk(portal.buffer->position,
                                      wanted == 0 || wanted > kChunkRows ? kChunkRows : static_cast<uint32_t>(wanted)));
      portal.buffer->position += chunk->rows();
      if (chunk->rows() == 0) chunk = nullptr;
    } else {
      auto next = portal.next(static_cast<uint32_t>(std::min<uint64_t>(wanted, UINT32_MAX)));
      if (!next.ok()) {
        portal.rows_sent += sent;  // a statement whose rows the client has does not begin again
        return next.take_error();
      }
      chunk = *next;
    }
    if (chunk == nullptr) {
      portal.status = Portal::Status::kDone;
      break;
    }
    sent += chunk->rows();
    portal.note_position(*chunk);
    if (portal.shape) INDIGO_TRY(sink.rows(shape, *chunk));
  }
  return sent;
}

Status StatementRunner::run_utility(Portal& portal, RowSink& sink) {
  const auto& parsed = *portal.prepared->parsed;
  const UtilityStatement* statement = find_utility(parsed.node);
  if (statement == nullptr) {
    return Error(sqlstate::kFeatureNotSupported, statement_name(parsed.node) + " is not supported");
  }
  if (statement->needs_transaction) INDIGO_TRY(session_.begin_statement());
  UtilityCall call{session_,           parsed, parsed.node, portal.parameters, portal.prepared->parameter_types,
                   portal.shape.get(), sink,   portal.tag};
  INDIGO_TRY(engine::run_utility(*statement, call));
  portal.status = Portal::Status::kDone;
  return {};
}

Status StatementRunner::keep_utility_rows(Portal& portal) {
  const RunningPortal running(portal);
  std::vector<Phys> columns;
  for (const ResultColumn& column : portal.shape->columns)
    columns.push_back(types::phys_of(session_.session_catalog(), column.type.oid));
  exec::SpillSpace& space = *session_.applied_settings().spill;
  auto buffer = std::make_unique<RowBuffer>(columns, space.may_spill() ? &space : nullptr);
  const programs::NestedStatement::Rows keep = [&](const Chunk& chunk) -> Result<bool> {
    INDIGO_TRY(buffer->append(chunk));
    return true;
  };
  programs::RowCatcher sink(session_, keep);
  INDIGO_TRY(run_utility(portal, sink));
  portal.buffer = std::move(buffer);
  portal.status = Portal::Status::kRunning;  // its rows are still to be sent
  return {};
}

Result<std::shared_ptr<const ResultShape>> StatementRunner::shape_of(const Prepared& prepared,
                                                                     std::span<const Format> formats) {
  if (!prepared.is_utility()) return with_formats(prepared.text_shape, prepared.binary_shape, formats);
  const UtilityStatement* statement = find_utility(prepared.parsed->node);
  if (statement == nullptr || statement->describe == nullptr) return std::shared_ptr<const ResultShape>();
  INDIGO_ASSIGN(auto text, statement->describe(session_, *prepared.parsed));
  if (text == nullptr || formats.empty()) return text;  // FETCH in the simple protocol: the cursor's own formats
  auto one_format = [&](Format format) {
    auto shape = std::make_shared<ResultShape>(*text);
    for (Format& f : shape->formats) f = format;
    return shape;
  };
  return with_formats(one_format(Format::kText), one_format(Format::kBinary), formats);
}

Status StatementRunner::run_deferred_checks(bool commit) {
  exec::DeferredChecks& checks = session_.block().deferred_checks();
  if (!checks.pending()) return {};
  storage::Transaction& txn = session_.transaction();
  txn.set_lock_timeout(session_.applied_settings().lock_timeout);
  txn.next_command();
  txn.take_statement_snapshot();
  exec::QueryState state(std::make_shared<sql::PlannedStatement>());
  const storage::ReadView view = txn.view();
  ActiveView active(session_.scope().active_view(), view);
  state.begin(session_.scope().execution_context(view, {}));
  return checks.run(state, commit);
}

Status StatementRunner::fire_truncate_triggers(std::span<const std::shared_ptr<const catalog::RelationInfo>> tables,
                                               bool before) {
  const bool any = std::any_of(tables.begin(), tables.end(),
                               [](const auto& r) { return r->triggers != nullptr && r->triggers->fires != 0; });
  if (!any) return {};
  if (!before) session_.transaction().next_command();
  exec::QueryState state(std::make_shared<sql::PlannedStatement>());
  const storage::ReadView view = session_.transaction().view();
  ActiveView active(session_.scope().active_view(), view);
  state.begin(session_.scope().execution_context(view, {}));
  for (const auto& r : tables) {
    INDIGO_TRY(before ? exec::fire_before_statement(state, r, catalog::kTriggerTruncate, {})
                      : exec::queue_after_statement(state, r, catalog::kTriggerTruncate, {}));
  }
  return state.finish_foreign_keys();
}

Status StatementRunner::hold_cursors(bool to_prepare) {
  for (const auto& [name, portal] : session_.portals().named()) {
    if (!portal->hold || portal->status != Portal::Status::kRunning || portal->buffer) continue;
    if (to_prepare) {
      return Error(sqlstate::kFeatureNotSupported, "cannot PREPARE a transaction that has created a cursor WITH HOLD");
    }
    INDIGO_TRY(materialise(*portal));
  }
  return {};
}

Status StatementRunner::finish_transaction(bool to_prepare) {
  // Triggers may open cursors, and what cursors call may change rows.
  do {
    INDIGO_TRY(run_deferred_checks(true));
    INDIGO_TRY(hold_cursors(to_prepare));
  } while (session_.block().deferred_checks().pending());
  if (session_.session_catalog().commit_actions().empty()) return {};
  DefinitionHost host(session_, nullptr);
  DdlContext context{session_.session_catalog(), session_.transaction(), host, {}};
  return engine::before_commit(context);
}

}  // namespace indigo::engine
