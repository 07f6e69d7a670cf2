// Unsigned integers of any size, base 10^9, for the slow path of numeric. Decimal limbs make scaling by powers of ten and
// printing cheap, which is what numeric does most.
// Invariant: limbs are little-endian and the last one is not zero; zero has none.
// Thread safety: values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "types/value/numeric_format.h"

namespace indigo::types {

class Magnitude {
 public:
  Magnitude() = default;
  explicit Magnitude(UInt128 value);
  static Magnitude from_limbs(std::vector<uint32_t> limbs);
  static Magnitude from_digits(std::string_view decimal_digits);
  static Magnitude power_of_ten(uint32_t exponent);

  bool is_zero() const { return limbs_.empty(); }
  const std::vector<uint32_t>& limbs() const { return limbs_; }
  uint32_t digit_count() const;     // 0 for zero
  bool fits(UInt128& value) const;  // below 10^38
  std::string digits() const;       // "0" for zero
  bool is_odd() const { return !limbs_.empty() && (limbs_[0] & 1) != 0; }

  friend int compare(const Magnitude& a, const Magnitude& b);
  friend Magnitude operator+(const Magnitude& a, const Magnitude& b);
  friend Magnitude operator-(const Magnitude& a, const Magnitude& b);  // a >= b
  friend Magnitude operator*(const Magnitude& a, const Magnitude& b);
  // b is not zero.
  static void divide(const Magnitude& a, const Magnitude& b, Magnitude& quotient, Magnitude& remainder);
  uint32_t divide_small(uint32_t divisor);  // in place; the remainder
  void multiply_power_of_ten(uint32_t exponent);
  enum class Rounding : uint8_t { kTruncate, kHalfUp };
  void divide_power_of_ten(uint32_t exponent, Rounding rounding);
  static Magnitude square_root(const Magnitude& a);  // floor

 private:
  void trim() {
    while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
  }
  Magnitude part(size_t from, size_t to) const;  // limbs [from, to)
  void add_shifted(const Magnitude& v, size_t limbs);
  static Magnitude product_of_halves(const Magnitude& a, const Magnitude& b);
  std::vector<uint32_t> limbs_;
};

}  // namespace indigo::types
