// money: int64 hundredths; text as the C locale has it: -$1,234.50.
#include <cmath>

#include "base/sqlstate.h"
#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/io/type_definition.h"
#include "types/numeric/numeric.h"
#include "types/oids.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

Datum money_in(FuncContext& context, const TypeRef&, Str text) {
  const auto fail = [&] {
    fail_syntax(context, "money", text);
    return Datum::make_null(Phys::kI64);
  };
  Str s = trim_blanks(text);
  bool negative = false;
  const auto take = [&s](char c) {
    if (s.empty() || s[0] != c) return false;
    s.remove_prefix(1);
    return true;
  };
  if (take('$')) s = trim_blanks(s);
  if (take('-') || take('(')) {
    negative = true;
  } else {
    take('+');
  }
  s = trim_blanks(s);
  if (take('$')) s = trim_blanks(s);
  __int128 value = 0;
  int decimals = -1;  // digits after the point; -1: no point yet
  while (!s.empty()) {
    const char c = s[0];
    if (is_digit(c) && decimals < 2) {
      value = value * 10 + (c - '0');
      if (decimals >= 0) decimals++;
    } else if (c == '.' && decimals < 0) {
      decimals = 0;
    } else if (c == ',') {  // separates digits wherever it stands
    } else {
      break;
    }
    s.remove_prefix(1);
    if (value > INT64_MAX) break;
  }
  if (!s.empty() && is_digit(s[0]) && decimals == 2 && s[0] >= '5') value++;
  while (!s.empty() && is_digit(s[0])) s.remove_prefix(1);
  for (int i = std::max(decimals, 0); i < 2; i++) value *= 10;
  while (!s.empty() && (is_blank(s[0]) || s[0] == ')' || s[0] == '-' || s[0] == '+' || s[0] == '$')) {
    if (s[0] == '-') negative = true;
    s.remove_prefix(1);
  }
  if (!s.empty()) return fail();  // without a digit it is zero
  if (negative) value = -value;
  if (value > INT64_MAX || value < INT64_MIN) {
    fail_value_range(context, "money", text);
    return Datum::make_null(Phys::kI64);
  }
  return Datum::of(static_cast<int64_t>(value));
}

void money_out(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  const bool negative = d.i64 < 0;
  uint64_t v = negative ? -static_cast<uint64_t>(d.i64) : static_cast<uint64_t>(d.i64);
  std::string text;
  for (int i = 0; i < 2; i++, v /= 10) text.insert(text.begin(), static_cast<char>('0' + v % 10));
  text.insert(text.begin(), '.');
  int digits = 0;
  do {
    if (digits > 0 && digits % 3 == 0) text.insert(text.begin(), ',');
    text.insert(text.begin(), static_cast<char>('0' + v % 10));
    v /= 10;
    digits++;
  } while (v != 0);
  out.append(negative ? "-$" : "$").append(text);
}
Datum money_receive(FuncContext& context, const TypeRef&, Str bytes) {
  uint64_t v = 0;
  if (!receive_integer(context, bytes, v)) return Datum::make_null(Phys::kI64);
  return Datum::of(static_cast<int64_t>(v));
}
void money_send(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  send_integer(static_cast<uint64_t>(d.i64), out);
}

int64_t plus(FuncContext& context, int64_t a, int64_t b) {
  int64_t r = 0;
  if (__builtin_add_overflow(a, b, &r)) context.fail(sqlstate::kNumericValueOutOfRange, "money out of range");
  return r;
}
int64_t minus(FuncContext& context, int64_t a, int64_t b) {
  int64_t r = 0;
  if (__builtin_sub_overflow(a, b, &r)) context.fail(sqlstate::kNumericValueOutOfRange, "money out of range");
  return r;
}
int64_t rounded(FuncContext& context, double v, bool overflow) {
  if (overflow && std::isinf(v)) {
    context.fail(sqlstate::kNumericValueOutOfRange, "value out of range: overflow");
    return 0;
  }
  const double r = std::rint(v);
  if (!(r >= -9223372036854775808.0 && r < 9223372036854775808.0)) {
    context.fail(sqlstate::kNumericValueOutOfRange, "money out of range");
    return 0;
  }
  return static_cast<int64_t>(r);
}
template <class T>
int64_t times(FuncContext& context, int64_t a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return rounded(context, static_cast<double>(a) * static_cast<double>(b), !std::isinf(b));
  } else {
    int64_t r = 0;
    if (__builtin_mul_overflow(a, static_cast<int64_t>(b), &r))
      context.fail(sqlstate::kNumericValueOutOfRange, "money out of range");
    return r;
  }
}
template <class T>
int64_t times_reversed(FuncContext& context, T a, int64_t b) {
  return times<T>(context, b, a);
}
template <class T>
int64_t over(FuncContext& context, int64_t a, T b) {
  if (b == 0) {
    fail_division_by_zero(context);
    return 0;
  }
  if constexpr (std::is_floating_point_v<T>) {
    return rounded(context, static_cast<double>(a) / static_cast<double>(b), true);
  } else {
    if (b == -1) return minus(context, 0, a);
    return a / static_cast<int64_t>(b);
  }
}
double ratio(FuncContext& context, int64_t a, int64_t b) {
  if (b == 0) {
    fail_division_by_zero(context);
    return 0;
  }
  return static_cast<double>(a) / static_cast<double>(b);
}
Str to_numeric(FuncContext& context, int64_t v) { return small_numeric_image(context, v, 2); }
int64_t from_numeric(FuncContext& context, Str image) {
  const Numeric n = Numeric::from_image(image);
  if (!n.finite()) {
    context.fail(sqlstate::kFeatureNotSupported,
                 std::string("cannot convert ") + (n.kind == Numeric::Kind::kNan ? "NaN" : "infinity") + " to bigint");
    return 0;
  }
  int64_t v = 0;
  if (!numeric_to_int64(numeric_multiply(context, image, numeric_image(context, 100)), v)) fail_int8_range(context);
  return v;
}
template <class T>
int64_t from_integer(FuncContext& context, T v) {
  int64_t r = 0;
  if (__builtin_mul_overflow(int64_t{v}, int64_t{100}, &r)) fail_int8_range(context);
  return r;
}

// ---- cash_words
std::string small_words(int64_t v) {
  static constexpr const char* kWords[] = {
      "zero", "one",    "two",    "three",    "four",     "five",    "six",     "seven",     "eight",    "nine",
      "ten",  "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
  static constexpr const char* kTens[] = {"",      "",      "twenty",  "thirty", "forty",
                                          "fifty", "sixty", "seventy", "eighty", "ninety"};
  std::string out;
  if (v >= 100) {
    out = std::string(kWords[v / 100]) + " hundred";
    v %= 100;
    if (v == 0) return out;
    out += v < 20 ? " and " : " ";
  }
  if (v < 20) return out + kWords[v];
  out += kTens[v / 10];
  return v % 10 == 0 ? out : out + " " + kWords[v % 10];
}
std::string words(int64_t v) {
  const bool negative = v < 0;
  const uint64_t all = negative ? -static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
  const uint64_t cents = all % 100;
  uint64_t dollars = all / 100;
  std::string out = negative ? "minus " : "";
  constexpr std::pair<uint64_t, const char*> kScales[] = {{1000000000000000, " quadrillion "},
                                                          {1000000000000, " trillion "},
                                                          {1000000000, " billion "},
                                                          {1000000, " million "},
                                                          {1000, " thousand "}};
  const uint64_t whole = dollars;
  for (const auto& [scale, name] : kScales) {
    if (dollars < scale) continue;
    out += small_words(static_cast<int64_t>(dollars / scale)) + name;
    dollars %= scale;
  }
  if (dollars > 0) out += small_words(static_cast<int64_t>(dollars));
  if (whole == 0) out += "zero";
  while (!out.empty() && out.back() == ' ') out.pop_back();
  out += whole == 1 ? " dollar and " : " dollars and ";
  out += small_words(static_cast<int64_t>(cents)) + (cents == 1 ? " cent" : " cents");
  out[0] = ascii_upper(out[0]);
  return out;
}

const TypeDefinition kMoneyTypes[] = {
    {oid::kMoney, money_in, money_out, money_receive, money_send, Phys::kI64, &kI64Order, KeyForm::kI64}};

const ScalarEntry kMoneyEntries[] = {
    {"cash_pl", kernel<plus>},
    {"cash_mi", kernel<minus>},
    {"cash_mul_int2", kernel<times<int16_t>>},
    {"cash_mul_int4", kernel<times<int32_t>>},
    {"cash_mul_int8", kernel<times<int64_t>>},
    {"cash_mul_flt4", kernel<times<float>>},
    {"cash_mul_flt8", kernel<times<double>>},
    {"int2_mul_cash", kernel<times_reversed<int16_t>>},
    {"int4_mul_cash", kernel<times_reversed<int32_t>>},
    {"int8_mul_cash", kernel<times_reversed<int64_t>>},
    {"flt4_mul_cash", kernel<times_reversed<float>>},
    {"flt8_mul_cash", kernel<times_reversed<double>>},
    {"cash_div_int2", kernel<over<int16_t>>},
    {"cash_div_int4", kernel<over<int32_t>>},
    {"cash_div_int8", kernel<over<int64_t>>},
    {"cash_div_flt4", kernel<over<float>>},
    {"cash_div_flt8", kernel<over<double>>},
    {"cash_div_cash", kernel<ratio>},
    {"cash_numeric", kernel<to_numeric>},
    {"numeric_cash", kernel<from_numeric>},
    {"int4_cash", kernel<from_integer<int32_t>>},
    {"int8_cash", kernel<from_integer<int64_t>>},
    {"cash_words", kernel<words>},
};

}  // namespace

std::span<const TypeDefinition> money_types() { return kMoneyTypes; }
std::span<const ScalarEntry> money_functions() { return kMoneyEntries; }

}  // namespace indigo::types
