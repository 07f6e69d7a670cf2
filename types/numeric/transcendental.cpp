// exp and ln by fixed-point series with guard digits.
#include <algorithm>

#include "types/numeric/numeric.h"

namespace indigo::types {

namespace {

// A fixed-point number is a signed mantissa over 10^places.
struct Fixed {
  Magnitude m;
  bool negative = false;
};

Magnitude scaled_product(const Magnitude& a, const Magnitude& b, uint32_t places) {
  Magnitude product = a * b;
  product.divide_power_of_ten(places, Magnitude::Rounding::kHalfUp);
  return product;
}
Magnitude scaled_quotient(Magnitude a, const Magnitude& b, uint32_t places) {
  a.multiply_power_of_ten(places);
  Magnitude quotient, remainder;
  Magnitude::divide(a, b, quotient, remainder);
  return quotient;
}

// 2 atanh(numerator / denominator) for a small ratio.
Magnitude twice_atanh(const Magnitude& ratio, uint32_t places) {
  const Magnitude square = scaled_product(ratio, ratio, places);
  Magnitude power = ratio, sum = ratio;
  for (uint32_t k = 3; !power.is_zero(); k += 2) {
    power = scaled_product(power, square, places);
    Magnitude term = power;
    term.divide_small(k);
    if (term.is_zero()) break;
    sum = sum + term;
  }
  return sum + sum;
}

Magnitude ln_ten(uint32_t places) {
  // ln 10 = 3 ln 2 + ln 1.25, by atanh(1/3) and atanh(1/9)
  const Magnitude one = Magnitude::power_of_ten(places);
  Magnitude third = one, ninth = one;
  third.divide_small(3);
  ninth.divide_small(9);
  const Magnitude ln2 = twice_atanh(third, places);
  return ln2 + ln2 + ln2 + twice_atanh(ninth, places);
}

}  // namespace

Numeric exp_numeric(const Numeric& x, int32_t scale) {
  // |x| is at most 6000 here. e^x = (e^(x / 2^k))^(2^k); each squaring doubles the relative error, and a result of d
  // digits before the point needs d more digits inside.
  const double approximate = std::strtod(numeric_text(x).c_str(), nullptr);
  const int32_t weight = static_cast<int32_t>(approximate * 0.4342944819032518);
  const auto places = static_cast<uint32_t>(std::max(scale + std::max(weight, 0) * 2 + 30, 30));
  Numeric argument = x;
  argument.round(static_cast<int32_t>(places));
  Magnitude reduced = argument.magnitude;
  uint32_t halvings = 0;
  const Magnitude small = Magnitude::power_of_ten(places - 3);
  while (compare(reduced, small) > 0) {
    reduced.divide_small(2);
    halvings++;
  }
  Magnitude term = Magnitude::power_of_ten(places), sum = term;
  for (uint32_t k = 1; !term.is_zero(); k++) {
    term = scaled_product(term, reduced, places);
    term.divide_small(k);
    sum = sum + term;
  }
  for (uint32_t i = 0; i < halvings; i++) sum = scaled_product(sum, sum, places);
  if (x.negative) sum = scaled_quotient(Magnitude::power_of_ten(places), sum, places);
  Numeric result(false, std::move(sum), static_cast<int32_t>(places));
  result.round(scale);
  return result;
}

Numeric ln_numeric(const Numeric& x, int32_t scale) {
  // x = m x 10^e with m in [0.3, 3.2); m's root is taken until it is near 1; then ln m = 2 atanh((m - 1) / (m + 1)).
  int32_t exponent = x.exponent();
  Magnitude m = x.magnitude;
  const uint32_t digits = m.digit_count();
  // A value near 1 has a small logarithm: its digits count in full. Precision follows the argument's.
  const auto places = static_cast<uint32_t>(std::max(scale, 0)) + 30 +
                      static_cast<uint32_t>(exponent == 0 || exponent == -1 ? std::max(x.scale, 0) : 0);
  if (digits - 1 <= places) {
    m.multiply_power_of_ten(places - (digits - 1));
  } else {
    m.divide_power_of_ten(digits - 1 - places, Magnitude::Rounding::kHalfUp);
  }
  const Magnitude one = Magnitude::power_of_ten(places);
  if (compare(m, one + one + one) > 0) {
    m.divide_power_of_ten(1, Magnitude::Rounding::kHalfUp);
    exponent++;
  }
  uint32_t roots = 0;
  const Magnitude near = Magnitude::power_of_ten(places - 2) + one;   // 1.01
  const Magnitude below = one - Magnitude::power_of_ten(places - 2);  // 0.99
  while (compare(m, near) > 0 || compare(m, below) < 0) {
    m.multiply_power_of_ten(places);
    m = Magnitude::square_root(m);
    roots++;
  }
  const bool negative = compare(m, one) < 0;
  const Magnitude difference = negative ? one - m : m - one;
  Magnitude sum = twice_atanh(scaled_quotient(difference, m + one, places), places);
  for (uint32_t i = 0; i < roots; i++) sum = sum + sum;
  Numeric result(negative, std::move(sum), static_cast<int32_t>(places));
  if (exponent != 0) {
    const Numeric tens(false, ln_ten(places), static_cast<int32_t>(places));
    result = add(result, multiply(tens, Numeric(exponent)));
  }
  result.round(scale);
  return result;
}

}  // namespace indigo::types
