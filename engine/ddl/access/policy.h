// CREATE, ALTER, DROP POLICY and what belongs to them: rows of pg_policy, what they depend on (tables, functions by pg_depend,
// roles by pg_shdepend), and pg_class's switches of row security.
// Thread safety: as the DdlContext.
#pragma once

#include "engine/ddl/drop/dependency.h"
#include "sql/parse/parse_tree.h"

namespace indigo::engine::ddl {

Status execute_create_policy(DdlContext& c, const PgQuery__CreatePolicyStmt& s);
Status execute_alter_policy(DdlContext& c, const PgQuery__AlterPolicyStmt& s);
Status rename_policy(DdlContext& c, const PgQuery__RenameStmt& s);
// For DROP: none after a notice.
Result<std::optional<Address>> find_dropped_policy(DdlContext& c, NodeList name, bool missing_ok);
// For COMMENT: 42704.
Result<Address> find_policy(const RelationInfo& relation, std::string_view name);
Status remove_policy(DdlContext& c, Oid policy);

// ALTER TABLE ... ENABLE, DISABLE, FORCE, NO FORCE ROW LEVEL SECURITY.
Status set_row_security(DdlContext& c, const RelationPtr& relation, PgQuery__AlterTableType action);

// The policies of this database that name a role, as DROP ROLE tells of them: "target of policy p on table t". `elsewhere`: adds
// how many of other databases do, by database.
std::vector<std::string> policies_for_role(DdlContext& c, Oid role, std::map<Oid, int>& elsewhere);
// DROP OWNED: takes the role out of the policies that name it. Those that name no other role are added to `objects`.
Status forget_role_in_policies(DdlContext& c, Oid role, std::vector<Address>& objects);

}  // namespace indigo::engine::ddl
