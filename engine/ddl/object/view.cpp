#include "engine/ddl/object/view.h"

#include "catalog/descriptor/session_context.h"
#include "catalog/descriptor/settled.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/drop/remove_object.h"
#include "engine/ddl/hold.h"
#include "engine/ddl/object/view_options.h"
#include "engine/ddl/tree.h"
#include "sql/stored/stored_tree.h"
#include "storage/table.h"

namespace indigo::engine::ddl {

namespace {

// CREATE OR REPLACE may only add columns at the end.
Status check_replacement(DdlContext& c, const RelationInfo& old, const std::vector<NewColumn>& columns) {
  if (columns.size() < old.columns.size()) {
    return Error(sqlstate::kInvalidTableDefinition, "cannot drop columns from view");
  }
  for (size_t i = 0; i < old.columns.size(); i++) {
    const ColumnInfo& before = old.columns[i];
    const NewColumn& after = columns[i];
    if (before.name != after.name) {
      return Error(sqlstate::kInvalidTableDefinition,
                   "cannot change name of view column " + quoted(before.name) + " to " + quoted(after.name))
          .with_hint("Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.");
    }
    if (before.type.oid != after.type.oid || before.type.typmod != after.type.typmod) {
      return Error(sqlstate::kInvalidTableDefinition, "cannot change data type of view column " + quoted(before.name) +
                                                          " from " + type_text(c, before.type) + " to " +
                                                          type_text(c, after.type));
    }
    if (before.type.collation != after.type.collation) {
      return Error(sqlstate::kInvalidTableDefinition,
                   "cannot change collation of view column " + quoted(before.name) + " from " +
                       quoted(c.catalog.collation_name(before.type.collation)) + " to " +
                       quoted(c.catalog.collation_name(after.type.collation)));
    }
  }
  return {};
}

}  // namespace

Status store_query(DdlContext& c, Oid relation, const std::string& tree, const References& references) {
  SystemTable& rules = table(c, pg_rewrite::kOid);
  const Oid rule = next_oid(c);
  RowValues row(rules.definition());
  row.oid(pg_rewrite::c_oid, rule)
      .str(pg_rewrite::c_rulename, "_RETURN")
      .oid(pg_rewrite::c_ev_class, relation)
      .chr(pg_rewrite::c_ev_type, '1')
      .chr(pg_rewrite::c_ev_enabled, 'O')
      .flag(pg_rewrite::c_is_instead, true)
      .str(pg_rewrite::c_ev_qual, "<>")
      .str(pg_rewrite::c_ev_action, tree);
  INDIGO_TRY(check(rules.insert(c.txn, row)));
  const Address self{pg_rewrite::kOid, rule, 0};
  INDIGO_TRY(record_dependency(c, self, {pg_class::kOid, relation, 0}, 'i'));
  for (const Address& a : references.addresses()) {
    if (a.class_id == pg_class::kOid && a.object == relation) continue;
    INDIGO_TRY(record_dependency(c, self, a, 'n'));
  }
  return {};
}

Result<std::vector<NewColumn>> query_columns(DdlContext& c, const sql::Query& query,
                                             const std::vector<std::string>& aliases) {
  std::vector<NewColumn> out;
  for (const sql::TargetEntry& t : query.targets) {
    if (t.hidden) continue;
    NewColumn column;
    column.name = out.size() < aliases.size() ? aliases[out.size()] : t.name;
    column.type = t.expr->type;
    if (column.type.oid == oid::kUnknown) column.type = {oid::kText, -1, oid::kDefaultCollation};
    if (const TypePtr type = c.catalog.type(column.type.oid); type != nullptr && type->kind == 'p') {
      return Error(sqlstate::kInvalidTableDefinition,
                   "column " + quoted(column.name) + " has pseudo-type " + type_text(c, column.type));
    }
    if (column.type.collation == kInvalidOid) {
      if (const TypePtr type = c.catalog.type(column.type.oid)) column.type.collation = type->collation;
    }
    INDIGO_TRY(check_type_usage(c, column.type.oid));
    out.push_back(std::move(column));
  }
  return out;
}

Status check_constants(DdlContext& c, const References& references) {
  if (references.refused_constant() == kInvalidOid) return {};
  return Error(sqlstate::kFeatureNotSupported, "constant of the type " +
                                                   type_text(c, {references.refused_constant(), -1, kInvalidOid}) +
                                                   " cannot be used here");
}

Result<sql::AnalyzedStatement> analyze_kept(DdlContext& c, const PgQuery__Node* query, References& references) {
  sql::AnalyzeInput input{query, c.text, {}, false, {}};
  input.inline_functions = false;  // what is kept says what was written, and depends on it
  for (;;) {
    const uint64_t version = c.catalog.version();
    INDIGO_ASSIGN(sql::AnalyzedStatement analyzed,
                  catalog::settled(c.catalog, [&] { return sql::analyze(c.host.session(), input); }));
    references.clear();
    references.query(*analyzed.query);
    for (const Address& a : references.addresses()) INDIGO_TRY(lock_mentioned(c, a));
    if (c.catalog.version() == version) return analyzed;
  }
}

Status execute_create_view(DdlContext& c, const PgQuery__ViewStmt& s) {
  if (s.query->node_case != PG_QUERY__NODE__NODE_SELECT_STMT) return unsupported("a view of this statement");
  if (s.query->select_stmt->into_clause != nullptr) {
    return Error(sqlstate::kFeatureNotSupported, "views must not contain SELECT INTO");
  }
  INDIGO_ASSIGN(const std::vector<std::string> options, view_options(s));
  References references(c.catalog);
  INDIGO_ASSIGN(const sql::AnalyzedStatement analyzed, analyze_kept(c, s.query, references));
  for (const sql::CommonTable& table : analyzed.query->ctes) {
    if (table.query->command != sql::CommandKind::kSelect) {
      return Error(sqlstate::kFeatureNotSupported, "views must not contain data-modifying statements in WITH");
    }
  }
  INDIGO_TRY(check_check_option(options, *analyzed.query));
  INDIGO_ASSIGN(const std::string tree, sql::store_tree(analyzed.query));
  TableSpec spec;
  spec.kind = RelationKind::kView;
  spec.name = truncated_name(s.view->relname);
  spec.options = options;
  INDIGO_TRY(check_constants(c, references));
  bool temporary = std::string_view(s.view->relpersistence) == "t";
  if (!temporary) {
    for (const Address& a : references.addresses()) {
      if (a.class_id != pg_class::kOid || a.sub != 0) continue;
      const RelationPtr r = current(c, a.object);
      if (r != nullptr && r->persistence == 't') {
        temporary = true;
        notice(c, "view " + quoted(spec.name) + " will be a temporary view");
        break;
      }
    }
  }
  INDIGO_ASSIGN(spec.schema, creation_schema(c, *s.view, temporary));
  spec.persistence = spec.schema == c.catalog.temp_schema() ? 't' : 'p';
  const std::vector<std::string> aliases = sql::strings_of(nodes(s.n_aliases, s.aliases));
  INDIGO_ASSIGN(spec.columns, query_columns(c, *analyzed.query, aliases));
  if (aliases.size() > spec.columns.size()) {
    return Error(sqlstate::kSyntaxError, "CREATE VIEW specifies more column names than columns");
  }
  Oid oid = c.catalog.relation_oid(spec.schema, spec.name);
  const bool replacing = oid != kInvalidOid;
  if (replacing) {
    if (!s.replace) return Error(sqlstate::kDuplicateTable, "relation " + quoted(spec.name) + " already exists");
    INDIGO_ASSIGN(const RelationPtr old, open_relation(c, oid, TableLockMode::kAccessExclusive));
    if (old->kind != RelationKind::kView)
      return Error(sqlstate::kWrongObjectType, quoted(spec.name) + " is not a view");
    INDIGO_TRY(check_not_system(*old));
    INDIGO_TRY(check_owner(c, *old));
    INDIGO_TRY(check_replacement(c, *old, spec.columns));
    for (size_t i = old->columns.size(); i < spec.columns.size(); i++) {
      INDIGO_TRY(insert_attribute(c, oid, static_cast<int16_t>(i + 1), spec.columns[i]));
    }
    INDIGO_TRY(update_class(c, oid, [&](RowValues& v) {
      v.i16(pg_class::c_relnatts, static_cast<int16_t>(spec.columns.size()));
      if (options.empty()) {
        v.set_null(pg_class::c_reloptions);
      } else {
        v.texts(pg_class::c_reloptions, options);
      }
    }));
    for (const Dependent& d : dependents_of(c, {pg_class::kOid, oid, 0})) {
      if (d.address.class_id == pg_rewrite::kOid && d.type == 'i') INDIGO_TRY(remove_object(c, d.address));
    }
    // PostgreSQL tells of it twice: once for its columns and options.
    for (int i = 0; i < 2; i++) c.host.made(pg_class::kOid, oid, c.extension != kInvalidOid);
  } else {
    INDIGO_ASSIGN(oid, create_table(c, spec));
  }
  INDIGO_TRY(store_query(c, oid, tree, references));
  c.catalog.changed({oid});
  return {};
}

}  // namespace indigo::engine::ddl
