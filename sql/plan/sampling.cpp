#include "sql/plan/sampling.h"

#include <bit>
#include <cmath>
#include <memory>

#include "catalog/oids.h"
#include "sql/analyze/make.h"
#include "sql/plan/fold.h"

namespace indigo::sql::planning {
namespace {

// PostgreSQL's OIDs of the functions that a sample calls.
constexpr Oid kRandom{1598}, kFloat8Less{295}, kInt8And{1904}, kInt8ToFloat8{482}, kTidHashExtended{2234};

ExprPtr call(Oid function, Oid result, ExprList arguments, catalog::Volatility volatility) {
  auto e = std::make_shared<CallExpr>();
  e->type.oid = result;
  e->function = function;
  e->form = CallExpr::Form::kFunction;
  e->strict = true;
  e->volatility = volatility;
  e->arguments = std::move(arguments);
  return e;
}

Result<const ConstExpr*> constant(const ExprPtr& e) {
  const auto* c = try_as<ConstExpr>(e);
  if (c != nullptr) return c;
  return Error(sqlstate::kFeatureNotSupported, "TABLESAMPLE with an argument that is not constant is not supported");
}

}  // namespace

Result<ExprPtr> sample_condition(Level& level, int entry) {
  const Entry::Sample& sample = *level.entry(entry).sample;
  const ExprPtr percent = fold(level.s.session, sample.percent_expr);
  INDIGO_ASSIGN(const ConstExpr* given, constant(percent));
  if (given->value.get().null) return Error(SqlState("2202H"), "TABLESAMPLE parameter cannot be null");
  const double part = static_cast<double>(given->value.get().f32) / 100;
  if (std::isnan(part) || part < 0 || part > 1) {
    return Error(SqlState("2202H"), "sample percentage must be between 0 and 100");
  }
  const ExprPtr place = make_var(entry, kCtidColumn, {oid::kTid});
  const auto immutable = catalog::Volatility::kImmutable;
  if (!sample.repeatable) {
    if (part == 1) return ExprPtr();
    const ExprPtr below = call(
        kFloat8Less, oid::kBool,
        {call(kRandom, oid::kFloat8, {}, catalog::Volatility::kVolatile), make_const({oid::kFloat8}, Datum::of(part))},
        immutable);
    return make_and({make_null_test(place, false), below});  // names the row: it is asked once for each
  }
  const ExprPtr repeatable = fold(level.s.session, sample.repeatable);
  INDIGO_ASSIGN(const ConstExpr* seed, constant(repeatable));
  if (seed->value.get().null) return Error(SqlState("2202G"), "TABLESAMPLE REPEATABLE parameter cannot be null");
  if (part == 1) return ExprPtr();
  const int64_t bits = std::bit_cast<int64_t>(seed->value.get().f64);
  const ExprPtr hash =
      call(kTidHashExtended, oid::kInt8, {place, make_const({oid::kInt8}, Datum::of(bits))}, immutable);
  const ExprPtr low =
      call(kInt8And, oid::kInt8, {hash, make_const({oid::kInt8}, Datum::of(int64_t{0xffffffff}))}, immutable);
  return call(
      kFloat8Less, oid::kBool,
      {call(kInt8ToFloat8, oid::kFloat8, {low}, immutable), make_const({oid::kFloat8}, Datum::of(part * 4294967296.0))},
      immutable);
}

}  // namespace indigo::sql::planning
