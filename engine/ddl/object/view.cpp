#include "engine/ddl/object/view.h"

#include <set>

#include "engine/ddl/drop/remove_object.h"
#include "engine/ddl/object/view_options.h"
#include "sql/analyze/analyzer.h"
#include "sql/deparse_query.h"
#include "sql/parse/parser.h"
#include "sql/view_text.h"

namespace indigo::engine::ddl {

namespace {

// What a query reads: relations with the columns that it uses, user-defined types and functions, and the primary keys without
// which it would not be valid.
class References {
 public:
  std::set<Address> addresses;

  void visit(const sql::Query& q) {
    levels_.push_back(&q);
    for (const sql::Entry& e : q.entries) entry(e);
    for (const sql::CommonTable& t : q.ctes) {
      if (t.query != nullptr) visit(*t.query);
    }
    for (const Oid constraint : q.constraints) addresses.insert({pg_constraint::kOid, constraint, 0});
    for (const sql::TargetEntry& t : q.targets) expression(t.expr);
    for (const sql::ExprPtr& e : {q.where, q.having, q.limit, q.offset}) expression(e);
    for (const sql::ExprList* list : {&q.group_by, &q.distinct_on}) expressions(*list);
    for (const sql::SortKey& k : q.order_by) expression(k.expr);
    for (const sql::Window& w : q.windows) {
      expressions(w.partition);
      for (const sql::SortKey& k : w.order) expression(k.expr);
      expression(w.start.offset);
      expression(w.end.offset);
    }
    join(q.from);
    levels_.pop_back();
  }

 private:
  void entry(const sql::Entry& e) {
    if (e.relation != nullptr) {
      addresses.insert({pg_class::kOid, e.relation->oid, 0});  // a view's expansion is the view's own business
    } else if (e.subquery != nullptr) {
      visit(*e.subquery);
    }
    for (const sql::Entry::Function& f : e.functions) expression(f.call);
    for (const sql::ExprList& row : e.values) expressions(row);
    if (e.sample) {
      expression(e.sample->percent_expr);
      expression(e.sample->repeatable);
    }
  }
  void join(const sql::JoinNodePtr& node) {
    if (node == nullptr) return;
    expression(node->condition);
    join(node->left);
    join(node->right);
  }
  void expressions(const sql::ExprList& list) {
    for (const sql::ExprPtr& e : list) expression(e);
  }
  void column(const sql::VarExpr& var) {
    const auto up = static_cast<size_t>(var.levels_up), number = static_cast<size_t>(var.entry);
    if (up >= levels_.size() || var.column < 0) return;
    const sql::Query& q = *levels_[levels_.size() - 1 - up];
    if (number < q.entries.size() && q.entries[number].relation != nullptr)
      addresses.insert({pg_class::kOid, q.entries[number].relation->oid, var.column + 1});
  }
  void expression(const sql::ExprPtr& pointer) {
    if (pointer == nullptr) return;
    const sql::Expr& e = *pointer;
    if (e.kind == sql::ExprKind::kVar) column(sql::as<sql::VarExpr>(e));
    if (e.kind == sql::ExprKind::kCall) {
      const Oid f = sql::as<sql::CallExpr>(e).function;
      if (f >= oid::kFirstUserOid) addresses.insert({pg_proc::kOid, f, 0});
    }
    if (e.kind == sql::ExprKind::kSubLink && sql::as<sql::SubLinkExpr>(e).query != nullptr)
      visit(*sql::as<sql::SubLinkExpr>(e).query);
    if (e.type.oid >= oid::kFirstUserOid) addresses.insert({pg_type::kOid, e.type.oid, 0});
    if (e.kind == sql::ExprKind::kCollate && e.type.collation >= oid::kFirstUserOid)
      addresses.insert({pg_collation::kOid, e.type.collation, 0});
    sql::for_each_child(e, [&](const sql::ExprPtr& child) { expression(child); });
  }

  std::vector<const sql::Query*> levels_;  // the queries around what is visited, outermost first
};

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
  }
  return {};
}

Result<std::string> qualified_text(sql::SessionContext& session, const std::string& text) {
  INDIGO_ASSIGN(const auto parsed, sql::parse(text));
  return sql::qualify_query(session, parsed->statements()[0].node);
}

// The text that is kept: every column spelled out, so that columns that tables get or rename later change nothing. What
// cannot be printed so that it means the same is kept as it was written.
Result<std::string> stored_text(DdlContext& c, const PgQuery__Node* select, const sql::Query& query) {
  sql::SessionContext& session = c.host.session();
  INDIGO_ASSIGN(std::string written, sql::qualify_query(session, select));
  const auto printed = sql::deparse_query(c.catalog, query, {}, false, sql::JoinForm::kOn);
  if (!printed.ok()) return written;
  auto spelled_out = qualified_text(session, *printed);
  if (!spelled_out.ok()) return written;
  const auto tree = sql::parse(*spelled_out);
  if (!tree.ok()) return written;
  sql::AnalyzeInput input{(*tree)->statements()[0].node, *spelled_out, {}, false, {}};
  input.inline_functions = false;
  const auto again = sql::analyze(session, input);
  if (!again.ok() || again->query == nullptr || again->query->targets.size() != query.targets.size()) return written;
  for (size_t i = 0; i < query.targets.size(); i++) {
    if (!(again->query->targets[i].expr->type == query.targets[i].expr->type)) return written;
  }
  const auto printed_again = sql::deparse_query(c.catalog, *again->query, {}, false, sql::JoinForm::kOn);
  if (!printed_again.ok() || *printed_again != *printed) return written;
  if (!sql::joins_by_name(query)) return std::move(*spelled_out);
  const auto joined = sql::deparse_query(c.catalog, query, {}, false, sql::JoinForm::kAsWritten);
  if (!joined.ok()) return std::move(*spelled_out);
  const auto qualified = qualified_text(session, *joined);
  return qualified.ok() ? sql::with_joined_form(std::move(*spelled_out), *qualified) : std::move(*spelled_out);
}

}  // namespace

Result<std::string> execute_create_view(DdlContext& c, const PgQuery__ViewStmt& s) {
  if (s.query->node_case != PG_QUERY__NODE__NODE_SELECT_STMT) return unsupported("a view of this statement");
  if (s.query->select_stmt->into_clause != nullptr) {
    return Error(sqlstate::kFeatureNotSupported, "views must not contain SELECT INTO");
  }
  INDIGO_ASSIGN(const std::vector<std::string> options, view_options(s));
  sql::AnalyzeInput input{s.query, c.text, {}, false, {}};
  input.inline_functions = false;  // what is kept says what was written, and depends on it
  INDIGO_ASSIGN(const sql::AnalyzedStatement analyzed, sql::analyze(c.host.session(), input));
  for (const sql::CommonTable& table : analyzed.query->ctes) {
    if (table.query->command != sql::CommandKind::kSelect) {
      return Error(sqlstate::kFeatureNotSupported, "views must not contain data-modifying statements in WITH");
    }
  }
  INDIGO_TRY(check_check_option(options, *analyzed.query));
  INDIGO_ASSIGN(const std::string text, stored_text(c, s.query, *analyzed.query));
  TableSpec spec;
  spec.kind = RelationKind::kView;
  spec.name = truncated_name(s.view->relname);
  spec.options = options;
  References references;
  references.visit(*analyzed.query);
  bool temporary = std::string_view(s.view->relpersistence) == "t";
  if (!temporary) {
    for (const Address& a : references.addresses) {
      if (a.class_id != pg_class::kOid || a.sub != 0) continue;
      const RelationPtr r = current(c, a.object);
      if (r != nullptr && r->persistence == 't') {
        temporary = true;
        notice(c, "view " + quoted(spec.name) + " will be a temporary view");
        break;
      }
    }
  }
  INDIGO_ASSIGN(spec.schema, creation_schema(c, s.view->schemaname, temporary));
  spec.persistence = spec.schema == c.catalog.temp_schema() ? 't' : 'p';
  const std::vector<std::string> aliases = sql::strings_of(nodes(s.n_aliases, s.aliases));
  for (const sql::TargetEntry& t : analyzed.query->targets) {
    if (t.hidden) continue;
    NewColumn column;
    column.name = spec.columns.size() < aliases.size() ? aliases[spec.columns.size()] : t.name;
    column.type = t.expr->type;
    if (column.type.oid == oid::kUnknown) column.type = {oid::kText, -1, oid::kDefaultCollation};
    if (const auto type = c.catalog.type(column.type.oid); type != nullptr && type->kind == 'p') {
      return Error(sqlstate::kInvalidTableDefinition,
                   "column " + quoted(column.name) + " has pseudo-type " + type_text(c, column.type));
    }
    if (column.type.collation == kInvalidOid) {
      if (const auto type = c.catalog.type(column.type.oid)) column.type.collation = type->collation;
    }
    INDIGO_TRY(check_type_usage(c, column.type.oid));
    spec.columns.push_back(std::move(column));
  }
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
    INDIGO_TRY(check_not_system(c, *old));
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
  } else {
    INDIGO_ASSIGN(oid, create_table(c, spec));
  }
  SystemTable& rules = table(c, pg_rewrite::kOid);
  const Oid rule = next_oid(c);
  RowValues row(rules.definition());
  row.oid(pg_rewrite::c_oid, rule)
      .str(pg_rewrite::c_rulename, "_RETURN")
      .oid(pg_rewrite::c_ev_class, oid)
      .chr(pg_rewrite::c_ev_type, '1')
      .chr(pg_rewrite::c_ev_enabled, 'O')
      .flag(pg_rewrite::c_is_instead, true)
      .str(pg_rewrite::c_ev_qual, "<>")
      .str(pg_rewrite::c_ev_action, text);
  INDIGO_TRY(check(rules.insert(c.txn, row)));
  const Address self{pg_rewrite::kOid, rule, 0};
  INDIGO_TRY(record_dependency(c, self, {pg_class::kOid, oid, 0}, 'i'));
  for (const Address& a : references.addresses) {
    if (a.class_id == pg_class::kOid && a.object == oid) continue;
    INDIGO_TRY(record_dependency(c, self, a, 'n'));
  }
  c.catalog.changed({oid});
  return std::string("CREATE VIEW");
}

}  // namespace indigo::engine::ddl
