#include "engine/ddl/replication/row_filter.h"

#include <algorithm>

#include "catalog/descriptor/settled.h"
#include "sql/analyze/analyzer.h"
#include "sql/expr.h"

namespace indigo::engine::ddl {

namespace {

bool users(Oid object) { return object >= oid::kFirstUserOid; }

// An expression begins where its leftmost part does.
int leftmost(const sql::Expr& e) {
  int at = e.location;
  sql::for_each_child(e, [&](const sql::ExprPtr& child) {
    if (!child) return;
    const int below = leftmost(*child);
    if (below >= 0 && (at < 0 || below < at)) at = below;
  });
  return at;
}

// Why a row filter may not have the node itself; empty: it may.
std::string_view refused(DdlContext& c, const sql::Expr& e) {
  constexpr std::string_view kOperator = "User-defined operators are not allowed.";
  std::vector<Oid> functions;
  Oid collation = e.type.collation;
  switch (e.kind) {
    case sql::ExprKind::kVar:
      if (sql::as<sql::VarExpr>(e).column < 0) return "System columns are not allowed.";
      break;
    case sql::ExprKind::kCall: {
      const auto& call = sql::as<sql::CallExpr>(e);
      if (users(call.op)) return kOperator;
      functions.push_back(call.function);
      if (users(call.collation)) collation = call.collation;
      break;
    }
    case sql::ExprKind::kArrayCompare: {
      const auto& compare = sql::as<sql::ArrayCompareExpr>(e);
      if (users(compare.op)) return kOperator;
      functions.push_back(compare.function);
      if (users(compare.collation)) collation = compare.collation;
      break;
    }
    case sql::ExprKind::kRowCompare: {
      const auto& compare = sql::as<sql::RowCompareExpr>(e);
      functions = compare.less_functions;
      functions.insert(functions.end(), compare.equal_functions.begin(), compare.equal_functions.end());
      break;
    }
    case sql::ExprKind::kConst:
    case sql::ExprKind::kBool:
    case sql::ExprKind::kCase:
    case sql::ExprKind::kCoalesce:
    case sql::ExprKind::kGreatestLeast:
    case sql::ExprKind::kNullIf:
    case sql::ExprKind::kNullTest:
    case sql::ExprKind::kBooleanTest:
    case sql::ExprKind::kDistinct:
    case sql::ExprKind::kArray:
    case sql::ExprKind::kRow:
    case sql::ExprKind::kRelabel:
    case sql::ExprKind::kCollate:
    case sql::ExprKind::kWholeRow: break;
    default:
      return "Only columns, constants, built-in operators, built-in data types, built-in collations, and immutable "
             "built-in "
             "functions are allowed.";
  }
  if (users(e.type.oid)) return "User-defined types are not allowed.";
  for (const Oid function : functions) {
    const auto info = c.catalog.function(function);
    if (users(function) || (info != nullptr && info->volatility != types::Volatility::kImmutable)) {
      return "User-defined or built-in mutable functions are not allowed.";
    }
  }
  return users(collation) ? "User-defined collations are not allowed." : std::string_view();
}

// What no WHERE may have.
Status check_condition(DdlContext& c, const sql::Expr& e) {
  if (e.kind == sql::ExprKind::kAggregate) {
    return Error(sqlstate::kGroupingError, "aggregate functions are not allowed in WHERE").at(position(c, e.location));
  }
  if (e.kind == sql::ExprKind::kWindowCall) {
    return Error(sqlstate::kWindowingError, "window functions are not allowed in WHERE").at(position(c, e.location));
  }
  if (e.kind == sql::ExprKind::kCall && sql::as<sql::CallExpr>(e).returns_set) {
    return Error(sqlstate::kFeatureNotSupported, "set-returning functions are not allowed in WHERE")
        .at(position(c, e.location));
  }
  Status status;
  sql::for_each_child(e, [&](const sql::ExprPtr& child) {
    if (child && status.ok()) status = check_condition(c, *child);
  });
  return status;
}

Status check_simple(DdlContext& c, const sql::Expr& e) {
  if (const std::string_view why = refused(c, e); !why.empty()) {
    return Error(sqlstate::kFeatureNotSupported, "invalid publication WHERE expression")
        .with_detail(std::string(why))
        .at(position(c, leftmost(e)));
  }
  Status status;
  sql::for_each_child(e, [&](const sql::ExprPtr& child) {
    if (child && status.ok()) status = check_simple(c, *child);
  });
  return status;
}

}  // namespace

Result<StoredExpression> read_row_filter(DdlContext& c, const PgQuery__Node* node, const RelationPtr& relation) {
  INDIGO_ASSIGN(
      const sql::ExprPtr plain, catalog::settled(c.catalog, [&] {
        return sql::analyze_to_print(c.host.session(), node, c.text, relation, TypeRef{kInvalidOid, -1, kInvalidOid});
      }));
  INDIGO_TRY(check_condition(c, *plain));
  const TypePtr type = c.catalog.type(plain->type.oid);
  const Oid base = type != nullptr && type->kind == 'd' ? type->base : plain->type.oid;
  if (base != oid::kBool && base != oid::kUnknown) {
    return Error(sqlstate::kDatatypeMismatch, "argument of PUBLICATION WHERE must be type boolean, not type " +
                                                  type_text(c, {plain->type.oid, -1, kInvalidOid}))
        .at(position(c, leftmost(*plain)));
  }
  INDIGO_ASSIGN(
      const sql::ExprPtr filter, catalog::settled(c.catalog, [&] {
        return sql::analyze_to_print(c.host.session(), node, c.text, relation, TypeRef{oid::kBool, -1, kInvalidOid});
      }));
  INDIGO_TRY(check_simple(c, *filter));
  return keep_expression(c, filter);
}

}  // namespace indigo::engine::ddl
