// The aggregates' transition, combination and final functions that can be called from SQL, for aggregates of users' own:
// float8_accum, int4_avg_accum, interval_avg and the like. Their states are arrays.
#include <cmath>

#include "base/sqlstate.h"
#include "types/aggregate/moments.h"
#include "types/datetime/arithmetic.h"
#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/numeric/numeric.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

// The state as `kCount` values; false when the array has another shape (the context has the error).
template <class T, size_t kCount>
bool read_state(FuncContext& context, Str image, const char* function, T* state) {
  const ArrayView a(image);
  constexpr bool kIntervals = std::is_same_v<T, Interval>;
  if (kIntervals && a.has_nulls()) {
    context.fail(sqlstate::kNullValueNotAllowed, "null array element not allowed in this context");
    return false;
  }
  if ((a.dimensions() != 1 && !kIntervals) || a.count() != int32_t{kCount} || a.has_nulls()) {
    const char* element = std::is_same_v<T, double> ? "float8" : std::is_same_v<T, int64_t> ? "int8" : "interval";
    const std::string prefix = std::is_same_v<T, double> ? std::string(function) + ": " : std::string();
    context.fail(sqlstate::kInternalError,
                 prefix + "expected " + std::to_string(kCount) + "-element " + element + " array");
    return false;
  }
  for (size_t i = 0; i < kCount; i++) {
    const Datum value = a.element(static_cast<int32_t>(i));
    std::memcpy(&state[i], &value.block, sizeof(T));
  }
  return true;
}
template <class T, size_t kCount>
Str write_state(FuncContext& context, const T* state, int32_t lower = 1) {
  Datum values[kCount];
  for (size_t i = 0; i < kCount; i++) values[i] = Datum::of(state[i]);
  constexpr Oid kElement = std::is_same_v<T, double>    ? oid::kFloat8
                           : std::is_same_v<T, int64_t> ? oid::kInt8
                                                        : oid::kInterval;
  const ArrayDimension dimension{int32_t{kCount}, lower};
  return context.arena().copy(make_array(kElement, physical_of(kElement), {&dimension, 1}, values));
}

// ---- floats: n, sum, squares
constexpr char kFloat4Accum[] = "float4_accum", kFloat8Accum[] = "float8_accum";
template <class T, const auto& kName>
Str accumulate(FuncContext& context, Str image, T v) {
  double s[3];
  if (!read_state<double, 3>(context, image, kName, s)) return {};
  Moments m{s[0], s[1], s[2]};
  m.add(context, static_cast<double>(v));
  return write_state<double, 3>(context, &m.n);
}
Str combine(FuncContext& context, Str x, Str y) {
  double a[3], b[3];
  if (!read_state<double, 3>(context, x, "float8_combine", a)) return {};
  if (!read_state<double, 3>(context, y, "float8_combine", b)) return {};
  if (a[0] == 0) return write_state<double, 3>(context, b);
  if (b[0] == 0) return write_state<double, 3>(context, a);
  const double n = a[0] + b[0], sum = a[1] + b[1], distance = a[1] / a[0] - b[1] / b[0];
  const double out[3] = {n, sum, a[2] + b[2] + a[0] * b[0] * distance * distance / n};
  if ((std::isinf(sum) && !std::isinf(a[1]) && !std::isinf(b[1])) ||
      (std::isinf(out[2]) && !std::isinf(a[2]) && !std::isinf(b[2])))
    fail_float_overflow(context);
  return write_state<double, 3>(context, out);
}
using Result1 = std::optional<double> (*)(const Moments&);
template <Result1 kResult, const auto& kName>
std::optional<double> final_of_one(FuncContext& context, Str image) {
  double s[3];
  if (!read_state<double, 3>(context, image, kName, s)) return {};
  return kResult(Moments{s[0], s[1], s[2]});
}
using Optional = std::optional<double>;
Optional average(const Moments& m) { return m.n == 0 ? Optional() : m.sum / m.n; }
Optional variance_population(const Moments& m) { return m.n == 0 ? Optional() : m.squares / m.n; }
Optional variance_sample(const Moments& m) { return m.n <= 1 ? Optional() : m.squares / (m.n - 1); }
Optional deviation_population(const Moments& m) { return m.n == 0 ? Optional() : std::sqrt(m.squares / m.n); }
Optional deviation_sample(const Moments& m) { return m.n <= 1 ? Optional() : std::sqrt(m.squares / (m.n - 1)); }

// ---- pairs: n, sum x, squares x, sum y, squares y, products
bool read_pair(FuncContext& context, Str image, const char* name, PairMoments& m) {
  double s[6];
  if (!read_state<double, 6>(context, image, name, s)) return false;
  m = {s[0], s[1], s[2], s[3], s[4], s[5]};
  return true;
}
Str accumulate_pair(FuncContext& context, Str image, double y, double x) {
  PairMoments m{};
  if (!read_pair(context, image, "float8_regr_accum", m)) return {};
  m.add(context, y, x);
  return write_state<double, 6>(context, &m.n);
}
Str combine_pairs(FuncContext& context, Str x, Str y) {
  PairMoments a{}, b{};
  if (!read_pair(context, x, "float8_regr_combine", a) || !read_pair(context, y, "float8_regr_combine", b)) return {};
  if (a.n == 0) return write_state<double, 6>(context, &b.n);
  if (b.n == 0) return write_state<double, 6>(context, &a.n);
  const double n = a.n + b.n, dx = a.sum_x / a.n - b.sum_x / b.n, dy = a.sum_y / a.n - b.sum_y / b.n;
  const PairMoments out{n,
                        a.sum_x + b.sum_x,
                        a.squares_x + b.squares_x + a.n * b.n * dx * dx / n,
                        a.sum_y + b.sum_y,
                        a.squares_y + b.squares_y + a.n * b.n * dy * dy / n,
                        a.products + b.products + a.n * b.n * dx * dy / n};
  const auto overflowed = [](double sum, double p, double q) {
    return std::isinf(sum) && !std::isinf(p) && !std::isinf(q);
  };
  if (overflowed(out.sum_x, a.sum_x, b.sum_x) || overflowed(out.squares_x, a.squares_x, b.squares_x) ||
      overflowed(out.sum_y, a.sum_y, b.sum_y) || overflowed(out.squares_y, a.squares_y, b.squares_y) ||
      overflowed(out.products, a.products, b.products))
    fail_float_overflow(context);
  return write_state<double, 6>(context, &out.n);
}
template <PairResult kResult, const auto& kName>
Optional final_of_pair(FuncContext& context, Str image) {
  PairMoments m{};
  return read_pair(context, image, kName, m) ? kResult(m) : Optional();
}

// Counts and sums that a caller may make as large as he likes: they wrap.
int64_t wrapped_sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

// ---- integers: count, sum
template <class T, int kSign>
Str count_and_sum(FuncContext& context, Str image, T v) {
  int64_t s[2];
  if (!read_state<int64_t, 2>(context, image, "", s)) return {};
  s[0] = wrapped_sum(s[0], kSign);
  s[1] = wrapped_sum(s[1], int64_t{v} * kSign);
  return write_state<int64_t, 2>(context, s, ArrayView(image).dimension(0).lower);
}
// Changes its argument in place, in PostgreSQL: only an aggregate may call it.
Str combine_sums(FuncContext& context, Str, Str) {
  context.fail(sqlstate::kInternalError, "aggregate function called in non-aggregate context");
  return {};
}
std::optional<Str> average_of_sum(FuncContext& context, Str image) {
  int64_t s[2];
  if (!read_state<int64_t, 2>(context, image, "", s) || s[0] == 0) return {};
  return numeric_divide(context, numeric_image(context, s[1]), numeric_image(context, s[0]));
}
std::optional<int64_t> sum_of_sum(FuncContext& context, Str image) {
  int64_t s[2];
  if (!read_state<int64_t, 2>(context, image, "", s) || s[0] == 0) return {};
  return s[1];
}
// Sums that begin with null, and wrap.
template <class T>
std::optional<int64_t> sum_step(std::optional<int64_t> sum, std::optional<T> v) {
  if (!sum) return v ? std::optional<int64_t>(*v) : std::nullopt;
  return v ? static_cast<int64_t>(static_cast<uint64_t>(*sum) + static_cast<uint64_t>(int64_t{*v})) : *sum;
}
std::optional<Str> wide_sum_step(FuncContext& context, std::optional<Str> sum, std::optional<int64_t> v) {
  if (!sum) return v ? std::optional<Str>(numeric_image(context, *v)) : std::nullopt;
  return v ? numeric_add(context, *sum, numeric_image(context, *v)) : *sum;
}
int32_t next_int4(FuncContext& context, int32_t v) {
  if (v == INT32_MAX) fail_int4_range(context);
  return v == INT32_MAX ? v : v + 1;
}
template <int kStep>
int64_t step(FuncContext& context, int64_t v) {
  int64_t out = 0;
  if (__builtin_add_overflow(v, int64_t{kStep}, &out)) fail_int8_range(context);
  return out;
}
template <int kStep>
int64_t step_any(FuncContext& context, int64_t v, Datum) {
  return step<kStep>(context, v);
}
int64_t step_pair(FuncContext& context, int64_t v, double, double) { return step<1>(context, v); }

// ---- intervals: sum, and the count in the second's microseconds
template <int kSign>
Str interval_accumulate(FuncContext& context, Str image, Interval v) {
  Interval s[2];
  if (!read_state<Interval, 2>(context, image, "", s)) return {};
  s[0] = kSign > 0 ? interval_add(context, s[0], v) : interval_subtract(context, s[0], v);
  s[1].microseconds = wrapped_sum(s[1].microseconds, kSign);
  return write_state<Interval, 2>(context, s);
}
Str interval_combine(FuncContext& context, Str x, Str y) {
  Interval a[2], b[2];
  if (!read_state<Interval, 2>(context, x, "", a) || !read_state<Interval, 2>(context, y, "", b)) return {};
  a[0] = interval_add(context, a[0], b[0]);
  a[1].microseconds = wrapped_sum(a[1].microseconds, b[1].microseconds);
  return write_state<Interval, 2>(context, a);
}
std::optional<Interval> interval_average(FuncContext& context, Str image) {
  Interval s[2];
  if (!read_state<Interval, 2>(context, image, "", s) || s[1].microseconds == 0) return {};
  return interval_over(context, s[0], static_cast<double>(s[1].microseconds));
}

constexpr char kAvg[] = "float8_avg", kVarPop[] = "float8_var_pop", kVarSamp[] = "float8_var_samp",
               kStddevPop[] = "float8_stddev_pop", kStddevSamp[] = "float8_stddev_samp", kCorr[] = "float8_corr",
               kCovarPop[] = "float8_covar_pop", kCovarSamp[] = "float8_covar_samp", kAvgX[] = "float8_regr_avgx",
               kAvgY[] = "float8_regr_avgy", kSxx[] = "float8_regr_sxx", kSxy[] = "float8_regr_sxy",
               kSyy[] = "float8_regr_syy", kR2[] = "float8_regr_r2", kSlope[] = "float8_regr_slope",
               kIntercept[] = "float8_regr_intercept";
const ScalarEntry kTransitionsEntries[] = {
    {"float4_accum", kernel<accumulate<float, kFloat4Accum>>},
    {"float8_accum", kernel<accumulate<double, kFloat8Accum>>},
    {"float8_combine", kernel<combine>},
    {kAvg, kernel<final_of_one<average, kAvg>>},
    {kVarPop, kernel<final_of_one<variance_population, kVarPop>>},
    {kVarSamp, kernel<final_of_one<variance_sample, kVarSamp>>},
    {kStddevPop, kernel<final_of_one<deviation_population, kStddevPop>>},
    {kStddevSamp, kernel<final_of_one<deviation_sample, kStddevSamp>>},
    {"float8_regr_accum", kernel<accumulate_pair>},
    {"float8_regr_combine", kernel<combine_pairs>},
    {kCorr, kernel<final_of_pair<correlation, kCorr>>},
    {kCovarPop, kernel<final_of_pair<covariance_population, kCovarPop>>},
    {kCovarSamp, kernel<final_of_pair<covariance_sample, kCovarSamp>>},
    {kAvgX, kernel<final_of_pair<average_x, kAvgX>>},
    {kAvgY, kernel<final_of_pair<average_y, kAvgY>>},
    {kSxx, kernel<final_of_pair<sxx, kSxx>>},
    {kSxy, kernel<final_of_pair<sxy, kSxy>>},
    {kSyy, kernel<final_of_pair<syy, kSyy>>},
    {kR2, kernel<final_of_pair<r2, kR2>>},
    {kSlope, kernel<final_of_pair<slope, kSlope>>},
    {kIntercept, kernel<final_of_pair<intercept, kIntercept>>},
    {"int2_avg_accum", kernel<count_and_sum<int16_t, 1>>},
    {"int4_avg_accum", kernel<count_and_sum<int32_t, 1>>},
    {"int2_avg_accum_inv", kernel<count_and_sum<int16_t, -1>>},
    {"int4_avg_accum_inv", kernel<count_and_sum<int32_t, -1>>},
    {"int4_avg_combine", kernel<combine_sums>},
    {"int8_avg", kernel<average_of_sum>},
    {"int2int4_sum", kernel<sum_of_sum>},
    {"int2_sum", kernel<sum_step<int16_t>>},
    {"int4_sum", kernel<sum_step<int32_t>>},
    {"int8_sum", kernel<wide_sum_step>},
    {"int4inc", kernel<next_int4>},
    {"int8dec", kernel<step<-1>>},
    {"int8inc_any", kernel<step_any<1>>},
    {"int8dec_any", kernel<step_any<-1>>},
    {"int8inc_float8_float8", kernel<step_pair>},
    {"interval_accum", kernel<interval_accumulate<1>>},
    {"interval_accum_inv", kernel<interval_accumulate<-1>>},
    {"interval_combine", kernel<interval_combine>},
    {"interval_avg", kernel<interval_average>},
};

}  // namespace

std::span<const ScalarEntry> transition_functions() { return kTransitionsEntries; }

}  // namespace indigo::types
