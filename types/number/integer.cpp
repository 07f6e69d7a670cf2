// Integer arithmetic, bit operations and conversions between the integer widths.
#include <numeric>

#include "base/sqlstate.h"
#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/function/kernel.h"

namespace indigo::types {

namespace {

template <class T>
void fail_range(FuncContext& context) {
  if constexpr (sizeof(T) == 2) return fail_int2_range(context);
  if constexpr (sizeof(T) == 4) return fail_int4_range(context);
  if constexpr (sizeof(T) == 8) return fail_int8_range(context);
}

template <class A, class B, class R>
bool add(A a, B b, R& out) {
  return __builtin_add_overflow(a, b, &out);
}
template <class A, class B, class R>
bool subtract(A a, B b, R& out) {
  return __builtin_sub_overflow(a, b, &out);
}
template <class A, class B, class R>
bool multiply(A a, B b, R& out) {
  return __builtin_mul_overflow(a, b, &out);
}

template <class A, class B, class R>
R divide(FuncContext& context, A a, B b) {
  if (b == 0) {
    fail_division_by_zero(context);
    return 0;
  }
  if (b == -1) {
    R result;
    if (__builtin_sub_overflow(R{0}, static_cast<R>(a), &result)) fail_range<R>(context);
    return result;
  }
  return static_cast<R>(static_cast<R>(a) / static_cast<R>(b));
}

template <class T>
T modulo(FuncContext& context, T a, T b) {
  if (b == 0) {
    fail_division_by_zero(context);
    return 0;
  }
  return b == -1 ? T{0} : static_cast<T>(a % b);
}

template <class T>
T negate(FuncContext& context, T a) {
  T result;
  if (__builtin_sub_overflow(T{0}, a, &result)) fail_range<T>(context);
  return result;
}
template <class T>
T absolute(FuncContext& context, T a) {
  return a < 0 ? negate(context, a) : a;
}
template <class T>
T identity(T a) {
  return a;
}
template <class T>
T bit_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
T bit_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
T bit_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
T bit_not(T a) {
  return static_cast<T>(~a);
}
// The count wraps at the machine's width, as C on x86 has it: int2 shifts as int.
template <class T>
T shift_left(T a, int32_t n) {
  using U = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  return static_cast<T>(static_cast<U>(a) << (static_cast<uint32_t>(n) & (sizeof(U) * 8 - 1)));
}
template <class T>
T shift_right(T a, int32_t n) {
  using S = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
  return static_cast<T>(static_cast<S>(a) >> (static_cast<uint32_t>(n) & (sizeof(S) * 8 - 1)));
}
template <class T>
T larger(T a, T b) {
  return a > b ? a : b;
}
template <class T>
T smaller(T a, T b) {
  return a < b ? a : b;
}

template <class T>
T gcd(FuncContext& context, T a, T b) {
  using U = std::make_unsigned_t<T>;
  const U x = a < 0 ? U{0} - static_cast<U>(a) : static_cast<U>(a),
          y = b < 0 ? U{0} - static_cast<U>(b) : static_cast<U>(b);
  const U result = std::gcd(x, y);
  if (result > static_cast<U>(std::numeric_limits<T>::max())) fail_range<T>(context);
  return static_cast<T>(result);
}
template <class T>
T lcm(FuncContext& context, T a, T b) {
  if (a == 0 || b == 0) return 0;
  const T divisor = gcd(context, a, b);
  if (context.failed()) return 0;
  T result;
  if (__builtin_mul_overflow(static_cast<T>(a / divisor), b, &result)) {
    fail_range<T>(context);
    return 0;
  }
  return absolute(context, result);
}

template <class From, class To>
To convert_int(FuncContext& context, From v) {
  if constexpr (sizeof(To) < sizeof(From))
    if (v < std::numeric_limits<To>::min() || v > std::numeric_limits<To>::max()) fail_range<To>(context);
  return static_cast<To>(v);
}

int32_t bool_to_int4(bool v) { return v ? 1 : 0; }
bool int4_to_bool(int32_t v) { return v != 0; }
int64_t oid_to_int8(int32_t v) { return static_cast<uint32_t>(v); }
int32_t int8_to_oid(FuncContext& context, int64_t v) {
  if (v < 0 || v > UINT32_MAX) context.fail(sqlstate::kNumericValueOutOfRange, "OID out of range");
  return static_cast<int32_t>(v);
}
int64_t increment(FuncContext& context, int64_t v) {
  if (v == INT64_MAX) fail_int8_range(context);
  return static_cast<int64_t>(static_cast<uint64_t>(v) + 1);
}

const ScalarEntry kIntegerEntries[] = {
    {"int2pl", checked<add<int16_t, int16_t, int16_t>, fail_int2_range>},
    {"int2mi", checked<subtract<int16_t, int16_t, int16_t>, fail_int2_range>},
    {"int2mul", checked<multiply<int16_t, int16_t, int16_t>, fail_int2_range>},
    {"int2div", kernel<divide<int16_t, int16_t, int16_t>>},
    {"int24pl", checked<add<int16_t, int32_t, int32_t>, fail_int4_range>},
    {"int24mi", checked<subtract<int16_t, int32_t, int32_t>, fail_int4_range>},
    {"int24mul", checked<multiply<int16_t, int32_t, int32_t>, fail_int4_range>},
    {"int24div", kernel<divide<int16_t, int32_t, int32_t>>},
    {"int28pl", checked<add<int16_t, int64_t, int64_t>, fail_int8_range>},
    {"int28mi", checked<subtract<int16_t, int64_t, int64_t>, fail_int8_range>},
    {"int28mul", checked<multiply<int16_t, int64_t, int64_t>, fail_int8_range>},
    {"int28div", kernel<divide<int16_t, int64_t, int64_t>>},
    {"int42pl", checked<add<int32_t, int16_t, int32_t>, fail_int4_range>},
    {"int42mi", checked<subtract<int32_t, int16_t, int32_t>, fail_int4_range>},
    {"int42mul", checked<multiply<int32_t, int16_t, int32_t>, fail_int4_range>},
    {"int42div", kernel<divide<int32_t, int16_t, int32_t>>},
    {"int4pl", checked<add<int32_t, int32_t, int32_t>, fail_int4_range>},
    {"int4mi", checked<subtract<int32_t, int32_t, int32_t>, fail_int4_range>},
    {"int4mul", checked<multiply<int32_t, int32_t, int32_t>, fail_int4_range>},
    {"int4div", kernel<divide<int32_t, int32_t, int32_t>>},
    {"int48pl", checked<add<int32_t, int64_t, int64_t>, fail_int8_range>},
    {"int48mi", checked<subtract<int32_t, int64_t, int64_t>, fail_int8_range>},
    {"int48mul", checked<multiply<int32_t, int64_t, int64_t>, fail_int8_range>},
    {"int48div", kernel<divide<int32_t, int64_t, int64_t>>},
    {"int82pl", checked<add<int64_t, int16_t, int64_t>, fail_int8_range>},
    {"int82mi", checked<subtract<int64_t, int16_t, int64_t>, fail_int8_range>},
    {"int82mul", checked<multiply<int64_t, int16_t, int64_t>, fail_int8_range>},
    {"int82div", kernel<divide<int64_t, int16_t, int64_t>>},
    {"int84pl", checked<add<int64_t, int32_t, int64_t>, fail_int8_range>},
    {"int84mi", checked<subtract<int64_t, int32_t, int64_t>, fail_int8_range>},
    {"int84mul", checked<multiply<int64_t, int32_t, int64_t>, fail_int8_range>},
    {"int84div", kernel<divide<int64_t, int32_t, int64_t>>},
    {"int8pl", checked<add<int64_t, int64_t, int64_t>, fail_int8_range>},
    {"int8mi", checked<subtract<int64_t, int64_t, int64_t>, fail_int8_range>},
    {"int8mul", checked<multiply<int64_t, int64_t, int64_t>, fail_int8_range>},
    {"int8div", kernel<divide<int64_t, int64_t, int64_t>>},
    {"int2mod", kernel<modulo<int16_t>>},
    {"int2um", kernel<negate<int16_t>>},
    {"int2up", kernel<identity<int16_t>>},
    {"int2abs", kernel<absolute<int16_t>>},
    {"int2and", kernel<bit_and<int16_t>>},
    {"int2or", kernel<bit_or<int16_t>>},
    {"int2xor", kernel<bit_xor<int16_t>>},
    {"int2not", kernel<bit_not<int16_t>>},
    {"int2shl", kernel<shift_left<int16_t>>},
    {"int2shr", kernel<shift_right<int16_t>>},
    {"int2larger", kernel<larger<int16_t>>},
    {"int2smaller", kernel<smaller<int16_t>>},
    {"int4mod", kernel<modulo<int32_t>>},
    {"int4um", kernel<negate<int32_t>>},
    {"int4up", kernel<identity<int32_t>>},
    {"int4abs", kernel<absolute<int32_t>>},
    {"int4and", kernel<bit_and<int32_t>>},
    {"int4or", kernel<bit_or<int32_t>>},
    {"int4xor", kernel<bit_xor<int32_t>>},
    {"int4not", kernel<bit_not<int32_t>>},
    {"int4shl", kernel<shift_left<int32_t>>},
    {"int4shr", kernel<shift_right<int32_t>>},
    {"int4larger", kernel<larger<int32_t>>},
    {"int4smaller", kernel<smaller<int32_t>>},
    {"int8mod", kernel<modulo<int64_t>>},
    {"int8um", kernel<negate<int64_t>>},
    {"int8up", kernel<identity<int64_t>>},
    {"int8abs", kernel<absolute<int64_t>>},
    {"int8and", kernel<bit_and<int64_t>>},
    {"int8or", kernel<bit_or<int64_t>>},
    {"int8xor", kernel<bit_xor<int64_t>>},
    {"int8not", kernel<bit_not<int64_t>>},
    {"int8shl", kernel<shift_left<int64_t>>},
    {"int8shr", kernel<shift_right<int64_t>>},
    {"int8larger", kernel<larger<int64_t>>},
    {"int8smaller", kernel<smaller<int64_t>>},
    {"int4gcd", kernel<gcd<int32_t>>},
    {"int4lcm", kernel<lcm<int32_t>>},
    {"int8gcd", kernel<gcd<int64_t>>},
    {"int8lcm", kernel<lcm<int64_t>>},
    {"i2toi4", kernel<convert_int<int16_t, int32_t>>},
    {"i4toi2", kernel<convert_int<int32_t, int16_t>>},
    {"int48", kernel<convert_int<int32_t, int64_t>>},
    {"int84", kernel<convert_int<int64_t, int32_t>>},
    {"int28", kernel<convert_int<int16_t, int64_t>>},
    {"int82", kernel<convert_int<int64_t, int16_t>>},
    {"bool_int4", kernel<bool_to_int4>},
    {"int4_bool", kernel<int4_to_bool>},
    {"oidtoi8", kernel<oid_to_int8>},
    {"i8tooid", kernel<int8_to_oid>},
    {"int8inc", kernel<increment>},
};

}  // namespace

std::span<const ScalarEntry> integer_functions() { return kIntegerEntries; }

}  // namespace indigo::types
