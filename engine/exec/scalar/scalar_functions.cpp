// Fast forms of functions over numeric, dates, timestamps, intervals and texts, and the rest of those over numbers.
#include <cmath>

#include "engine/exec/scalar/scalar_fast.h"
#include "types/datetime/arithmetic.h"
#include "types/numeric/numeric.h"
#include "types/text/strings.h"

namespace indigo::engine::exec {
namespace {

using types::FuncContext;

// A function of types/.
template <auto F>
struct ScalarTyped {
  template <class A, class R>
  static bool apply(FuncContext& c, const A& a, R& out) {
    if constexpr (std::is_invocable_v<decltype(F), FuncContext&, A>) {
      out = F(c, a);
    } else {
      out = F(a);
    }
    return !c.failed();
  }
  template <class A, class B, class R>
  static bool apply(FuncContext& c, const A& a, const B& b, R& out) {
    if constexpr (std::is_invocable_v<decltype(F), FuncContext&, A, B>) {
      out = F(c, a, b);
    } else {
      out = F(a, b);
    }
    return !c.failed();
  }
};

// Which of less, equal and greater are true: 1, 2, 4.
template <auto F, int kWhich>
struct ScalarTypedCompare {
  template <class A>
  static bool apply(FuncContext&, const A& a, const A& b, bool& out) {
    const int order = F(a, b);
    out = (order < 0 ? kWhich & 1 : order == 0 ? kWhich & 2 : kWhich & 4) != 0;
    return true;
  }
};

template <class T>
Str as_numeric(FuncContext& c, T v) {
  return types::numeric_image(c, int64_t{v});
}
int64_t timestamp_minus(FuncContext& c, int64_t t, const Interval& v) {
  const Interval back = types::interval_negate(c, v);
  return c.failed() ? 0 : types::timestamp_plus(c, t, back);
}

template <class T>
T bits_and(T a, T b) {
  return a & b;
}
template <class T>
T bits_or(T a, T b) {
  return a | b;
}
template <class T>
T bits_xor(T a, T b) {
  return a ^ b;
}
template <class T>
T bits_not(T a) {
  return ~a;
}
double rounded(double v) { return std::rint(v); }
double below(double v) { return std::floor(v); }
double above(double v) { return std::ceil(v); }
double towards_zero(double v) { return std::trunc(v); }

template <auto F, class T>
void compare(FastTable& table, const Oid (&functions)[6]) {  // in the order = <> < <= > >=
  table[functions[0]] = comparison<ScalarTypedCompare<F, 2>, T, T>();
  table[functions[1]] = comparison<ScalarTypedCompare<F, 5>, T, T>();
  table[functions[2]] = comparison<ScalarTypedCompare<F, 1>, T, T>();
  table[functions[3]] = comparison<ScalarTypedCompare<F, 3>, T, T>();
  table[functions[4]] = comparison<ScalarTypedCompare<F, 4>, T, T>();
  table[functions[5]] = comparison<ScalarTypedCompare<F, 6>, T, T>();
}

template <class T>
void bits(FastTable& table, Oid conjunction, Oid disjunction, Oid exclusive, Oid complement) {
  table[conjunction] = binary<ScalarTyped<bits_and<T>>, T, T, T>();
  table[disjunction] = binary<ScalarTyped<bits_or<T>>, T, T, T>();
  table[exclusive] = binary<ScalarTyped<bits_xor<T>>, T, T, T>();
  table[complement] = unary<ScalarTyped<bits_not<T>>, T, T>();
}

}  // namespace

void add_typed_functions(FastTable& table) {
  table[1724] = binary<ScalarTyped<types::numeric_add>, Str, Str, Str>();
  table[1725] = binary<ScalarTyped<types::numeric_subtract>, Str, Str, Str>();
  table[1726] = binary<ScalarTyped<types::numeric_multiply>, Str, Str, Str>();
  table[1727] = binary<ScalarTyped<types::numeric_divide>, Str, Str, Str>();
  for (const Oid f : {1728, 1729}) table[f] = binary<ScalarTyped<types::numeric_modulo>, Str, Str, Str>();
  table[1771] = unary<ScalarTyped<types::numeric_negate>, Str, Str>();
  table[1782] = unary<ScalarTyped<as_numeric<int16_t>>, Str, int16_t>();
  table[1740] = unary<ScalarTyped<as_numeric<int32_t>>, Str, int32_t>();
  table[1781] = unary<ScalarTyped<as_numeric<int64_t>>, Str, int64_t>();
  compare<types::numeric_compare, Str>(table, {1718, 1719, 1722, 1723, 1720, 1721});

  table[1141] = binary<ScalarTyped<types::date_plus>, int32_t, int32_t, int32_t>();
  table[1142] = binary<ScalarTyped<types::date_minus>, int32_t, int32_t, int32_t>();
  table[1140] = binary<ScalarTyped<types::date_difference>, int32_t, int32_t, int32_t>();
  table[2024] = unary<ScalarTyped<types::date_to_timestamp>, int64_t, int32_t>();
  table[2029] = unary<ScalarTyped<types::timestamp_to_date>, int32_t, int64_t>();
  table[2032] = binary<ScalarTyped<types::timestamp_plus>, int64_t, int64_t, Interval>();
  table[2033] = binary<ScalarTyped<timestamp_minus>, int64_t, int64_t, Interval>();
  for (const Oid f : {1188, 2031})
    table[f] = binary<ScalarTyped<types::timestamp_difference>, Interval, int64_t, int64_t>();
  table[1169] = binary<ScalarTyped<types::interval_add>, Interval, Interval, Interval>();
  table[1170] = binary<ScalarTyped<types::interval_subtract>, Interval, Interval, Interval>();
  table[1168] = unary<ScalarTyped<types::interval_negate>, Interval, Interval>();

  table[1258] = binary<ScalarTyped<types::concatenate>, Str, Str, Str>();

  bits<int32_t>(table, 1898, 1899, 1900, 1901);
  bits<int64_t>(table, 1904, 1905, 1906, 1907);
  for (const Oid f : {228, 1342}) table[f] = unary<ScalarTyped<rounded>, double, double>();
  for (const Oid f : {2309}) table[f] = unary<ScalarTyped<below>, double, double>();
  for (const Oid f : {2308, 2320}) table[f] = unary<ScalarTyped<above>, double, double>();
  for (const Oid f : {229, 1343}) table[f] = unary<ScalarTyped<towards_zero>, double, double>();
}

}  // namespace indigo::engine::exec
