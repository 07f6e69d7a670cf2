// Variance, deviation, correlation and regression. Floats by Youngs and Cramer's updates; integers and numerics exactly.
// Source: Youngs, Cramer, "Some results relevant to choice of sum and sum-of-product algorithms" (Technometrics, 1971).
#include <cmath>

#include "sql/func/aggregate/aggregate.h"
#include "sql/func/aggregate/numeric_sum.h"
#include "sql/func/errors.h"
#include "sql/func/families.h"

namespace indigo::sql {

namespace {

enum class Measure : uint8_t { kVariancePopulation, kVarianceSample, kDeviationPopulation, kDeviationSample };
constexpr bool is_sample(Measure m) { return m == Measure::kVarianceSample || m == Measure::kDeviationSample; }
constexpr bool is_deviation(Measure m) { return m == Measure::kDeviationPopulation || m == Measure::kDeviationSample; }

struct Moments {
  double n, sum, squares;  // squares: of differences from the mean
  void add(FuncContext& context, double v) {
    const double before = n;
    n += 1;
    sum += v;
    if (before > 0) {
      const double t = v * n - sum;
      squares += t * t / (n * before);
      if (std::isinf(sum) || std::isinf(squares)) {
        if (!std::isinf(sum - v) && !std::isinf(v)) return fail_float_overflow(context);
        squares = NAN;
      }
    } else if (std::isnan(v) || std::isinf(v)) {
      squares = NAN;
    }
  }
};

template <class T>
struct AverageFloat {
  using State = Moments;
  static void add(FuncContext& context, State& s, T v) { s.add(context, static_cast<double>(v)); }
  static void finish(FuncContext&, const CallInfo&, State& s, Vector& out, uint32_t row) {
    return s.n == 0 ? put_null(out, row) : put(out, row, s.sum / s.n);
  }
};
template <class T, Measure kMeasure>
struct FloatMeasure : AverageFloat<T> {
  using State = Moments;
  static void finish(FuncContext&, const CallInfo&, State& s, Vector& out, uint32_t row) {
    if (s.n <= (is_sample(kMeasure) ? 1 : 0)) return put_null(out, row);
    const double variance = s.squares / (is_sample(kMeasure) ? s.n - 1 : s.n);
    put(out, row, is_deviation(kMeasure) ? std::sqrt(variance) : variance);
  }
};

// n sum(x^2) - sum(x)^2 over n (n - 1) or n^2, with numeric's scales.
Str exact_measure(FuncContext& context, int64_t n, const Numeric& sum, const Numeric& sum_of_squares, Measure measure) {
  const Numeric count(n);
  Numeric numerator = subtract(multiply(count, sum_of_squares), multiply(sum, sum));
  if (numerator.sign() <= 0) return numeric_image(context, 0);
  const Numeric divisor = multiply(count, is_sample(measure) ? Numeric(n - 1) : count);
  const int32_t scale = division_scale(numerator, divisor);
  Numeric result = divide(numerator, divisor, scale, true);
  if (is_deviation(measure)) result = square_root(result, scale);
  return numeric_image(context, std::move(result));
}

template <class T, Measure kMeasure>
struct IntegerMeasure {
  struct State {
    int64_t n;
    Int128 sum;
    Int128 squares;
    Numeric* large;  // what overflowed from `squares`
  };
  static void add(FuncContext&, State& s, T v) {
    s.n++;
    s.sum += v;
    const Int128 square = static_cast<Int128>(v) * v;
    Int128 sum;
    if (__builtin_add_overflow(s.squares, square, &sum)) {
      if (s.large == nullptr) s.large = new Numeric();
      *s.large = sql::add(*s.large, wide(s.squares));
      sum = square;
    }
    s.squares = sum;
  }
  static Numeric wide(Int128 v) { return Numeric(v < 0, Magnitude(static_cast<UInt128>(v < 0 ? -v : v)), 0); }
  static void finish(FuncContext& context, const CallInfo&, State& s, Vector& out, uint32_t row) {
    if (s.n <= (is_sample(kMeasure) ? 1 : 0)) return put_null(out, row);
    Numeric squares = wide(s.squares);
    if (s.large != nullptr) squares = sql::add(squares, *s.large);
    put(out, row, exact_measure(context, s.n, wide(s.sum), squares, kMeasure));
  }
  static void destroy(State& s) { delete s.large; }
};

template <Measure kMeasure>
struct NumericMeasure {
  struct State {
    NumericSum sum;
    Numeric* squares;
  };
  static void add(FuncContext&, State& s, Str v) {
    s.sum.add(v);
    const Numeric n = Numeric::from_image(v);
    if (!n.finite()) return;
    if (s.squares == nullptr) s.squares = new Numeric();
    *s.squares = sql::add(*s.squares, multiply(n, n));
  }
  static void finish(FuncContext& context, const CallInfo&, State& s, Vector& out, uint32_t row) {
    if (s.sum.count <= (is_sample(kMeasure) ? 1 : 0)) return put_null(out, row);
    if (s.sum.nans + s.sum.plus_infinities + s.sum.minus_infinities > 0)
      return put(out, row, numeric_image(context, Numeric::special(Numeric::Kind::kNan)));
    put(out, row, exact_measure(context, s.sum.count, s.sum.value(), s.squares ? *s.squares : Numeric(), kMeasure));
  }
  static void destroy(State& s) {
    s.sum.destroy();
    delete s.squares;
  }
};

// ---- two variables; the first argument is y
struct PairMoments {
  double n, sum_x, squares_x, sum_y, squares_y, products;
  void add(FuncContext& context, double y, double x) {
    const double before = n;
    n += 1;
    sum_x += x;
    sum_y += y;
    if (before > 0) {
      const double tx = x * n - sum_x, ty = y * n - sum_y, scale = 1.0 / (n * before);
      squares_x += tx * tx * scale;
      squares_y += ty * ty * scale;
      products += tx * ty * scale;
      if (std::isinf(sum_x) || std::isinf(squares_x) || std::isinf(sum_y) || std::isinf(squares_y) ||
          std::isinf(products)) {
        if (((std::isinf(sum_x) || std::isinf(squares_x)) && !std::isinf(sum_x - x) && !std::isinf(x)) ||
            ((std::isinf(sum_y) || std::isinf(squares_y)) && !std::isinf(sum_y - y) && !std::isinf(y)))
          return fail_float_overflow(context);
        if (std::isinf(squares_x)) squares_x = NAN;
        if (std::isinf(squares_y)) squares_y = NAN;
        if (std::isinf(products)) products = NAN;
      }
    } else {
      if (!std::isfinite(x)) squares_x = products = NAN;
      if (!std::isfinite(y)) squares_y = products = NAN;
    }
  }
};

using PairResult = std::optional<double> (*)(const PairMoments&);
template <PairResult F>
struct PairAggregate {
  using State = PairMoments;
  static void add(FuncContext& context, State& s, double y, double x) { s.add(context, y, x); }
  static void finish(FuncContext&, const CallInfo&, State& s, Vector& out, uint32_t row) {
    const std::optional<double> v = F(s);
    return v ? put(out, row, *v) : put_null(out, row);
  }
};
struct PairCount {
  struct State {
    int64_t n;
  };
  static void add(FuncContext&, State& s, double, double) { s.n++; }
  static void finish(FuncContext&, const CallInfo&, State& s, Vector& out, uint32_t row) { put(out, row, s.n); }
};

using Optional = std::optional<double>;
Optional correlation(const PairMoments& m) {
  if (m.n < 1 || m.squares_x == 0 || m.squares_y == 0) return {};
  return m.products / std::sqrt(m.squares_x * m.squares_y);
}
Optional covariance_population(const PairMoments& m) { return m.n < 1 ? Optional() : m.products / m.n; }
Optional covariance_sample(const PairMoments& m) { return m.n < 2 ? Optional() : m.products / (m.n - 1); }
Optional sxx(const PairMoments& m) { return m.n < 1 ? Optional() : m.squares_x; }
Optional syy(const PairMoments& m) { return m.n < 1 ? Optional() : m.squares_y; }
Optional sxy(const PairMoments& m) { return m.n < 1 ? Optional() : m.products; }
Optional average_x(const PairMoments& m) { return m.n < 1 ? Optional() : m.sum_x / m.n; }
Optional average_y(const PairMoments& m) { return m.n < 1 ? Optional() : m.sum_y / m.n; }
Optional r2(const PairMoments& m) {
  if (m.n < 1 || m.squares_x == 0) return {};
  return m.squares_y == 0 ? 1.0 : m.products * m.products / (m.squares_x * m.squares_y);
}
Optional slope(const PairMoments& m) { return m.n < 1 || m.squares_x == 0 ? Optional() : m.products / m.squares_x; }
Optional intercept(const PairMoments& m) {
  if (m.n < 1 || m.squares_x == 0) return {};
  return (m.sum_y - m.sum_x * m.products / m.squares_x) / m.n;
}

using M = Measure;
const AggregateEntry kEntries[] = {
    {"avg(float4)", aggregate<AverageFloat<float>>()},
    {"avg(float8)", aggregate<AverageFloat<double>>()},
    {"var_pop(int2)", aggregate<IntegerMeasure<int16_t, M::kVariancePopulation>>()},
    {"var_pop(int4)", aggregate<IntegerMeasure<int32_t, M::kVariancePopulation>>()},
    {"var_pop(int8)", aggregate<IntegerMeasure<int64_t, M::kVariancePopulation>>()},
    {"var_pop(float4)", aggregate<FloatMeasure<float, M::kVariancePopulation>>()},
    {"var_pop(float8)", aggregate<FloatMeasure<double, M::kVariancePopulation>>()},
    {"var_pop(numeric)", aggregate<NumericMeasure<M::kVariancePopulation>>()},
    {"var_samp(int2)", aggregate<IntegerMeasure<int16_t, M::kVarianceSample>>()},
    {"var_samp(int4)", aggregate<IntegerMeasure<int32_t, M::kVarianceSample>>()},
    {"var_samp(int8)", aggregate<IntegerMeasure<int64_t, M::kVarianceSample>>()},
    {"var_samp(float4)", aggregate<FloatMeasure<float, M::kVarianceSample>>()},
    {"var_samp(float8)", aggregate<FloatMeasure<double, M::kVarianceSample>>()},
    {"var_samp(numeric)", aggregate<NumericMeasure<M::kVarianceSample>>()},
    {"variance(int2)", aggregate<IntegerMeasure<int16_t, M::kVarianceSample>>()},
    {"variance(int4)", aggregate<IntegerMeasure<int32_t, M::kVarianceSample>>()},
    {"variance(int8)", aggregate<IntegerMeasure<int64_t, M::kVarianceSample>>()},
    {"variance(float4)", aggregate<FloatMeasure<float, M::kVarianceSample>>()},
    {"variance(float8)", aggregate<FloatMeasure<double, M::kVarianceSample>>()},
    {"variance(numeric)", aggregate<NumericMeasure<M::kVarianceSample>>()},
    {"stddev_pop(int2)", aggregate<IntegerMeasure<int16_t, M::kDeviationPopulation>>()},
    {"stddev_pop(int4)", aggregate<IntegerMeasure<int32_t, M::kDeviationPopulation>>()},
    {"stddev_pop(int8)", aggregate<IntegerMeasure<int64_t, M::kDeviationPopulation>>()},
    {"stddev_pop(float4)", aggregate<FloatMeasure<float, M::kDeviationPopulation>>()},
    {"stddev_pop(float8)", aggregate<FloatMeasure<double, M::kDeviationPopulation>>()},
    {"stddev_pop(numeric)", aggregate<NumericMeasure<M::kDeviationPopulation>>()},
    {"stddev_samp(int2)", aggregate<IntegerMeasure<int16_t, M::kDeviationSample>>()},
    {"stddev_samp(int4)", aggregate<IntegerMeasure<int32_t, M::kDeviationSample>>()},
    {"stddev_samp(int8)", aggregate<IntegerMeasure<int64_t, M::kDeviationSample>>()},
    {"stddev_samp(float4)", aggregate<FloatMeasure<float, M::kDeviationSample>>()},
    {"stddev_samp(float8)", aggregate<FloatMeasure<double, M::kDeviationSample>>()},
    {"stddev_samp(numeric)", aggregate<NumericMeasure<M::kDeviationSample>>()},
    {"stddev(int2)", aggregate<IntegerMeasure<int16_t, M::kDeviationSample>>()},
    {"stddev(int4)", aggregate<IntegerMeasure<int32_t, M::kDeviationSample>>()},
    {"stddev(int8)", aggregate<IntegerMeasure<int64_t, M::kDeviationSample>>()},
    {"stddev(float4)", aggregate<FloatMeasure<float, M::kDeviationSample>>()},
    {"stddev(float8)", aggregate<FloatMeasure<double, M::kDeviationSample>>()},
    {"stddev(numeric)", aggregate<NumericMeasure<M::kDeviationSample>>()},
    {"regr_count(float8,float8)", aggregate<PairCount>()},
    {"corr(float8,float8)", aggregate<PairAggregate<correlation>>()},
    {"covar_pop(float8,float8)", aggregate<PairAggregate<covariance_population>>()},
    {"covar_samp(float8,float8)", aggregate<PairAggregate<covariance_sample>>()},
    {"regr_sxx(float8,float8)", aggregate<PairAggregate<sxx>>()},
    {"regr_syy(float8,float8)", aggregate<PairAggregate<syy>>()},
    {"regr_sxy(float8,float8)", aggregate<PairAggregate<sxy>>()},
    {"regr_avgx(float8,float8)", aggregate<PairAggregate<average_x>>()},
    {"regr_avgy(float8,float8)", aggregate<PairAggregate<average_y>>()},
    {"regr_r2(float8,float8)", aggregate<PairAggregate<r2>>()},
    {"regr_slope(float8,float8)", aggregate<PairAggregate<slope>>()},
    {"regr_intercept(float8,float8)", aggregate<PairAggregate<intercept>>()},
};

}  // namespace

std::span<const AggregateEntry> statistics_aggregates() { return kEntries; }

}  // namespace indigo::sql
