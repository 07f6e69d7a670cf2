// CREATE, ALTER and DROP RULE, ALTER TABLE ... ENABLE and DISABLE RULE: rows of pg_rewrite, whose trees sql/rule makes.
// Thread safety: as the DdlContext.
#pragma once

#include <optional>
#include <string>

#include "engine/ddl/drop/dependency.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status execute_create_rule(DdlContext& c, const PgQuery__RuleStmt& s);

// ---- alter_rule.cpp
// `name` is the table's name and, last, the rule's. Nothing with missing_ok (after a notice).
Result<std::optional<Address>> find_named_rule(DdlContext& c, NodeList name, bool missing_ok, TableLockMode mode);
Status rename_rule(DdlContext& c, const PgQuery__RangeVar* table, std::string_view from, std::string_view to);
// ENABLE [ALWAYS | REPLICA] RULE, DISABLE RULE.
Status enable_rule(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd);
Status remove_rule(DdlContext& c, Oid rule);

}  // namespace indigo::engine::ddl
