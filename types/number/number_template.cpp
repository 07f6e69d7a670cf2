#include "types/number/number_template.h"

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/datetime/template.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

struct KeywordEntry {
  const char* text;
  NumberToken token;
};
// Longer ones first; either case.
constexpr KeywordEntry kKeywords[] = {
    {"EEEE", NumberToken::kExponent}, {"MI", NumberToken::kMinus}, {"PL", NumberToken::kPlus},
    {"PR", NumberToken::kBrackets},   {"RN", NumberToken::kRoman}, {"SG", NumberToken::kSignAnywhere},
    {"TH", NumberToken::kOrdinal},    {"S", NumberToken::kSign},   {"V", NumberToken::kShift},
    {"L", NumberToken::kCurrency},    {"D", NumberToken::kPoint},  {".", NumberToken::kPoint},
    {"G", NumberToken::kComma},       {",", NumberToken::kComma},  {"B", NumberToken::kNothing},
    {"C", NumberToken::kNothing},     {"9", NumberToken::kNine},   {"0", NumberToken::kZero},
};

const KeywordEntry* match(std::string_view rest) {
  for (const KeywordEntry& k : kKeywords) {
    if (k.text[0] != ascii_upper(rest[0])) continue;
    const std::string_view text(k.text);
    if (rest.substr(0, text.size()) == text || rest.substr(0, text.size()) == to_lower(text)) return &k;
  }
  return nullptr;
}

bool fail(FuncContext& context, const char* message, const char* hint = nullptr) {
  Error error(sqlstate::kSyntaxError, message);
  if (hint != nullptr) error.hint = hint;
  context.fail(std::move(error));
  return false;
}

// What a keyword adds to the whole; the combinations that make no sense are refused.
bool summarize(FuncContext& context, NumberTemplate& t, NumberToken token) {
  if (t.exponent && token != NumberToken::kExponent) return fail(context, "\"EEEE\" must be the last pattern used");
  switch (token) {
    case NumberToken::kNine:
    case NumberToken::kZero:
      if (t.brackets) {
        return fail(context,
                    token == NumberToken::kZero ? "\"0\" must be ahead of \"PR\"" : "\"9\" must be ahead of \"PR\"");
      }
      if (token == NumberToken::kZero && !t.point && t.first_zero < 0) t.first_zero = t.before;
      t.point ? t.after++ : t.before++;
      if (token == NumberToken::kZero) t.last_zero = t.before + t.after - 1;
      return true;
    case NumberToken::kPoint:
      if (t.point) return fail(context, "multiple decimal points");
      t.point = true;
      return true;
    case NumberToken::kSign:
      if (t.sign != NumberTemplate::SignPlace::kNone) return fail(context, "cannot use \"S\" twice");
      if (t.minus || t.plus || t.brackets)
        return fail(context, "cannot use \"S\" and \"PL\"/\"MI\"/\"SG\"/\"PR\" together");
      t.sign = t.point || t.before > 0 ? NumberTemplate::SignPlace::kAfter : NumberTemplate::SignPlace::kBefore;
      return true;
    case NumberToken::kMinus:
      if (t.sign != NumberTemplate::SignPlace::kNone) return fail(context, "cannot use \"S\" and \"MI\" together");
      t.minus = true;
      return true;
    case NumberToken::kPlus:
      if (t.sign != NumberTemplate::SignPlace::kNone) return fail(context, "cannot use \"S\" and \"PL\" together");
      t.plus = true;
      return true;
    case NumberToken::kSignAnywhere:
      if (t.sign != NumberTemplate::SignPlace::kNone) return fail(context, "cannot use \"S\" and \"SG\" together");
      t.minus = t.plus = true;
      return true;
    case NumberToken::kBrackets:
      if (t.sign != NumberTemplate::SignPlace::kNone || t.plus || t.minus)
        return fail(context, "cannot use \"PR\" and \"S\"/\"PL\"/\"MI\"/\"SG\" together");
      t.brackets = true;
      return true;
    case NumberToken::kRoman: t.roman = true; return true;
    case NumberToken::kExponent:
      if (t.exponent) return fail(context, "cannot use \"EEEE\" twice");
      if (t.fill || t.sign != NumberTemplate::SignPlace::kNone || t.brackets || t.minus || t.plus || t.roman) {
        context.fail(Error(sqlstate::kSyntaxError, "\"EEEE\" is incompatible with other formats")
                         .with_detail("\"EEEE\" may only be used together with digit and decimal point patterns."));
        return false;
      }
      t.exponent = true;
      return true;
    default: return true;
  }
}

}  // namespace

bool parse_number_template(FuncContext& context, Str format, NumberTemplate& t) {
  if (!check_template_bytes(context, format.size())) return false;
  bool shifting = false;
  size_t at = 0;
  const auto text = [&](Str s) {
    NumberNode node;
    node.text = s;
    t.nodes.push_back(node);
  };
  while (at < format.size()) {
    note_work(64);
    const Str rest = format.substr(at);
    if (rest.starts_with("FM") || rest.starts_with("fm")) {
      t.fill = true;
      at += 2;
      continue;
    }
    if (const KeywordEntry* k = match(rest)) {
      NumberNode node;
      node.token = k->token;
      node.lower = rest[0] >= 'a' && rest[0] <= 'z';
      if (k->token == NumberToken::kShift) {
        if (t.point) return fail(context, "cannot use \"V\" and decimal point together");
        shifting = true;
      } else if (shifting && k->token == NumberToken::kNine) {
        t.shift++;
      }
      if (shifting && k->token == NumberToken::kPoint)
        return fail(context, "cannot use \"V\" and decimal point together");
      if (!summarize(context, t, k->token)) return false;
      t.nodes.push_back(node);
      at += std::string_view(k->text).size();
      continue;
    }
    if (format[at] == '"') {
      for (at++; at < format.size() && format[at] != '"'; at++) {
        if (format[at] == '\\' && at + 1 < format.size()) at++;
        text(format.substr(at, 1));
        note_work(16);
      }
      at++;
      continue;
    }
    if (format[at] == '\\' && at + 1 < format.size() && format[at + 1] == '"') at++;
    const size_t n = utf8_length(format[at]);
    text(format.substr(at, n));
    at += n;
  }
  return true;
}

}  // namespace indigo::types
