// The bytes of a numeric value, as rows, keys and functions hold it: an exact decimal, mantissa x 10^-scale.
//
//   special   one byte: kNumericNan, kNumericMinusInfinity, kNumericPlusInfinity
//   small     byte 0 is the scale (0..127); then the mantissa, little-endian two's complement, as few bytes as it needs
//             (zero needs none, at most 16). |mantissa| < 10^38.
//   big       byte 0 is kNumericBigPositive or kNumericBigNegative; uint16 scale; then the magnitude as little-endian
//             uint32 limbs of base 10^9, the last one not zero.
//
// Invariants: 1. a value that fits `small` is never `big`, so (value, scale) has one image.
//             2. Equal values of different scales (1.0 and 1) have different images: compare with functions or keys.
// Arithmetic is types/numeric.h's. Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "base/bytes.h"
#include "types/value/physical.h"

namespace indigo {

using Int128 = __int128;
using UInt128 = unsigned __int128;

inline constexpr uint8_t kNumericMaxSmallScale = 127;
inline constexpr uint8_t kNumericBigPositive = 0x80;
inline constexpr uint8_t kNumericBigNegative = 0x81;
inline constexpr uint8_t kNumericMinusInfinity = 0xF0;
inline constexpr uint8_t kNumericPlusInfinity = 0xF1;
inline constexpr uint8_t kNumericNan = 0xF2;
inline constexpr uint32_t kNumericLimbBase = 1'000'000'000;

inline bool numeric_is_special(Str image) { return static_cast<uint8_t>(image[0]) >= kNumericMinusInfinity; }
inline bool numeric_is_small(Str image) { return static_cast<uint8_t>(image[0]) <= kNumericMaxSmallScale; }

// The mantissa of a small image. By loads that overlap, not by a copy of as many bytes as there are: what was copied so could
// not be read at once.
inline Int128 numeric_small_mantissa(Str image) {
  const char* p = image.data() + 1;
  const size_t n = image.size() - 1;
  if (n == 0) return 0;
  uint64_t low = 0;
  if (n <= 8) {
    if (n >= 4) {
      low = load_unaligned<uint32_t>(p) | uint64_t{load_unaligned<uint32_t>(p + n - 4)} << (8 * (n - 4));
    } else if (n >= 2) {
      low = load_unaligned<uint16_t>(p) | uint64_t{load_unaligned<uint16_t>(p + n - 2)} << (8 * (n - 2));
    } else {
      low = static_cast<uint8_t>(*p);
    }
    const int shift = static_cast<int>(64 - 8 * n);
    return static_cast<int64_t>(low << shift) >> shift;
  }
  uint64_t high = 0;
  std::memcpy(&low, p, 8);
  std::memcpy(&high, p + 8, n - 8);
  const int shift = static_cast<int>(128 - 8 * n);
  const auto signed_high = static_cast<int64_t>(high << shift) >> shift;
  return static_cast<Int128>((static_cast<UInt128>(static_cast<uint64_t>(signed_high)) << 64) | low);
}

// A finite value as sign, decimal digits without leading or trailing zeros, and the power of ten of the first digit:
// 120.5 is digits "1205", exponent 2. Zero has no digits.
struct DecimalDigits {
  bool negative = false;
  int32_t exponent = 0;
  std::string digits;
};
DecimalDigits numeric_digits(Str image);

}  // namespace indigo
