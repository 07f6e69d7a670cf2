#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "types/number/float.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

bool append_special(double value, std::string& out) {
  if (std::isnan(value)) {
    out.append("NaN");
  } else if (std::isinf(value)) {
    out.append(value < 0 ? "-Infinity" : "Infinity");
  } else {
    return false;
  }
  return true;
}

// Does the text stand exactly between this value and the next one on some side? Then reading it back depends on how ties are
// rounded, and PostgreSQL writes a digit more. `Wide` holds every such middle; below kExact there is none this short.
template <class F, class Wide>
bool is_in_the_middle(F value, const char* text) {
  Wide read;
  if constexpr (sizeof(F) == 4) {
    read = std::strtod(text, nullptr);
  } else {
    read = std::strtold(text, nullptr);
  }
  const F below = std::nextafter(value, F{0}), above = std::nextafter(value, std::copysign(F{INFINITY}, value));
  const auto middle = [&](F other) { return (static_cast<Wide>(value) + static_cast<Wide>(other)) / 2; };
  return read == middle(below) || (std::isfinite(above) && read == middle(above));
}

// d.ddde+XX with the fewest digits that read back as the value, whatever becomes of ties.
template <class F>
size_t write_shortest(F value, char* buffer, size_t size) {
  using Wide = std::conditional_t<sizeof(F) == 4, double, long double>;
  constexpr F kExact = static_cast<F>(int64_t{1} << std::numeric_limits<F>::digits);
  char* end = std::to_chars(buffer, buffer + size - 1, value, std::chars_format::scientific).ptr;
  *end = '\0';
  if (std::abs(value) < kExact || !is_in_the_middle<F, Wide>(value, buffer)) return static_cast<size_t>(end - buffer);
  size_t length = 0;
  auto digits = static_cast<int>(std::count_if(buffer, std::find(buffer, end, 'e'), is_digit));
  do {
    length = static_cast<size_t>(std::snprintf(buffer, size, "%.*e", digits, static_cast<double>(value)));
  } while (++digits < std::numeric_limits<F>::max_digits10 &&
           (static_cast<F>(std::strtod(buffer, nullptr)) != value || is_in_the_middle<F, Wide>(value, buffer)));
  return length;
}

// Fixed notation for exponents in -4 .. fixed_digits - 1, else d.ddde+XX.
template <class F>
void append_shortest(F value, int fixed_digits, std::string& out) {
  char buffer[64];
  std::string_view text(buffer, write_shortest(value, buffer, sizeof buffer));
  if (text[0] == '-') {
    out.push_back('-');
    text.remove_prefix(1);
  }
  const size_t e = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), text.data() + text.size(), exponent);
  char digits[40];
  size_t count = 0;
  for (char c : text.substr(0, e))
    if (c != '.') digits[count++] = c;
  if (value == 0) {
    out.push_back('0');
    return;
  }
  if (exponent < -4 || exponent >= fixed_digits) {
    out.push_back(digits[0]);
    if (count > 1) out.append(".").append(digits + 1, count - 1);
    out.push_back('e');
    out.push_back(exponent < 0 ? '-' : '+');
    const int magnitude = exponent < 0 ? -exponent : exponent;
    if (magnitude < 10) out.push_back('0');
    out.append(std::to_string(magnitude));
    return;
  }
  if (exponent < 0) {
    out.append("0.").append(static_cast<size_t>(-exponent - 1), '0').append(digits, count);
    return;
  }
  const size_t before = static_cast<size_t>(exponent) + 1;
  if (count <= before) {
    out.append(digits, count).append(before - count, '0');
  } else {
    out.append(digits, before).append(".").append(digits + before, count - before);
  }
}

template <class F>
void append_value(F value, int extra_digits, int precision, int fixed_digits, std::string& out) {
  if (append_special(static_cast<double>(value), out)) return;
  if (extra_digits > 0) return append_shortest(value, fixed_digits, out);
  char buffer[64];
  const int n =
      std::snprintf(buffer, sizeof buffer, "%.*g", std::max(precision + extra_digits, 1), static_cast<double>(value));
  out.append(buffer, static_cast<size_t>(n));
}

template <class F>
FloatParse parse(std::string_view text, F& out) {
  text = trim_blanks(text);
  if (text.empty()) return FloatParse::kSyntax;
  std::string_view body = text;
  bool negative = false;
  if (body[0] == '+' || body[0] == '-') {
    negative = body[0] == '-';
    body.remove_prefix(1);
    if (body.empty() || body[0] == '+' || body[0] == '-') return FloatParse::kSyntax;
  }
  if (is_digit(body[0]) || body[0] == '.') {
    auto format = std::chars_format::general;
    if (body.size() > 2 && body[0] == '0' && (body[1] == 'x' || body[1] == 'X')) {
      format = std::chars_format::hex;
      body.remove_prefix(2);
    }
    F value{};
    const auto result = std::from_chars(body.data(), body.data() + body.size(), value, format);
    if (result.ec == std::errc::result_out_of_range) return FloatParse::kRange;  // whatever follows
    if (result.ec == std::errc::invalid_argument || result.ptr != body.data() + body.size()) return FloatParse::kSyntax;
    out = negative ? -value : value;
    return FloatParse::kOk;
  }
  if (equals_ignoring_case(body, "nan")) {
    out = static_cast<F>(NAN);
  } else if (equals_ignoring_case(body, "inf") || equals_ignoring_case(body, "infinity")) {
    out = negative ? -static_cast<F>(INFINITY) : static_cast<F>(INFINITY);
  } else {
    return FloatParse::kSyntax;
  }
  return FloatParse::kOk;
}

}  // namespace

void append_double(double value, int extra_digits, std::string& out) { append_value(value, extra_digits, 15, 15, out); }
void append_float(float value, int extra_digits, std::string& out) { append_value(value, extra_digits, 6, 6, out); }
FloatParse parse_double(std::string_view text, double& out) { return parse(text, out); }
FloatParse parse_float(std::string_view text, float& out) { return parse(text, out); }

}  // namespace indigo::types
