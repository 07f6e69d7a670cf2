#include "engine/exec/expression/routine_calls.h"

#include <algorithm>

#include "sql/routine.h"
#include "types/oids.h"
#include "types/type_info.h"

namespace indigo::engine::exec {
namespace {

using sql::is_routine;

bool any_routine(catalog::CatalogView& catalog, const std::vector<Oid>& functions) {
  return std::any_of(functions.begin(), functions.end(), [&](Oid f) { return is_routine(catalog, f); });
}

// May reading, writing or comparing its values call one? Domains have conditions, rows and ranges members with domains or orders
// of users' own.
bool has_routines(catalog::CatalogView& catalog, Oid oid) {
  if (oid < oid::kFirstUserOid) return false;
  const auto type = catalog.type(oid);
  if (type == nullptr) return false;
  if (type->is_array()) return has_routines(catalog, type->element);
  return type->kind == 'd' || type->kind == 'c' || type->kind == 'r' || type->kind == 'm' ||
         catalog.defined_order(oid) != nullptr;
}

}  // namespace

bool calls_routine_itself(catalog::CatalogView& catalog, const sql::Expr& e) {
  switch (e.kind) {
    case sql::ExprKind::kCall: {
      const auto& call = sql::as<sql::CallExpr>(e);
      if (call.function >= oid::kFirstUserOid) return is_routine(catalog, call.function);
      return std::any_of(call.arguments.begin(), call.arguments.end(),
                         [&](const sql::ExprPtr& a) { return has_routines(catalog, a->type.oid); });
    }
    case sql::ExprKind::kArrayCompare: {
      const auto& compare = sql::as<sql::ArrayCompareExpr>(e);
      return is_routine(catalog, compare.function) || has_routines(catalog, compare.left->type.oid);
    }
    case sql::ExprKind::kRowCompare: {
      const auto& compare = sql::as<sql::RowCompareExpr>(e);
      return any_routine(catalog, compare.less_functions) || any_routine(catalog, compare.equal_functions);
    }
    case sql::ExprKind::kNullIf: return calls_routine_itself(catalog, *sql::as<sql::NullIfExpr>(e).equal);
    case sql::ExprKind::kDistinct: return calls_routine_itself(catalog, *sql::as<sql::DistinctExpr>(e).equal);
    case sql::ExprKind::kGreatestLeast: return has_routines(catalog, e.type.oid);
    case sql::ExprKind::kIoCast:
      return has_routines(catalog, e.type.oid) || has_routines(catalog, sql::as<sql::IoCastExpr>(e).argument->type.oid);
    default: return false;
  }
}

}  // namespace indigo::engine::exec
