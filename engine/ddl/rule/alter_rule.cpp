// Rules that are there: found by name, renamed, enabled, disabled, dropped.
#include "engine/ddl/rows.h"
#include "engine/ddl/rule/rule.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

struct Found {
  Oid oid = kInvalidOid;
  char event = 0;
};

// The rule of a view's query included.
Found find_rule(DdlContext& c, Oid relation, std::string_view name) {
  Found out;
  table(c, pg_rewrite::kOid)
      .scan_index(c.txn, system_index::kRewriteClass, {Datum::of_oid(relation)}, [&](RowReader row) {
        if (row.str(pg_rewrite::c_rulename) != name) return true;
        out = {row.oid(pg_rewrite::c_oid), row.chr(pg_rewrite::c_ev_type)};
        return false;
      });
  return out;
}

std::string missing_rule(std::string_view relation, std::string_view name) {
  return "rule " + quoted(name) + " for relation " + quoted(relation) + " does not exist";
}

}  // namespace

Result<std::optional<Address>> find_named_rule(DdlContext& c, NodeList name, bool missing_ok, TableLockMode mode) {
  const NodeList table_name = name.first(name.size() - 1);
  INDIGO_ASSIGN(const RelationPtr found, existing_relation(c, table_name, missing_ok));
  if (found == nullptr) return std::optional<Address>();
  INDIGO_TRY(lock_object(c, found->oid, mode));
  const RelationPtr r = current(c, found->oid);
  const Found rule = r == nullptr ? Found() : find_rule(c, r->oid, string_of(name.back()));
  if (rule.oid == kInvalidOid) {
    const std::string written = sql::name_list_text(table_name);
    const std::string message = missing_rule(missing_ok ? written : found->name, string_of(name.back()));
    if (!missing_ok) return Error(sqlstate::kUndefinedObject, message);
    notice(c, message + ", skipping");
    return std::optional<Address>();
  }
  if (!check_owner(c, *r).ok()) return Error(sqlstate::kInsufficientPrivilege, "must be owner of relation " + r->name);
  INDIGO_TRY(check_not_system(*r));
  return std::optional<Address>(Address{pg_rewrite::kOid, rule.oid, 0});
}

Status rename_rule(DdlContext& c, const PgQuery__RangeVar* name, std::string_view from, std::string_view to) {
  INDIGO_ASSIGN(const RelationPtr r, open_relation(c, name, TableLockMode::kAccessExclusive));
  if (r->kind != RelationKind::kTable && r->kind != RelationKind::kPartitionedTable && r->kind != RelationKind::kView) {
    return Error(sqlstate::kWrongObjectType, "relation " + quoted(r->name) + " cannot have rules");
  }
  INDIGO_TRY(check_definable(c, *r));
  const Found rule = find_rule(c, r->oid, from);
  if (rule.oid == kInvalidOid) return Error(sqlstate::kUndefinedObject, missing_rule(r->name, from));
  const std::string new_name = truncated_name(to);
  if (find_rule(c, r->oid, new_name).oid != kInvalidOid) {
    return Error(sqlstate::kDuplicateObject,
                 "rule " + quoted(new_name) + " for relation " + quoted(r->name) + " already exists");
  }
  if (rule.event == '1') {
    return Error(sqlstate::kInvalidObjectDefinition, "renaming an ON SELECT rule is not allowed");
  }
  INDIGO_TRY(update_row(c, pg_rewrite::kOid, {Datum::of_oid(rule.oid)},
                        [&](RowValues& v) { v.str(pg_rewrite::c_rulename, new_name); }));
  c.catalog.changed({r->oid});
  return {};
}

Status enable_rule(DdlContext& c, const RelationPtr& r, const PgQuery__AlterTableCmd& cmd) {
  const Found rule = find_rule(c, r->oid, cmd.name);
  if (rule.oid == kInvalidOid) return Error(sqlstate::kUndefinedObject, missing_rule(r->name, cmd.name));
  const char state = cmd.subtype == PG_QUERY__ALTER_TABLE_TYPE__AT_EnableAlwaysRule    ? 'A'
                     : cmd.subtype == PG_QUERY__ALTER_TABLE_TYPE__AT_EnableReplicaRule ? 'R'
                     : cmd.subtype == PG_QUERY__ALTER_TABLE_TYPE__AT_DisableRule       ? 'D'
                                                                                       : 'O';
  INDIGO_TRY(update_row(c, pg_rewrite::kOid, {Datum::of_oid(rule.oid)},
                        [&](RowValues& v) { v.chr(pg_rewrite::c_ev_enabled, state); }));
  c.catalog.changed({r->oid});
  return {};
}

Status remove_rule(DdlContext& c, Oid rule) {
  SystemTable& rules = table(c, pg_rewrite::kOid);
  std::string image;
  if (!rules.find_oid(c.txn, rule, image)) return {};
  const Oid relation = rules.reader(image).oid(pg_rewrite::c_ev_class);
  c.catalog.changed({relation});
  return check_erased(rules.erase(c.txn, {Datum::of_oid(rule)}));
}

}  // namespace indigo::engine::ddl
