#include "sql/plan/change/table_rules.h"

#include "catalog/descriptor/session_context.h"
#include "catalog/tables/system_columns.h"
#include "sql/analyze/analyzer.h"
#include "sql/analyze/make.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

ExprPtr column_of_row(int column, const TypeRef& type) {
  auto out = std::make_shared<ColumnExpr>();
  out->input = 1;
  out->column = column;
  out->type = type;
  return out;
}

}  // namespace

ExprPtr over_row(const ExprPtr& e, const RelationInfo& relation) {
  if (!e) return e;
  if (const auto* v = try_as<VarExpr>(e)) {
    if (v->column == kTableOidColumn) return make_const(v->type, Datum::of_oid(relation.oid));
    return column_of_row(v->column, v->type);
  }
  if (const auto* w = try_as<WholeRowExpr>(e)) {
    auto row = std::make_shared<RowExpr>();
    row->type = w->type;
    for (const types::ColumnInfo& c : relation.columns) {
      if (c.dropped) continue;
      row->fields.push_back(column_of_row(c.number - 1, c.type));
      row->names.push_back(c.name);
    }
    return row;
  }
  return map_children(e, [&](const ExprPtr& c) { return over_row(c, relation); });
}

Result<TableRules> table_rules(catalog::SessionContext& session, const std::shared_ptr<const RelationInfo>& relation) {
  TableRules out;
  for (const types::ColumnInfo& column : relation->columns) {
    if (column.dropped || !column.generated || !column.default_expr) continue;
    INDIGO_ASSIGN(const ExprPtr e, analyze_expression(session, *column.default_expr, relation, column.type));
    out.generated.push_back({column.number - 1, over_row(e, *relation)});
  }
  for (const catalog::ConstraintInfo& k : relation->constraints) {
    if (k.kind != 'c') continue;
    INDIGO_ASSIGN(const ExprPtr e, analyze_expression(session, k.expression, relation, {oid::kBool, -1, kInvalidOid}));
    out.checks.push_back(over_row(e, *relation));
    out.check_names.push_back(k.name);
  }
  return out;
}

}  // namespace indigo::sql
