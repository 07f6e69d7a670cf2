// LOCK TABLE, VACUUM, CHECKPOINT, DISCARD.
#include <algorithm>

#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "catalog/database.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/settled.h"
#include "catalog/object_privileges.h"
#include "engine/ddl/ddl.h"
#include "engine/ddl/vacuum.h"
#include "engine/instance_impl.h"
#include "engine/notify/session_notifications.h"
#include "engine/session/portal/portals.h"
#include "engine/session/portal/prepared_statements.h"
#include "engine/session/sequence_values.h"
#include "engine/session/session_parts.h"
#include "engine/session/transaction_block.h"
#include "engine/settings/applied_settings.h"
#include "engine/settings/settings.h"
#include "engine/utility/definition_host.h"
#include "engine/utility/families.h"
#include "sql/analyze/analyzer.h"
#include "sql/parse/parse_tree.h"
#include "sql/query_walk.h"
#include "storage/lock/lock_manager.h"
#include "storage/store.h"
#include "storage/transaction.h"

namespace indigo::engine {

namespace {

// A mode that writers take asks for a privilege to write; ROW EXCLUSIVE serves who may INSERT, ACCESS SHARE who may read.
Status check_may_lock(UtilityCall& call, const catalog::RelationInfo& relation, storage::TableLockMode mode, Oid user) {
  using storage::TableLockMode;
  if (relation.kind != catalog::RelationKind::kTable && !relation.is_partitioned() &&
      relation.kind != catalog::RelationKind::kView) {
    Error error(sqlstate::kWrongObjectType, "cannot lock relation \"" + relation.name + "\"");
    if (relation.is_foreign()) error.detail = "This operation is not supported for foreign tables.";
    return error;
  }
  auto& catalog = call.session.session_catalog();
  const uint32_t held = catalog::object_privileges(catalog, catalog::kRelationAcl, relation.oid, user);
  uint32_t any_of = types::kPrivilegeUpdate | types::kPrivilegeDelete | types::kPrivilegeTruncate;
  if (mode == TableLockMode::kAccessShare) any_of = types::kPrivilegeSelect;
  if (mode == TableLockMode::kRowExclusive) any_of |= types::kPrivilegeInsert;
  if ((held & any_of) != 0) return {};
  return Error(sqlstate::kInsufficientPrivilege,
               std::string("permission denied for ") +
                   (relation.kind == catalog::RelationKind::kView ? "view " : "table ") + relation.name);
}

// LOCK TABLE: a table with those that inherit from it, a view with all that it reads.
class Locker {
 public:
  using Relation = std::shared_ptr<const catalog::RelationInfo>;
  explicit Locker(UtilityCall& call)
      : call_(call), stmt_(*call.node->lock_stmt), mode_(static_cast<storage::TableLockMode>(stmt_.mode)) {}

  Status lock(const PgQuery__RangeVar& name) {
    INDIGO_ASSIGN(Relation relation, named_relation(call_, name));
    // What the name means when its lock is held.
    for (Oid locked = kInvalidOid; locked != relation->oid;) {
      locked = relation->oid;
      INDIGO_TRY(check_may_lock(call_, *relation, mode_, call_.session.user()));
      INDIGO_TRY(take(*relation));
      INDIGO_ASSIGN(relation, named_relation(call_, name));
    }
    if (relation->kind == catalog::RelationKind::kView) return lock_read_by(relation, call_.session.user());
    return name.inh ? lock_children(*relation) : Status();
  }

 private:
  Status take(const catalog::RelationInfo& relation) {
    auto& session = call_.session;
    const auto status =
        session.store().locks().lock_table(session.store().lock_owner(session.transaction()),
                                           catalog::lock_object(session.session_catalog().database(), relation.oid),
                                           mode_, !stmt_.nowait, session.applied_settings().lock_timeout);
    if (status == storage::StorageStatus::kWouldBlock) {
      return Error(sqlstate::kLockNotAvailable, "could not obtain lock on relation \"" + relation.name + "\"");
    }
    return status == storage::StorageStatus::kOk ? Status() : storage_error(status, &relation);
  }

  Status lock_children(const catalog::RelationInfo& parent) {
    std::vector<Oid> below = parent.children;
    for (size_t at = 0; at < below.size(); at++) {
      const Relation child = call_.session.session_catalog().relation(below[at]);
      if (child == nullptr) continue;
      INDIGO_TRY(take(*child));
      below.insert(below.end(), child->children.begin(), child->children.end());
    }
    return {};
  }

  // What the view reads is locked as the view's owner, or as its reader.
  Status lock_read_by(const Relation& view, Oid user) {
    INDIGO_TRY(check_stack_depth());
    if (std::find(open_.begin(), open_.end(), view->oid) != open_.end()) return {};
    INDIGO_ASSIGN(const auto query, catalog::settled(call_.session.session_catalog(), [&] {
                    return sql::analyze_view(call_.session.context(), *view);
                  }));
    open_.push_back(view->oid);
    INDIGO_TRY(lock_read_by(*query, view->security_invoker ? user : view->owner));
    open_.pop_back();
    return {};
  }

  Status lock_read_by(const sql::Query& query, Oid user) {
    for (const sql::Entry& e : query.entries) {
      if (e.relation == nullptr) {
        if (e.subquery != nullptr) INDIGO_TRY(lock_read_by(*e.subquery, user));
        continue;
      }
      const bool view = e.relation->kind == catalog::RelationKind::kView;
      if (!view && e.relation->kind != catalog::RelationKind::kTable && !e.relation->is_partitioned()) continue;
      if (std::find(open_.begin(), open_.end(), e.relation->oid) != open_.end()) continue;
      INDIGO_TRY(check_may_lock(call_, *e.relation, mode_, user));
      INDIGO_TRY(take(*e.relation));
      const Relation now = call_.session.session_catalog().relation(e.relation->oid);
      if (now == nullptr) continue;
      INDIGO_TRY(view ? lock_read_by(now, user) : e.only ? Status() : lock_children(*now));
    }
    for (const sql::CommonTable& cte : query.ctes) INDIGO_TRY(lock_read_by(*cte.query, user));
    Status status;
    sql::visit_query(query, [&](const sql::Expr& e, int depth) {
      if (depth > 0 || !status.ok()) return false;
      if (e.kind == sql::ExprKind::kSubLink) status = lock_read_by(*sql::as<sql::SubLinkExpr>(e).query, user);
      return true;
    });
    return status;
  }

  UtilityCall& call_;
  const PgQuery__LockStmt& stmt_;
  const storage::TableLockMode mode_;
  std::vector<Oid> open_;  // views that are being looked into
};

Status run_lock(UtilityCall& call) {
  const auto& stmt = *call.node->lock_stmt;
  if (!in_transaction(call)) {
    return Error(sqlstate::kNoActiveSqlTransaction, "LOCK TABLE can only be used in transaction blocks");
  }
  for (size_t i = 0; i < stmt.n_relations; i++) {
    INDIGO_TRY(Locker(call).lock(*stmt.relations[i]->range_var));
  }
  return {};
}

Status run_vacuum(UtilityCall& call) {
  DefinitionHost host(call.session, &call.statement);
  DdlContext context{call.session.session_catalog(), call.session.transaction(), host, call.statement.text()};
  return ddl::execute_vacuum(context, *call.node->vacuum_stmt);
}

// Without a data directory there is nothing to write: PostgreSQL answers the same when nothing is dirty.
Status run_checkpoint(UtilityCall& call) {
  DataDirectory* data = call.session.instance().data_directory();
  return data == nullptr ? Status() : data->checkpointer().checkpoint();
}

Status run_discard(UtilityCall& call) {
  auto& session = call.session;
  auto drop_temporary = [&] {
    DefinitionHost host(session, &call.statement);
    DdlContext context{session.session_catalog(), session.transaction(), host, call.statement.text()};
    return drop_temporary_objects(context);
  };
  switch (call.node->discard_stmt->target) {
    case PG_QUERY__DISCARD_MODE__DISCARD_PLANS: session.discard_plans(); return {};
    case PG_QUERY__DISCARD_MODE__DISCARD_SEQUENCES: session.sequences().forget(); return {};
    case PG_QUERY__DISCARD_MODE__DISCARD_TEMP: INDIGO_TRY(session.begin_statement()); return drop_temporary();
    default: break;
  }
  session.portals().clear();
  INDIGO_TRY(session.settings().reset("session_authorization", Settings::Scope::kSession, false));
  session.settings().reset_all();
  session.statements().clear();
  session.sequences().forget();
  session.notifications().unlisten_all();
  session.store().locks().release_all(session.session_locks());
  INDIGO_TRY(session.begin_statement());
  INDIGO_TRY(drop_temporary());
  session.discard_plans();
  return {};
}

std::string vacuum_name(const PgQuery__Node& n) { return n.vacuum_stmt->is_vacuumcmd ? "VACUUM" : "ANALYZE"; }
std::string vacuum_in_block(const PgQuery__Node& n) { return n.vacuum_stmt->is_vacuumcmd ? "VACUUM" : ""; }

std::string discard_name(const PgQuery__Node& n) {
  switch (n.discard_stmt->target) {
    case PG_QUERY__DISCARD_MODE__DISCARD_PLANS: return "DISCARD PLANS";
    case PG_QUERY__DISCARD_MODE__DISCARD_SEQUENCES: return "DISCARD SEQUENCES";
    case PG_QUERY__DISCARD_MODE__DISCARD_TEMP: return "DISCARD TEMP";
    default: return "DISCARD ALL";
  }
}

std::string discard_in_block(const PgQuery__Node& n) {
  const std::string name = discard_name(n);
  return name == "DISCARD ALL" ? name : "";
}

constexpr UtilityStatement kMaintenanceStatements[] = {
    {.node = PG_QUERY__NODE__NODE_LOCK_STMT, .name = "LOCK TABLE", .run = run_lock},
    {.node = PG_QUERY__NODE__NODE_VACUUM_STMT,
     .name = "VACUUM",
     .full_name = vacuum_name,
     .run = run_vacuum,
     .refused_in_block = vacuum_in_block},
    {.node = PG_QUERY__NODE__NODE_CHECK_POINT_STMT,
     .name = "CHECKPOINT",
     .run = run_checkpoint,
     .privileges_of = oid::kCheckpointRole,
     .needs_transaction = false},
    {.node = PG_QUERY__NODE__NODE_DISCARD_STMT,
     .name = "DISCARD",
     .full_name = discard_name,
     .run = run_discard,
     .refused_in_block = discard_in_block,
     .needs_transaction = false,
     .refused_when_restricted = "DISCARD"},
};

}  // namespace

std::span<const UtilityStatement> maintenance_utilities() { return kMaintenanceStatements; }

}  // namespace indigo::engine
