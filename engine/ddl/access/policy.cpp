#include "engine/ddl/access/policy.h"

#include <algorithm>
#include <map>

#include "catalog/tables/system_table.h"
#include "engine/ddl/drop/shared_dependency.h"
#include "engine/ddl/expression.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"
#include "engine/row_sink.h"
#include "types/value/array_format.h"

namespace indigo::engine::ddl {

namespace pg_policy = catalog::pg_policy;

namespace {

Error syntax(const char* message) { return Error(sqlstate::kSyntaxError, message); }

char command_of(std::string_view name) {
  if (name == "select") return 'r';
  if (name == "insert") return 'a';
  if (name == "update") return 'w';
  return name == "delete" ? 'd' : '*';
}

Error no_policy(std::string_view name, const RelationInfo& relation) {
  return Error(sqlstate::kUndefinedObject,
               "policy " + quoted(name) + " for table " + quoted(relation.name) + " does not exist");
}

Error policy_exists(std::string_view name, const RelationInfo& relation) {
  return Error(sqlstate::kDuplicateObject,
               "policy " + quoted(name) + " for table " + quoted(relation.name) + " already exists");
}

const catalog::PolicyInfo* policy_named(const RelationInfo& relation, std::string_view name) {
  const auto found = std::find_if(relation.policies.begin(), relation.policies.end(),
                                  [&](const catalog::PolicyInfo& p) { return p.name == name; });
  return found == relation.policies.end() ? nullptr : &*found;
}

// Its owner's table, which no other session uses now.
Status check_may_have_policies(DdlContext& c, const RelationInfo& r) {
  INDIGO_TRY(check_owner(c, r));
  INDIGO_TRY(check_not_system(r));
  if (r.kind == RelationKind::kTable || r.is_partitioned()) return {};
  return Error(sqlstate::kWrongObjectType, quoted(r.name) + " is not a table");
}

Result<RelationPtr> open_table(DdlContext& c, const PgQuery__RangeVar* name) {
  return open_relation(c, name, TableLockMode::kAccessExclusive, false, check_may_have_policies);
}

bool is_public(const PgQuery__RoleSpec& role) { return role.roletype == PG_QUERY__ROLE_SPEC_TYPE__ROLESPEC_PUBLIC; }

// kInvalidOid alone: everybody.
Result<std::vector<Oid>> roles_of(DdlContext& c, NodeList list) {
  std::vector<Oid> out;
  for (const PgQuery__Node* node : list) {
    if (is_public(*node->role_spec)) {
      if (list.size() > 1) {
        c.host.notice(Severity::kWarning,
                      Error(sqlstate::kInvalidParameterValue, "ignoring specified roles other than PUBLIC")
                          .with_hint("All roles are members of the PUBLIC role."));
      }
      return std::vector<Oid>{kInvalidOid};
    }
    INDIGO_ASSIGN(const Oid role, resolve_role(c, node->role_spec));
    out.push_back(role);
  }
  if (out.empty()) out.push_back(kInvalidOid);
  return out;
}

Result<std::optional<StoredExpression>> condition(DdlContext& c, const PgQuery__Node* node,
                                                  const RelationPtr& relation) {
  if (sql::absent(node)) return std::optional<StoredExpression>();
  INDIGO_ASSIGN(StoredExpression e, store_expression(c, node, ExpressionUse::kPolicy, relation, TypeRef{}));
  return std::optional<StoredExpression>(std::move(e));
}

Address address_of(Oid policy) { return {pg_policy::kOid, policy, 0}; }

Status record_condition(DdlContext& c, Oid policy, const std::optional<StoredExpression>& e, Oid relation) {
  if (!e) return {};
  return record_expression(c, address_of(policy), *e, relation, 'n');
}

// What an expression that stays mentions.
Status record_kept(DdlContext& c, Oid policy, const std::string& tree, const RelationPtr& relation) {
  if (tree.empty()) return {};
  INDIGO_ASSIGN(const StoredExpression e, copy_expression(c, tree, *relation, nullptr));
  return record_expression(c, address_of(policy), e, relation->oid, 'n');
}

}  // namespace

Status execute_create_policy(DdlContext& c, const PgQuery__CreatePolicyStmt& s) {
  const char command = command_of(s.cmd_name);
  if ((command == 'r' || command == 'd') && !sql::absent(s.with_check))
    return syntax("WITH CHECK cannot be applied to SELECT or DELETE");
  if (command == 'a' && !sql::absent(s.qual)) return syntax("only WITH CHECK expression allowed for INSERT");
  INDIGO_ASSIGN(const std::vector<Oid> roles, roles_of(c, nodes(s.n_roles, s.roles)));
  INDIGO_ASSIGN(const RelationPtr relation, open_table(c, s.table));
  INDIGO_ASSIGN(const auto qual, condition(c, s.qual, relation));
  INDIGO_ASSIGN(const auto with_check, condition(c, s.with_check, relation));
  const std::string name = truncated_name(s.policy_name);
  if (policy_named(*relation, name) != nullptr) return policy_exists(name, *relation);
  const Oid oid = next_oid(c);
  SystemTable& t = table(c, pg_policy::kOid);
  RowValues row(t.definition());
  row.oid(pg_policy::c_oid, oid)
      .str(pg_policy::c_polname, name)
      .oid(pg_policy::c_polrelid, relation->oid)
      .chr(pg_policy::c_polcmd, command)
      .flag(pg_policy::c_polpermissive, s.permissive)
      .oids(pg_policy::c_polroles, roles);
  if (qual) row.str(pg_policy::c_polqual, qual->tree);
  if (with_check) row.str(pg_policy::c_polwithcheck, with_check->tree);
  INDIGO_TRY(check(t.insert(c.txn, row)));
  c.host.made(pg_policy::kOid, oid, c.extension != kInvalidOid);
  INDIGO_TRY(record_dependency(c, address_of(oid), {pg_class::kOid, relation->oid, 0}, 'a'));
  INDIGO_TRY(record_condition(c, oid, qual, relation->oid));
  INDIGO_TRY(record_condition(c, oid, with_check, relation->oid));
  INDIGO_TRY(record_roles(c, address_of(oid), roles, 'r'));
  c.catalog.changed({relation->oid});
  return {};
}

Status execute_alter_policy(DdlContext& c, const PgQuery__AlterPolicyStmt& s) {
  const bool names_roles = s.n_roles > 0;
  std::vector<Oid> roles;
  if (names_roles) {
    INDIGO_ASSIGN(roles, roles_of(c, nodes(s.n_roles, s.roles)));
  }
  INDIGO_ASSIGN(const RelationPtr relation, open_table(c, s.table));
  INDIGO_ASSIGN(const auto qual, condition(c, s.qual, relation));
  INDIGO_ASSIGN(const auto with_check, condition(c, s.with_check, relation));
  const catalog::PolicyInfo* policy = policy_named(*relation, s.policy_name);
  if (policy == nullptr) return no_policy(s.policy_name, *relation);
  if ((policy->command == 'r' || policy->command == 'd') && with_check)
    return syntax("only USING expression allowed for SELECT, DELETE");
  if (policy->command == 'a' && qual) return syntax("only WITH CHECK expression allowed for INSERT");
  const Oid oid = policy->oid;
  INDIGO_TRY(update_row(c, pg_policy::kOid, {Datum::of_oid(oid)}, [&](RowValues& row) {
    if (names_roles) row.oids(pg_policy::c_polroles, roles);
    if (qual) row.str(pg_policy::c_polqual, qual->tree);
    if (with_check) row.str(pg_policy::c_polwithcheck, with_check->tree);
  }));
  INDIGO_TRY(remove_dependencies_of(c, address_of(oid)));
  INDIGO_TRY(record_dependency(c, address_of(oid), {pg_class::kOid, relation->oid, 0}, 'a'));
  INDIGO_TRY(qual ? record_condition(c, oid, qual, relation->oid)
                  : record_kept(c, oid, policy->using_expression, relation));
  INDIGO_TRY(with_check ? record_condition(c, oid, with_check, relation->oid)
                        : record_kept(c, oid, policy->with_check, relation));
  if (names_roles) {
    INDIGO_TRY(forget_roles(c, address_of(oid)));
    INDIGO_TRY(record_roles(c, address_of(oid), roles, 'r'));
  }
  c.catalog.changed({relation->oid});
  return {};
}

Status rename_policy(DdlContext& c, const PgQuery__RenameStmt& s) {
  INDIGO_ASSIGN(const RelationPtr relation, open_table(c, s.relation));
  const std::string name = truncated_name(s.newname);
  if (policy_named(*relation, name) != nullptr) return policy_exists(name, *relation);
  const catalog::PolicyInfo* policy = policy_named(*relation, s.subname);
  if (policy == nullptr) return no_policy(s.subname, *relation);
  INDIGO_TRY(update_row(c, pg_policy::kOid, {Datum::of_oid(policy->oid)},
                        [&](RowValues& row) { row.str(pg_policy::c_polname, name); }));
  c.catalog.changed({relation->oid});
  return {};
}

Result<Address> find_policy(const RelationInfo& relation, std::string_view name) {
  const catalog::PolicyInfo* policy = policy_named(relation, name);
  if (policy == nullptr) return no_policy(name, relation);
  return address_of(policy->oid);
}

Result<std::optional<Address>> find_dropped_policy(DdlContext& c, NodeList list, bool missing_ok) {
  const std::string name(string_of(list.back()));
  const NodeList table_name = list.first(list.size() - 1);
  INDIGO_ASSIGN(const RelationPtr found, existing_relation(c, table_name, missing_ok));
  if (found == nullptr) return std::optional<Address>();
  if (policy_named(*found, name) == nullptr) {
    if (!missing_ok) return no_policy(name, *found);
    notice(c, "policy " + quoted(name) + " for relation " + quoted(sql::name_list_text(table_name)) +
                  " does not exist, skipping");
    return std::optional<Address>();
  }
  const auto owned = [&](const RelationInfo& r) -> Status {
    if (check_owner(c, r).ok()) return {};
    return Error(sqlstate::kInsufficientPrivilege, "must be owner of relation " + r.name);
  };
  INDIGO_TRY(owned(*found));
  INDIGO_ASSIGN(const RelationPtr locked, open_relation(c, found->oid, TableLockMode::kAccessExclusive));
  INDIGO_TRY(owned(*locked));
  INDIGO_ASSIGN(const Address address, find_policy(*locked, name));
  return std::optional<Address>(address);
}

Status remove_policy(DdlContext& c, Oid policy) {
  SystemTable& t = table(c, pg_policy::kOid);
  std::string image;
  if (!t.find_oid(c.txn, policy, image)) return {};
  const Oid relation = t.reader(image).oid(pg_policy::c_polrelid);
  INDIGO_TRY(check_erased(t.erase(c.txn, {Datum::of_oid(policy)})));
  INDIGO_TRY(forget_roles(c, address_of(policy)));
  c.catalog.changed({relation});
  return {};
}

Status set_row_security(DdlContext& c, const RelationPtr& relation, PgQuery__AlterTableType action) {
  const bool on = action == PG_QUERY__ALTER_TABLE_TYPE__AT_EnableRowSecurity ||
                  action == PG_QUERY__ALTER_TABLE_TYPE__AT_ForceRowSecurity;
  const bool force = action == PG_QUERY__ALTER_TABLE_TYPE__AT_ForceRowSecurity ||
                     action == PG_QUERY__ALTER_TABLE_TYPE__AT_NoForceRowSecurity;
  c.catalog.changed({relation->oid});
  return update_class(c, relation->oid, [&](RowValues& row) {
    row.flag(force ? pg_class::c_relforcerowsecurity : pg_class::c_relrowsecurity, on);
  });
}

std::vector<std::string> policies_for_role(DdlContext& c, Oid role, std::map<Oid, int>& elsewhere) {
  std::vector<std::string> out;
  for (const Oid policy : objects_needing_role(c, pg_policy::kOid, role, &elsewhere))
    out.push_back("target of " + describe(c, address_of(policy)));
  return out;
}

Status forget_role_in_policies(DdlContext& c, Oid role, std::vector<Address>& objects) {
  for (const Oid policy : objects_needing_role(c, pg_policy::kOid, role, nullptr)) {
    std::string image;
    const SystemTable& t = table(c, pg_policy::kOid);
    if (!t.find_oid(c.txn, policy, image)) continue;
    const RowReader row = t.reader(image);
    const Oid relation = row.oid(pg_policy::c_polrelid);
    std::vector<Oid> roles = read_oids(row.str(pg_policy::c_polroles));
    std::erase(roles, role);
    if (roles.empty()) {
      objects.push_back(address_of(policy));
      continue;
    }
    const RelationPtr of = current(c, relation);
    if (of == nullptr || !c.catalog.has_privileges_of(c.catalog.user(), of->owner)) {
      warning(c, sqlstate::kWarning,
              "role " + quoted(c.catalog.role_name(role)) + " could not be removed from policy " +
                  quoted(row.str(pg_policy::c_polname)) + " on " + quoted(of == nullptr ? "" : of->name));
      continue;
    }
    INDIGO_TRY(update_row(c, pg_policy::kOid, {Datum::of_oid(policy)},
                          [&](RowValues& v) { v.oids(pg_policy::c_polroles, roles); }));
    INDIGO_TRY(forget_roles(c, address_of(policy)));
    INDIGO_TRY(record_roles(c, address_of(policy), roles, 'r'));
    c.catalog.changed({relation});
  }
  return {};
}

}  // namespace indigo::engine::ddl
