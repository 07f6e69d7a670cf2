#include "sql/leakproof.h"

namespace indigo::sql {
namespace {

bool has_columns(const ExprPtr& e) {
  switch (e->kind) {
    case ExprKind::kVar:
    case ExprKind::kWholeRow:
    case ExprKind::kColumn:
    case ExprKind::kSubLink:
    case ExprKind::kSubPlan: return true;
    default: break;
  }
  bool found = false;
  for_each_child(*e, [&](const ExprPtr& c) { found = found || has_columns(c); });
  return found;
}

bool known_leakproof(catalog::CatalogView& catalog, Oid function) {
  const auto info = catalog.function(function);
  return info != nullptr && info->leakproof;
}

}  // namespace

bool is_leakproof(catalog::CatalogView& catalog, const ExprPtr& e) {
  switch (e->kind) {
    case ExprKind::kVar:
    case ExprKind::kConst:
    case ExprKind::kParam:
    case ExprKind::kRuntimeParam:
    case ExprKind::kSessionValue:
    case ExprKind::kBool:
    case ExprKind::kNullTest:
    case ExprKind::kBooleanTest:
    case ExprKind::kRelabel:
    case ExprKind::kCollate:
    case ExprKind::kCase:
    case ExprKind::kCoalesce:
    case ExprKind::kArray:
    case ExprKind::kRow:
    case ExprKind::kField: break;
    case ExprKind::kDistinct:
    case ExprKind::kNullIf: break;  // the comparison is below
    case ExprKind::kCall:
      if (!known_leakproof(catalog, as<CallExpr>(*e).function) && has_columns(e)) return false;
      break;
    case ExprKind::kArrayCompare:
      if (!known_leakproof(catalog, as<ArrayCompareExpr>(*e).function) && has_columns(e)) return false;
      break;
    default: return !has_columns(e);
  }
  bool ok = true;
  for_each_child(*e, [&](const ExprPtr& c) { ok = ok && is_leakproof(catalog, c); });
  return ok;
}

}  // namespace indigo::sql
