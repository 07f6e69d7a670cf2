// numeric's operators and functions.
#include <algorithm>
#include <cmath>

#include "base/sqlstate.h"
#include "types/function/compare.h"
#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/numeric/numeric.h"

namespace indigo::types {

namespace {

using Kind = Numeric::Kind;

int compare_images(Str a, Str b) { return numeric_compare(a, b); }

Str image_of(FuncContext& context, Kind kind) { return context.arena().copy(Numeric::special(kind).image()); }

Str quotient_truncated(FuncContext& context, Str a, Str b) {
  const Numeric x = Numeric::from_image(a), y = Numeric::from_image(b);
  if (!x.finite() || !y.finite()) return numeric_truncate_to(context, numeric_divide(context, a, b), 0);
  if (y.is_zero()) {
    fail_division_by_zero(context);
    return a;
  }
  return numeric_image(context, divide(x, y, 0, false));
}

Str same(Str a) { return a; }
Str absolute(FuncContext& context, Str a) { return Numeric::from_image(a).sign() < 0 ? numeric_negate(context, a) : a; }
Str sign(FuncContext& context, Str a) {
  const Numeric n = Numeric::from_image(a);
  return n.kind == Kind::kNan ? a : numeric_image(context, n.sign());
}
Str round_off(FuncContext& context, Str a) { return numeric_round_to(context, a, 0); }
Str cut_off(FuncContext& context, Str a) { return numeric_truncate_to(context, a, 0); }
Str step_to_integer(FuncContext& context, Str a, int direction) {
  Numeric n = Numeric::from_image(a);
  if (!n.finite()) return a;
  Numeric cut = n;
  cut.truncate(0);
  if (n.sign() == direction && compare(cut, n) != 0) cut = add(cut, Numeric(direction));
  return numeric_image(context, std::move(cut));
}
Str ceiling(FuncContext& context, Str a) { return step_to_integer(context, a, 1); }
Str floor_of(FuncContext& context, Str a) { return step_to_integer(context, a, -1); }
Str increment(FuncContext& context, Str a) { return numeric_add(context, a, numeric_image(context, 1)); }

int32_t clamp_scale(int32_t scale, int32_t at_least) {
  return std::min(std::max({scale, at_least, 0}), kNumericMaxDisplayScale);
}
// Weight of the first base-10000 digit.
int32_t group_weight(const Numeric& n) {
  const int32_t e = n.exponent();
  return e >= 0 ? e / 4 : -((3 - e) / 4);
}

Str sqrt_of(FuncContext& context, Str a) {
  const Numeric n = Numeric::from_image(a);
  if (n.kind == Kind::kNan || n.kind == Kind::kPlusInfinity) return a;
  if (n.sign() < 0) {
    context.fail(sqlstate::kInvalidArgumentForPower, "cannot take square root of a negative number");
    return a;
  }
  const int32_t digits_before = n.is_zero() ? 1 : group_weight(n) * 4 / 2 + 1;
  return numeric_image(context, square_root(n, clamp_scale(kNumericMinSignificantDigits - digits_before, n.scale)));
}

double to_double(const Numeric& n) { return std::strtod(numeric_text(n).c_str(), nullptr); }

// e^x where the result fits the format; false: overflow.
bool exp_checked(const Numeric& x, int32_t scale, Numeric& out) {
  if (std::fabs(to_double(x)) >= kNumericMaxDisplayScale * 2 * 3) {
    if (!x.negative) return false;
    out = Numeric(false, Magnitude(), scale);
    return true;
  }
  out = exp_numeric(x, scale);
  return true;
}

Str overflow(FuncContext& context) {
  context.fail(sqlstate::kNumericValueOutOfRange, "value overflows numeric format");
  return numeric_image(context, 0);
}

Str exp_of(FuncContext& context, Str a) {
  const Numeric n = Numeric::from_image(a);
  if (n.kind == Kind::kMinusInfinity) return numeric_image(context, 0);
  if (!n.finite()) return a;
  const double weight = std::clamp(to_double(n) * 0.434294481903252, -2000.0, 2000.0);
  Numeric result;
  if (!exp_checked(n, clamp_scale(kNumericMinSignificantDigits - static_cast<int32_t>(weight), n.scale), result))
    return overflow(context);
  return numeric_image(context, std::move(result));
}

// The decimal weight of ln(n), roughly: as PostgreSQL estimates it, since result scales depend on it.
int32_t ln_weight(const Numeric& n) {
  if (n.sign() <= 0) return 0;
  Numeric low(false, Magnitude(9), 1), high(false, Magnitude(11), 1);
  if (compare(n, low) >= 0 && compare(n, high) <= 0) {
    const Numeric x = subtract(n, Numeric(1));
    if (x.is_zero()) return 0;
    const int32_t weight = group_weight(x);
    Magnitude head = x.magnitude;
    const int32_t take = x.exponent() - weight * 4 + 1, have = static_cast<int32_t>(head.digit_count());
    if (have > take) head.divide_power_of_ten(static_cast<uint32_t>(have - take), Magnitude::Rounding::kTruncate);
    if (have < take) head.multiply_power_of_ten(static_cast<uint32_t>(take - have));
    return weight * 4 + static_cast<int32_t>(std::log10(static_cast<double>(head.limbs()[0])));
  }
  const double ln = to_double(Numeric(false, n.magnitude, static_cast<int32_t>(n.magnitude.digit_count()) - 1));
  const double value = std::log(ln) + n.exponent() * 2.302585092994046;
  return static_cast<int32_t>(std::log10(std::fabs(value)));
}

bool check_logarithm(FuncContext& context, const Numeric& n) {
  if (n.kind == Kind::kNan || n.sign() > 0) return true;
  context.fail(sqlstate::kInvalidArgumentForLogarithm,
               n.sign() == 0 ? "cannot take logarithm of zero" : "cannot take logarithm of a negative number");
  return false;
}

Str ln_of(FuncContext& context, Str a) {
  const Numeric n = Numeric::from_image(a);
  if (n.kind == Kind::kNan || !check_logarithm(context, n) || n.kind == Kind::kPlusInfinity) return a;
  return numeric_image(context, ln_numeric(n, clamp_scale(kNumericMinSignificantDigits - ln_weight(n), n.scale)));
}

Str log_of(FuncContext& context, Str base_image, Str a) {
  const Numeric base = Numeric::from_image(base_image), n = Numeric::from_image(a);
  if (base.kind == Kind::kNan || n.kind == Kind::kNan) return image_of(context, Kind::kNan);
  if (!check_logarithm(context, base) || !check_logarithm(context, n)) return a;
  if (!base.finite()) return n.finite() ? numeric_image(context, 0) : image_of(context, Kind::kNan);
  if (!n.finite()) return a;
  const int32_t base_weight = ln_weight(base), weight = ln_weight(n);
  const int32_t scale =
      clamp_scale(kNumericMinSignificantDigits - (weight - base_weight), std::max(base.scale, n.scale));
  const int32_t inner =
      std::max(scale + weight - base_weight + 8, 0) + std::max(-base_weight, 0) + std::abs(weight) + 8;
  const Numeric ln_base = ln_numeric(base, inner);
  if (ln_base.is_zero()) {
    fail_division_by_zero(context);
    return a;
  }
  return numeric_image(context, divide(ln_numeric(n, inner), ln_base, scale, true));
}

Numeric integer_power(FuncContext& context, const Numeric& base, int32_t exponent) {
  double weight = 0;
  if (!base.is_zero()) {
    const Numeric unit(false, base.magnitude, static_cast<int32_t>(base.magnitude.digit_count()) - 1);
    weight = (std::log10(to_double(unit)) + base.exponent()) * exponent;
    if (weight > (0x7fff + 1) * 4.0) {
      overflow(context);
      return {};
    }
  }
  const int32_t scale = clamp_scale(kNumericMinSignificantDigits, base.scale);
  if (weight < -(scale + 2)) return {false, Magnitude(), scale};
  Numeric result(1);
  if (base.is_zero()) {
    if (exponent < 0) fail_division_by_zero(context);
    if (exponent != 0) result = Numeric();
  } else {
    // Square and multiply, keeping enough significant digits for the result and its rounding.
    const int32_t significant = static_cast<int32_t>(std::max(weight, 0.0)) + scale + 24 +
                                2 * static_cast<int32_t>(std::log10(std::fabs(static_cast<double>(exponent)) + 1));
    const auto shorten = [significant](Numeric& n) {
      if (n.is_zero()) return;
      const int32_t surplus = static_cast<int32_t>(n.magnitude.digit_count()) - significant - 20;
      if (surplus > 0) {
        n.magnitude.divide_power_of_ten(static_cast<uint32_t>(surplus), Magnitude::Rounding::kHalfUp);
        n.scale -= surplus;
      }
    };
    Numeric square = base;
    for (uint32_t bits = exponent < 0 ? -static_cast<uint32_t>(exponent) : static_cast<uint32_t>(exponent); bits != 0;
         bits >>= 1) {
      if (bits & 1) {
        result = multiply(result, square);
        shorten(result);
      }
      if (bits > 1) {
        square = multiply(square, square);
        shorten(square);
      }
    }
    if (exponent < 0) result = divide(Numeric(1), result, scale + 1, false);
    if (result.scale < 0) result.round(0);
  }
  result.round(scale);
  return result;
}

Str power_special(FuncContext& context, const Numeric& base, const Numeric& exponent) {
  const Numeric one(1);
  if (base.kind == Kind::kNan) return exponent.is_zero() ? numeric_image(context, 1) : image_of(context, Kind::kNan);
  if (exponent.kind == Kind::kNan)
    return compare(base, one) == 0 ? numeric_image(context, 1) : image_of(context, Kind::kNan);
  const auto fail_zero = [&] {
    context.fail(sqlstate::kInvalidArgumentForPower, "zero raised to a negative power is undefined");
    return numeric_image(context, 0);
  };
  if (base.is_zero() && exponent.sign() < 0) return fail_zero();
  if (base.sign() < 0 && exponent.finite() && !exponent.is_integer()) {
    context.fail(sqlstate::kInvalidArgumentForPower,
                 "a negative number raised to a non-integer power yields a complex result");
    return numeric_image(context, 0);
  }
  if (compare(base, one) == 0 || exponent.is_zero()) return numeric_image(context, 1);
  if (base.is_zero()) return numeric_image(context, 0);
  if (!exponent.finite()) {
    const Numeric magnitude = base.sign() < 0 ? base.negated() : base;
    const int c = compare(magnitude, one);
    if (c == 0) return numeric_image(context, 1);
    return (c > 0) == (exponent.sign() > 0) ? image_of(context, Kind::kPlusInfinity) : numeric_image(context, 0);
  }
  if (exponent.sign() < 0) return numeric_image(context, 0);
  Numeric half = exponent;
  half.truncate(0);
  const bool odd = exponent.is_integer() && half.magnitude.is_odd();
  return image_of(context, base.sign() < 0 && odd ? Kind::kMinusInfinity : Kind::kPlusInfinity);
}

Str power_of(FuncContext& context, Str a, Str b) {
  Numeric base = Numeric::from_image(a);
  const Numeric exponent = Numeric::from_image(b);
  if (!base.finite() || !exponent.finite()) return power_special(context, base, exponent);
  if (base.is_zero() && exponent.sign() < 0) {
    context.fail(sqlstate::kInvalidArgumentForPower, "zero raised to a negative power is undefined");
    return a;
  }
  const bool whole = exponent.is_integer();
  int64_t integral;
  if (whole && numeric_to_int64(b, integral) && integral >= INT32_MIN && integral <= INT32_MAX)
    return numeric_image(context, integer_power(context, base, static_cast<int32_t>(integral)));
  if (base.is_zero()) return numeric_image(context, Numeric(false, Magnitude(), kNumericMinSignificantDigits));
  bool negative = false;
  if (base.negative) {
    if (!whole) {
      context.fail(sqlstate::kInvalidArgumentForPower,
                   "a negative number raised to a non-integer power yields a complex result");
      return a;
    }
    Numeric integer = exponent;
    integer.truncate(0);
    negative = integer.magnitude.is_odd();
    base.negative = false;
  }
  const int32_t base_weight = ln_weight(base);
  Numeric product = multiply(ln_numeric(base, std::max(8 - base_weight, 0)), exponent);
  const double estimate = to_double(product);
  if (std::fabs(estimate) > 2000 * 3.01)
    return estimate > 0 ? overflow(context)
                        : numeric_image(context, Numeric(false, Magnitude(), kNumericMaxDisplayScale));
  const double weight = estimate * 0.434294481903252;
  const int32_t scale =
      clamp_scale(kNumericMinSignificantDigits - static_cast<int32_t>(weight), std::max(base.scale, exponent.scale));
  const int32_t exponent_digits = exponent.is_zero() ? 0 : std::max(exponent.exponent() + 1, 0);
  const int32_t inner = std::max(scale + static_cast<int32_t>(std::max(weight, 0.0)) + exponent_digits + 16, 16);
  product = multiply(ln_numeric(base, inner), exponent);
  Numeric result;
  if (!exp_checked(product, scale, result)) return overflow(context);
  result.negative = negative && !result.is_zero();
  return numeric_image(context, std::move(result));
}

// low * (low + 1) * ... * high, by halves: products of numbers of like lengths are the cheap ones.
Magnitude product_between(int64_t low, int64_t high) {
  if (high - low < 8) {
    Magnitude product(1);
    for (int64_t i = low; i <= high; i++) product = product * Magnitude(static_cast<UInt128>(i));
    return product;
  }
  const int64_t middle = low + (high - low) / 2;
  return product_between(low, middle) * product_between(middle + 1, high);
}
Str factorial(FuncContext& context, int64_t n) {
  if (n < 0) {
    context.fail(sqlstate::kNumericValueOutOfRange, "factorial of a negative number is undefined");
    return {};
  }
  if (n > 32177) return overflow(context);
  return numeric_image(context, Numeric(false, product_between(2, n), 0));
}

Numeric gcd_of(Numeric a, Numeric b) {
  a.negative = b.negative = false;
  const int32_t scale = std::max(a.scale, b.scale);
  while (!b.is_zero()) {
    Numeric rest = subtract(a, multiply(divide(a, b, 0, false), b));
    a = std::move(b);
    b = std::move(rest);
  }
  a.round(scale);
  return a;
}
Str gcd_images(FuncContext& context, Str a, Str b) {
  const Numeric x = Numeric::from_image(a), y = Numeric::from_image(b);
  if (!x.finite() || !y.finite()) return image_of(context, Kind::kNan);
  return numeric_image(context, gcd_of(x, y));
}
Str lcm_images(FuncContext& context, Str a, Str b) {
  const Numeric x = Numeric::from_image(a), y = Numeric::from_image(b);
  if (!x.finite() || !y.finite()) return image_of(context, Kind::kNan);
  const int32_t scale = std::max(x.scale, y.scale);
  Numeric result(false, Magnitude(), scale);
  if (!x.is_zero() && !y.is_zero()) {
    result = multiply(divide(x, gcd_of(x, y), 0, false), y);
    result.negative = false;
    result.round(scale);
  }
  return numeric_image(context, std::move(result));
}

std::optional<int32_t> scale_of(Str a) {
  const Numeric n = Numeric::from_image(a);
  return n.finite() ? std::optional<int32_t>(n.scale) : std::nullopt;
}
int32_t minimal_scale(const Numeric& n) {
  const std::string digits = n.magnitude.digits();
  int32_t scale = n.is_zero() ? 0 : n.scale;
  for (size_t i = digits.size(); scale > 0 && i > 0 && digits[i - 1] == '0'; i--) scale--;
  return scale;
}
std::optional<int32_t> min_scale(Str a) {
  const Numeric n = Numeric::from_image(a);
  return n.finite() ? std::optional<int32_t>(minimal_scale(n)) : std::nullopt;
}
Str trim_scale(FuncContext& context, Str a) {
  Numeric n = Numeric::from_image(a);
  if (!n.finite()) return a;
  n.round(minimal_scale(n));
  return numeric_image(context, std::move(n));
}

int32_t width_bucket(FuncContext& context, Str operand, Str low, Str high, int32_t count) {
  const Numeric v = Numeric::from_image(operand), a = Numeric::from_image(low), b = Numeric::from_image(high);
  const auto fail = [&](const char* message) {
    context.fail(sqlstate::kInvalidArgumentForWidthBucket, message);
    return 0;
  };
  if (count <= 0) return fail("count must be greater than zero");
  if (v.kind == Kind::kNan || a.kind == Kind::kNan || b.kind == Kind::kNan)
    return fail("operand, lower bound, and upper bound cannot be NaN");
  if (!a.finite() || !b.finite()) return fail("lower and upper bounds must be finite");
  const int order = compare(a, b);
  if (order == 0) return fail("lower bound cannot equal upper bound");
  const int below = compare(v, a), above = compare(v, b);
  if (order < 0 ? below < 0 : below > 0) return 0;
  if (order < 0 ? above >= 0 : above <= 0) {
    if (count == INT32_MAX) {
      fail_int4_range(context);
      return 0;
    }
    return count + 1;
  }
  const Numeric position = multiply(subtract(v, a), Numeric(count)), width = subtract(b, a);
  const Numeric bucket = divide(position, width, 0, false);
  UInt128 value = 0;
  (void)bucket.magnitude.fits(value);
  return static_cast<int32_t>(value) + 1;
}

template <class T>
Str from_integer(FuncContext& context, T v) {
  return numeric_image(context, int64_t{v});
}
template <class T>
T to_integer(FuncContext& context, Str a) {
  constexpr const char* kName = sizeof(T) == 2 ? "smallint" : sizeof(T) == 4 ? "integer" : "bigint";
  if (numeric_is_special(a)) {
    const bool nan = Numeric::from_image(a).kind == Kind::kNan;
    context.fail(sqlstate::kFeatureNotSupported,
                 std::string("cannot convert ") + (nan ? "NaN" : "infinity") + " to " + kName);
    return 0;
  }
  int64_t v;
  if (!numeric_to_int64(a, v) || v < std::numeric_limits<T>::min() || v > std::numeric_limits<T>::max()) {
    context.fail(sqlstate::kNumericValueOutOfRange, std::string(kName) + " out of range");
    return 0;
  }
  return static_cast<T>(v);
}
double to_float8(FuncContext& context, Str a) {
  const double v = numeric_to_double(a);
  if (std::isinf(v) && !numeric_is_special(a)) {
    std::string text;
    append_numeric_text(a, text);
    context.fail(sqlstate::kNumericValueOutOfRange, "\"" + text + "\" is out of range for type double precision");
  }
  return v;
}
float to_float4(FuncContext& context, Str a) {
  const double v = numeric_to_double(a);
  if (numeric_is_special(a)) return static_cast<float>(v);
  std::string text;
  append_numeric_text(a, text);
  const float f = std::strtof(text.c_str(), nullptr);
  if (std::isinf(f) || (f == 0 && v != 0))
    context.fail(sqlstate::kNumericValueOutOfRange, "\"" + text + "\" is out of range for type real");
  return f;
}

using Order = Compare<compare_images>;

// RANGE frames' test; NaN stands after everything and is within any distance of itself, and so is an infinity.
bool in_range(FuncContext& context, Str v, Str base, Str offset, bool before, bool less) {
  const Numeric distance = Numeric::from_image(offset);
  if (distance.kind == Numeric::Kind::kNan || distance.kind == Numeric::Kind::kMinusInfinity || distance.sign() < 0) {
    context.fail(SqlState("22013"), "invalid preceding or following size in window function");
    return false;
  }
  const auto from = Numeric::from_image(base).kind;
  if (Numeric::from_image(v).kind == Numeric::Kind::kNan) return from == Numeric::Kind::kNan || !less;
  if (from == Numeric::Kind::kNan) return less;
  if (!distance.finite() && from == (before ? Numeric::Kind::kPlusInfinity : Numeric::Kind::kMinusInfinity))
    return true;
  const Str bound = before ? numeric_subtract(context, base, offset) : numeric_add(context, base, offset);
  if (context.failed()) return false;
  return less ? numeric_compare(v, bound) <= 0 : numeric_compare(v, bound) >= 0;
}

const ScalarEntry kNumericEntries[] = {
    {"numeric_add", kernel<numeric_add>},
    {"numeric_sub", kernel<numeric_subtract>},
    {"numeric_mul", kernel<numeric_multiply>},
    {"numeric_div", kernel<numeric_divide>},
    {"numeric_div_trunc", kernel<quotient_truncated>},
    {"numeric_mod", kernel<numeric_modulo>},
    {"numeric_uminus", kernel<numeric_negate>},
    {"numeric_uplus", kernel<same>},
    {"numeric_abs", kernel<absolute>},
    {"numeric_sign", kernel<sign>},
    {"numeric_round", kernel<numeric_round_to>},
    {"round(numeric)", kernel<round_off>},
    {"numeric_trunc", kernel<numeric_truncate_to>},
    {"trunc(numeric)", kernel<cut_off>},
    {"numeric_ceil", kernel<ceiling>},
    {"numeric_floor", kernel<floor_of>},
    {"numeric_inc", kernel<increment>},
    {"numeric_sqrt", kernel<sqrt_of>},
    {"numeric_exp", kernel<exp_of>},
    {"numeric_ln", kernel<ln_of>},
    {"numeric_log", kernel<log_of>},
    {"log(numeric)", kernel<+[](FuncContext& c, Str a) { return log_of(c, numeric_image(c, 10), a); }>},
    {"log10(numeric)", kernel<+[](FuncContext& c, Str a) { return log_of(c, numeric_image(c, 10), a); }>},
    {"numeric_power", kernel<power_of>},
    {"numeric_fac", kernel<factorial>},
    {"numeric_gcd", kernel<gcd_images>},
    {"numeric_lcm", kernel<lcm_images>},
    {"numeric_scale", kernel<scale_of>},
    {"numeric_min_scale", kernel<min_scale>},
    {"numeric_trim_scale", kernel<trim_scale>},
    {"width_bucket_numeric", kernel<width_bucket>},
    {"numeric", kernel<numeric_apply_typmod>},
    {"int2_numeric", kernel<from_integer<int16_t>>},
    {"int4_numeric", kernel<from_integer<int32_t>>},
    {"int8_numeric", kernel<from_integer<int64_t>>},
    {"float4_numeric", kernel<float_to_numeric>},
    {"float8_numeric", kernel<double_to_numeric>},
    {"numeric_int2", kernel<to_integer<int16_t>>},
    {"numeric_int4", kernel<to_integer<int32_t>>},
    {"numeric_int8", kernel<to_integer<int64_t>>},
    {"numeric_float4", kernel<to_float4>},
    {"numeric_float8", kernel<to_float8>},
    {"numeric_eq", kernel<Order::eq>},
    {"numeric_ne", kernel<Order::ne>},
    {"numeric_lt", kernel<Order::lt>},
    {"numeric_le", kernel<Order::le>},
    {"numeric_gt", kernel<Order::gt>},
    {"numeric_ge", kernel<Order::ge>},
    {"numeric_cmp", kernel<Order::cmp>},
    {"in_range_numeric_numeric", kernel<in_range>},
    {"numeric_larger", kernel<Order::larger>},
    {"numeric_smaller", kernel<Order::smaller>},
};

}  // namespace

std::span<const ScalarEntry> numeric_functions() { return kNumericEntries; }

}  // namespace indigo::types
