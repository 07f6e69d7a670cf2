// Arithmetic over numeric images: 128-bit integers where both operands and the result allow it, else the slow path.
#include <algorithm>
#include <cmath>

#include <absl/hash/hash.h>

#include "base/bytes.h"
#include "base/sqlstate.h"
#include "types/function/errors.h"
#include "types/numeric/numeric.h"

namespace indigo::types {

namespace {

constexpr Int128 kLimit = static_cast<Int128>(kNumericSmallLimit);

bool within(Int128 m) { return m < kLimit && m > -kLimit; }

// a x 10^shift, if it stays small.
bool scale_up(Int128& m, int32_t shift) {
  if (shift == 0) return true;
  if (shift > 37) return m == 0;
  return !__builtin_mul_overflow(m, static_cast<Int128>(power_of_ten_128(static_cast<uint32_t>(shift))), &m) &&
         within(m);
}

struct SmallPair {
  Int128 a, b;
  int32_t scale;
};
// Both mantissas at the larger scale.
bool small_pair(Str a, Str b, SmallPair& out) {
  if (!numeric_is_small(a) || !numeric_is_small(b)) return false;
  out.a = numeric_small_mantissa(a);
  out.b = numeric_small_mantissa(b);
  const int32_t sa = static_cast<uint8_t>(a[0]), sb = static_cast<uint8_t>(b[0]);
  out.scale = std::max(sa, sb);
  return scale_up(out.a, out.scale - sa) && scale_up(out.b, out.scale - sb);
}

// What mostly decides which of two numbers is greater, read off the image: the digits of large ones stay where they are.
struct Leading {
  int sign;
  int64_t exponent;  // of the first digit; of zero undefined
};
Leading leading_of(Str image) {
  if (numeric_is_small(image)) {
    const Int128 m = numeric_small_mantissa(image);
    const uint32_t digits = digit_count_128(static_cast<UInt128>(m < 0 ? -m : m));
    return {m < 0 ? -1 : m > 0, int64_t{digits} - static_cast<uint8_t>(image[0])};
  }
  constexpr size_t kHead = 3;
  constexpr int64_t kLimbDigits = 9;
  const size_t limbs = (image.size() - kHead) / sizeof(uint32_t);
  if (limbs == 0) return {0, 0};
  const auto top = load_unaligned<uint32_t>(image.data() + kHead + (limbs - 1) * sizeof(uint32_t));
  const int64_t digits = static_cast<int64_t>(limbs - 1) * kLimbDigits + digit_count_128(top);
  return {static_cast<uint8_t>(image[0]) == kNumericBigNegative ? -1 : 1,
          digits - load_unaligned<uint16_t>(image.data() + 1)};
}

// What + - * / do with infinities and NaN: kNan unless one of the rules below applies.
Str special_image(FuncContext& context, Numeric::Kind kind) {
  return context.arena().copy(Numeric::special(kind).image());
}

Str add_special(FuncContext& context, const Numeric& a, const Numeric& b) {
  using K = Numeric::Kind;
  if (a.kind == K::kNan || b.kind == K::kNan) return special_image(context, K::kNan);
  if (a.finite()) return special_image(context, b.kind);
  if (b.finite() || a.kind == b.kind) return special_image(context, a.kind);
  return special_image(context, K::kNan);
}

// Half away from zero; divisor > 0.
Int128 divide_rounded(Int128 m, Int128 divisor) {
  Int128 quotient = m / divisor;
  const Int128 rest = m % divisor;
  if (rest >= divisor - rest) quotient++;
  if (-rest >= divisor + rest) quotient--;
  return quotient;
}

}  // namespace

UInt128 power_of_ten_128(uint32_t exponent) {
  static constexpr auto kTable = [] {
    struct {
      UInt128 values[39];
    } t{};
    t.values[0] = 1;
    for (int i = 1; i < 39; i++) t.values[i] = t.values[i - 1] * 10;
    return t;
  }();
  return kTable.values[exponent];
}

uint32_t digit_count_128(UInt128 value) {
  if (value == 0) return 0;
  const auto high = static_cast<uint64_t>(value >> 64);
  const int bits = high ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll(static_cast<uint64_t>(value));
  const auto guess = static_cast<uint32_t>(bits * 1233 >> 12);  // floor(bits x log10(2)), or one more
  return guess < 39 && value >= power_of_ten_128(guess) ? guess + 1 : guess;
}

Str small_numeric_image(FuncContext& context, Int128 mantissa, int32_t scale) {
  // Where it stays: what reads it next waits for no copy.
  auto* const to = static_cast<char*>(context.arena().allocate(kMaxSmallNumericBytes, 1));
  return {to, write_small_numeric(mantissa, scale, to)};
}

Str numeric_image(FuncContext& context, int64_t value) { return small_numeric_image(context, value, 0); }

Str numeric_image(FuncContext& context, Numeric n) {
  if (n.finite()) {
    if (n.scale > kNumericMaxScale) n.round(kNumericMaxScale);
    if (!n.magnitude.is_zero() && n.exponent() >= kNumericMaxIntegerDigits) {
      context.fail(sqlstate::kNumericValueOutOfRange, "value overflows numeric format");
      return numeric_image(context, 0);
    }
  }
  return context.arena().copy(n.image());
}

int numeric_compare(Str a, Str b) {
  SmallPair pair;
  if (small_pair(a, b, pair)) return pair.a < pair.b ? -1 : pair.a > pair.b;
  if (!numeric_is_special(a) && !numeric_is_special(b)) {
    const Leading x = leading_of(a), y = leading_of(b);
    if (x.sign != y.sign) return x.sign < y.sign ? -1 : 1;
    if (x.sign != 0 && x.exponent != y.exponent) return (x.exponent < y.exponent) == (x.sign > 0) ? -1 : 1;
  }
  return compare(Numeric::from_image(a), Numeric::from_image(b));
}

Str numeric_add(FuncContext& context, Str a, Str b) {
  SmallPair pair;
  if (small_pair(a, b, pair)) {
    const Int128 sum = pair.a + pair.b;
    if (within(sum)) return small_numeric_image(context, sum, pair.scale);
  }
  const Numeric x = Numeric::from_image(a), y = Numeric::from_image(b);
  if (!x.finite() || !y.finite()) return add_special(context, x, y);
  return numeric_image(context, add(x, y));
}

Str numeric_subtract(FuncContext& context, Str a, Str b) {
  SmallPair pair;
  if (small_pair(a, b, pair)) {
    const Int128 difference = pair.a - pair.b;
    if (within(difference)) return small_numeric_image(context, difference, pair.scale);
  }
  const Numeric x = Numeric::from_image(a), y = Numeric::from_image(b).negated();
  if (!x.finite() || !y.finite()) return add_special(context, x, y);
  return numeric_image(context, add(x, y));
}

Str numeric_multiply(FuncContext& context, Str a, Str b) {
  if (numeric_is_small(a) && numeric_is_small(b)) {
    const int32_t scale = static_cast<uint8_t>(a[0]) + static_cast<uint8_t>(b[0]);
    Int128 product;
    if (scale <= kNumericMaxSmallScale &&
        !__builtin_mul_overflow(numeric_small_mantissa(a), numeric_small_mantissa(b), &product) && within(product))
      return small_numeric_image(context, product, scale);
  }
  const Numeric x = Numeric::from_image(a), y = Numeric::from_image(b);
  if (x.finite() && y.finite()) return numeric_image(context, multiply(x, y));
  using K = Numeric::Kind;
  if (x.kind == K::kNan || y.kind == K::kNan || x.sign() == 0 || y.sign() == 0) return special_image(context, K::kNan);
  return special_image(context, x.sign() == y.sign() ? K::kPlusInfinity : K::kMinusInfinity);
}

Str numeric_divide(FuncContext& context, Str a, Str b) {
  const Numeric x = Numeric::from_image(a), y = Numeric::from_image(b);
  using K = Numeric::Kind;
  if (x.kind == K::kNan || y.kind == K::kNan) return special_image(context, K::kNan);
  if (y.is_zero()) {
    fail_division_by_zero(context);
    return numeric_image(context, 0);
  }
  if (!x.finite()) {
    if (!y.finite()) return special_image(context, K::kNan);
    return special_image(context, x.sign() == y.sign() ? K::kPlusInfinity : K::kMinusInfinity);
  }
  if (!y.finite()) return numeric_image(context, 0);
  const int32_t scale = division_scale(x, y);
  if (numeric_is_small(a) && numeric_is_small(b) && scale <= kNumericMaxSmallScale) {
    Int128 numerator = numeric_small_mantissa(a), denominator = numeric_small_mantissa(b);
    const int32_t shift = scale + y.scale - x.scale;
    if (shift >= 0 ? scale_up(numerator, shift) : scale_up(denominator, -shift)) {
      if (denominator < 0) {
        numerator = -numerator;
        denominator = -denominator;
      }
      return small_numeric_image(context, divide_rounded(numerator, denominator), scale);
    }
  }
  return numeric_image(context, divide(x, y, scale, true));
}

Str numeric_modulo(FuncContext& context, Str a, Str b) {
  SmallPair pair;
  if (small_pair(a, b, pair) && pair.b != 0) return small_numeric_image(context, pair.a % pair.b, pair.scale);
  const Numeric x = Numeric::from_image(a), y = Numeric::from_image(b);
  using K = Numeric::Kind;
  if (x.kind == K::kNan || y.kind == K::kNan) return special_image(context, K::kNan);
  if (y.is_zero()) {
    fail_division_by_zero(context);
    return numeric_image(context, 0);
  }
  if (!x.finite()) return special_image(context, K::kNan);
  if (!y.finite()) return numeric_image(context, x);
  const Numeric quotient = divide(x, y, 0, false);
  return numeric_image(context, subtract(x, multiply(quotient, y)));
}

Str numeric_negate(FuncContext& context, Str a) {
  if (numeric_is_small(a)) return small_numeric_image(context, -numeric_small_mantissa(a), static_cast<uint8_t>(a[0]));
  return numeric_image(context, Numeric::from_image(a).negated());
}

Str numeric_round_to(FuncContext& context, Str a, int32_t scale) {
  scale = std::clamp(scale, -kNumericMaxIntegerDigits, kNumericMaxScale);
  if (numeric_is_small(a) && scale >= 0 && scale <= kNumericMaxSmallScale) {
    Int128 mantissa = numeric_small_mantissa(a);
    const int32_t drop = static_cast<uint8_t>(a[0]) - scale;
    if (drop <= 0 ? scale_up(mantissa, -drop) : drop <= 37) {
      if (drop > 0)
        mantissa = divide_rounded(mantissa, static_cast<Int128>(power_of_ten_128(static_cast<uint32_t>(drop))));
      return small_numeric_image(context, mantissa, scale);
    }
  }
  Numeric n = Numeric::from_image(a);
  n.round(scale);
  return numeric_image(context, std::move(n));
}

Str numeric_truncate_to(FuncContext& context, Str a, int32_t scale) {
  Numeric n = Numeric::from_image(a);
  n.truncate(std::clamp(scale, -kNumericMaxIntegerDigits, kNumericMaxScale));
  return numeric_image(context, std::move(n));
}

uint64_t numeric_hash(Str a) {
  if (numeric_is_small(a)) {
    Int128 mantissa = numeric_small_mantissa(a);
    int32_t scale = mantissa == 0 ? 0 : static_cast<uint8_t>(a[0]);
    while (scale > 0 && mantissa % 10 == 0) {
      mantissa /= 10;
      scale--;
    }
    if (scale == 0 && mantissa == static_cast<int64_t>(mantissa)) return absl::HashOf(static_cast<int64_t>(mantissa));
  }
  if (numeric_is_special(a)) return absl::HashOf(static_cast<int>(a[0]));
  const DecimalDigits d = numeric_digits(a);
  // An integer with zeros behind the point that take more than a small image is the integer.
  constexpr int32_t kInt64Digits = 19;
  if (d.exponent >= 0 && d.exponent < kInt64Digits && d.digits.size() <= static_cast<size_t>(d.exponent) + 1) {
    Int128 value = 0;
    for (int32_t i = 0; i <= d.exponent; i++)
      value = value * 10 + (static_cast<size_t>(i) < d.digits.size() ? d.digits[static_cast<size_t>(i)] - '0' : 0);
    if (d.negative) value = -value;
    if (value == static_cast<int64_t>(value)) return absl::HashOf(static_cast<int64_t>(value));
  }
  return absl::HashOf(d.negative, d.exponent, d.digits);
}

Str numeric_apply_typmod(FuncContext& context, Str image, int32_t typmod) {
  if (typmod < 4) return image;
  const int32_t precision = ((typmod - 4) >> 16) & 0xffff;
  const int32_t scale = (((typmod - 4) & 0x7ff) ^ 1024) - 1024;
  const auto overflow = [&](const std::string& detail) {
    context.fail(Error(sqlstate::kNumericValueOutOfRange, "numeric field overflow").with_detail(detail));
    return image;
  };
  const std::string field = "A field with precision " + std::to_string(precision) + ", scale " + std::to_string(scale);
  if (numeric_is_special(image)) {
    if (static_cast<uint8_t>(image[0]) == kNumericNan) return image;
    return overflow(field + " cannot hold an infinite value.");
  }
  Str rounded;
  if (numeric_is_small(image) && static_cast<uint8_t>(image[0]) == scale) {
    rounded = image;
  } else {
    rounded = numeric_round_to(context, image, scale);
  }
  const int32_t allowed = precision - scale;
  int32_t exponent;
  if (numeric_is_small(rounded)) {
    const Int128 m = numeric_small_mantissa(rounded);
    if (m == 0) return rounded;
    exponent = static_cast<int32_t>(digit_count_128(static_cast<UInt128>(m < 0 ? -m : m))) - 1 -
               static_cast<uint8_t>(rounded[0]);
  } else {
    const Numeric n = Numeric::from_image(rounded);
    if (n.is_zero()) return rounded;
    exponent = n.exponent();
  }
  if (exponent < allowed) return rounded;
  return overflow(field + " must round to an absolute value less than " +
                  (allowed == 0 ? std::string("1") : "10^" + std::to_string(allowed)) + ".");
}

double numeric_to_double(Str image) {
  if (numeric_is_small(image)) {
    const Int128 m = numeric_small_mantissa(image);
    const int scale = static_cast<uint8_t>(image[0]);
    // Both are exact doubles, so that one division rounds correctly.
    if (scale <= 22 && m <= (Int128{1} << 53) && m >= -(Int128{1} << 53))
      return static_cast<double>(static_cast<int64_t>(m)) /
             static_cast<double>(power_of_ten_128(static_cast<uint32_t>(scale)));
  }
  switch (static_cast<uint8_t>(image[0])) {
    case kNumericMinusInfinity: return -INFINITY;
    case kNumericPlusInfinity: return INFINITY;
    case kNumericNan: return NAN;
    default: break;
  }
  std::string text;
  append_numeric_text(image, text);
  return std::strtod(text.c_str(), nullptr);
}

Str double_to_numeric(FuncContext& context, double value) {
  using K = Numeric::Kind;
  if (std::isnan(value)) return special_image(context, K::kNan);
  if (std::isinf(value)) return special_image(context, value > 0 ? K::kPlusInfinity : K::kMinusInfinity);
  char text[64];
  std::snprintf(text, sizeof text, "%.15g", value);
  Numeric n;
  (void)parse_numeric(text, n);
  return numeric_image(context, std::move(n));
}

Str float_to_numeric(FuncContext& context, float value) {
  using K = Numeric::Kind;
  if (std::isnan(value)) return special_image(context, K::kNan);
  if (std::isinf(value)) return special_image(context, value > 0 ? K::kPlusInfinity : K::kMinusInfinity);
  char text[64];
  std::snprintf(text, sizeof text, "%.6g", static_cast<double>(value));
  Numeric n;
  (void)parse_numeric(text, n);
  return numeric_image(context, std::move(n));
}

bool numeric_to_int64(Str image, int64_t& out) {
  if (numeric_is_special(image)) return false;
  Int128 m;
  if (numeric_is_small(image)) {
    m = numeric_small_mantissa(image);
    const uint32_t scale = static_cast<uint8_t>(image[0]);
    if (scale > 38) {
      m = 0;
    } else if (scale > 0) {
      m = divide_rounded(m, static_cast<Int128>(power_of_ten_128(scale)));
    }
  } else {
    Numeric n = Numeric::from_image(image);
    n.round(0);
    UInt128 value;
    if (!n.magnitude.fits(value)) return false;
    m = n.negative ? -static_cast<Int128>(value) : static_cast<Int128>(value);
  }
  if (m < INT64_MIN || m > INT64_MAX) return false;
  out = static_cast<int64_t>(m);
  return true;
}

}  // namespace indigo::types
