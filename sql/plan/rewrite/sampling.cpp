#include "sql/plan/rewrite/sampling.h"

#include <cmath>
#include <memory>

#include "sql/analyze/make.h"
#include "sql/plan/rewrite/fold.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

// PostgreSQL's OIDs of the functions that a sample calls.
constexpr Oid kRandom{1598}, kFloat8Less{295}, kInt8ToFloat8{482}, kFloat8Mul{216}, kFloat8Div{217},
    kFloat4ToFloat8{311}, kHashFloat8{452}, kSampleHash{3313}, kCheckSample{3314};

ExprPtr call(Oid function, Oid result, ExprList arguments, types::Volatility volatility) {
  auto e = std::make_shared<CallExpr>();
  e->type.oid = result;
  e->function = function;
  e->form = CallExpr::Form::kFunction;
  e->strict = true;
  e->volatility = volatility;
  e->arguments = std::move(arguments);
  return e;
}

// What PostgreSQL says of an argument that it does not take; null: nothing.
Status check_constant(const ConstExpr& e, bool repeatable) {
  if (e.value.get().null) {
    return repeatable ? Error(SqlState("2202G"), "TABLESAMPLE REPEATABLE parameter cannot be null")
                      : Error(SqlState("2202H"), "TABLESAMPLE parameter cannot be null");
  }
  if (repeatable) return {};
  const float percent = e.value.get().f32;
  if (std::isnan(percent) || percent < 0 || percent > 100) {
    return Error(SqlState("2202H"), "sample percentage must be between 0 and 100");
  }
  return {};
}

ExprPtr float8(double value) { return make_const({oid::kFloat8}, Datum::of(value)); }

}  // namespace

Result<ExprPtr> sample_condition(Level& level, int entry) {
  const Entry::Sample& sample = *level.entry(entry).sample;
  const auto immutable = types::Volatility::kImmutable;
  const ExprPtr percent = fold(level.s.session, sample.percent_expr);
  const ExprPtr repeatable = sample.repeatable ? fold(level.s.session, sample.repeatable) : nullptr;
  const auto* constant = try_as<ConstExpr>(percent);
  const auto* constant_seed = repeatable ? try_as<ConstExpr>(repeatable) : nullptr;
  if (constant != nullptr) INDIGO_TRY(check_constant(*constant, false));
  if (constant_seed != nullptr) INDIGO_TRY(check_constant(*constant_seed, true));
  ExprList conditions;
  if (constant == nullptr || (repeatable && constant_seed == nullptr)) {
    // Names no column: it is asked once, before the first row.
    ExprList arguments{percent};
    if (repeatable) arguments.push_back(repeatable);
    auto check = std::make_shared<CallExpr>(as<CallExpr>(*call(kCheckSample, oid::kBool, arguments, immutable)));
    check->strict = false;
    conditions.push_back(std::move(check));
  }
  if (constant != nullptr && constant->value.get().f32 == 100) {
    return conditions.empty() ? ExprPtr() : make_and(std::move(conditions));
  }
  const ExprPtr part =
      fold(level.s.session, call(kFloat8Div, oid::kFloat8,
                                 {call(kFloat4ToFloat8, oid::kFloat8, {percent}, immutable), float8(100)}, immutable));
  const ExprPtr place = make_var(entry, kCtidColumn, {oid::kTid});
  if (!repeatable) {
    conditions.push_back(make_null_test(place, false));  // names the row: it is asked once for each
    conditions.push_back(call(kFloat8Less, oid::kBool,
                              {call(kRandom, oid::kFloat8, {}, types::Volatility::kVolatile), part}, immutable));
    return make_and(std::move(conditions));
  }
  const ExprPtr seed = fold(level.s.session, call(kHashFloat8, oid::kInt4, {repeatable}, immutable));
  const ExprPtr hash = call(kSampleHash, oid::kInt8, {place, seed}, immutable);
  const ExprPtr limit = fold(level.s.session, call(kFloat8Mul, oid::kFloat8, {part, float8(4294967296.0)}, immutable));
  conditions.push_back(
      call(kFloat8Less, oid::kBool, {call(kInt8ToFloat8, oid::kFloat8, {hash}, immutable), limit}, immutable));
  return make_and(std::move(conditions));
}

}  // namespace indigo::sql::planning
