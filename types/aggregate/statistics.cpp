// Variance, deviation, correlation and regression. Floats by Youngs and Cramer's updates; integers and numerics exactly.
#include <cmath>

#include "types/aggregate/aggregate.h"
#include "types/aggregate/moments.h"
#include "types/aggregate/numeric_sum.h"
#include "types/function/errors.h"
#include "types/function/families.h"

namespace indigo::types {

namespace {

enum class Measure : uint8_t { kVariancePopulation, kVarianceSample, kDeviationPopulation, kDeviationSample };
constexpr bool is_sample(Measure m) { return m == Measure::kVarianceSample || m == Measure::kDeviationSample; }
constexpr bool is_deviation(Measure m) { return m == Measure::kDeviationPopulation || m == Measure::kDeviationSample; }

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

template <class T>
struct IntegerMoments {
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
      *s.large = types::add(*s.large, wide(s.squares));
      sum = square;
    }
    s.squares = sum;
  }
  static Numeric wide(Int128 v) { return Numeric(v < 0, Magnitude(static_cast<UInt128>(v < 0 ? -v : v)), 0); }
  static void destroy(State& s) { delete s.large; }
};
template <class T, Measure kMeasure>
struct IntegerMeasure : IntegerMoments<T> {
  using State = typename IntegerMoments<T>::State;
  static void finish(FuncContext& context, const CallInfo&, State& s, Vector& out, uint32_t row) {
    if (s.n <= (is_sample(kMeasure) ? 1 : 0)) return put_null(out, row);
    Numeric squares = IntegerMoments<T>::wide(s.squares);
    if (s.large != nullptr) squares = types::add(squares, *s.large);
    put(out, row, exact_measure(context, s.n, IntegerMoments<T>::wide(s.sum), squares, kMeasure));
  }
};

struct NumericMoments {
  struct State {
    NumericSum sum;
    Numeric* squares;
  };
  static void add(FuncContext&, State& s, Str v) {
    s.sum.add(v);
    const Numeric n = Numeric::from_image(v);
    if (!n.finite()) return;
    if (s.squares == nullptr) s.squares = new Numeric();
    *s.squares = types::add(*s.squares, multiply(n, n));
  }
  static void destroy(State& s) {
    s.sum.destroy();
    delete s.squares;
  }
};
template <Measure kMeasure>
struct NumericMeasure : NumericMoments {
  static void finish(FuncContext& context, const CallInfo&, State& s, Vector& out, uint32_t row) {
    if (s.sum.count <= (is_sample(kMeasure) ? 1 : 0)) return put_null(out, row);
    if (s.sum.nans + s.sum.plus_infinities + s.sum.minus_infinities > 0)
      return put(out, row, numeric_image(context, Numeric::special(Numeric::Kind::kNan)));
    put(out, row, exact_measure(context, s.sum.count, s.sum.value(), s.squares ? *s.squares : Numeric(), kMeasure));
  }
};

// ---- two variables; the first argument is y
struct PairAdder {
  using State = PairMoments;
  static void add(FuncContext& context, State& s, double y, double x) { s.add(context, y, x); }
};
template <PairResult F>
struct PairAggregate : PairAdder {
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

using M = Measure;
const AggregateEntry kStatisticsEntries[] = {
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

std::span<const AggregateEntry> statistics_aggregates() { return kStatisticsEntries; }

}  // namespace indigo::types
