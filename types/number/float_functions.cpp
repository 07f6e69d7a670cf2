// Float arithmetic, comparisons and conversions.
#include <limits>

#include "types/function/compare.h"
#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/number/float.h"

namespace indigo::types {

namespace {

template <class A, class B, class R>
R checked_result(FuncContext& context, R result, A a, B b, bool zero_allowed) {
  if (std::isinf(result) && !std::isinf(a) && !std::isinf(b)) [[unlikely]]
    fail_float_overflow(context);
  if (result == 0 && !zero_allowed) [[unlikely]]
    fail_float_underflow(context);
  return result;
}

template <class A, class B, class R>
R add(FuncContext& context, A a, B b) {
  return checked_result(context, static_cast<R>(a) + static_cast<R>(b), a, b, true);
}
template <class A, class B, class R>
R subtract(FuncContext& context, A a, B b) {
  return checked_result(context, static_cast<R>(a) - static_cast<R>(b), a, b, true);
}
template <class A, class B, class R>
R multiply(FuncContext& context, A a, B b) {
  return checked_result(context, static_cast<R>(a) * static_cast<R>(b), a, b, a == 0 || b == 0);
}
template <class A, class B, class R>
R divide(FuncContext& context, A a, B b) {
  if (b == 0 && !std::isnan(a)) [[unlikely]] {
    fail_division_by_zero(context);
    return 0;
  }
  const R result = static_cast<R>(a) / static_cast<R>(b);
  if (std::isinf(result) && !std::isinf(a)) [[unlikely]]
    fail_float_overflow(context);
  if (result == 0 && a != 0 && !std::isinf(b)) [[unlikely]]
    fail_float_underflow(context);
  return result;
}
template <class T>
T negate(T a) {
  return -a;
}
template <class T>
T same(T a) {
  return a;
}
template <class T>
T absolute(T a) {
  return std::fabs(a);
}

// Rounds half to even, as rint does.
template <class F, class I>
I to_integer(FuncContext& context, F v) {
  const F rounded = std::rint(v);
  // The lower bound is a power of two and exact; the upper is its negation, not included.
  constexpr F kLow = static_cast<F>(std::numeric_limits<I>::min());
  if (!(rounded >= kLow && rounded < -kLow)) {
    if constexpr (sizeof(I) == 2) fail_int2_range(context);
    if constexpr (sizeof(I) == 4) fail_int4_range(context);
    if constexpr (sizeof(I) == 8) fail_int8_range(context);
    return 0;
  }
  return static_cast<I>(rounded);
}
template <class I, class F>
F from_integer(I v) {
  return static_cast<F>(v);
}
double widen(float v) { return v; }
float narrow(FuncContext& context, double v) {
  const auto result = static_cast<float>(v);
  if (std::isinf(result) && !std::isinf(v)) fail_float_overflow(context);
  if (result == 0 && v != 0) fail_float_underflow(context);
  return result;
}

// RANGE frames' test, as for integers; NaN stands after everything and is within any distance of itself.
template <class T>
bool in_range(FuncContext& context, T v, T base, double offset, bool before, bool less) {
  if (std::isnan(offset) || offset < 0) {
    context.fail(SqlState("22013"), "invalid preceding or following size in window function");
    return false;
  }
  if (std::isnan(v)) return std::isnan(base) || !less;
  if (std::isnan(base)) return less;
  if (std::isinf(offset) && std::isinf(base) && (before ? base > 0 : base < 0)) return true;
  const double bound = before ? static_cast<double>(base) - offset : static_cast<double>(base) + offset;
  return less ? static_cast<double>(v) <= bound : static_cast<double>(v) >= bound;
}

const ScalarEntry kFloatEntries[] = {
    {"in_range_float4_float8", kernel<in_range<float>>},
    {"in_range_float8_float8", kernel<in_range<double>>},
    {"float4pl", kernel<add<float, float, float>>},
    {"float4mi", kernel<subtract<float, float, float>>},
    {"float4mul", kernel<multiply<float, float, float>>},
    {"float4div", kernel<divide<float, float, float>>},
    {"float4eq", kernel<Compare<compare_floats<float, float>>::eq>},
    {"float4ne", kernel<Compare<compare_floats<float, float>>::ne>},
    {"float4lt", kernel<Compare<compare_floats<float, float>>::lt>},
    {"float4le", kernel<Compare<compare_floats<float, float>>::le>},
    {"float4gt", kernel<Compare<compare_floats<float, float>>::gt>},
    {"float4ge", kernel<Compare<compare_floats<float, float>>::ge>},
    {"btfloat4cmp", kernel<Compare<compare_floats<float, float>>::cmp>},
    {"float48pl", kernel<add<float, double, double>>},
    {"float48mi", kernel<subtract<float, double, double>>},
    {"float48mul", kernel<multiply<float, double, double>>},
    {"float48div", kernel<divide<float, double, double>>},
    {"float48eq", kernel<Compare<compare_floats<float, double>>::eq>},
    {"float48ne", kernel<Compare<compare_floats<float, double>>::ne>},
    {"float48lt", kernel<Compare<compare_floats<float, double>>::lt>},
    {"float48le", kernel<Compare<compare_floats<float, double>>::le>},
    {"float48gt", kernel<Compare<compare_floats<float, double>>::gt>},
    {"float48ge", kernel<Compare<compare_floats<float, double>>::ge>},
    {"btfloat48cmp", kernel<Compare<compare_floats<float, double>>::cmp>},
    {"float84pl", kernel<add<double, float, double>>},
    {"float84mi", kernel<subtract<double, float, double>>},
    {"float84mul", kernel<multiply<double, float, double>>},
    {"float84div", kernel<divide<double, float, double>>},
    {"float84eq", kernel<Compare<compare_floats<double, float>>::eq>},
    {"float84ne", kernel<Compare<compare_floats<double, float>>::ne>},
    {"float84lt", kernel<Compare<compare_floats<double, float>>::lt>},
    {"float84le", kernel<Compare<compare_floats<double, float>>::le>},
    {"float84gt", kernel<Compare<compare_floats<double, float>>::gt>},
    {"float84ge", kernel<Compare<compare_floats<double, float>>::ge>},
    {"btfloat84cmp", kernel<Compare<compare_floats<double, float>>::cmp>},
    {"float8pl", kernel<add<double, double, double>>},
    {"float8mi", kernel<subtract<double, double, double>>},
    {"float8mul", kernel<multiply<double, double, double>>},
    {"float8div", kernel<divide<double, double, double>>},
    {"float8eq", kernel<Compare<compare_floats<double, double>>::eq>},
    {"float8ne", kernel<Compare<compare_floats<double, double>>::ne>},
    {"float8lt", kernel<Compare<compare_floats<double, double>>::lt>},
    {"float8le", kernel<Compare<compare_floats<double, double>>::le>},
    {"float8gt", kernel<Compare<compare_floats<double, double>>::gt>},
    {"float8ge", kernel<Compare<compare_floats<double, double>>::ge>},
    {"btfloat8cmp", kernel<Compare<compare_floats<double, double>>::cmp>},
    {"float4um", kernel<negate<float>>},
    {"float4up", kernel<same<float>>},
    {"float4abs", kernel<absolute<float>>},
    {"float4larger", kernel<Compare<compare_floats<float, float>>::larger>},
    {"float4smaller", kernel<Compare<compare_floats<float, float>>::smaller>},
    {"float8um", kernel<negate<double>>},
    {"float8up", kernel<same<double>>},
    {"float8abs", kernel<absolute<double>>},
    {"float8larger", kernel<Compare<compare_floats<double, double>>::larger>},
    {"float8smaller", kernel<Compare<compare_floats<double, double>>::smaller>},
    {"dtoi2", kernel<to_integer<double, int16_t>>},
    {"i2tod", kernel<from_integer<int16_t, double>>},
    {"dtoi4", kernel<to_integer<double, int32_t>>},
    {"i4tod", kernel<from_integer<int32_t, double>>},
    {"dtoi8", kernel<to_integer<double, int64_t>>},
    {"i8tod", kernel<from_integer<int64_t, double>>},
    {"ftoi2", kernel<to_integer<float, int16_t>>},
    {"i2tof", kernel<from_integer<int16_t, float>>},
    {"ftoi4", kernel<to_integer<float, int32_t>>},
    {"i4tof", kernel<from_integer<int32_t, float>>},
    {"ftoi8", kernel<to_integer<float, int64_t>>},
    {"i8tof", kernel<from_integer<int64_t, float>>},
    {"ftod", kernel<widen>},
    {"dtof", kernel<narrow>},
};

}  // namespace

std::span<const ScalarEntry> float_functions() { return kFloatEntries; }

}  // namespace indigo::types
