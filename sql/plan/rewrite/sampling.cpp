#include "sql/plan/rewrite/sampling.h"

#include <cmath>
#include <memory>

#include "base/sqlstate.h"
#include "sql/analyze/make.h"
#include "sql/plan.h"
#include "sql/plan/rewrite/fold.h"
#include "sql/plan/rewrite/rewrite.h"
#include "sql/sample_method.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

// PostgreSQL's OIDs of the functions that a sample calls.
constexpr Oid kRandom{1598}, kFloat8Less{295}, kInt8ToFloat8{482}, kFloat8Mul{216}, kFloat8Div{217},
    kFloat4ToFloat8{311}, kHashFloat8{452}, kSampleHash{3313}, kCheckSample{3314}, kFloat8Plus{218},
    kFloat8Greater{297}, kByteaEqual{1948}, kClock{2649}, kDatePart{1171};
constexpr Oid kInt8LessOperator{412}, kByteaEqualOperator{1955};

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

// The same of the argument of an extension's method.
Status check_constant_size(const Datum& size) {
  if (size.null) return Error(SqlState("2202H"), "TABLESAMPLE parameter cannot be null");
  if (size.phys == Phys::kI64 && size.i64 < 0) return Error(SqlState("2202H"), "sample size must not be negative");
  if (size.phys == Phys::kF64 && (std::isnan(size.f64) || size.f64 < 0))
    return Error(SqlState("2202H"), "sample collection time must not be negative");
  return {};
}

ExprPtr float8(double value) { return make_const({oid::kFloat8}, Datum::of(value)); }

ExprPtr random_number() { return call(kRandom, oid::kFloat8, {}, types::Volatility::kVolatile); }

// (SELECT value), which is computed once for the statement.
ExprPtr once(ExprPtr value) {
  auto query = std::make_shared<Query>();
  TargetEntry target;
  target.name = "once";
  target.expr = std::move(value);
  auto link = std::make_shared<SubLinkExpr>();
  link->form = SubLinkExpr::Form::kScalar;
  link->type = target.expr->type;
  query->targets.push_back(std::move(target));
  link->query = std::move(query);
  return link;
}

// The row is one of so many that are drawn: key IN (SELECT key FROM table ORDER BY hash(place, seed) LIMIT size). The order is the
// same however often the subquery runs.
Result<ExprPtr> drawn_rows(Level& level, int entry, const ExprPtr& size) {
  const TypeRef key_type{oid::kBytea, -1, kInvalidOid};
  auto query = std::make_shared<Query>();
  Entry drawn = level.entry(entry);
  if (!drawn.only && !drawn.relation->children.empty())
    return Error(sqlstate::kFeatureNotSupported,
                 "TABLESAMPLE of a number of rows of a table with children is not supported");
  drawn.sample.reset();
  drawn.security_quals.clear();  // those who are sampled are chosen before
  drawn.lateral = false;
  query->entries.push_back(std::move(drawn));
  auto leaf = std::make_shared<JoinNode>();
  leaf->entry = 0;
  query->from = std::move(leaf);
  TargetEntry key, place;
  key.name = "key";
  key.expr = make_var(0, kRowKeyColumn, key_type);
  place.name = "place";
  place.hidden = true;
  const auto immutable = types::Volatility::kImmutable;
  const ExprPtr seed = once(call(kHashFloat8, oid::kInt4, {random_number()}, immutable));
  place.expr = call(kSampleHash, oid::kInt8, {make_var(0, kCtidColumn, {oid::kTid}), seed}, immutable);
  SortKey order;
  order.expr = place.expr;
  order.less = kInt8LessOperator;
  query->targets = {std::move(key), std::move(place)};
  query->order_by.push_back(std::move(order));
  query->limit = raised(size, 1);
  auto column = std::make_shared<RuntimeParamExpr>();
  column->slot = 0;
  column->type = key_type;
  auto among = std::make_shared<SubLinkExpr>();
  among->form = SubLinkExpr::Form::kAny;
  among->type.oid = oid::kBool;
  auto equal = std::make_shared<CallExpr>(
      as<CallExpr>(*call(kByteaEqual, oid::kBool, {make_var(entry, kRowKeyColumn, key_type), column}, immutable)));
  equal->op = kByteaEqualOperator;
  equal->form = CallExpr::Form::kOperator;
  among->test = std::move(equal);
  among->query = std::move(query);
  return ExprPtr(among);
}

// The time since the first row was asked about is less than so many milliseconds.
ExprPtr within_time(const ExprPtr& size) {
  const auto stable = types::Volatility::kStable;
  const TypeRef text{oid::kText, -1, oid::kDefaultCollation};
  const auto milliseconds = [&] {
    const ExprPtr clock = call(kClock, oid::kTimestampTz, {}, types::Volatility::kVolatile);
    const ExprPtr seconds = call(kDatePart, oid::kFloat8, {make_const(text, Datum::of(Str("epoch"))), clock}, stable);
    return call(kFloat8Mul, oid::kFloat8, {seconds, float8(1000)}, stable);
  };
  // The begin before the time that has come.
  const ExprPtr end = call(kFloat8Plus, oid::kFloat8, {once(milliseconds()), size}, stable);
  return call(kFloat8Greater, oid::kBool, {end, milliseconds()}, types::Volatility::kImmutable);
}

Result<ExprPtr> condition_of_handler(Level& level, int entry, const CallExpr& handler) {
  const ExprPtr size = fold(level.s.session, handler.arguments[0]);
  ExprList conditions;
  if (const auto* constant = try_as<ConstExpr>(size)) {
    INDIGO_TRY(check_constant_size(constant->value.get()));
  } else {
    auto check = std::make_shared<CallExpr>(
        as<CallExpr>(*call(kCheckSample, oid::kBool, {size}, types::Volatility::kImmutable)));
    check->strict = false;
    conditions.push_back(std::move(check));
  }
  if (size->type.oid == oid::kInt8) {
    INDIGO_ASSIGN(ExprPtr drawn, drawn_rows(level, entry, size));
    conditions.push_back(std::move(drawn));
  } else {
    conditions.push_back(make_null_test(make_var(entry, kCtidColumn, {oid::kTid}), false));  // names the row
    conditions.push_back(within_time(size));
  }
  return make_and(std::move(conditions));
}

}  // namespace

Result<ExprPtr> sample_condition(Level& level, int entry) {
  const Entry::Sample& sample = *level.entry(entry).sample;
  if (const CallExpr* handler = handler_call(sample)) return condition_of_handler(level, entry, *handler);
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
    conditions.push_back(call(kFloat8Less, oid::kBool, {random_number(), part}, immutable));
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
