// Exact decimals: PostgreSQL's numeric with its rules for the scale of results and for rounding (half away from zero).
//
// Two forms meet here. Images (types/value/numeric_format.h) are what vectors hold; nearly all of them are small, and the
// functions over images below take them through 128-bit integers without allocation. Numeric is the unpacked form of any
// value, for the slow paths and for what is rarely called.
// Results' images are in the context's arena; failures go to the context (22003 "value overflows numeric format", 22012).
// Thread safety: values and pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "types/function/context.h"
#include "types/numeric/magnitude.h"
#include "types/value/numeric_format.h"

namespace indigo::types {

inline constexpr int32_t kNumericMaxScale = 16383;           // digits after the point
inline constexpr int32_t kNumericMaxIntegerDigits = 131072;  // digits before it
inline constexpr int32_t kNumericMaxDisplayScale = 1000;
inline constexpr int32_t kNumericMinSignificantDigits = 16;

struct Numeric {
  enum class Kind : uint8_t { kMinusInfinity, kFinite, kPlusInfinity, kNan };
  Kind kind = Kind::kFinite;
  bool negative = false;  // false for zero
  int32_t scale = 0;
  Magnitude magnitude;

  Numeric() = default;
  explicit Numeric(int64_t value);
  Numeric(bool is_negative, Magnitude m, int32_t s)
      : negative(is_negative && !m.is_zero()), scale(s), magnitude(std::move(m)) {}
  static Numeric special(Kind kind) {
    Numeric n;
    n.kind = kind;
    return n;
  }
  static Numeric from_image(Str image);
  std::string image() const;

  bool finite() const { return kind == Kind::kFinite; }
  bool is_zero() const { return finite() && magnitude.is_zero(); }
  int sign() const;  // -1, 0, 1 (NaN: 1)
  // Power of ten of the first digit; undefined for zero.
  int32_t exponent() const { return static_cast<int32_t>(magnitude.digit_count()) - 1 - scale; }
  bool is_integer() const;
  Numeric negated() const;

  // Changes the scale, rounding half away from zero or cutting off. A negative scale rounds before the point and leaves
  // scale 0.
  void round(int32_t new_scale);
  void truncate(int32_t new_scale);
};

// ---- slow-path arithmetic on finite values
int compare(const Numeric& a, const Numeric& b);  // any values; NaN above all, equal to itself
Numeric add(const Numeric& a, const Numeric& b);
Numeric subtract(const Numeric& a, const Numeric& b);
Numeric multiply(const Numeric& a, const Numeric& b);
int32_t division_scale(const Numeric& a, const Numeric& b);
Numeric divide(const Numeric& a, const Numeric& b, int32_t scale, bool rounded);  // b is not zero
Numeric square_root(const Numeric& a, int32_t scale);

// ---- text, in numeric_text.cpp
// Accepts PostgreSQL's numeric syntax, surrounding blanks included.
enum class NumericParse : uint8_t { kOk, kSyntax, kOverflow };
NumericParse parse_numeric(std::string_view text, Numeric& out);
// Fast path of the same: a small image into `buffer` (at least 20 bytes); 0 when it needs the slow path.
size_t parse_small_numeric(std::string_view text, char* buffer);
void append_numeric_text(Str image, std::string& out);
std::string numeric_text(const Numeric& n);

// ---- images
inline constexpr size_t kMaxSmallNumericBytes = 17;
// Writes a small image; |mantissa| < 10^38, scale <= kNumericMaxSmallScale.
inline size_t write_small_numeric(Int128 mantissa, int32_t scale, char* to) {
  to[0] = static_cast<char>(scale);
  std::memcpy(to + 1, &mantissa, sizeof mantissa);
  if (mantissa == 0) return 1;
  const auto low = static_cast<int64_t>(mantissa);
  if (low == mantissa) {
    const uint64_t bits = static_cast<uint64_t>(low < 0 ? ~low : low);
    const int used = bits == 0 ? 1 : 65 - __builtin_clzll(bits);  // with the sign bit
    return 1 + static_cast<size_t>(used + 7) / 8;
  }
  const UInt128 bits = static_cast<UInt128>(mantissa < 0 ? ~mantissa : mantissa);
  const auto high = static_cast<uint64_t>(bits >> 64);
  const int used = high == 0 ? 65 : 129 - __builtin_clzll(high);
  return 1 + static_cast<size_t>(used + 7) / 8;
}
Str small_numeric_image(FuncContext& context, Int128 mantissa, int32_t scale);
Str numeric_image(FuncContext& context, int64_t value);
// Fails when the value is too large for the format; cuts the scale to kNumericMaxScale.
Str numeric_image(FuncContext& context, Numeric n);

int numeric_compare(Str a, Str b);
Str numeric_add(FuncContext& context, Str a, Str b);
Str numeric_subtract(FuncContext& context, Str a, Str b);
Str numeric_multiply(FuncContext& context, Str a, Str b);
Str numeric_divide(FuncContext& context, Str a, Str b);
Str numeric_modulo(FuncContext& context, Str a, Str b);
Str numeric_negate(FuncContext& context, Str a);
Str numeric_round_to(FuncContext& context, Str a, int32_t scale);
Str numeric_truncate_to(FuncContext& context, Str a, int32_t scale);
uint64_t numeric_hash(Str a);
// The declared precision and scale, if any.
Str numeric_apply_typmod(FuncContext& context, Str image, int32_t typmod);
double numeric_to_double(Str image);
Str double_to_numeric(FuncContext& context, double value);
Str float_to_numeric(FuncContext& context, float value);
// Rounded to an integer. False: out of range (or not finite).
bool numeric_to_int64(Str image, int64_t& out);

// 10^exponent; exponent <= 38.
UInt128 power_of_ten_128(uint32_t exponent);
uint32_t digit_count_128(UInt128 value);  // 0 for zero
inline constexpr UInt128 kNumericSmallLimit =
    static_cast<UInt128>(10'000'000'000'000'000'000ull) * 10'000'000'000'000'000'000ull;

// ---- transcendental functions, in transcendental.cpp. Correctly rounded to `scale`.
Numeric exp_numeric(const Numeric& x, int32_t scale);
Numeric ln_numeric(const Numeric& x, int32_t scale);  // x > 0

}  // namespace indigo::types
