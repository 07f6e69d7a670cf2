// Constants, parameters, casts, COLLATE and the SQL value functions (CURRENT_DATE ...).
#include <cerrno>
#include <cstdlib>

#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/expression/overloads.h"
#include "sql/analyze/make.h"
#include "sql/analyze/type/coerce.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/analyze/type/type_name.h"
#include "sql/parse/node.h"
#include "types/function/registry.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

Result<ExprPtr> input_literal(Scope& scope, Oid type, std::string_view text, int location) {
  types::FuncContext& context = scope.a.functions();
  const TypeRef ref{type, -1, kInvalidOid};
  const Datum value = type_input(context, ref, text);
  if (context.failed()) {
    auto error = context.take_error();
    if (error->position == 0) error->position = scope.a.position(location);
    return error;
  }
  return make_const(ref, value, location);
}

// The smallest of int4, int8 and numeric that holds the number.
Result<ExprPtr> make_number(Scope& scope, const char* text, int location) {
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(text, &end, 10);
  if (errno == 0 && *end == '\0') {
    if (value == static_cast<int32_t>(value)) return make_int4(static_cast<int32_t>(value), location);
    return make_const({oid::kInt8, -1, kInvalidOid}, Datum::of(static_cast<int64_t>(value)), location);
  }
  return input_literal(scope, oid::kNumeric, text, location);
}

Result<ExprPtr> make_literal(Scope& scope, const PgQuery__AConst& c) {
  switch (c.val_case) {
    case PG_QUERY__A__CONST__VAL_IVAL: return make_int4(c.ival->ival, c.location);
    case PG_QUERY__A__CONST__VAL_FVAL: return make_number(scope, c.fval->fval, c.location);
    case PG_QUERY__A__CONST__VAL_BOOLVAL: return make_bool(c.boolval->boolval, c.location);
    case PG_QUERY__A__CONST__VAL_SVAL: return make_unknown(c.sval->sval, c.location);
    case PG_QUERY__A__CONST__VAL_BSVAL: return input_literal(scope, oid::kBit, c.bsval->bsval, c.location);
    default: return make_unknown_null(c.location);
  }
}

}  // namespace

Result<ExprPtr> transform_const(Scope& scope, const PgQuery__Node& node) {
  const PgQuery__AConst& c = *node.a_const;
  INDIGO_ASSIGN(ExprPtr e, make_literal(scope, c));
  if (!scope.lift || c.location < 0 || static_cast<size_t>(c.location) >= scope.a.text.size() || is_null_const(e) ||
      e->type.oid == oid::kBool) {
    return e;
  }
  bool negative = scope.a.text[c.location] == '-';
  const ExprPtr param = scope.a.lift(c.location, negative, e->type.oid);
  if (!param) return e;
  return negative ? make_operator(scope.a, "-", nullptr, param, c.location) : param;
}

Result<ExprPtr> transform_param(Scope& scope, const PgQuery__Node& node) {
  return scope.a.parameter(node.param_ref->number, node.param_ref->location);
}

Result<ExprPtr> cast_to(Scope& scope, const ExprPtr& e, const TypeRef& type, int location) {
  INDIGO_ASSIGN(ExprPtr out,
                coerce_to_target(scope.a, e, type, Coercion::kExplicit, CallExpr::Form::kExplicitCast, location));
  if (out) return out;
  return scope.error(
      sqlstate::kCannotCoerce,
      "cannot cast type " + format_type(scope.catalog(), e->type.oid) + " to " + format_type(scope.catalog(), type.oid),
      location >= 0 ? location : expr_location(e));
}

Result<ExprPtr> transform_type_cast(Scope& scope, const PgQuery__Node& node) {
  const PgQuery__TypeCast& cast = *node.type_cast;
  INDIGO_ASSIGN(const TypeRef type, resolve_type_name(scope.a, cast.type_name));
  if (cast.type_name->setof) {
    return scope.error(sqlstate::kFeatureNotSupported, "casting to a set is not supported", cast.location);
  }
  const int location = cast.location >= 0 ? cast.location : cast.type_name->location;
  if (is(cast.arg, PG_QUERY__NODE__NODE_A_ARRAY_EXPR)) {
    const TypeRef base = base_type_ref(scope.catalog(), type.oid);
    if (element_of(scope.catalog(), base.oid) != kInvalidOid) {
      const TypeRef wanted{base.oid, base.oid == type.oid ? type.typmod : base.typmod, base.collation};
      INDIGO_ASSIGN(const ExprPtr array, transform_array_of(scope, *cast.arg->a_array_expr, wanted, location));
      return cast_to(scope, array, type, location);
    }
  }
  // How an interval's text is read depends on its fields, so it is no parameter there.
  const bool shaped = base_type(scope.catalog(), type.oid) == oid::kInterval && type.typmod >= 0;
  Setting<bool> lift(scope.lift, scope.lift && !shaped);
  INDIGO_ASSIGN(const ExprPtr e, transform(scope, cast.arg));
  return cast_to(scope, e, type, location);
}

Result<ExprPtr> transform_collate(Scope& scope, const PgQuery__Node& node) {
  const PgQuery__CollateClause& clause = *node.collate_clause;
  INDIGO_ASSIGN(ExprPtr e, transform(scope, clause.arg));
  const TypeRef own = type_with_collation(scope.catalog(), {e->type.oid, -1, kInvalidOid});
  if (own.collation == kInvalidOid && e->type.oid != oid::kUnknown) {
    return scope.error(sqlstate::kDatatypeMismatch,
                       "collations are not supported by type " + format_type(scope.catalog(), e->type.oid),
                       clause.location);
  }
  scope.a.has_collate_clause = true;
  auto out = std::make_shared<CollateExpr>();
  INDIGO_ASSIGN(const Oid collation, resolve_collation(scope.a, &clause));
  out->argument = std::move(e);  // a literal stays one: what it is compared with may give it another type
  out->type = out->argument->type;
  out->type.collation = collation;
  out->location = clause.location;
  return ExprPtr(out);
}

Result<ExprPtr> transform_session_value(Scope& scope, const PgQuery__Node& node) {
  const PgQuery__SQLValueFunction& f = *node.sqlvalue_function;
  struct Row {
    PgQuery__SQLValueFunctionOp op;
    SessionValueExpr::Which which;
    Oid type;
  };
  using Which = SessionValueExpr::Which;
  static constexpr Row kRows[] = {
      {PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_DATE, Which::kDate, oid::kDate},
      {PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIME, Which::kTimeTz, oid::kTimeTz},
      {PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIME_N, Which::kTimeTz, oid::kTimeTz},
      {PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIMESTAMP, Which::kTimestampTz, oid::kTimestampTz},
      {PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIMESTAMP_N, Which::kTimestampTz, oid::kTimestampTz},
      {PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIME, Which::kLocalTime, oid::kTime},
      {PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIME_N, Which::kLocalTime, oid::kTime},
      {PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP, Which::kLocalTimestamp, oid::kTimestamp},
      {PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP_N, Which::kLocalTimestamp, oid::kTimestamp},
      {PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_ROLE, Which::kRole, oid::kName},
      {PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_USER, Which::kCurrentUser, oid::kName},
      {PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_USER, Which::kUser, oid::kName},
      {PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_SESSION_USER, Which::kSessionUser, oid::kName},
      {PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_CATALOG, Which::kCatalog, oid::kName},
      {PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_SCHEMA, Which::kSchema, oid::kName},
  };
  for (const Row& row : kRows) {
    if (row.op != f.op) continue;
    auto e = std::make_shared<SessionValueExpr>();
    e->which = row.which;
    e->type = type_with_collation(scope.catalog(), {row.type, std::min(f.typmod, 6), kInvalidOid});
    if (row.type == oid::kName || row.type == oid::kDate) e->type.typmod = -1;
    e->location = f.location;
    return ExprPtr(e);
  }
  return scope.error(sqlstate::kFeatureNotSupported, "this SQL value function is not supported", f.location);
}

}  // namespace indigo::sql
