// Numeric: unpacked form, images, rounding, slow-path arithmetic.
#include "types/numeric/numeric.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/fiber/long_work.h"

namespace indigo::types {

namespace {

struct Aligned {
  Magnitude a, b;
  int32_t scale;
};
Aligned align(const Numeric& a, const Numeric& b) {
  Aligned result{a.magnitude, b.magnitude, std::max(a.scale, b.scale)};
  result.a.multiply_power_of_ten(static_cast<uint32_t>(result.scale - a.scale));
  result.b.multiply_power_of_ten(static_cast<uint32_t>(result.scale - b.scale));
  return result;
}

}  // namespace

Numeric::Numeric(int64_t value)
    : negative(value < 0), magnitude(static_cast<UInt128>(value < 0 ? -static_cast<Int128>(value) : value)) {}

Numeric Numeric::from_image(Str image) {
  Numeric n;
  switch (static_cast<uint8_t>(image[0])) {
    case kNumericMinusInfinity: return special(Kind::kMinusInfinity);
    case kNumericPlusInfinity: return special(Kind::kPlusInfinity);
    case kNumericNan: return special(Kind::kNan);
    default: break;
  }
  if (numeric_is_small(image)) {
    const Int128 mantissa = numeric_small_mantissa(image);
    n.negative = mantissa < 0;
    n.scale = static_cast<uint8_t>(image[0]);
    n.magnitude = Magnitude(static_cast<UInt128>(mantissa < 0 ? -mantissa : mantissa));
    return n;
  }
  note_work(image.size());
  n.negative = static_cast<uint8_t>(image[0]) == kNumericBigNegative;
  n.scale = load_unaligned<uint16_t>(image.data() + 1);
  std::vector<uint32_t> limbs((image.size() - 3) / sizeof(uint32_t));
  if (!limbs.empty()) std::memcpy(limbs.data(), image.data() + 3, limbs.size() * sizeof(uint32_t));
  n.magnitude = Magnitude::from_limbs(std::move(limbs));
  return n;
}

std::string Numeric::image() const {
  switch (kind) {
    case Kind::kMinusInfinity: return std::string(1, static_cast<char>(kNumericMinusInfinity));
    case Kind::kPlusInfinity: return std::string(1, static_cast<char>(kNumericPlusInfinity));
    case Kind::kNan: return std::string(1, static_cast<char>(kNumericNan));
    case Kind::kFinite: break;
  }
  UInt128 value;
  if (scale <= kNumericMaxSmallScale && magnitude.fits(value)) {
    char buffer[kMaxSmallNumericBytes];
    return std::string(buffer, write_small_numeric(negative ? -static_cast<Int128>(value) : static_cast<Int128>(value),
                                                   scale, buffer));
  }
  std::string result(3, '\0');
  result[0] = static_cast<char>(negative ? kNumericBigNegative : kNumericBigPositive);
  store_unaligned(result.data() + 1, static_cast<uint16_t>(scale));
  result.append(reinterpret_cast<const char*>(magnitude.limbs().data()), magnitude.limbs().size() * sizeof(uint32_t));
  return result;
}

int Numeric::sign() const {
  if (kind == Kind::kMinusInfinity) return -1;
  if (!finite()) return 1;
  return magnitude.is_zero() ? 0 : negative ? -1 : 1;
}

bool Numeric::is_integer() const {
  if (scale == 0 || magnitude.is_zero()) return true;
  Numeric cut = *this;
  cut.truncate(0);
  return compare(cut, *this) == 0;
}

Numeric Numeric::negated() const {
  Numeric n = *this;
  if (kind == Kind::kMinusInfinity) n.kind = Kind::kPlusInfinity;
  if (kind == Kind::kPlusInfinity) n.kind = Kind::kMinusInfinity;
  n.negative = finite() && !negative && !magnitude.is_zero();
  return n;
}

void Numeric::round(int32_t new_scale) {
  if (!finite()) return;
  if (new_scale >= scale) {
    magnitude.multiply_power_of_ten(static_cast<uint32_t>(new_scale - scale));
  } else {
    magnitude.divide_power_of_ten(static_cast<uint32_t>(scale - new_scale), Magnitude::Rounding::kHalfUp);
  }
  if (new_scale < 0) magnitude.multiply_power_of_ten(static_cast<uint32_t>(-new_scale));
  scale = std::max(new_scale, 0);
  if (magnitude.is_zero()) negative = false;
}

void Numeric::truncate(int32_t new_scale) {
  if (!finite() || new_scale >= scale) return round(new_scale);
  magnitude.divide_power_of_ten(static_cast<uint32_t>(scale - new_scale), Magnitude::Rounding::kTruncate);
  if (new_scale < 0) magnitude.multiply_power_of_ten(static_cast<uint32_t>(-new_scale));
  scale = std::max(new_scale, 0);
  if (magnitude.is_zero()) negative = false;
}

int compare(const Numeric& a, const Numeric& b) {
  if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
  if (!a.finite()) return 0;
  const int sa = a.sign(), sb = b.sign();
  if (sa != sb) return sa < sb ? -1 : 1;
  if (sa == 0) return 0;
  if (a.exponent() != b.exponent()) return (a.exponent() < b.exponent()) == (sa > 0) ? -1 : 1;
  const Aligned aligned = align(a, b);
  return sa * compare(aligned.a, aligned.b);
}

Numeric add(const Numeric& a, const Numeric& b) {
  Aligned x = align(a, b);
  if (a.negative == b.negative) return {a.negative, x.a + x.b, x.scale};
  return compare(x.a, x.b) >= 0 ? Numeric(a.negative, x.a - x.b, x.scale) : Numeric(b.negative, x.b - x.a, x.scale);
}

Numeric subtract(const Numeric& a, const Numeric& b) { return add(a, b.negated()); }

Numeric multiply(const Numeric& a, const Numeric& b) {
  return {a.negative != b.negative, a.magnitude * b.magnitude, a.scale + b.scale};
}

namespace {

// Weight and value of the first base-10000 digit, by which PostgreSQL chooses a quotient's scale.
void first_group(const Numeric& n, int32_t& weight, int32_t& digit) {
  weight = 0;
  digit = 0;
  if (n.magnitude.is_zero()) return;
  const int32_t exponent = n.exponent();
  weight = exponent >= 0 ? exponent / 4 : -((3 - exponent) / 4);
  const auto take = static_cast<uint32_t>(exponent - weight * 4 + 1);
  const uint32_t have = n.magnitude.digit_count();
  Magnitude head = n.magnitude;
  if (have > take) {
    head.divide_power_of_ten(have - take, Magnitude::Rounding::kTruncate);
  } else {
    head.multiply_power_of_ten(take - have);
  }
  digit = static_cast<int32_t>(head.limbs()[0]);
}

}  // namespace

int32_t division_scale(const Numeric& a, const Numeric& b) {
  int32_t weight_a, digit_a, weight_b, digit_b;
  first_group(a, weight_a, digit_a);
  first_group(b, weight_b, digit_b);
  int32_t weight = weight_a - weight_b;
  if (digit_a <= digit_b) weight--;
  const int32_t scale = std::max({kNumericMinSignificantDigits - weight * 4, a.scale, b.scale, 0});
  return std::min(scale, kNumericMaxDisplayScale);
}

Numeric divide(const Numeric& a, const Numeric& b, int32_t scale, bool rounded) {
  // One more digit than wanted decides the rounding.
  const int32_t shift = scale + (rounded ? 1 : 0) + b.scale - a.scale;
  Magnitude numerator = a.magnitude, denominator = b.magnitude, quotient, remainder;
  if (shift >= 0) {
    numerator.multiply_power_of_ten(static_cast<uint32_t>(shift));
  } else {
    denominator.multiply_power_of_ten(static_cast<uint32_t>(-shift));
  }
  Magnitude::divide(numerator, denominator, quotient, remainder);
  if (rounded) quotient.divide_power_of_ten(1, Magnitude::Rounding::kHalfUp);
  return {a.negative != b.negative, std::move(quotient), scale};
}

Numeric square_root(const Numeric& a, int32_t scale) {
  Magnitude m = a.magnitude;
  const int32_t shift = 2 * (scale + 1) - a.scale;
  if (shift >= 0) {
    m.multiply_power_of_ten(static_cast<uint32_t>(shift));
  } else {
    m.divide_power_of_ten(static_cast<uint32_t>(-shift), Magnitude::Rounding::kTruncate);
  }
  Magnitude root = Magnitude::square_root(m);
  root.divide_power_of_ten(1, Magnitude::Rounding::kHalfUp);
  return {false, std::move(root), scale};
}

}  // namespace indigo::types
