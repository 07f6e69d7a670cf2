// to_char of numbers, and to_number.
#include <algorithm>
#include <cmath>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/datetime/template.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/number/number_template.h"
#include "types/numeric/numeric.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

using SignPlace = NumberTemplate::SignPlace;

// A number cut to the template: digits before and after the point, both without sign.
struct Digits {
  bool negative = false;
  std::string before, after;
};

class Writer {
 public:
  Writer(const NumberTemplate& t, Digits d) : t_(t), d_(std::move(d)) {
    if (static_cast<int32_t>(d_.before.size()) > t_.before) {
      d_.before.assign(static_cast<size_t>(t_.before), '#');
      d_.after.assign(d_.after.size(), '#');
      overflow_ = true;
    }
    lead_ = t_.before - static_cast<int32_t>(d_.before.size());
    // A lone zero before a fraction is not shown, unless a 0 asks for it.
    hidden_zero_ = d_.before == "0" && t_.after > 0 && t_.first_zero < 0 && lead_ >= 0;
    kept_ = static_cast<int32_t>(d_.after.size());
    if (t_.fill && t_.point) {
      const size_t last = d_.after.find_last_not_of('0');
      kept_ = last == std::string::npos ? 0 : static_cast<int32_t>(last) + 1;
      kept_ = std::min(std::max(kept_, t_.last_zero - t_.before + 1), static_cast<int32_t>(d_.after.size()));
    }
    // What writes the sign elsewhere, or nowhere.
    sign_done_ = t_.minus || (t_.fill && !d_.negative && t_.sign == SignPlace::kNone && !t_.plus);
    if (t_.brackets && t_.fill && !d_.negative) brackets_ = false;
  }

  std::string write() {
    for (const NumberNode& n : t_.nodes) {
      note_work(32);
      put(n);
    }
    return std::move(out_);
  }

 private:
  void put(const NumberNode& n) {
    switch (n.token) {
      case NumberToken::kText: out_.append(n.text); break;
      case NumberToken::kNine:
      case NumberToken::kZero: digit(n.token == NumberToken::kZero); break;
      case NumberToken::kPoint: point(); break;
      case NumberToken::kComma:
        if (shown_) {
          out_.push_back(',');
        } else if (!t_.fill) {
          out_.push_back(' ');
        }
        break;
      case NumberToken::kMinus:
        if (d_.negative) {
          out_.push_back('-');
        } else if (!t_.fill) {
          out_.push_back(' ');
        }
        break;
      case NumberToken::kPlus:
        if (!d_.negative) {
          out_.push_back('+');
        } else if (!t_.fill) {
          out_.push_back(' ');
        }
        break;
      case NumberToken::kSignAnywhere: out_.push_back(d_.negative ? '-' : '+'); break;
      case NumberToken::kOrdinal:
        if (!overflow_ && !d_.negative && !t_.point)
          out_.append(ordinal_suffix(std::atoll(d_.before.c_str()), n.lower));
        break;
      case NumberToken::kCurrency: out_.push_back(' '); break;
      default: break;
    }
  }

  void sign() {
    if (sign_done_) return;
    if (t_.sign == SignPlace::kAfter) return;
    sign_done_ = true;
    if (t_.sign == SignPlace::kBefore) {
      out_.push_back(d_.negative ? '-' : '+');
    } else if (t_.brackets && brackets_) {
      out_.push_back(d_.negative ? '<' : ' ');
    } else if (d_.negative) {
      out_.push_back('-');
    } else if (!t_.fill) {
      out_.push_back(' ');
    }
  }
  void finish() {
    if (t_.brackets && brackets_) {
      out_.push_back(d_.negative ? '>' : ' ');
    } else if (t_.sign == SignPlace::kAfter) {
      out_.push_back(d_.negative ? '-' : '+');
    }
  }

  void digit(bool zero_token) {
    const int32_t i = position_++;
    shown_ = false;
    if (i < t_.before) {
      const bool from_zero = t_.first_zero >= 0 && i >= t_.first_zero;
      if (i < lead_) {
        if (from_zero) {
          sign();
          out_.push_back('0');
          shown_ = true;
        } else if (!t_.fill) {
          out_.push_back(' ');
        }
      } else if (hidden_zero_) {
        if (!t_.fill) {
          out_.push_back(' ');
        } else if (kept_ == 0) {
          sign();
          out_.push_back('0');
        }
      } else {
        sign();
        out_.push_back(d_.before[static_cast<size_t>(i - lead_)]);
        shown_ = true;
      }
    } else {
      const auto k = static_cast<size_t>(i - t_.before);
      if (k < static_cast<size_t>(kept_) || (zero_token && k < d_.after.size())) {
        sign();
        out_.push_back(d_.after[k]);
        shown_ = true;
      }
    }
    if (position_ == t_.before + t_.after) finish();
  }
  // Without digits after it there is no point, but for what does not fit.
  void point() {
    shown_ = false;
    if (d_.after.empty() && !overflow_) return;
    sign();
    out_.push_back('.');
  }

  const NumberTemplate& t_;
  Digits d_;
  int32_t lead_ = 0, kept_ = 0, position_ = 0;
  bool overflow_ = false, hidden_zero_ = false, sign_done_ = false, shown_ = false, brackets_ = true;
  std::string out_;
};

std::string roman(int64_t n, bool lower, bool fill) {
  std::string out;
  if (n < 1 || n > 3999) {
    out.assign(15, '#');
  } else {
    constexpr std::pair<int, const char*> kParts[] = {{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"},
                                                      {90, "XC"},  {50, "L"},   {40, "XL"}, {10, "X"},   {9, "IX"},
                                                      {5, "V"},    {4, "IV"},   {1, "I"}};
    for (const auto& [value, letters] : kParts)
      for (; n >= value; n -= value) out.append(letters);
    if (lower) out = to_lower(out);
  }
  if (!fill && out.size() < 15) out.insert(0, 15 - out.size(), ' ');
  return out;
}

// d.ddde+XX with `after` digits; what has no exponent form is shown as #.
std::string scientific(const NumberTemplate& t, const Numeric& n) {
  if (!n.finite()) {
    std::string out = " ";
    out.append(static_cast<size_t>(t.before), '#').append(".").append(static_cast<size_t>(t.after), '#').append("####");
    return out;
  }
  Numeric shifted = n;
  int32_t exponent = n.is_zero() ? 0 : n.exponent();
  shifted.scale += exponent;
  if (shifted.scale < 0) {
    shifted.magnitude.multiply_power_of_ten(static_cast<uint32_t>(-shifted.scale));
    shifted.scale = 0;
  }
  shifted.round(t.after);
  std::string text = numeric_text(shifted);
  if (text[0] != '-') text.insert(0, " ");
  char suffix[16];
  std::snprintf(suffix, sizeof suffix, "e%c%02d", exponent < 0 ? '-' : '+', std::abs(exponent));
  return text + suffix;
}

// `after_limit`: digits after the point that the number's type can tell, -1 for all.
std::string number_text(const NumberTemplate& t, Numeric n, int32_t after_limit) {
  for (const NumberNode& node : t.nodes)
    if (node.token == NumberToken::kRoman) {
      Numeric rounded = n;
      rounded.round(0);
      int64_t v = 0;
      if (!rounded.finite() || !numeric_to_int64(rounded.image(), v)) v = 0;
      return roman(v, node.lower, t.fill);
    }
  if (t.exponent) return scientific(t, n);
  Digits d;
  d.negative = n.sign() < 0;
  if (!n.finite()) {
    d.before = numeric_text(n);
    if (d.negative) d.before.erase(0, 1);
    if (static_cast<int32_t>(d.before.size()) > t.before) d.after.assign(static_cast<size_t>(t.after), '0');
    return Writer(t, std::move(d)).write();
  }
  if (t.shift > 0) n = multiply(n, Numeric(false, Magnitude::power_of_ten(static_cast<uint32_t>(t.shift)), 0));
  const int32_t after = after_limit < 0 ? t.after : std::min(t.after, after_limit);
  n.round(after);
  d.negative = n.sign() < 0;
  n.negative = false;
  const std::string text = numeric_text(n);
  const size_t point = text.find('.');
  d.before = text.substr(0, point);
  if (point != std::string::npos) d.after = text.substr(point + 1);
  return Writer(t, std::move(d)).write();
}

struct Cached {
  std::string format;
  NumberTemplate parsed;
};
const NumberTemplate* template_of(FuncContext& context, Str format) {
  auto& cached = context.cached<Cached>();
  if (cached.format != format || cached.parsed.nodes.empty()) {
    cached.parsed = NumberTemplate();
    cached.format = format;
    if (!parse_number_template(context, cached.format, cached.parsed)) {
      cached.format.clear();
      cached.parsed = NumberTemplate();
      return nullptr;
    }
  }
  return &cached.parsed;
}

std::string numeric_to_char(FuncContext& context, Str v, Str format) {
  const NumberTemplate* t = template_of(context, format);
  return t == nullptr ? std::string() : number_text(*t, Numeric::from_image(v), -1);
}
template <class T>
std::string integer_to_char(FuncContext& context, T v, Str format) {
  const NumberTemplate* t = template_of(context, format);
  if (t == nullptr) return {};
  const auto is_roman = [](const NumberNode& n) { return n.token == NumberToken::kRoman; };
  if (int64_t{v} != static_cast<int32_t>(v) && std::any_of(t->nodes.begin(), t->nodes.end(), is_roman)) {
    context.fail(sqlstate::kNumericValueOutOfRange, "integer out of range");
    return {};
  }
  return number_text(*t, Numeric(int64_t{v}), -1);
}
// As many digits as the type can tell, in all.
template <class T>
std::string float_to_char(FuncContext& context, T v, Str format) {
  constexpr int32_t kDigits = sizeof(T) == 4 ? 6 : 15;
  const NumberTemplate* t = template_of(context, format);
  if (t == nullptr) return {};
  Numeric n;
  if (std::isnan(v)) {
    n = Numeric::special(Numeric::Kind::kNan);
  } else if (std::isinf(v)) {
    n = Numeric::special(v > 0 ? Numeric::Kind::kPlusInfinity : Numeric::Kind::kMinusInfinity);
  } else {
    char text[512];
    std::snprintf(text, sizeof text, t->exponent ? "%.*e" : "%.*f", t->exponent ? t->after : 100,
                  static_cast<double>(v));
    (void)parse_numeric(text, n);
  }
  Numeric whole = n;
  whole.round(0);
  const auto before = static_cast<int32_t>(std::max<uint32_t>(whole.magnitude.digit_count(), 1));
  return number_text(*t, std::move(n), std::max(kDigits - before, 0));
}

// ---- to_number
// Reads a number by a template, as far as it and the text go.
class NumberReader {
 public:
  NumberReader(const NumberTemplate& form, Str text) : form_(form), text_(text) {}

  void read() {
    for (const NumberNode& n : form_.nodes) {
      if (at_end()) return;
      note_work(32);
      node(n);
    }
  }
  // A sign or a blank, then digits.
  std::string digits() const {
    std::string out = sign_ + digits_;
    if (out.back() == '.') out.pop_back();
    return out;
  }
  int32_t scale() const { return after_; }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char here() const { return text_[at_]; }

  void node(const NumberNode& n) {
    switch (n.token) {
      case NumberToken::kNine:
      case NumberToken::kZero: place(true); break;
      case NumberToken::kPoint: place(false); break;
      case NumberToken::kComma:
        if (!form_.fill && here() == ',') at_++;
        break;
      case NumberToken::kMinus: sign_or_skip(here() == '-'); break;
      case NumberToken::kPlus: sign_or_skip(here() == '+'); break;
      case NumberToken::kSignAnywhere: sign_or_skip(here() == '-' || here() == '+'); break;
      case NumberToken::kCurrency: skip_letters(1); break;
      case NumberToken::kOrdinal: skip_letters(2); break;
      case NumberToken::kText: at_ += std::min(utf8_length(here()), text_.size() - at_); break;
      default: break;
    }
  }
  void sign_or_skip(bool is_sign) {
    if (is_sign) {
      sign_ = here();
      at_++;
    } else {
      skip_letters(1);
    }
  }
  void skip_letters(int count) {
    for (; count > 0 && !at_end() && std::string_view("0123456789.,+-").find(here()) == std::string_view::npos; count--)
      at_ += std::min(utf8_length(here()), text_.size() - at_);
  }
  void take_sign() {
    sign_ = here() == '+' ? '+' : '-';
    at_++;
  }

  // A place takes a character, even if it is none of the number's.
  void place(bool digit) {
    if (here() == ' ') at_++;
    if (at_end()) return;
    const bool locale_sign = form_.sign != SignPlace::kNone;
    const bool first = digit && sign_ == " " && before_ + after_ == 0;
    if (first && (here() == '-' || here() == '+' || (form_.brackets && here() == '<'))) take_sign();
    if (at_end()) return;
    bool taken = false;
    if (is_digit(here())) {
      if (point_ && after_ == form_.after) {
        at_++;
        return;
      }
      digits_ += here();
      (point_ ? after_ : before_)++;
      taken = true;
    } else if (form_.point && !point_ && here() == '.') {
      digits_ += '.';
      point_ = taken = true;
    }
    if (sign_ == " " && before_ + after_ > 0) {
      // A sign behind the number.
      if (locale_sign && taken && at_ + 1 < text_.size() && (text_[at_ + 1] == '-' || text_[at_ + 1] == '+')) {
        at_++;
        sign_ = here();
      } else if (!locale_sign && !taken && (form_.plus || form_.minus) && (here() == '-' || here() == '+')) {
        sign_ = here();
      }
    }
    at_++;
  }

  const NumberTemplate& form_;
  const Str text_;
  size_t at_ = 0;
  std::string sign_ = " ", digits_;
  int32_t before_ = 0, after_ = 0;  // digits before and after the point
  bool point_ = false;
};

std::optional<Str> to_number(FuncContext& context, Str text, Str format) {
  if (format.empty()) return {};
  const NumberTemplate* t = template_of(context, format);
  if (t == nullptr) return {};
  for (const NumberNode& n : t->nodes)
    if (n.token == NumberToken::kRoman) {
      context.fail(sqlstate::kFeatureNotSupported, "\"RN\" not supported for input");
      return {};
    }
  if (t->exponent) {
    context.fail(sqlstate::kFeatureNotSupported, "\"EEEE\" not supported for input");
    return {};
  }
  NumberReader reader(*t, text);
  reader.read();
  const std::string digits = reader.digits();
  Numeric n;
  if (digits.size() < 2 || parse_numeric(digits, n) != NumericParse::kOk) {
    context.fail(sqlstate::kInvalidTextRepresentation, "invalid input syntax for type numeric: \"" + digits + "\"");
    return {};
  }
  n.round(reader.scale());
  if (t->shift > 0)
    n = divide(n, Numeric(false, Magnitude::power_of_ten(static_cast<uint32_t>(t->shift)), 0),
               division_scale(n, Numeric(10)), true);
  return numeric_image(context, std::move(n));
}

const ScalarEntry kNumberToCharEntries[] = {
    {"numeric_to_char", kernel<numeric_to_char>},       {"int4_to_char", kernel<integer_to_char<int32_t>>},
    {"int8_to_char", kernel<integer_to_char<int64_t>>}, {"float4_to_char", kernel<float_to_char<float>>},
    {"float8_to_char", kernel<float_to_char<double>>},  {"numeric_to_number", kernel<to_number>},
};

}  // namespace

std::span<const ScalarEntry> number_templates() { return kNumberToCharEntries; }

}  // namespace indigo::types
