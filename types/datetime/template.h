// The templates of to_char, to_date and to_timestamp: 'YYYY-MM-DD HH24:MI:SS' as a list of nodes.
// A node's text lies in the template that it was parsed from, which must outlive it.
// Thread safety: pure functions.
#pragma once

#include <string_view>
#include <vector>

#include "types/function/context.h"

namespace indigo::types {

enum class DateField : uint8_t {
  kLiteral,
  kSeparator,
  kSpace,
  kEraDots,
  kEra,
  kMeridianDots,
  kMeridian,
  kCentury,
  kDayName,
  kDayAbbreviation,
  kDayOfYear,
  kIsoDayOfYear,
  kDayOfMonth,
  kDayOfWeek,
  kIsoDayOfWeek,
  kFraction,
  kHour12,
  kHour24,
  kIsoWeek,
  kIsoYear4,
  kIsoYear3,
  kIsoYear2,
  kIsoYear1,
  kJulian,
  kMinute,
  kMonth,
  kMonthName,
  kMonthAbbreviation,
  kMillisecond,
  kMicrosecond,
  kZoneOffset,
  kQuarter,
  kRoman,
  kSecondsOfDay,
  kSecond,
  kZoneHour,
  kZoneMinute,
  kZone,
  kWeek,
  kWeekOfMonth,
  kYearComma,
  kYear4,
  kYear3,
  kYear2,
  kYear1,
  kExact,
};
// Upper, Capitalised or lower letters, as the keyword was written.
enum class LetterCase : uint8_t { kUpper, kCapital, kLower };

struct TemplateNode {
  DateField field = DateField::kLiteral;
  LetterCase letters = LetterCase::kUpper;
  uint8_t digits = 0;    // of kFraction
  bool fill = false;     // FM: no padding
  bool ordinal = false;  // TH
  bool ordinal_lower = false;
  bool localized = false;  // TM: names unpadded
  bool quoted = false;     // a literal character between quotes
  std::string_view text;   // as written: a literal character, a separator, a keyword
};

// Characters of a template or a text that are neither letters, digits nor blanks.
bool is_template_separator(char c);

std::vector<TemplateNode> parse_date_template(std::string_view format);
// False: a template of that length is refused, as PostgreSQL refuses it; the context has the error.
bool check_template_bytes(FuncContext& context, size_t bytes);

const char* ordinal_suffix(int64_t n, bool lower);  // "st", "ND" ...

}  // namespace indigo::types
