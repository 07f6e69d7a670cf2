#include "sql/plan/change/table_rules.h"

#include "catalog/descriptor/session_context.h"
#include "sql/analyze/analyzer.h"
#include "sql/stored/plain_columns.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

ExprPtr columns_of_row(const ExprPtr& e) {
  if (!e) return e;
  const auto* v = try_as<VarExpr>(e);
  if (v == nullptr) return map_children(e, columns_of_row);
  auto out = std::make_shared<ColumnExpr>();
  out->input = 1;
  out->column = v->column;
  out->type = v->type;
  return out;
}

}  // namespace

ExprPtr over_row(catalog::CatalogView& catalog, const ExprPtr& e, const RelationInfo& relation) {
  return columns_of_row(with_plain_columns(catalog, e, relation));
}

Result<TableRules> table_rules(catalog::SessionContext& session, const std::shared_ptr<const RelationInfo>& relation) {
  TableRules out;
  for (const types::ColumnInfo& column : relation->columns) {
    if (column.dropped || !column.generated || !column.default_expr) continue;
    INDIGO_ASSIGN(const ExprPtr e, analyze_expression(session, *column.default_expr, relation, column.type));
    out.generated.push_back({column.number - 1, over_row(session.catalog(), e, *relation)});
  }
  for (const catalog::ConstraintInfo& k : relation->constraints) {
    if (k.kind != 'c') continue;
    INDIGO_ASSIGN(const ExprPtr e, analyze_expression(session, k.expression, relation, {oid::kBool, -1, kInvalidOid}));
    out.checks.push_back(over_row(session.catalog(), e, *relation));
    out.check_names.push_back(k.name);
  }
  return out;
}

}  // namespace indigo::sql
