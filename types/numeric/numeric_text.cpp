// Numeric's text form.
#include <algorithm>

#include "types/numeric/numeric.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

bool is_word(std::string_view text, std::string_view lower_word) {
  return std::equal(text.begin(), text.end(), lower_word.begin(), lower_word.end(),
                    [](char a, char b) { return ascii_lower(a) == b; });
}

void place_point(std::string digits, int32_t scale, bool negative, std::string& out) {
  if (negative) out.push_back('-');
  if (scale == 0) {
    out.append(digits);
    return;
  }
  if (digits.size() <= static_cast<size_t>(scale))
    digits.insert(0, static_cast<size_t>(scale) + 1 - digits.size(), '0');
  const size_t point = digits.size() - static_cast<size_t>(scale);
  out.append(digits, 0, point).push_back('.');
  out.append(digits, point);
}

}  // namespace

size_t parse_small_numeric(std::string_view text, char* buffer) {
  size_t i = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) i++;
  uint64_t mantissa = 0;
  int32_t scale = 0, digits = 0;
  bool point = false;
  if (text.size() - i > 19) return 0;
  for (; i < text.size(); i++) {
    const char c = text[i];
    if (is_digit(c)) {
      mantissa = mantissa * 10 + static_cast<uint64_t>(c - '0');
      digits++;
      scale += point;
    } else if (c == '.' && !point) {
      point = true;
    } else {
      return 0;
    }
  }
  if (digits == 0 || digits > 18) return 0;
  return write_small_numeric(negative ? -static_cast<Int128>(mantissa) : static_cast<Int128>(mantissa), scale, buffer);
}

NumericParse parse_numeric(std::string_view text, Numeric& out) {
  text = trim_blanks(text);
  std::string_view rest = text;
  bool negative = false;
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) {
    negative = rest[0] == '-';
    rest.remove_prefix(1);
  }
  if (rest.empty()) return NumericParse::kSyntax;
  if (!is_digit(rest[0]) && rest[0] != '.') {
    if (is_word(rest, "nan") && rest.size() == text.size()) {
      out = Numeric::special(Numeric::Kind::kNan);
    } else if (is_word(rest, "inf") || is_word(rest, "infinity")) {
      out = Numeric::special(negative ? Numeric::Kind::kMinusInfinity : Numeric::Kind::kPlusInfinity);
    } else {
      return NumericParse::kSyntax;
    }
    return NumericParse::kOk;
  }
  std::string digits;
  int64_t scale = 0;
  bool point = false;
  size_t i = 0;
  for (; i < rest.size(); i++) {
    if (is_digit(rest[i])) {
      digits.push_back(rest[i]);
      scale += point;
    } else if (rest[i] == '.' && !point) {
      point = true;
    } else {
      break;
    }
  }
  if (digits.empty()) return NumericParse::kSyntax;
  if (i < rest.size() && (rest[i] == 'e' || rest[i] == 'E')) {
    i++;
    bool minus = false;
    if (i < rest.size() && (rest[i] == '-' || rest[i] == '+')) minus = rest[i++] == '-';
    if (i == rest.size() || !is_digit(rest[i])) return NumericParse::kSyntax;
    int64_t exponent = 0;
    for (; i < rest.size() && is_digit(rest[i]); i++)
      exponent = std::min<int64_t>(exponent * 10 + (rest[i] - '0'), INT32_MAX);
    // PostgreSQL's own limit on exponents.
    if (exponent >= INT32_MAX / 2) return i == rest.size() ? NumericParse::kOverflow : NumericParse::kSyntax;
    scale += minus ? exponent : -exponent;
  }
  if (i != rest.size()) return NumericParse::kSyntax;
  out = Numeric();
  out.magnitude = Magnitude::from_digits(digits);
  if (!out.magnitude.is_zero()) {
    if (out.magnitude.digit_count() - scale > kNumericMaxIntegerDigits) return NumericParse::kOverflow;
    if (scale < 0) out.magnitude.multiply_power_of_ten(static_cast<uint32_t>(-scale));
  }
  out.scale = static_cast<int32_t>(std::max<int64_t>(scale, 0));
  out.negative = negative && !out.magnitude.is_zero();
  return out.scale > kNumericMaxScale ? NumericParse::kOverflow : NumericParse::kOk;
}

std::string numeric_text(const Numeric& n) {
  switch (n.kind) {
    case Numeric::Kind::kMinusInfinity: return "-Infinity";
    case Numeric::Kind::kPlusInfinity: return "Infinity";
    case Numeric::Kind::kNan: return "NaN";
    case Numeric::Kind::kFinite: break;
  }
  std::string text;
  place_point(n.magnitude.digits(), n.scale, n.negative, text);
  return text;
}

void append_numeric_text(Str image, std::string& out) {
  if (numeric_is_small(image)) {
    const Int128 m = numeric_small_mantissa(image);
    const int32_t scale = static_cast<uint8_t>(image[0]);
    const bool negative = m < 0;
    const auto magnitude = static_cast<UInt128>(negative ? -m : m);
    if (magnitude <= UINT64_MAX && scale <= 20) {
      char buffer[48];
      char* at = buffer + sizeof buffer;
      auto rest = static_cast<uint64_t>(magnitude);
      for (int32_t i = 0; i < scale; i++, rest /= 10) *--at = static_cast<char>('0' + rest % 10);
      if (scale > 0) *--at = '.';
      do {
        *--at = static_cast<char>('0' + rest % 10);
        rest /= 10;
      } while (rest != 0);
      if (negative) *--at = '-';
      out.append(at, static_cast<size_t>(buffer + sizeof buffer - at));
      return;
    }
  }
  out.append(numeric_text(Numeric::from_image(image)));
}

}  // namespace indigo::types
