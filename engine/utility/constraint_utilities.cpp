// SET CONSTRAINTS: which deferrable constraints are checked at their statement's end and which at COMMIT, for the rest of the
// transaction. Those that become immediate are checked at once.
#include <map>

#include "base/sqlstate.h"
#include "catalog/database.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/system_table.h"
#include "engine/row_sink.h"
#include "engine/session/session_parts.h"
#include "engine/session/statement_runner.h"
#include "engine/session/transaction_block.h"
#include "engine/utility/families.h"
#include "sql/parse/node.h"
#include "sql/parse/parse_tree.h"
#include "storage/transaction.h"

namespace indigo::engine {

namespace {

namespace pg_constraint = catalog::pg_constraint;

// The deferrable constraints of that name in the first schema that has any constraint of the name. The others are immediate
// already: an error only if they are to be `deferred`.
Result<std::vector<Oid>> constraints_named(SessionParts& session, const PgQuery__RangeVar& name, bool deferred) {
  auto& catalog = session.session_catalog();
  if (sql::has_text(name.catalogname) && catalog.database_name() != name.catalogname) {
    return Error(sqlstate::kFeatureNotSupported, std::string("cross-database references are not implemented: \"") +
                                                     name.catalogname + "." + name.schemaname + "." + name.relname +
                                                     "\"");
  }
  std::vector<Oid> schemas;
  if (sql::has_text(name.schemaname)) {
    const Oid schema = catalog.schema_named(name.schemaname);
    if (schema == kInvalidOid) {
      return Error(sqlstate::kInvalidSchemaName, std::string("schema \"") + name.schemaname + "\" does not exist");
    }
    schemas.push_back(schema);
  } else {
    schemas = catalog.search_path();
  }
  struct Found {
    Oid oid, schema;
    bool deferrable;
  };
  std::vector<Found> found;
  std::multimap<Oid, Oid> below;  // constraints that partitions have for another
  catalog.database_object().table(pg_constraint::kOid).scan(session.transaction(), {}, [&](catalog::RowReader row) {
    const Oid parent = row.oid(pg_constraint::c_conparentid);
    if (parent != kInvalidOid) below.emplace(parent, row.oid(pg_constraint::c_oid));
    if (row.str(pg_constraint::c_conname) != name.relname) return true;
    found.push_back({row.oid(pg_constraint::c_oid), row.oid(pg_constraint::c_connamespace),
                     row.flag(pg_constraint::c_condeferrable)});
    return true;
  });
  for (const Oid schema : schemas) {
    std::vector<Oid> out;
    bool any = false;
    for (const Found& f : found) {
      if (f.schema != schema) continue;
      any = true;
      if (!f.deferrable && !deferred) continue;
      if (!f.deferrable) {
        return Error(sqlstate::kWrongObjectType, std::string("constraint \"") + name.relname + "\" is not deferrable");
      }
      out.push_back(f.oid);
    }
    for (size_t i = 0; i < out.size(); i++) {
      const auto [from, to] = below.equal_range(out[i]);
      for (auto at = from; at != to; ++at) out.push_back(at->second);
    }
    if (any) return out;
  }
  return Error(sqlstate::kUndefinedObject, std::string("constraint \"") + name.relname + "\" does not exist");
}

Status set_constraints(UtilityCall& call) {
  const auto& stmt = *call.node->constraints_set_stmt;
  SessionParts& session = call.session;
  if (!in_transaction(call)) {
    session.notice(Severity::kWarning,
                   Error(sqlstate::kNoActiveSqlTransaction, "SET CONSTRAINTS can only be used in transaction blocks"));
  }
  exec::DeferredChecks& checks = session.block().deferred_checks();
  if (stmt.n_constraints == 0) {
    checks.set_all(stmt.deferred);
  } else {
    std::vector<Oid> all;
    for (const PgQuery__Node* node : sql::nodes(stmt.n_constraints, stmt.constraints)) {
      INDIGO_ASSIGN(const auto some, constraints_named(session, *node->range_var, stmt.deferred));
      all.insert(all.end(), some.begin(), some.end());
    }
    for (const Oid oid : all) checks.set(oid, stmt.deferred);
  }
  return stmt.deferred ? Status() : session.runner().run_deferred_checks(false);
}

constexpr UtilityStatement kConstraintHandlers[] = {
    {.node = PG_QUERY__NODE__NODE_CONSTRAINTS_SET_STMT, .name = "SET CONSTRAINTS", .run = set_constraints},
};

}  // namespace

std::span<const UtilityStatement> constraint_utilities() { return kConstraintHandlers; }

}  // namespace indigo::engine
