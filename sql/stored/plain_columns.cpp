#include "sql/stored/plain_columns.h"

#include <memory>

#include "sql/analyze/make.h"
#include "sql/query_walk.h"
#include "types/oids.h"

namespace indigo::sql {

ExprPtr with_plain_columns(catalog::CatalogView& catalog, const ExprPtr& e, const catalog::RelationInfo& relation) {
  if (!e) return e;
  if (const auto* v = try_as<VarExpr>(e)) {
    if (v->column == kTableOidColumn) return make_const(v->type, Datum::of_oid(relation.oid), v->location);
    return v->column < 0 ? make_null(catalog, v->type, v->location) : e;
  }
  if (const auto* w = try_as<WholeRowExpr>(e)) {
    auto row = std::make_shared<RowExpr>();
    row->type = w->type;
    row->location = w->location;
    for (const types::ColumnInfo& c : relation.columns) {
      row->fields.push_back(c.dropped ? make_null(catalog, {oid::kInt4, -1, kInvalidOid})
                                      : make_var(w->entry, c.number - 1, c.type));
      row->names.push_back(c.name);
    }
    return row;
  }
  return map_children(e, [&](const ExprPtr& c) { return with_plain_columns(catalog, c, relation); });
}

const VarExpr* system_column_in(const ExprPtr& e) {
  const VarExpr* found = nullptr;
  visit_expressions(e, [&](const Expr& x, int) {
    if (found == nullptr && x.kind == ExprKind::kVar && as<VarExpr>(x).column < 0) found = &as<VarExpr>(x);
    return found == nullptr;
  });
  return found;
}

const WholeRowExpr* whole_row_in(const ExprPtr& e) {
  const WholeRowExpr* found = nullptr;
  visit_expressions(e, [&](const Expr& x, int) {
    if (found == nullptr && x.kind == ExprKind::kWholeRow) found = &as<WholeRowExpr>(x);
    return found == nullptr;
  });
  return found;
}

}  // namespace indigo::sql
