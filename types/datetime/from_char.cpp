// to_date and to_timestamp: text read by a template.
#include "types/datetime/from_char.h"

#include <string>

#include "base/sqlstate.h"
#include "types/datetime/arithmetic.h"
#include "types/datetime/parse.h"
#include "types/function/families.h"
#include "types/function/kernel.h"

namespace indigo::types {

namespace {

bool field_range(FuncContext& context, Str text) {
  context.fail(sqlstate::kDatetimeFieldOverflow, "date/time field value out of range: \"" + std::string(text) + "\"");
  return false;
}

struct Clock {
  int32_t hour = 0, minute = 0, second = 0;
};

bool clock_of(FuncContext& context, const TemplateFields& f, Clock& out) {
  out = {f.seconds_of_day / 3600, f.seconds_of_day / 60 % 60, f.seconds_of_day % 60};
  if (f.second != 0) out.second = f.second;
  if (f.minute != 0) out.minute = f.minute;
  if (f.hour != 0) out.hour = f.hour;
  if (!f.twelve_hour) return true;
  if (out.hour < 1 || out.hour > 12) {
    context.fail(Error(sqlstate::kInvalidDatetimeFormat,
                       "hour \"" + std::to_string(out.hour) + "\" is invalid for the 12-hour clock")
                     .with_hint("Use the 24-hour clock, or give an hour between 1 and 12."));
    return false;
  }
  if (f.pm != 0 && out.hour < 12) {
    out.hour += 12;
  } else if (f.pm == 0 && out.hour == 12) {
    out.hour = 0;
  }
  return true;
}

bool time_of(FuncContext& context, Str text, const Clock& c, const TemplateFields& f, TemplateMoment& out) {
  const int64_t fraction = int64_t{f.millisecond} * 1000 + f.microsecond;
  if (c.hour < 0 || c.hour > 23 || c.minute < 0 || c.minute > 59 || c.second < 0 || c.second > 59 || fraction < 0 ||
      fraction >= kSecond) {
    return field_range(context, text);
  }
  out.time = time_of_day(c.hour, c.minute, c.second, 0) + fraction;
  return true;
}

// Year 0 is 1 BC. False: neither a year nor a century is there.
bool year_of(const TemplateFields& f, int64_t& year) {
  const int64_t century = f.bc != 0 ? -int64_t{f.century} : int64_t{f.century};
  if (f.year != 0 && f.century != 0 && f.year_digits <= 2) {
    // The 21st century runs from 2001 to 2100; the 6th BC from 600 BC to 501 BC.
    year = f.year % 100;
    if (year != 0) {
      year = century >= 0 ? year + (century - 1) * 100 : (century + 1) * 100 - year + 1;
    } else {
      year = century * 100 + (century >= 0 ? 0 : 1);
    }
    return true;
  }
  if (f.year != 0) {
    year = f.bc != 0 ? -int64_t{f.year} : int64_t{f.year};
    if (year < 0) year++;
    return true;
  }
  if (f.century == 0) return false;
  year = century >= 0 ? (century - 1) * 100 + 1 : century * 100 + 1;
  return true;
}

bool date_of(FuncContext& context, Str text, const TemplateFields& f, TemplateMoment& out) {
  int64_t year = 0;
  int64_t month = 1, day = 1;
  bool has_year = year_of(f, year), has_month = false, has_day = false;
  const auto is_day = [&](int64_t days) {
    const CivilDate date = civil_from_days(days);
    year = date.year;
    month = date.month;
    day = date.day;
    has_year = has_month = has_day = true;
  };
  int64_t day_number = f.day_of_year;
  if (f.julian != 0) is_day(int64_t{f.julian} - kEpochJulian);
  if (f.week != 0 && f.iso) {
    const int64_t monday = days_from_iso_week(year, 1) + (int64_t{f.week} - 1) * 7;
    is_day(f.weekday == 0 ? monday : f.weekday > 1 ? monday + f.weekday - 2 : monday + 6);
  } else if (f.week != 0) {
    day_number = (int64_t{f.week} - 1) * 7 + 1;
  }
  const int64_t day_of_month = f.week_of_month != 0 ? (int64_t{f.week_of_month} - 1) * 7 + 1 : int64_t{f.day};
  if (day_of_month != 0) {
    day = day_of_month;
    has_day = true;
  }
  if (f.month != 0) {
    month = f.month;
    has_month = true;
  }
  if (day_number != 0 && (month <= 1 || day <= 1)) {
    if (year == 0 && f.bc == 0) {
      context.fail(sqlstate::kInvalidDatetimeFormat, "cannot calculate day of year without year information");
      return false;
    }
    if (f.iso) {
      is_day(days_from_iso_week(year, 1) - 1 + day_number);
    } else {
      int32_t m = 1;
      int64_t before = 0;
      while (m <= 12 && day_number > before + days_in_month(year, m)) before += days_in_month(year, m++);
      const int64_t d = day_number - before;
      if (month <= 1) month = m;
      if (day <= 1) day = d;
      has_month = has_day = true;
    }
  }
  if (has_month && (month < 1 || month > 12)) return field_range(context, text);
  if (has_day && (day < 1 || day > 31)) return field_range(context, text);
  if (has_year && has_month && has_day && day > days_in_month(year, static_cast<int32_t>(month))) {
    return field_range(context, text);
  }
  if (year < -4713 || year > 5874897) {
    out.out_of_range = true;
    return true;
  }
  out.days = days_from_civil(year, static_cast<int32_t>(month), day);
  return true;
}

}  // namespace

bool read_moment(FuncContext& context, Str text, Str format, TemplateMode mode, TemplateMoment& out) {
  TemplateFields f;
  if (!read_template_fields(context, text, format, mode, f)) return false;
  Clock clock;
  if (!clock_of(context, f, clock) || !date_of(context, text, f, out) || !time_of(context, text, clock, f, out)) {
    return false;
  }
  out.fraction_digits = f.fraction_digits;
  if (f.zone_sign == 0) return true;
  if (f.zone_hour < 0 || f.zone_hour > 15 || f.zone_minute < 0 || f.zone_minute > 59) {
    context.fail(SqlState("22009"), "time zone displacement out of range: \"" + std::string(text) + "\"");
    return false;
  }
  out.east = f.zone_sign * (f.zone_hour * 3600 + f.zone_minute * 60);
  return true;
}

namespace {

int64_t to_timestamp(FuncContext& context, Str text, Str format) {
  TemplateMoment m;
  if (!read_moment(context, text, format, TemplateMode::kLenient, m)) return 0;
  if (m.out_of_range || !is_timestamp_date(m.days)) {
    fail_timestamp_range(context);
    return 0;
  }
  const int64_t local = m.days * kDay + m.time;
  const int64_t t = m.east ? local - *m.east * kSecond : session_time_zone(context).to_utc(local);
  if (!is_valid_timestamp(t)) fail_timestamp_range(context);
  return m.fraction_digits == 0 ? t : round_time(t, m.fraction_digits);
}
int32_t to_date(FuncContext& context, Str text, Str format) {
  TemplateMoment m;
  if (!read_moment(context, text, format, TemplateMode::kLenient, m)) return 0;
  if (m.out_of_range || !is_valid_date(m.days)) {
    context.fail(sqlstate::kDatetimeFieldOverflow, "date out of range: \"" + std::string(text) + "\"");
    return 0;
  }
  return static_cast<int32_t>(m.days);
}

const ScalarEntry kFromCharEntries[] = {
    {"to_timestamp", kernel<to_timestamp>},
    {"to_date", kernel<to_date>},
};

}  // namespace

std::span<const ScalarEntry> datetime_from_char() { return kFromCharEntries; }

}  // namespace indigo::types
