// seg: its text form. 1, ~1, 1 .. 2, 1 .., .. 2, 1 (+-) 0.5.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <absl/hash/hash.h>

#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/extension/seg/seg.h"
#include "types/function/kernel.h"
#include "types/number/float.h"
#include "types/text/ascii.h"

namespace indigo::types::seg {

namespace {

constexpr size_t kImageBytes = 12;

std::string printed(const char* format, double value) {
  std::string out(64, '\0');
  out.resize(static_cast<size_t>(std::snprintf(out.data(), out.size(), format, value)));
  return out;
}

uint8_t limited(size_t digits) { return static_cast<uint8_t>(std::min<size_t>(digits, FLT_DIG)); }

// Of a number as it is written; of a zero, as many as there are zeros.
uint8_t significant_digits(Str number) {
  size_t at = number.find_first_not_of("0+-");
  if (at == Str::npos) return 1;
  size_t zeros = 1;
  for (; at < number.size() && (number[at] == '0' || number[at] == '.'); at++) zeros += number[at] == '0' ? 1 : 0;
  size_t digits = 0;
  for (; at < number.size() && (is_digit(number[at]) || number[at] == '.'); at++) digits += number[at] != '.' ? 1 : 0;
  return limited(digits == 0 ? zeros : digits);
}

struct Token {
  enum class Kind : uint8_t { kEnd, kNumber, kRange, kPlusMinus, kSign, kOther };
  Kind kind = Kind::kEnd;
  Str text;
};

class Reader {
 public:
  explicit Reader(Str text) : text_(text) { advance(); }

  Result<Segment> read() {
    Segment out;
    if (token_.kind == Token::Kind::kRange) {
      advance();
      out.lower = {-HUGE_VALF, 0, '-'};
      INDIGO_ASSIGN(out.upper, end());
    } else {
      INDIGO_ASSIGN(out.lower, end());
      if (token_.kind == Token::Kind::kPlusMinus) {
        advance();
        INDIGO_ASSIGN(const End deviation, number());
        out = around(out.lower, deviation);
      } else if (token_.kind == Token::Kind::kRange) {
        advance();
        if (token_.kind != Token::Kind::kNumber && token_.kind != Token::Kind::kSign) {
          out.upper = {HUGE_VALF, 0, '-'};
        } else {
          INDIGO_ASSIGN(out.upper, end());
          if (out.lower.place > out.upper.place) {
            return Error(sqlstate::kInvalidParameterValue, "swapped boundaries: " + printed("%g", out.lower.place) +
                                                               " is greater than " + printed("%g", out.upper.place));
          }
        }
      } else {
        out.upper = out.lower;
      }
    }
    if (token_.kind != Token::Kind::kEnd) return unexpected();
    return out;
  }

 private:
  static Segment around(const End& middle, const End& deviation) {
    const auto end = [&](float place) {
      const uint8_t digits = significant_digits(printed("%g", place));
      return End{place, std::max({digits, middle.digits, deviation.digits}), '\0'};
    };
    return {end(middle.place - deviation.place), end(middle.place + deviation.place)};
  }

  Result<End> end() {
    char sign = '\0';
    if (token_.kind == Token::Kind::kSign) {
      sign = token_.text[0];
      advance();
    }
    INDIGO_ASSIGN(End out, number());
    out.sign = sign;
    return out;
  }
  Result<End> number() {
    if (token_.kind != Token::Kind::kNumber) return unexpected();
    End out;
    if (parse_float(token_.text, out.place) == FloatParse::kRange) {
      return Error(sqlstate::kNumericValueOutOfRange,
                   "\"" + std::string(token_.text) + "\" is out of range for type real");
    }
    out.digits = significant_digits(token_.text);
    advance();
    return out;
  }

  Error unexpected() const {
    return Error(sqlstate::kSyntaxError, "bad seg representation")
        .with_detail(token_.text.empty() ? "syntax error at end of input"
                                         : "syntax error at or near \"" + std::string(token_.text) + "\"");
  }

  void advance() {
    while (at_ < text_.size() && Str(" \t\n\r\f").find(text_[at_]) != Str::npos) at_++;
    using Kind = Token::Kind;
    const Str rest = text_.substr(at_);
    if (rest.empty()) {
      token_ = {};
    } else if (rest.starts_with("..")) {
      take(Kind::kRange, rest.starts_with("...") ? 3 : 2);
    } else if (rest.starts_with("'+-'") || rest.starts_with("(+-)")) {
      take(Kind::kPlusMinus, 4);
    } else if (rest[0] == '<' || rest[0] == '>' || rest[0] == '~') {
      take(Kind::kSign, 1);
    } else if (const size_t length = number_length(rest); length > 0) {
      take(Kind::kNumber, length);
    } else if (static_cast<uint8_t>(rest[0]) < 0x80) {
      take(Kind::kOther, 1);
    } else {
      // What is not ASCII ends the text for PostgreSQL, too.
      token_ = {Kind::kEnd, rest.substr(0, utf8_length(rest[0]))};
      at_ = text_.size();
    }
  }
  void take(Token::Kind kind, size_t length) {
    token_ = {kind, text_.substr(at_, length)};
    at_ += length;
  }

  static size_t digits_at(Str text, size_t from) {
    size_t n = 0;
    while (from + n < text.size() && is_digit(text[from + n])) n++;
    return n;
  }
  static size_t number_length(Str text) {
    size_t end = text[0] == '+' || text[0] == '-' ? 1 : 0;
    const size_t whole = digits_at(text, end);
    if (whole == 0) return 0;
    end += whole;
    if (end < text.size() && text[end] == '.') {
      if (const size_t part = digits_at(text, end + 1); part > 0) end += 1 + part;
    }
    if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
      const size_t sign = end + 1 < text.size() && (text[end + 1] == '+' || text[end + 1] == '-') ? 1 : 0;
      if (const size_t power = digits_at(text, end + 1 + sign); power > 0) end += 1 + sign + power;
    }
    return end;
  }

  Str text_;
  size_t at_ = 0;
  Token token_;
};

// With its significant digits, and without an exponent where the decimal point is among them or shortly before.
void print(float place, uint8_t significant, std::string& out) {
  const int digits = significant == 0 ? FLT_DIG : std::min<int>(significant, FLT_DIG);
  std::string text(64, '\0');
  text.resize(
      static_cast<size_t>(std::snprintf(text.data(), text.size(), "%.*e", digits - 1, static_cast<double>(place))));
  const size_t e = text.find('e');
  if (e == std::string::npos) {
    out += text;
    return;
  }
  const int power = std::atoi(text.c_str() + e + 1);
  std::string mantissa = text.substr(0, e);
  if (power == 0) {
    out += mantissa;
    return;
  }
  if (std::abs(power) > 4) {
    out += text;
    return;
  }
  if (power > 0 && 1 + power >= digits) {
    out.append(mantissa).append("e").append(std::to_string(power));
    return;
  }
  if (mantissa[0] == '-') {
    out += '-';
    mantissa.erase(0, 1);
  }
  std::erase(mantissa, '.');
  if (power > 0) {
    out.append(mantissa, 0, static_cast<size_t>(1 + power))
        .append(".")
        .append(mantissa, static_cast<size_t>(1 + power));
  } else {
    out.append("0.").append(static_cast<size_t>(-power - 1), '0').append(mantissa);
  }
}

bool is_doubt(char sign) { return sign == '<' || sign == '>' || sign == '~'; }

void print(const Segment& s, std::string& out) {
  if (is_doubt(s.lower.sign)) out += s.lower.sign;
  if (s.lower.place == s.upper.place && s.lower.sign == s.upper.sign) return print(s.lower.place, s.lower.digits, out);
  if (s.lower.sign != '-') {
    print(s.lower.place, s.lower.digits, out);
    out += ' ';
  }
  out += "..";
  if (s.upper.sign == '-') return;
  out += ' ';
  // A lower end of doubt has the upper end's sign printed, whatever it is; none ends the text for PostgreSQL.
  if (s.upper.sign == '<' || s.upper.sign == '>' || s.lower.sign == '~') {
    if (s.upper.sign == '\0') return;
    out += s.upper.sign;
  }
  print(s.upper.place, s.upper.digits, out);
}

std::optional<std::string> read(FuncContext& context, Str text) {
  auto made = Reader(text).read();
  if (made.ok()) return image_of(*made);
  context.fail(std::move(*made.take_error()));
  return std::nullopt;
}

Datum input(FuncContext& context, const TypeRef&, Str text) {
  const auto image = read(context, text);
  return image ? Datum::of(context.arena().copy(*image)) : Datum::make_null(Phys::kStr);
}
void output(FuncContext&, const TypeRef&, const Datum& value, std::string& out) { print(segment_of(value.str), out); }

std::string text_of(Str image) {
  std::string text;
  print(segment_of(image), text);
  return text;
}

int sign_rank(char sign, bool lower) {
  switch (sign) {
    case '-': return lower ? 0 : 4;
    case '<': return 1;
    case '>': return 3;
    default: return 2;
  }
}

// Both ends: the place, the kind of end, the digits (fewer reach further), '~' outside of exact ones.
void append_end(const End& end, bool lower, std::string& out) {
  uint32_t bits = 0;
  const float place = end.place == 0 ? 0 : end.place;
  std::memcpy(&bits, &place, sizeof bits);
  bits = (bits & 0x80000000) != 0 ? ~bits : bits | 0x80000000;
  send_integer(bits, out);
  out.push_back(static_cast<char>(sign_rank(end.sign, lower)));
  out.push_back(static_cast<char>(lower ? end.digits : FLT_DIG - end.digits));
  out.push_back(static_cast<char>((end.sign == '~') == lower ? 0 : 1));
}
std::string key_of(Str image) {
  const Segment s = segment_of(image);
  std::string out;
  append_end(s.lower, true, out);
  append_end(s.upper, false, out);
  return out;
}

int by_order(const Datum& a, const Datum& b, const Collator*) { return order().compare(a.str, b.str); }
bool equal(const Datum& a, const Datum& b, const Collator*) { return order().compare(a.str, b.str) == 0; }
uint64_t hash(const Datum& value, const Collator*) { return absl::HashOf(key_of(value.str)); }
constexpr TypeOrder kSegmentOrder = {by_order, equal, hash};

const ScalarEntry kFormFunctions[] = {{"seg_in", kernel<read>}, {"seg_out", kernel<text_of>}};

}  // namespace

Segment segment_of(Str image) {
  const char* at = image.data();
  return {{load_unaligned<float>(at), static_cast<uint8_t>(at[8]), at[10]},
          {load_unaligned<float>(at + 4), static_cast<uint8_t>(at[9]), at[11]}};
}

std::string image_of(const Segment& s) {
  std::string out(kImageBytes, '\0');
  std::memcpy(out.data(), &s.lower.place, sizeof(float));
  std::memcpy(out.data() + 4, &s.upper.place, sizeof(float));
  out[8] = static_cast<char>(s.lower.digits), out[9] = static_cast<char>(s.upper.digits);
  out[10] = s.lower.sign, out[11] = s.upper.sign;
  return out;
}

const Collator& order() {
  static const Collator kOrder(key_of, true);
  return kOrder;
}
int compare(const Segment& a, const Segment& b) { return order().compare(image_of(a), image_of(b)); }

std::span<const ScalarEntry> form_functions() { return kFormFunctions; }

const TypeDefinition kSegmentForms = {kInvalidOid, input, output, nullptr, nullptr, Phys::kStr, &kSegmentOrder};

}  // namespace indigo::types::seg
