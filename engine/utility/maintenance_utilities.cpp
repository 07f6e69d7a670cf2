// LOCK TABLE, VACUUM, CHECKPOINT, DISCARD.
#include "base/sqlstate.h"
#include "catalog/database.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/object_privileges.h"
#include "engine/ddl/ddl.h"
#include "engine/instance_impl.h"
#include "engine/session/portals.h"
#include "engine/session/prepared_statements.h"
#include "engine/session/sequence_values.h"
#include "engine/session/session_parts.h"
#include "engine/session/transaction_block.h"
#include "engine/settings/applied_settings.h"
#include "engine/settings/settings.h"
#include "engine/utility/definition_host.h"
#include "engine/utility/families.h"
#include "storage/store.h"
#include "storage/transaction.h"

namespace indigo::engine {

namespace {

Result<std::shared_ptr<const catalog::RelationInfo>> find_table(UtilityCall& call, const PgQuery__RangeVar& name) {
  std::string schema = name.schemaname ? name.schemaname : "";
  auto& catalog = call.session.session_catalog();
  if (const Oid oid = schema.empty() ? kInvalidOid : catalog.schema_named(schema);
      oid != kInvalidOid && !catalog.may_use_schema(oid)) {
    return Error(sqlstate::kInsufficientPrivilege, "permission denied for schema " + schema);
  }
  auto relation = call.session.session_catalog().find_relation(schema, name.relname);
  if (!relation) {
    std::string full = schema.empty() ? name.relname : schema + "." + name.relname;
    return Error(sqlstate::kUndefinedTable, "relation \"" + full + "\" does not exist");
  }
  return relation;
}

// A mode that writers take asks for a privilege to write; ROW EXCLUSIVE serves who may INSERT, ACCESS SHARE who may read.
Status check_may_lock(UtilityCall& call, const catalog::RelationInfo& relation, storage::TableLockMode mode) {
  using storage::TableLockMode;
  if (relation.kind != catalog::RelationKind::kTable && !relation.is_partitioned() &&
      relation.kind != catalog::RelationKind::kView) {
    return Error(sqlstate::kWrongObjectType, "cannot lock relation \"" + relation.name + "\"");
  }
  auto& catalog = call.session.session_catalog();
  const uint32_t held = catalog::object_privileges(catalog, catalog::kRelationAcl, relation.oid, call.session.user());
  uint32_t any_of = types::kPrivilegeUpdate | types::kPrivilegeDelete | types::kPrivilegeTruncate;
  if (mode == TableLockMode::kAccessShare) any_of = types::kPrivilegeSelect;
  if (mode == TableLockMode::kRowExclusive) any_of |= types::kPrivilegeInsert;
  if ((held & any_of) != 0) return {};
  return Error(sqlstate::kInsufficientPrivilege,
               std::string("permission denied for ") +
                   (relation.kind == catalog::RelationKind::kView ? "view " : "table ") + relation.name);
}

Status lock_with_descendants(UtilityCall& call, const std::shared_ptr<const catalog::RelationInfo>& named,
                             const PgQuery__LockStmt& stmt, bool descendants) {
  auto& session = call.session;
  std::vector<std::shared_ptr<const catalog::RelationInfo>> all;
  all.push_back(named);
  for (size_t at = 0; at < all.size(); at++) {
    const auto relation = all[at];
    const auto status = session.store().locks().lock_table(
        session.store().lock_owner(session.transaction()),
        catalog::lock_object(session.session_catalog().database(), relation->oid),
        static_cast<storage::TableLockMode>(stmt.mode), !stmt.nowait, session.applied_settings().lock_timeout);
    if (status == storage::StorageStatus::kWouldBlock) {
      return Error(sqlstate::kLockNotAvailable, "could not obtain lock on relation \"" + relation->name + "\"");
    }
    if (status != storage::StorageStatus::kOk) return storage_error(status, relation.get());
    if (!descendants) break;
    for (const Oid child : relation->children) {
      if (auto below = session.session_catalog().relation(child)) all.push_back(std::move(below));
    }
  }
  return {};
}

Status run_lock(UtilityCall& call, std::string& tag) {
  const auto& stmt = *call.node->lock_stmt;
  auto& session = call.session;
  tag = "LOCK TABLE";
  if (!session.block().in_block()) {
    return Error(sqlstate::kNoActiveSqlTransaction, "LOCK TABLE can only be used in transaction blocks");
  }
  for (size_t i = 0; i < stmt.n_relations; i++) {
    INDIGO_ASSIGN(auto named, find_table(call, *stmt.relations[i]->range_var));
    INDIGO_TRY(check_may_lock(call, *named, static_cast<storage::TableLockMode>(stmt.mode)));
    INDIGO_TRY(lock_with_descendants(call, named, stmt, stmt.relations[i]->range_var->inh));
  }
  return {};
}

// VACUUM reclaims what no snapshot sees; the store also does so on its own. ANALYZE is a definition statement.
Status run_vacuum(UtilityCall& call, std::string& tag) {
  const auto& stmt = *call.node->vacuum_stmt;
  auto& session = call.session;
  if (stmt.is_vacuumcmd) INDIGO_TRY(prevent_in_block(call, "VACUUM"));
  bool analyze = !stmt.is_vacuumcmd;
  for (size_t i = 0; i < stmt.n_options; i++) {
    const auto& option = *stmt.options[i]->def_elem;
    const std::string_view name = option.defname;
    const bool known = stmt.is_vacuumcmd
                           ? name == "analyze" || name == "verbose" || name == "full" || name == "freeze" ||
                                 name == "skip_locked" || name == "disable_page_skipping" || name == "index_cleanup" ||
                                 name == "process_toast" || name == "truncate" || name == "parallel"
                           : name == "verbose" || name == "skip_locked";
    if (!known) {
      return Error(sqlstate::kSyntaxError, std::string("unrecognized ") + (stmt.is_vacuumcmd ? "VACUUM" : "ANALYZE") +
                                               " option \"" + std::string(name) + "\"")
          .at(option.location + 1);
    }
    analyze |= name == "analyze";
  }
  for (size_t i = 0; i < stmt.n_rels; i++) {
    const auto& relation = *stmt.rels[i]->vacuum_relation;
    if (relation.relation != nullptr) INDIGO_TRY(find_table(call, *relation.relation));
  }
  if (analyze) {
    DefinitionHost host(session, &call.statement);
    DdlContext context{session.session_catalog(), session.transaction(), host, call.statement.text};
    INDIGO_TRY(execute_ddl(context, *call.node));
  }
  if (stmt.is_vacuumcmd) session.store().reclaim();
  tag = stmt.is_vacuumcmd ? "VACUUM" : "ANALYZE";
  return {};
}

// Without a data directory there is nothing to write: PostgreSQL answers the same when nothing is dirty.
Status run_checkpoint(UtilityCall& call, std::string& tag) {
  auto& catalog = call.session.session_catalog();
  if (!catalog.has_privileges_of(call.session.user(), oid::kCheckpointRole)) {
    return Error(sqlstate::kInsufficientPrivilege,
                 "must be superuser or have privileges of pg_checkpoint to do CHECKPOINT");
  }
  tag = "CHECKPOINT";
  DataDirectory* data = call.session.instance().data_directory();
  return data == nullptr ? Status() : data->checkpointer().checkpoint();
}

Status run_discard(UtilityCall& call, std::string& tag) {
  auto& session = call.session;
  auto drop_temporary = [&] {
    DefinitionHost host(session, &call.statement);
    DdlContext context{session.session_catalog(), session.transaction(), host, call.statement.text};
    return drop_temporary_objects(context);
  };
  switch (call.node->discard_stmt->target) {
    case PG_QUERY__DISCARD_MODE__DISCARD_PLANS:
      tag = "DISCARD PLANS";
      session.discard_plans();
      return {};
    case PG_QUERY__DISCARD_MODE__DISCARD_SEQUENCES:
      tag = "DISCARD SEQUENCES";
      session.sequences().forget();
      return {};
    case PG_QUERY__DISCARD_MODE__DISCARD_TEMP:
      tag = "DISCARD TEMP";
      INDIGO_TRY(session.begin_statement());
      return drop_temporary();
    default: break;
  }
  INDIGO_TRY(prevent_in_block(call, "DISCARD ALL"));
  tag = "DISCARD ALL";
  session.portals().clear();
  INDIGO_TRY(session.settings().reset("session_authorization", false));
  session.settings().reset_all();
  session.statements().clear();
  session.sequences().forget();
  session.store().locks().release_all(session.session_locks());
  INDIGO_TRY(session.begin_statement());
  INDIGO_TRY(drop_temporary());
  session.discard_plans();
  return {};
}

// LISTEN is refused, so that there is never anything to stop: connection pools send this when they take a session back.
Status run_unlisten(UtilityCall&, std::string& tag) {
  tag = "UNLISTEN";
  return {};
}

constexpr UtilityHandler kMaintenanceHandlers[] = {
    {PG_QUERY__NODE__NODE_UNLISTEN_STMT, run_unlisten, nullptr, false},
    {PG_QUERY__NODE__NODE_LOCK_STMT, run_lock},
    {PG_QUERY__NODE__NODE_VACUUM_STMT, run_vacuum},
    {PG_QUERY__NODE__NODE_CHECK_POINT_STMT, run_checkpoint, nullptr, false},
    {PG_QUERY__NODE__NODE_DISCARD_STMT, run_discard, nullptr, false},
};

}  // namespace

std::span<const UtilityHandler> maintenance_utilities() { return kMaintenanceHandlers; }

}  // namespace indigo::engine
