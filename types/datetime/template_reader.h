// The fields that a template of to_date and to_timestamp finds in a text, before they are made a date.
// As PostgreSQL's DCH_from_char: numbers take what they can unless another number follows, blanks and separators of template and
// text stand for each other, and what was skipped beyond the template's own counts against its literal characters.
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>

#include "types/function/context.h"

namespace indigo::types {

// kStandard: SQL's, as jsonpath's datetime() has it: separators are a few, and template and text agree in each character.
enum class TemplateMode : uint8_t { kLenient, kStandard };

// A field that is not there is 0, as is one that is there and 0: PostgreSQL makes no difference.
struct TemplateFields {
  bool iso = false;  // the template counts ISO weeks
  bool twelve_hour = false;
  int32_t hour = 0, pm = 0, minute = 0, second = 0, seconds_of_day = 0;
  int32_t weekday = 0;  // 1: Sunday
  int32_t day = 0, day_of_year = 0, month = 0, millisecond = 0, year = 0, bc = 0, week = 0, week_of_month = 0,
          century = 0, julian = 0, microsecond = 0;
  int32_t year_digits = 0;      // of the year's field in the template
  int32_t fraction_digits = 0;  // of FF1 to FF6; 0: another
  int32_t zone_sign = 0;        // 0: no zone
  int32_t zone_hour = 0, zone_minute = 0;
};

// False: the context has the error.
bool read_template_fields(FuncContext& context, Str text, Str format, TemplateMode mode, TemplateFields& out);

}  // namespace indigo::types
