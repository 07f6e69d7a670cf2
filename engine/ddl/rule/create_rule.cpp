#include "catalog/descriptor/session_context.h"
#include "catalog/descriptor/settled.h"
#include "engine/ddl/hold.h"
#include "engine/ddl/object/view.h"
#include "engine/ddl/references.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/rule/rule.h"
#include "engine/ddl/rule/select_rule.h"
#include "sql/parse/parse_tree.h"
#include "sql/rule/rule_tree.h"
#include "sql/stored/stored_tree.h"

namespace indigo::engine::ddl {

namespace {

Status check_relation(DdlContext& c, const RelationInfo& r) {
  if (r.kind == RelationKind::kMaterializedView) {
    return Error(sqlstate::kFeatureNotSupported, "rules on materialized views are not supported");
  }
  if (r.kind != RelationKind::kTable && r.kind != RelationKind::kPartitionedTable && r.kind != RelationKind::kView) {
    return Error(sqlstate::kWrongObjectType, "relation " + quoted(r.name) + " cannot have rules")
        .with_detail(not_supported_for(r.kind));
  }
  INDIGO_TRY(check_not_system(r));
  return check_owner(c, r);
}

struct AnalyzedRule {
  std::shared_ptr<const sql::Query> query;
  std::set<Address> references;
};

// What the rule mentions is locked, and is as it was when the rule was analyzed.
Result<AnalyzedRule> analyze_rule(DdlContext& c, const PgQuery__RuleStmt& s, const RelationPtr& r) {
  for (;;) {
    const uint64_t version = c.catalog.version();
    AnalyzedRule out;
    INDIGO_ASSIGN(out.query, catalog::settled(c.catalog, [&] {
                    return sql::analyze_rule(c.host.session(), s, c.text, current(c, r->oid));
                  }));
    References references(c.catalog);
    references.query(*out.query);
    INDIGO_TRY(check_constants(c, references));
    out.references = references.addresses();
    add_changed_columns(*out.query, out.references);
    for (const Address& a : out.references) INDIGO_TRY(lock_mentioned(c, a));
    if (c.catalog.version() == version) return out;
  }
}

char event_of(const PgQuery__RuleStmt& s) {
  switch (s.event) {
    case PG_QUERY__CMD_TYPE__CMD_UPDATE: return '2';
    case PG_QUERY__CMD_TYPE__CMD_INSERT: return '3';
    case PG_QUERY__CMD_TYPE__CMD_DELETE: return '4';
    default: return '1';
  }
}

}  // namespace

Status execute_create_rule(DdlContext& c, const PgQuery__RuleStmt& s) {
  INDIGO_ASSIGN(const RelationPtr r, open_relation(c, s.relation, TableLockMode::kAccessExclusive));
  const std::string name = truncated_name(s.rulename);
  if (event_of(s) == '1') {
    INDIGO_TRY(check_relation(c, *r));
    return execute_create_select_rule(c, s, r);
  }
  if (r->kind == RelationKind::kMaterializedView) INDIGO_TRY(check_relation(c, *r));
  INDIGO_ASSIGN(const AnalyzedRule rule, analyze_rule(c, s, r));
  INDIGO_TRY(check_relation(c, *r));
  if (name == "_RETURN") {
    return Error(sqlstate::kInvalidObjectDefinition,
                 "non-view rule for " + quoted(r->name) + " must not be named " + quoted(name));
  }
  const catalog::RuleInfo* old = r->rules == nullptr ? nullptr : r->rules->find(name);
  if (old != nullptr && !s.replace) {
    return Error(sqlstate::kDuplicateObject,
                 "rule " + quoted(name) + " for relation " + quoted(r->name) + " already exists");
  }
  std::string condition = "<>";
  if (rule.query->where != nullptr) {
    INDIGO_ASSIGN(condition, sql::store_tree(rule.query->where));
  }
  INDIGO_ASSIGN(const std::string tree, sql::store_tree(rule.query));
  const auto texts = sql::rule_texts(c.host.session(), tree);  // it applies only if it can be printed
  if (!texts.ok()) return Error(sqlstate::kFeatureNotSupported, "this kind of statement is not supported in rules");
  SystemTable& rules = table(c, pg_rewrite::kOid);
  const Oid oid = old != nullptr ? old->oid : next_oid(c);
  const Address self{pg_rewrite::kOid, oid, 0};
  if (old != nullptr) {
    INDIGO_TRY(remove_dependencies_of(c, self));
    INDIGO_TRY(update_row(c, pg_rewrite::kOid, {Datum::of_oid(oid)}, [&](RowValues& v) {
      v.chr(pg_rewrite::c_ev_type, event_of(s))
          .flag(pg_rewrite::c_is_instead, s.instead)
          .str(pg_rewrite::c_ev_qual, condition)
          .str(pg_rewrite::c_ev_action, tree);
    }));
  } else {
    RowValues row(rules.definition());
    row.oid(pg_rewrite::c_oid, oid)
        .str(pg_rewrite::c_rulename, name)
        .oid(pg_rewrite::c_ev_class, r->oid)
        .chr(pg_rewrite::c_ev_type, event_of(s))
        .chr(pg_rewrite::c_ev_enabled, 'O')
        .flag(pg_rewrite::c_is_instead, s.instead)
        .str(pg_rewrite::c_ev_qual, condition)
        .str(pg_rewrite::c_ev_action, tree);
    INDIGO_TRY(check(rules.insert(c.txn, row)));
  }
  c.host.made(pg_rewrite::kOid, oid, c.extension != kInvalidOid);
  INDIGO_TRY(record_dependency(c, self, {pg_class::kOid, r->oid, 0}, 'a'));
  for (const Address& a : rule.references) {
    if (a == Address{pg_class::kOid, r->oid, 0}) continue;
    INDIGO_TRY(record_dependency(c, self, a, 'n'));
  }
  INDIGO_TRY(update_class(c, r->oid, [](RowValues& v) { v.flag(pg_class::c_relhasrules, true); }));
  c.catalog.changed({r->oid});
  return {};
}

}  // namespace indigo::engine::ddl
