// Operators, casts and constructors of the date and time types.
#include <cmath>

#include "base/sqlstate.h"
#include "types/datetime/arithmetic.h"
#include "types/datetime/format.h"
#include "types/datetime/parse.h"
#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

// ---- now and the like
int64_t now(FuncContext& context) { return context.session().transaction_timestamp(); }
int64_t statement_now(FuncContext& context) { return context.session().statement_timestamp(); }
int64_t clock_now() { return current_timestamp_now(); }
std::string time_of_day_text(FuncContext& context) {
  FormatSettings settings;
  settings.date_style = FormatSettings::DateStyle::kPostgres;
  std::string text;
  append_timestamptz(current_timestamp_now(), session_time_zone(context), settings, text);
  return text;
}

// ---- date arithmetic
int32_t days_plus_date(FuncContext& context, int32_t days, int32_t date) { return date_plus(context, date, days); }
int64_t date_plus_interval(FuncContext& context, int32_t date, Interval v) {
  const int64_t t = date_to_timestamp(context, date);
  return context.failed() ? 0 : timestamp_plus(context, t, v);
}
int64_t date_minus_interval(FuncContext& context, int32_t date, Interval v) {
  return date_plus_interval(context, date, interval_negate(context, v));
}
int64_t interval_plus_date(FuncContext& context, Interval v, int32_t date) {
  return date_plus_interval(context, date, v);
}
int64_t date_and_time(FuncContext& context, int32_t date, int64_t time) {
  const int64_t t = date_to_timestamp(context, date);
  if (context.failed() || !is_finite_timestamp(t)) return t;
  if (!is_valid_timestamp(t + time)) fail_timestamp_range(context);
  return t + time;
}
int64_t time_and_date(FuncContext& context, int64_t time, int32_t date) { return date_and_time(context, date, time); }
int64_t date_and_timetz(FuncContext& context, int32_t date, TimeTz time) {
  const int64_t t = date_and_time(context, date, 0);
  if (context.failed() || !is_finite_timestamp(t)) return t;
  const int64_t out = t + time.microseconds + time.zone_seconds_west * kSecond;
  if (!is_valid_timestamp(out)) {
    context.fail(sqlstate::kDatetimeFieldOverflow, "date out of range for timestamp");
    return 0;
  }
  return out;
}
int64_t timetz_and_date(FuncContext& context, TimeTz time, int32_t date) {
  return date_and_timetz(context, date, time);
}
int64_t date_time_to_timestamptz(FuncContext& context, int32_t date, int64_t time) {
  const int64_t t = date_and_time(context, date, time);
  return context.failed() ? 0 : timestamp_to_timestamptz(context, t);
}

// ---- timestamps and intervals
int64_t plus(FuncContext& context, int64_t t, Interval v) { return timestamp_plus(context, t, v); }
int64_t minus(FuncContext& context, int64_t t, Interval v) {
  return timestamp_plus(context, t, interval_negate(context, v));
}
int64_t plus_reversed(FuncContext& context, Interval v, int64_t t) { return timestamp_plus(context, t, v); }
int64_t tz_plus(FuncContext& context, int64_t t, Interval v) {
  return timestamptz_plus(context, t, v, session_time_zone(context));
}
int64_t tz_minus(FuncContext& context, int64_t t, Interval v) {
  return tz_plus(context, t, interval_negate(context, v));
}
int64_t tz_plus_reversed(FuncContext& context, Interval v, int64_t t) { return tz_plus(context, t, v); }
Interval times_reversed(FuncContext& context, double f, Interval v) { return interval_times(context, v, f); }

// ---- time of day
int64_t wrap_day(int64_t t) {
  t %= kDay;
  return t < 0 ? t + kDay : t;
}
int64_t time_plus(int64_t t, Interval v) { return wrap_day(t + v.microseconds % kDay); }
int64_t time_minus(int64_t t, Interval v) { return wrap_day(t - v.microseconds % kDay); }
int64_t interval_plus_time(Interval v, int64_t t) { return time_plus(t, v); }
Interval time_difference(int64_t a, int64_t b) { return {a - b, 0, 0}; }
TimeTz timetz_plus(TimeTz t, Interval v) {
  t.microseconds = time_plus(t.microseconds, v);
  return t;
}
TimeTz timetz_minus(TimeTz t, Interval v) {
  t.microseconds = time_minus(t.microseconds, v);
  return t;
}
TimeTz interval_plus_timetz(Interval v, TimeTz t) { return timetz_plus(t, v); }

// ---- casts
int32_t timestamptz_to_date(FuncContext& context, int64_t t) {
  return timestamp_to_date(timestamptz_to_timestamp(context, t));
}
std::optional<int64_t> timestamp_to_time(int64_t t) {
  return is_finite_timestamp(t) ? std::optional<int64_t>(time_part_of(t)) : std::nullopt;
}
std::optional<int64_t> timestamptz_to_time(FuncContext& context, int64_t t) {
  return timestamp_to_time(timestamptz_to_timestamp(context, t));
}
std::optional<TimeTz> timestamptz_to_timetz(FuncContext& context, int64_t t) {
  if (!is_finite_timestamp(t)) return {};
  const int32_t east = session_time_zone(context).at(t).seconds_east;
  return TimeTz{time_part_of(t + east * kSecond), -east, 0};
}
int64_t timetz_to_time(TimeTz t) { return t.microseconds; }
TimeTz time_to_timetz(FuncContext& context, int64_t t) {
  const TimeZone& zone = session_time_zone(context);
  const int64_t today = date_part_of(zone.to_local(context.session().transaction_timestamp()));
  return {t, -zone.at(zone.to_utc(today * kDay + t)).seconds_east, 0};
}
int64_t interval_to_time(Interval v) { return wrap_day(v.microseconds); }
Interval time_to_interval(int64_t t) { return {t, 0, 0}; }

int64_t scale_timestamp(FuncContext& context, int64_t t, int32_t typmod) {
  if (!is_finite_timestamp(t)) return t;
  if (typmod < -1 || typmod > 6) {
    context.fail(sqlstate::kInvalidParameterValue,
                 "timestamp(" + std::to_string(typmod) + ") precision must be between 0 and 6");
    return t;
  }
  const int64_t r = round_time(t, typmod);
  if (!is_valid_timestamp(r)) fail_timestamp_range(context);
  return r;
}
int64_t scale_time(int64_t t, int32_t typmod) { return round_time(t, typmod); }
TimeTz scale_timetz(TimeTz t, int32_t typmod) {
  t.microseconds = round_time(t.microseconds, typmod);
  return t;
}
Interval scale_interval(FuncContext& context, Interval v, int32_t typmod) {
  (void)apply_interval_typmod(context, v, typmod);
  return v;
}

// ---- AT TIME ZONE
int32_t zone_of_interval(FuncContext& context, const Interval& zone) {
  if (zone.months != 0 || zone.days != 0) {
    std::string text;
    append_interval(zone, context.session().format().interval_style, text);
    context.fail(sqlstate::kInvalidParameterValue,
                 "interval time zone \"" + text + "\" must not include months or days");
  }
  return static_cast<int32_t>(zone.microseconds / kSecond);
}
int64_t local_in_zone(FuncContext& context, Str name, int64_t t) {
  if (!is_finite_timestamp(t)) return t;
  const auto zone = zone_named(context, name);
  return zone == nullptr ? t : zone->to_local(t);
}
int64_t utc_of_zone(FuncContext& context, Str name, int64_t local) {
  if (!is_finite_timestamp(local)) return local;
  const auto zone = zone_named(context, name);
  if (zone == nullptr) return local;
  const int64_t t = zone->to_utc(local);
  if (!is_valid_timestamp(t)) fail_timestamp_range(context);
  return t;
}
int64_t in_range(FuncContext& context, int64_t t) {
  if (!context.failed() && !is_valid_timestamp(t)) {
    context.fail(sqlstate::kDatetimeFieldOverflow, "timestamp out of range");
  }
  return t;
}
// Beyond the range of the type, none that is valid.
int64_t moved(int64_t t, int64_t seconds) {
  int64_t out;
  return __builtin_add_overflow(t, seconds * kSecond, &out) ? kEndTimestamp : out;
}
int64_t local_at_offset(FuncContext& context, Interval zone, int64_t t) {
  return is_finite_timestamp(t) ? in_range(context, moved(t, zone_of_interval(context, zone))) : t;
}
int64_t utc_of_offset(FuncContext& context, Interval zone, int64_t t) {
  return is_finite_timestamp(t) ? in_range(context, moved(t, -int64_t{zone_of_interval(context, zone)})) : t;
}
TimeTz move_timetz(TimeTz t, int64_t east) {
  return {wrap_day(t.microseconds + (t.zone_seconds_west + east) * kSecond), static_cast<int32_t>(-east), 0};
}
TimeTz timetz_in_zone(FuncContext& context, Str name, TimeTz t) {
  const auto zone = zone_named(context, name);
  return zone == nullptr ? t : move_timetz(t, zone->at(context.session().transaction_timestamp()).seconds_east);
}
TimeTz timetz_at_offset(FuncContext& context, Interval zone, TimeTz t) {
  return move_timetz(t, zone_of_interval(context, zone));
}

// ---- constructors
bool valid_civil(int32_t year, int32_t month, int32_t day) {
  return month >= 1 && month <= 12 && day >= 1 && day <= days_in_month(year, month);
}
std::string date_fields(int32_t year, int32_t month, int32_t day) {
  char text[64];
  return std::string(text, static_cast<size_t>(std::snprintf(text, sizeof text, "%d-%02d-%02d", year, month, day)));
}
// `shown` is the year in the message.
int32_t date_of_fields(FuncContext& context, int32_t year, int32_t month, int32_t day, int32_t shown) {
  const int32_t civil = year < 0 ? year + 1 : year;  // -1 is 1 BC
  if (year == 0 || year == INT32_MIN || !valid_civil(civil, month, day)) {
    context.fail(sqlstate::kDatetimeFieldOverflow,
                 "date field value out of range: " + date_fields(year == INT32_MIN ? year : shown, month, day));
    return 0;
  }
  const int64_t days = days_from_civil(civil, month, day);
  if (!is_valid_date(days))
    context.fail(sqlstate::kDatetimeFieldOverflow, "date out of range: " + date_fields(year, month, day));
  return static_cast<int32_t>(days);
}
int32_t make_date(FuncContext& context, int32_t year, int32_t month, int32_t day) {
  return date_of_fields(context, year, month, day, year < 0 ? year + 1 : year);
}
int64_t make_time(FuncContext& context, int32_t hour, int32_t minute, double second) {
  const bool in_range =
      hour >= 0 && hour <= 24 && minute >= 0 && minute <= 59 && !std::isnan(second) && second >= 0 && second <= 60;
  const int64_t t = in_range ? hour * kHour + minute * kMinute + static_cast<int64_t>(std::rint(second * 1e6)) : 0;
  if (!in_range || t > kDay) {
    char text[80];
    std::snprintf(text, sizeof text, "time field value out of range: %d:%02d:%02g", hour, minute, second);
    context.fail(sqlstate::kDatetimeFieldOverflow, text);
    return 0;
  }
  return t;
}
int64_t make_timestamp(FuncContext& context, int32_t year, int32_t month, int32_t day, int32_t hour, int32_t minute,
                       double second) {
  const int32_t date = date_of_fields(context, year, month, day, year);
  if (context.failed()) return 0;
  const int64_t time = make_time(context, hour, minute, second);
  if (context.failed()) return 0;
  if (!is_timestamp_date(date)) {
    char text[120];
    std::snprintf(text, sizeof text, "timestamp out of range: %d-%02d-%02d %d:%02d:%02g", year, month, day, hour,
                  minute, second);
    context.fail(sqlstate::kDatetimeFieldOverflow, text);
    return 0;
  }
  return date * kDay + time;
}
int64_t make_timestamptz(FuncContext& context, int32_t year, int32_t month, int32_t day, int32_t hour, int32_t minute,
                         double second) {
  const int64_t local = make_timestamp(context, year, month, day, hour, minute, second);
  return context.failed() ? 0 : timestamp_to_timestamptz(context, local);
}
int64_t make_timestamptz_at(FuncContext& context, int32_t year, int32_t month, int32_t day, int32_t hour,
                            int32_t minute, double second, Str zone_name) {
  const int64_t local = make_timestamp(context, year, month, day, hour, minute, second);
  if (context.failed()) return 0;
  int32_t east = 0;
  if (!zone_name.empty() && is_digit(zone_name[0])) {
    context.fail(Error(sqlstate::kInvalidParameterValue,
                       "invalid input syntax for type numeric time zone: \"" + std::string(zone_name) + "\"")
                     .with_hint("Numeric time zones must have \"-\" or \"+\" as first character."));
    return 0;
  }
  switch (parse_zone_offset(zone_name, east)) {
    case OffsetParse::kOk: return local - east * kSecond;
    case OffsetParse::kRange:
      context.fail(sqlstate::kInvalidParameterValue,
                   "numeric time zone \"" + std::string(zone_name) + "\" out of range");
      return 0;
    case OffsetParse::kSyntax: break;
  }
  const auto zone = zone_named(context, zone_name);
  return zone == nullptr ? 0 : zone->to_utc(local);
}
Interval make_interval(FuncContext& context, int32_t years, int32_t months, int32_t weeks, int32_t days, int32_t hours,
                       int32_t minutes, double seconds) {
  // Months and days wrap around, as they do in PostgreSQL 15.
  const auto total_months = static_cast<int32_t>(int64_t{years} * 12 + months),
             total_days = static_cast<int32_t>(int64_t{weeks} * 7 + days);
  const double time = static_cast<double>(hours * kHour + minutes * kMinute) + std::rint(seconds * 1e6);
  if (!std::isfinite(seconds) || std::fabs(time) >= 9223372036854775807.0) {
    fail_interval_range(context);
    return {};
  }
  return {hours * kHour + minutes * kMinute + static_cast<int64_t>(std::rint(seconds * 1e6)), total_days, total_months};
}
int64_t from_epoch(FuncContext& context, double seconds) {
  if (std::isnan(seconds)) {
    context.fail(sqlstate::kDatetimeFieldOverflow, "timestamp cannot be NaN");
    return 0;
  }
  if (std::isinf(seconds)) return seconds > 0 ? kTimestampInfinity : kTimestampMinusInfinity;
  const double t = std::rint((seconds - static_cast<double>(kUnixEpochSeconds)) * 1e6);
  if (t < static_cast<double>(kMinTimestamp) || t >= static_cast<double>(kEndTimestamp)) {
    char text[64];
    std::snprintf(text, sizeof text, "timestamp out of range: \"%g\"", seconds);
    context.fail(sqlstate::kDatetimeFieldOverflow, text);
    return 0;
  }
  return static_cast<int64_t>(t);
}

// ---- justify
Interval justify_days(FuncContext& context, Interval v) {
  const int32_t months = v.days / 30;
  v.days -= months * 30;
  if (__builtin_add_overflow(v.months, months, &v.months)) fail_interval_range(context);
  if (v.months > 0 && v.days < 0) {
    v.days += 30;
    v.months--;
  } else if (v.months < 0 && v.days > 0) {
    v.days -= 30;
    v.months++;
  }
  return v;
}
Interval justify_interval(FuncContext& context, Interval v) {
  if ((v.days > 0 && v.microseconds > 0) || (v.days < 0 && v.microseconds < 0)) {
    const int32_t months = v.days / 30;
    v.days -= months * 30;
    if (__builtin_add_overflow(v.months, months, &v.months)) fail_interval_range(context);
  }
  const int64_t whole_days = v.microseconds / kDay;
  v.microseconds -= whole_days * kDay;
  if (__builtin_add_overflow(v.days, static_cast<int32_t>(whole_days), &v.days)) fail_interval_range(context);
  const int32_t months = v.days / 30;
  v.days -= months * 30;
  if (__builtin_add_overflow(v.months, months, &v.months)) fail_interval_range(context);
  if (v.months > 0 && (v.days < 0 || (v.days == 0 && v.microseconds < 0))) {
    v.days += 30;
    v.months--;
  } else if (v.months < 0 && (v.days > 0 || (v.days == 0 && v.microseconds > 0))) {
    v.days -= 30;
    v.months++;
  }
  if (v.days > 0 && v.microseconds < 0) {
    v.microseconds += kDay;
    v.days--;
  } else if (v.days < 0 && v.microseconds > 0) {
    v.microseconds -= kDay;
    v.days++;
  }
  return v;
}

bool finite_date(int32_t d) { return is_finite_date(d); }
bool finite_timestamp(int64_t t) { return is_finite_timestamp(t); }
bool finite_interval(Interval) { return true; }

const ScalarEntry kDatetimeEntries[] = {
    {"now", kernel<now>},
    {"statement_timestamp", kernel<statement_now>},
    {"clock_timestamp", kernel<clock_now>},
    {"timeofday", kernel<time_of_day_text>},
    {"date_pli", kernel<date_plus>},
    {"date_mii", kernel<date_minus>},
    {"integer_pl_date(int4,date)", kernel<days_plus_date>},
    {"date_mi", kernel<date_difference>},
    {"date_pl_interval", kernel<date_plus_interval>},
    {"date_mi_interval", kernel<date_minus_interval>},
    {"interval_pl_date(interval,date)", kernel<interval_plus_date>},
    {"datetime_timestamp", kernel<date_and_time>},
    {"timedate_pl(time,date)", kernel<time_and_date>},
    {"datetimetz_timestamptz", kernel<date_and_timetz>},
    {"timetzdate_pl(timetz,date)", kernel<timetz_and_date>},
    {"timestamptz(date,time)", kernel<date_time_to_timestamptz>},
    {"timestamp_pl_interval", kernel<plus>},
    {"timestamp_mi_interval", kernel<minus>},
    {"interval_pl_timestamp(interval,timestamp)", kernel<plus_reversed>},
    {"timestamptz_pl_interval", kernel<tz_plus>},
    {"timestamptz_mi_interval", kernel<tz_minus>},
    {"interval_pl_timestamptz(interval,timestamptz)", kernel<tz_plus_reversed>},
    {"timestamp_mi", kernel<timestamp_difference>},
    {"interval_pl", kernel<interval_add>},
    {"interval_mi", kernel<interval_subtract>},
    {"interval_um", kernel<interval_negate>},
    {"interval_mul", kernel<interval_times>},
    {"mul_d_interval", kernel<times_reversed>},
    {"interval_div", kernel<interval_over>},
    {"time_pl_interval", kernel<time_plus>},
    {"time_mi_interval", kernel<time_minus>},
    {"interval_pl_time(interval,time)", kernel<interval_plus_time>},
    {"time_mi_time", kernel<time_difference>},
    {"timetz_pl_interval", kernel<timetz_plus>},
    {"timetz_mi_interval", kernel<timetz_minus>},
    {"interval_pl_timetz(interval,timetz)", kernel<interval_plus_timetz>},
    {"date_timestamp", kernel<date_to_timestamp>},
    {"date_timestamptz", kernel<date_to_timestamptz>},
    {"timestamp_timestamptz", kernel<timestamp_to_timestamptz>},
    {"timestamptz_timestamp", kernel<timestamptz_to_timestamp>},
    {"timestamp_date", kernel<timestamp_to_date>},
    {"timestamptz_date", kernel<timestamptz_to_date>},
    {"timestamp_time", kernel<timestamp_to_time>},
    {"timestamptz_time", kernel<timestamptz_to_time>},
    {"timestamptz_timetz", kernel<timestamptz_to_timetz>},
    {"timetz_time", kernel<timetz_to_time>},
    {"time_timetz", kernel<time_to_timetz>},
    {"interval_time", kernel<interval_to_time>},
    {"time_interval", kernel<time_to_interval>},
    {"timestamp_scale", kernel<scale_timestamp>},
    {"timestamptz_scale", kernel<scale_timestamp>},
    {"time_scale", kernel<scale_time>},
    {"timetz_scale", kernel<scale_timetz>},
    {"interval_scale", kernel<scale_interval>},
    {"timestamptz_zone", kernel<local_in_zone>},
    {"timestamp_zone", kernel<utc_of_zone>},
    {"timestamptz_izone", kernel<local_at_offset>},
    {"timestamp_izone", kernel<utc_of_offset>},
    {"timetz_zone", kernel<timetz_in_zone>},
    {"timetz_izone", kernel<timetz_at_offset>},
    {"make_date", kernel<make_date>},
    {"make_time", kernel<make_time>},
    {"make_timestamp", kernel<make_timestamp>},
    {"make_timestamptz", kernel<make_timestamptz>},
    {"make_timestamptz_at_timezone", kernel<make_timestamptz_at>},
    {"make_interval", kernel<make_interval>},
    {"float8_timestamptz", kernel<from_epoch>},
    {"interval_justify_hours", kernel<justify_hours>},
    {"interval_justify_days", kernel<justify_days>},
    {"interval_justify_interval", kernel<justify_interval>},
    {"date_finite", kernel<finite_date>},
    {"timestamp_finite", kernel<finite_timestamp>},
    {"interval_finite", kernel<finite_interval>},
};

}  // namespace

std::span<const ScalarEntry> datetime_functions() { return kDatetimeEntries; }

}  // namespace indigo::types
