#include "sql/analyze/trigger_condition.h"

#include "catalog/tables/system_columns.h"
#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/from/from.h"
#include "sql/analyze/from/names.h"
#include "sql/analyze/make.h"
#include "sql/analyze/type/coerce.h"
#include "sql/deparse.h"
#include "sql/parse/parse_tree.h"
#include "sql/query_walk.h"
#include "sql/stored/stored_tree.h"
#include "types/oids.h"
#include "types/text/strings.h"

namespace indigo::sql {

namespace {

NamespaceItem row_names(Scope& scope, const std::shared_ptr<const catalog::RelationInfo>& relation, const char* name) {
  Entry entry;
  entry.kind = EntryKind::kTable;
  entry.alias = name;
  entry.relation = relation;
  for (const auto& column : relation->columns) {
    entry.column_names.push_back(column.dropped ? std::string() : column.name);
    entry.column_types.push_back(column.type);
  }
  return names_of(scope, add_entry(scope, std::move(entry)));
}

}  // namespace

Result<ExprPtr> analyze_trigger_condition(catalog::SessionContext& session, const PgQuery__Node* node,
                                          std::string_view text,
                                          const std::shared_ptr<const catalog::RelationInfo>& relation) {
  Analysis a(session, text);
  a.inline_functions = false;
  Scope scope(a, nullptr);
  std::vector<NamespaceItem> names;
  names.push_back(row_names(scope, relation, "old"));
  names.push_back(row_names(scope, relation, "new"));
  INDIGO_TRY(add_names(scope, std::move(names)));
  INDIGO_ASSIGN(const ExprPtr e, transform(scope, node));
  return coerce_to_boolean(a, e, "WHEN");
}

Result<ExprPtr> load_trigger_condition(catalog::SessionContext& session, std::string_view tree,
                                       const catalog::RelationInfo& relation, bool print) {
  Analysis a(session, {});
  a.inline_functions = !print;
  INDIGO_ASSIGN(const ExprPtr e, load_expression(a, tree, print ? LoadFor::kPrinting : LoadFor::kUse));
  const int columns = static_cast<int>(relation.columns.size());
  bool known = true;
  visit_expressions(e, [&](const Expr& x, int) {
    if (x.kind == ExprKind::kVar) known = known && as<VarExpr>(x).column < columns;
    return known;
  });
  if (!known) return Error(SqlState("XX001"), "stored expression names a column that its table has not");
  return e;
}

namespace {

ExprPtr row_column(int input, int column, const TypeRef& type) {
  auto out = std::make_shared<ColumnExpr>();
  out->input = input;
  out->column = column;
  out->type = type;
  return out;
}

struct RowPrinter final : QueryNodePrinter {
  explicit RowPrinter(const catalog::RelationInfo& r) : relation(r) {
    constexpr int kStatementMargin = 8;
    shift_margin(kStatementMargin);
  }
  bool print(const Expr& e, std::string& out) const override {
    if (e.kind == ExprKind::kWholeRow) {
      out += as<WholeRowExpr>(e).entry == kOldEntry ? "old.*" : "new.*";
      return true;
    }
    if (e.kind != ExprKind::kVar) return false;
    const auto& v = as<VarExpr>(e);
    out += v.entry == kOldEntry ? "old." : "new.";
    if (v.column >= 0) {
      out += types::quote_identifier(relation.columns[static_cast<size_t>(v.column)].name);
    } else if (const auto* system = catalog::find_system_column(v.column)) {
      out += system->name;
    }
    return true;
  }
  const catalog::RelationInfo& relation;
};

}  // namespace

bool reads_system_columns(const ExprPtr& condition) {
  bool found = false;
  visit_expressions(condition, [&](const Expr& x, int) {
    if (x.kind == ExprKind::kVar) found = found || as<VarExpr>(x).column < 0;
    return !found;
  });
  return found;
}

ExprPtr over_old_and_new(const ExprPtr& e, const catalog::RelationInfo& relation) {
  if (!e) return e;
  if (const auto* v = try_as<VarExpr>(e)) {
    const int own = static_cast<int>(relation.columns.size());
    return row_column(v->entry, v->column >= 0 ? v->column : own - v->column - 1, v->type);
  }
  if (const auto* w = try_as<WholeRowExpr>(e)) {
    auto row = std::make_shared<RowExpr>();
    row->type = w->type;
    for (const auto& c : relation.columns) {
      row->fields.push_back(c.dropped ? make_const({oid::kInt4, -1, kInvalidOid}, Datum::make_null(Phys::kI32))
                                      : row_column(w->entry, c.number - 1, c.type));
      row->names.push_back(c.name);
    }
    return row;
  }
  return map_children(e, [&](const ExprPtr& child) { return over_old_and_new(child, relation); });
}

std::string print_trigger_condition(catalog::SessionContext& session, std::string_view tree,
                                    const catalog::RelationInfo& relation, bool pretty) {
  const auto e = load_trigger_condition(session, tree, relation, true);
  if (!e.ok()) return std::string(tree);
  const RowPrinter printer(relation);
  DeparseOptions options;
  options.always_qualify = false;
  options.pretty = pretty;
  options.nodes = &printer;
  auto text = deparse(session.catalog(), **e, options);
  return text.ok() ? *std::move(text) : std::string(tree);
}

}  // namespace indigo::sql
