#include "types/datetime/template.h"

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

struct KeywordEntry {
  const char* text;
  DateField field;
  LetterCase letters = LetterCase::kUpper;
  uint8_t digits = 0;
};
using F = DateField;
using L = LetterCase;
// Longer keywords before their prefixes. Keywords of letters whose case matters stand in each case; the others are matched
// in upper and lower case.
constexpr KeywordEntry kKeywords[] = {
    {"A.D.", F::kEraDots},
    {"A.M.", F::kMeridianDots},
    {"AD", F::kEra},
    {"AM", F::kMeridian},
    {"B.C.", F::kEraDots},
    {"BC", F::kEra},
    {"CC", F::kCentury},
    {"DAY", F::kDayName, L::kUpper},
    {"Day", F::kDayName, L::kCapital},
    {"day", F::kDayName, L::kLower},
    {"DDD", F::kDayOfYear},
    {"DD", F::kDayOfMonth},
    {"DY", F::kDayAbbreviation, L::kUpper},
    {"Dy", F::kDayAbbreviation, L::kCapital},
    {"dy", F::kDayAbbreviation, L::kLower},
    {"D", F::kDayOfWeek},
    {"FF1", F::kFraction, L::kUpper, 1},
    {"FF2", F::kFraction, L::kUpper, 2},
    {"FF3", F::kFraction, L::kUpper, 3},
    {"FF4", F::kFraction, L::kUpper, 4},
    {"FF5", F::kFraction, L::kUpper, 5},
    {"FF6", F::kFraction, L::kUpper, 6},
    {"FX", F::kExact},
    {"HH24", F::kHour24},
    {"HH12", F::kHour12},
    {"HH", F::kHour12},
    {"IDDD", F::kIsoDayOfYear},
    {"ID", F::kIsoDayOfWeek},
    {"IW", F::kIsoWeek},
    {"IYYY", F::kIsoYear4},
    {"IYY", F::kIsoYear3},
    {"IY", F::kIsoYear2},
    {"I", F::kIsoYear1},
    {"J", F::kJulian},
    {"MI", F::kMinute},
    {"MM", F::kMonth},
    {"MONTH", F::kMonthName, L::kUpper},
    {"Month", F::kMonthName, L::kCapital},
    {"month", F::kMonthName, L::kLower},
    {"MON", F::kMonthAbbreviation, L::kUpper},
    {"Mon", F::kMonthAbbreviation, L::kCapital},
    {"mon", F::kMonthAbbreviation, L::kLower},
    {"MS", F::kMillisecond},
    {"OF", F::kZoneOffset},
    {"P.M.", F::kMeridianDots},
    {"PM", F::kMeridian},
    {"Q", F::kQuarter},
    {"RM", F::kRoman, L::kUpper},
    {"rm", F::kRoman, L::kLower},
    {"SSSSS", F::kSecondsOfDay},
    {"SSSS", F::kSecondsOfDay},
    {"SS", F::kSecond},
    {"TZH", F::kZoneHour},
    {"TZM", F::kZoneMinute},
    {"TZ", F::kZone, L::kUpper},
    {"tz", F::kZone, L::kLower},
    {"US", F::kMicrosecond},
    {"WW", F::kWeek},
    {"W", F::kWeekOfMonth},
    {"Y,YYY", F::kYearComma},
    {"YYYY", F::kYear4},
    {"YYY", F::kYear3},
    {"YY", F::kYear2},
    {"Y", F::kYear1},
};

bool has_cases(F f) {
  return f == F::kDayName || f == F::kDayAbbreviation || f == F::kMonthName || f == F::kMonthAbbreviation ||
         f == F::kRoman || f == F::kZone;
}

const KeywordEntry* match_keyword(std::string_view rest, LetterCase& letters) {
  if (rest.empty() || !is_alpha(rest[0])) return nullptr;
  for (const KeywordEntry& k : kKeywords) {
    if (ascii_upper(k.text[0]) != ascii_upper(rest[0])) continue;
    const std::string_view text(k.text);
    const std::string_view head = rest.substr(0, text.size());
    letters = k.letters;
    if (head == text) return &k;
    if (!has_cases(k.field) && head == to_lower(text)) {
      letters = LetterCase::kLower;
      return &k;
    }
  }
  return nullptr;
}

bool starts(std::string_view rest, std::string_view upper) {
  return rest.substr(0, upper.size()) == upper || rest.substr(0, upper.size()) == to_lower(upper);
}

}  // namespace

bool is_template_separator(char c) {
  return static_cast<uint8_t>(c) > 0x20 && static_cast<uint8_t>(c) < 0x7f && !is_alnum(c);
}

const char* ordinal_suffix(int64_t n, bool lower) {
  const int64_t m = n < 0 ? -n : n;
  const bool teen = m % 100 >= 11 && m % 100 <= 13;
  switch (teen ? 0 : m % 10) {
    case 1: return lower ? "st" : "ST";
    case 2: return lower ? "nd" : "ND";
    case 3: return lower ? "rd" : "RD";
    default: return lower ? "th" : "TH";
  }
}

std::vector<TemplateNode> parse_date_template(std::string_view format) {
  std::vector<TemplateNode> nodes;
  const auto literal = [&nodes](std::string_view c) {
    TemplateNode node;
    node.text = c;
    node.field = c.size() == 1 && is_blank(c[0])                ? DateField::kSpace
                 : c.size() == 1 && is_template_separator(c[0]) ? DateField::kSeparator
                                                                : DateField::kLiteral;
    nodes.push_back(node);
  };
  size_t at = 0;
  while (at < format.size()) {
    note_work(128);
    TemplateNode node;
    size_t from = at;
    // Prefixes.
    while (true) {
      const std::string_view rest = format.substr(at);
      if (starts(rest, "FM")) {
        node.fill = true;
      } else if (starts(rest, "TM")) {
        node.localized = true;
      } else {
        break;
      }
      at += 2;
    }
    const KeywordEntry* k = match_keyword(format.substr(at), node.letters);
    if (k != nullptr) {
      node.field = k->field;
      node.digits = k->digits;
      node.text = format.substr(at, std::string_view(k->text).size());
      at += std::string_view(k->text).size();
      const std::string_view rest = format.substr(at);
      if (rest.substr(0, 2) == "TH" || rest.substr(0, 2) == "th") {
        node.ordinal = true;
        node.ordinal_lower = rest[0] == 't';
        at += 2;
      } else if (starts(rest, "SP")) {
        at += 2;  // spell mode: not implemented there either
      }
      nodes.push_back(node);
      continue;
    }
    if (at > from && at >= format.size()) break;
    if (format[at] == '"') {
      for (at++; at < format.size() && format[at] != '"';) {
        if (format[at] == '\\' && at + 1 < format.size()) at++;
        const size_t n = utf8_length(format[at]);
        TemplateNode quoted;
        quoted.text = format.substr(at, n);
        quoted.quoted = true;
        nodes.push_back(quoted);
        note_work(16);
        at += n;
      }
      at++;
      continue;
    }
    // Outside of quotes a backslash only escapes a quote.
    if (format[at] == '\\' && at + 1 < format.size() && format[at + 1] == '"') at++;
    const size_t n = utf8_length(format[at]);
    literal(format.substr(at, n));
    at += n;
  }
  return nodes;
}

bool check_template_bytes(FuncContext& context, size_t bytes) {
  constexpr size_t kNodeBytes = 24, kAllocationBytesMax = 0x3fffffff;  // PostgreSQL's
  const size_t wanted = (bytes + 1) * kNodeBytes;
  if (wanted <= kAllocationBytesMax) return true;
  context.fail(sqlstate::kInternalError, "invalid memory alloc request size " + std::to_string(wanted));
  return false;
}

}  // namespace indigo::types
