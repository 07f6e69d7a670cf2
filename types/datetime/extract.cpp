// date_part, extract, date_trunc, date_bin, age, overlaps.
#include <cmath>

#include "base/name.h"
#include "base/sqlstate.h"
#include "types/datetime/arithmetic.h"
#include "types/datetime/words.h"
#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/numeric/numeric.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

constexpr const char* kTimestampName = "timestamp without time zone";
constexpr const char* kTimestampTzName = "timestamp with time zone";

// A field as an exact decimal.
struct FieldValue {
  enum class Kind : uint8_t { kNull, kValue, kInfinity, kMinusInfinity, kUnsupported } kind = Kind::kUnsupported;
  __int128 mantissa = 0;
  int32_t scale = 0;
  int64_t day_fraction = 0;  // Julian days only: microseconds of the day, to be added as a fraction of it
  bool has_fraction = false;
};
FieldValue value(__int128 mantissa, int32_t scale = 0) { return {FieldValue::Kind::kValue, mantissa, scale}; }

FieldValue time_field(TimeUnit unit, int64_t time) {
  const int64_t seconds_us = time % kMinute;
  switch (unit) {
    case TimeUnit::kMicrosecond: return value(seconds_us);
    case TimeUnit::kMillisecond: return value(seconds_us, 3);
    case TimeUnit::kSecond: return value(seconds_us, 6);
    case TimeUnit::kMinute: return value(time / kMinute % 60);
    case TimeUnit::kHour: return value(time / kHour);
    default: return {};
  }
}

int64_t decade_of(int64_t y) { return y >= 0 ? y / 10 : -((8 - (y - 1)) / 10); }
int64_t century_of(int64_t y) { return y > 0 ? (y + 99) / 100 : -((99 - (y - 1)) / 100); }
int64_t millennium_of(int64_t y) { return y > 0 ? (y + 999) / 1000 : -((999 - (y - 1)) / 1000); }

FieldValue date_field(TimeUnit unit, int64_t days) {
  const CivilDate d = civil_from_days(days);
  switch (unit) {
    case TimeUnit::kDay: return value(d.day);
    case TimeUnit::kMonth: return value(d.month);
    case TimeUnit::kQuarter: return value((d.month - 1) / 3 + 1);
    case TimeUnit::kWeek: return value(iso_week(days));
    case TimeUnit::kYear: return value(d.year > 0 ? d.year : d.year - 1);
    case TimeUnit::kDecade: return value(decade_of(d.year));
    case TimeUnit::kCentury: return value(century_of(d.year));
    case TimeUnit::kMillennium: return value(millennium_of(d.year));
    case TimeUnit::kIsoYear: {
      const int32_t y = iso_year(days);
      return value(y > 0 ? y : y - 1);
    }
    case TimeUnit::kDow: return value(day_of_week(days));
    case TimeUnit::kIsoDow: return value((day_of_week(days) + 6) % 7 + 1);
    case TimeUnit::kDoy: return value(day_of_year(d));
    default: return {};
  }
}

FieldValue zone_field(TimeUnit unit, int32_t east) {
  switch (unit) {
    case TimeUnit::kTimezone: return value(east);
    case TimeUnit::kTimezoneHour: return value(east / 3600);
    case TimeUnit::kTimezoneMinute: return value(east / 60 % 60);
    default: return {};
  }
}

// Fields that grow forever are infinite for infinite moments, the others null.
FieldValue infinite_field(TimeUnit unit, bool positive, bool with_time) {
  switch (unit) {
    case TimeUnit::kYear:
    case TimeUnit::kDecade:
    case TimeUnit::kCentury:
    case TimeUnit::kMillennium:
    case TimeUnit::kJulian:
    case TimeUnit::kIsoYear:
    case TimeUnit::kEpoch: return {positive ? FieldValue::Kind::kInfinity : FieldValue::Kind::kMinusInfinity};
    case TimeUnit::kMicrosecond:
    case TimeUnit::kMillisecond:
    case TimeUnit::kSecond:
    case TimeUnit::kMinute:
    case TimeUnit::kHour: return with_time ? FieldValue{FieldValue::Kind::kNull} : FieldValue();
    case TimeUnit::kNone:
    case TimeUnit::kAgo: return {};
    default: return {FieldValue::Kind::kNull};
  }
}

FieldValue timestamp_field(TimeUnit unit, int64_t local, int64_t utc, int32_t east, bool with_zone) {
  const bool zone_unit =
      unit == TimeUnit::kTimezone || unit == TimeUnit::kTimezoneHour || unit == TimeUnit::kTimezoneMinute;
  if (!is_finite_timestamp(local)) return infinite_field(unit, local > 0, true);
  if (zone_unit && !with_zone) return {};
  if (zone_unit) return zone_field(unit, east);
  if (unit == TimeUnit::kEpoch) return value(__int128{utc} + kUnixEpochSeconds * kSecond, 6);
  if (unit == TimeUnit::kJulian) {
    FieldValue v = value(julian_day(date_part_of(local)));
    v.day_fraction = time_part_of(local);
    v.has_fraction = true;
    return v;
  }
  const FieldValue v = time_field(unit, time_part_of(local));
  return v.kind == FieldValue::Kind::kUnsupported ? date_field(unit, date_part_of(local)) : v;
}

FieldValue interval_field(TimeUnit unit, const Interval& v) {
  const int32_t years = v.months / 12;
  switch (unit) {
    case TimeUnit::kDay: return value(v.days);
    case TimeUnit::kMonth: return value(v.months % 12);
    case TimeUnit::kQuarter: return value(v.months % 12 / 3 + 1);
    case TimeUnit::kYear: return value(years);
    case TimeUnit::kDecade: return value(years / 10);
    case TimeUnit::kCentury: return value(years / 100);
    case TimeUnit::kMillennium: return value(years / 1000);
    case TimeUnit::kEpoch: {
      // A year has 365.25 days, a month 30.
      const int64_t quarter_days = int64_t{1461} * years + int64_t{120} * (v.months % 12) + int64_t{4} * v.days;
      return value(__int128{quarter_days} * (kDay / 4) + v.microseconds, 6);
    }
    default: return time_field(unit, v.microseconds);
  }
}

// Units are constants nearly always: the one of the row before is remembered.
struct LastUnit {
  std::string name;
  TimeUnit unit = TimeUnit::kNone;
};
TimeUnit unit_named(FuncContext& context, Str name) {
  name = clip_name(name);
  auto& last = context.cached<LastUnit>();
  if (last.name != name) last = {std::string(name), find_time_unit(to_lower(name))};
  return last.unit;
}

void fail_unit(FuncContext& context, Str unit, const char* type, bool recognized) {
  context.fail(recognized ? sqlstate::kFeatureNotSupported : sqlstate::kInvalidParameterValue,
               "unit \"" + to_lower(clip_name(unit)) + "\" not " + (recognized ? "supported" : "recognized") +
                   " for type " + type);
}

std::optional<double> as_double(FuncContext& context, const FieldValue& v, Str unit, TimeUnit known, const char* type) {
  switch (v.kind) {
    case FieldValue::Kind::kNull: return {};
    case FieldValue::Kind::kInfinity: return INFINITY;
    case FieldValue::Kind::kMinusInfinity: return -INFINITY;
    case FieldValue::Kind::kUnsupported: fail_unit(context, unit, type, known != TimeUnit::kNone); return {};
    case FieldValue::Kind::kValue: break;
  }
  if (v.has_fraction) return static_cast<double>(v.mantissa) + static_cast<double>(v.day_fraction) / 1e6 / 86400.0;
  return static_cast<double>(v.mantissa) / static_cast<double>(power_of_ten_128(static_cast<uint32_t>(v.scale)));
}
std::optional<Str> as_numeric(FuncContext& context, const FieldValue& v, Str unit, TimeUnit known, const char* type) {
  switch (v.kind) {
    case FieldValue::Kind::kNull: return {};
    case FieldValue::Kind::kInfinity: return numeric_image(context, Numeric::special(Numeric::Kind::kPlusInfinity));
    case FieldValue::Kind::kMinusInfinity:
      return numeric_image(context, Numeric::special(Numeric::Kind::kMinusInfinity));
    case FieldValue::Kind::kUnsupported: fail_unit(context, unit, type, known != TimeUnit::kNone); return {};
    case FieldValue::Kind::kValue: break;
  }
  if (v.has_fraction)
    return numeric_add(context, small_numeric_image(context, v.mantissa, 0),
                       numeric_divide(context, numeric_image(context, v.day_fraction), numeric_image(context, kDay)));
  return small_numeric_image(context, v.mantissa, v.scale);
}

// One extract and one date_part for each type, from the field function F(context, unit, value).
template <auto F, const auto& kName, class V>
std::optional<double> part(FuncContext& context, Str unit, V v) {
  const TimeUnit known = unit_named(context, unit);
  return as_double(context, F(context, known, v), unit, known, kName);
}
template <auto F, const auto& kName, class V>
std::optional<Str> extract(FuncContext& context, Str unit, V v) {
  const TimeUnit known = unit_named(context, unit);
  return as_numeric(context, F(context, known, v), unit, known, kName);
}

FieldValue of_timestamp(FuncContext&, TimeUnit unit, int64_t t) { return timestamp_field(unit, t, t, 0, false); }
FieldValue of_timestamptz(FuncContext& context, TimeUnit unit, int64_t t) {
  if (!is_finite_timestamp(t)) return timestamp_field(unit, t, t, 0, true);
  const int32_t east = session_time_zone(context).at(t).seconds_east;
  return timestamp_field(unit, t + east * kSecond, t, east, true);
}
FieldValue of_date(FuncContext&, TimeUnit unit, int32_t date) {
  if (unit == TimeUnit::kTimezone || unit == TimeUnit::kTimezoneHour || unit == TimeUnit::kTimezoneMinute ||
      unit == TimeUnit::kNone)
    return {};
  if (!is_finite_date(date)) return infinite_field(unit, date > 0, false);
  if (unit == TimeUnit::kEpoch) return value(int64_t{date} * 86400 + kUnixEpochSeconds);
  if (unit == TimeUnit::kJulian) return value(int64_t{date} + kEpochJulian);
  return date_field(unit, date);
}
FieldValue of_time(FuncContext&, TimeUnit unit, int64_t time) {
  return unit == TimeUnit::kEpoch ? value(time, 6) : time_field(unit, time);
}
FieldValue of_timetz(FuncContext&, TimeUnit unit, TimeTz t) {
  if (unit == TimeUnit::kEpoch) return value(t.microseconds + t.zone_seconds_west * kSecond, 6);
  const FieldValue v = zone_field(unit, -t.zone_seconds_west);
  return v.kind == FieldValue::Kind::kUnsupported ? time_field(unit, t.microseconds) : v;
}
FieldValue of_interval(FuncContext&, TimeUnit unit, Interval v) { return interval_field(unit, v); }
// date_part(text, date) goes through timestamp.
std::optional<double> date_part_of_date(FuncContext& context, Str unit, int32_t date);

constexpr char kDateType[] = "date", kTimestampType[] = "timestamp without time zone",
               kTimestampTzType[] = "timestamp with time zone", kTimeType[] = "time without time zone",
               kTimeTzType[] = "time with time zone", kIntervalType[] = "interval";

std::optional<double> date_part_of_date(FuncContext& context, Str unit, int32_t date) {
  const int64_t t = date_to_timestamp(context, date);
  if (context.failed()) return {};
  return part<of_timestamp, kTimestampType>(context, unit, t);
}

// ---- date_trunc
bool truncate_date(TimeUnit unit, int64_t& days) {
  CivilDate d = civil_from_days(days);
  switch (unit) {
    case TimeUnit::kDay: return true;
    case TimeUnit::kWeek: days -= (day_of_week(days) + 6) % 7; return true;
    case TimeUnit::kMonth: break;
    case TimeUnit::kQuarter: d.month = (d.month - 1) / 3 * 3 + 1; break;
    case TimeUnit::kMillennium:
      d.year = d.year > 0 ? (d.year + 999) / 1000 * 1000 - 999 : -((999 - (d.year - 1)) / 1000) * 1000 + 1;
      d.month = 1;
      break;
    case TimeUnit::kCentury:
      d.year = d.year > 0 ? (d.year + 99) / 100 * 100 - 99 : -((99 - (d.year - 1)) / 100) * 100 + 1;
      d.month = 1;
      break;
    case TimeUnit::kDecade:
      d.year = d.year > 0 ? d.year / 10 * 10 : -((8 - (d.year - 1)) / 10) * 10;
      d.month = 1;
      break;
    case TimeUnit::kYear: d.month = 1; break;
    default: return false;
  }
  days = days_from_civil(d.year, d.month, 1);
  return true;
}
// Units of a day and less have one length.
int64_t unit_length(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kMicrosecond: return 1;
    case TimeUnit::kMillisecond: return 1000;
    case TimeUnit::kSecond: return kSecond;
    case TimeUnit::kMinute: return kMinute;
    case TimeUnit::kHour: return kHour;
    default: return 0;
  }
}
// date_trunc knows the units of intervals only.
bool is_trunc_unit(TimeUnit unit) {
  return unit != TimeUnit::kNone &&
         (unit <= TimeUnit::kMillennium || (unit >= TimeUnit::kTimezone && unit <= TimeUnit::kTimezoneMinute));
}

int64_t truncate_local(FuncContext& context, Str name, TimeUnit unit, int64_t t, const char* type) {
  if (const int64_t length = unit_length(unit)) {
    const int64_t time = time_part_of(t);
    return t - time % length;
  }
  int64_t days = date_part_of(t);
  if (!truncate_date(unit, days)) {
    fail_unit(context, name, type, is_trunc_unit(unit));
    return t;
  }
  return days * kDay;
}
int64_t trunc_timestamp(FuncContext& context, Str unit, int64_t t) {
  const TimeUnit known = unit_named(context, unit);
  if (!is_finite_timestamp(t)) return t;
  return truncate_local(context, unit, known, t, kTimestampName);
}
int64_t trunc_in_zone(FuncContext& context, Str unit, int64_t t, const TimeZone& zone) {
  if (!is_finite_timestamp(t)) return t;
  const TimeUnit known = unit_named(context, unit);
  const int32_t east = zone.at(t).seconds_east;
  const int64_t local = truncate_local(context, unit, known, t + east * kSecond, kTimestampTzName);
  // Within the day the offset stays.
  return unit_length(known) != 0 ? local - east * kSecond : zone.to_utc(local);
}
int64_t trunc_timestamptz(FuncContext& context, Str unit, int64_t t) {
  return trunc_in_zone(context, unit, t, session_time_zone(context));
}
int64_t trunc_timestamptz_zone(FuncContext& context, Str unit, int64_t t, Str zone_name) {
  if (!is_finite_timestamp(t)) return t;
  const auto zone = zone_named(context, zone_name);
  return zone == nullptr ? t : trunc_in_zone(context, unit, t, *zone);
}
Interval trunc_interval(FuncContext& context, Str unit, Interval v) {
  const TimeUnit known = unit_named(context, unit);
  if (const int64_t length = unit_length(known)) {
    v.microseconds -= v.microseconds % length;
    return v;
  }
  int32_t months = 1;
  switch (known) {
    case TimeUnit::kDay: v.microseconds = 0; return v;
    case TimeUnit::kMonth: break;
    case TimeUnit::kQuarter: months = 3; break;
    case TimeUnit::kYear: months = 12; break;
    case TimeUnit::kDecade: months = 120; break;
    case TimeUnit::kCentury: months = 1200; break;
    case TimeUnit::kMillennium: months = 12000; break;
    case TimeUnit::kWeek:
      context.fail(Error(sqlstate::kFeatureNotSupported,
                         "unit \"" + to_lower(clip_name(unit)) + "\" not supported for type interval")
                       .with_detail("Months usually have fractional weeks."));
      return v;
    default: fail_unit(context, unit, kIntervalType, is_trunc_unit(known)); return v;
  }
  return {0, 0, v.months - v.months % months};
}

int64_t bin(FuncContext& context, Interval stride, int64_t t, int64_t origin) {
  if (!is_finite_timestamp(t)) return t;
  if (!is_finite_timestamp(origin)) {
    context.fail(sqlstate::kDatetimeFieldOverflow, "origin out of range");
    return t;
  }
  if (stride.months != 0) {
    context.fail(sqlstate::kFeatureNotSupported,
                 "timestamps cannot be binned into intervals containing months or years");
    return t;
  }
  int64_t length = 0, difference = 0;
  if (__builtin_mul_overflow(int64_t{stride.days}, kDay, &length) ||
      __builtin_add_overflow(length, stride.microseconds, &length)) {
    fail_interval_range(context);
    return t;
  }
  if (length > 0 && __builtin_sub_overflow(t, origin, &difference)) {
    fail_interval_range(context);
    return t;
  }
  if (length <= 0) {
    context.fail(sqlstate::kDatetimeFieldOverflow, "stride must be greater than zero");
    return t;
  }
  const int64_t offset = difference - difference % length;
  int64_t result = origin + offset;
  if (difference % length < 0 && (__builtin_sub_overflow(result, length, &result) || !is_valid_timestamp(result)))
    fail_timestamp_range(context);
  return result;
}

// ---- age
// Minus infinity is out of range; infinity is taken as the moment whose bits it is, as PostgreSQL 15 takes it.
Interval age_of(FuncContext& context, int64_t a, int64_t b) {
  if (a == kTimestampMinusInfinity || b == kTimestampMinusInfinity) {
    fail_timestamp_range(context);
    return {};
  }
  const CivilDate x = civil_from_days(date_part_of(a)), y = civil_from_days(date_part_of(b));
  int64_t time = time_part_of(a) - time_part_of(b);
  int32_t days = x.day - y.day, months = x.month - y.month, years = x.year - y.year;
  const bool negative = a < b;
  if (negative) {
    time = -time;
    days = -days;
    months = -months;
    years = -years;
  }
  if (time < 0) {
    time += kDay;
    days--;
  }
  while (days < 0) {
    days += negative ? days_in_month(x.year, x.month) : days_in_month(y.year, y.month);
    months--;
  }
  while (months < 0) {
    months += 12;
    years--;
  }
  Interval v{time, days, years * 12 + months};
  return negative ? Interval{-v.microseconds, -v.days, -v.months} : v;
}
Interval age_timestamptz(FuncContext& context, int64_t a, int64_t b) {
  return age_of(context, timestamptz_to_timestamp(context, a), timestamptz_to_timestamp(context, b));
}
int64_t local_midnight(FuncContext& context) {
  return date_part_of(session_time_zone(context).to_local(context.session().transaction_timestamp())) * kDay;
}
Interval age_to_today(FuncContext& context, int64_t t) { return age_of(context, local_midnight(context), t); }
Interval age_to_today_tz(FuncContext& context, int64_t t) {
  return age_of(context, local_midnight(context), timestamptz_to_timestamp(context, t));
}

// ---- overlaps: null ends are allowed
template <class T>
std::optional<bool> periods_overlap(std::optional<T> a, std::optional<T> a_end, std::optional<T> b,
                                    std::optional<T> b_end) {
  const auto order = [](std::optional<T>& from, std::optional<T>& to) {
    if (!from || (to && *from > *to)) std::swap(from, to);
    return from.has_value();
  };
  if (!order(a, a_end) || !order(b, b_end)) return {};
  if (*a == *b) return a_end && b_end ? std::optional<bool>(true) : std::nullopt;
  if (*a < *b) {
    std::swap(a, b);
    std::swap(a_end, b_end);
  }
  if (!b_end) return {};
  if (*a < *b_end) return true;
  return a_end ? std::optional<bool>(false) : std::nullopt;
}
using OptionalTime = std::optional<int64_t>;
std::optional<bool> overlap(OptionalTime a, OptionalTime a_end, OptionalTime b, OptionalTime b_end) {
  return periods_overlap<int64_t>(a, a_end, b, b_end);
}
std::optional<bool> overlap_timetz(std::optional<TimeTz> a, std::optional<TimeTz> a_end, std::optional<TimeTz> b,
                                   std::optional<TimeTz> b_end) {
  const auto utc = [](const std::optional<TimeTz>& t) {
    return t ? OptionalTime(t->microseconds + t->zone_seconds_west * kSecond) : OptionalTime();
  };
  return periods_overlap<int64_t>(utc(a), utc(a_end), utc(b), utc(b_end));
}
// An end given as a length.
enum class Clock : uint8_t { kTimestamp, kTimestampTz, kTime };
template <Clock kClock>
OptionalTime end_of(FuncContext& context, OptionalTime from, std::optional<Interval> length) {
  if (!from || !length) return {};
  switch (kClock) {
    case Clock::kTimestamp: return timestamp_plus(context, *from, *length);
    case Clock::kTimestampTz: return timestamptz_plus(context, *from, *length, session_time_zone(context));
    case Clock::kTime: break;
  }
  int64_t t = (*from + length->microseconds % kDay) % kDay;
  return t < 0 ? t + kDay : t;
}
template <Clock kClock>
std::optional<bool> overlap_lengths(FuncContext& context, OptionalTime a, std::optional<Interval> la, OptionalTime b,
                                    std::optional<Interval> lb) {
  return overlap(a, end_of<kClock>(context, a, la), b, end_of<kClock>(context, b, lb));
}
template <Clock kClock>
std::optional<bool> overlap_second_length(FuncContext& context, OptionalTime a, OptionalTime a_end, OptionalTime b,
                                          std::optional<Interval> lb) {
  return overlap(a, a_end, b, end_of<kClock>(context, b, lb));
}
template <Clock kClock>
std::optional<bool> overlap_first_length(FuncContext& context, OptionalTime a, std::optional<Interval> la,
                                         OptionalTime b, OptionalTime b_end) {
  return overlap(a, end_of<kClock>(context, a, la), b, b_end);
}

const ScalarEntry kExtractEntries[] = {
    {"timestamp_part", kernel<part<of_timestamp, kTimestampType, int64_t>>},
    {"timestamptz_part", kernel<part<of_timestamptz, kTimestampTzType, int64_t>>},
    {"date_part(text,date)", kernel<date_part_of_date>},
    {"time_part", kernel<part<of_time, kTimeType, int64_t>>},
    {"timetz_part", kernel<part<of_timetz, kTimeTzType, TimeTz>>},
    {"interval_part", kernel<part<of_interval, kIntervalType, Interval>>},
    {"extract_timestamp", kernel<extract<of_timestamp, kTimestampType, int64_t>>},
    {"extract_timestamptz", kernel<extract<of_timestamptz, kTimestampTzType, int64_t>>},
    {"extract_date", kernel<extract<of_date, kDateType, int32_t>>},
    {"extract_time", kernel<extract<of_time, kTimeType, int64_t>>},
    {"extract_timetz", kernel<extract<of_timetz, kTimeTzType, TimeTz>>},
    {"extract_interval", kernel<extract<of_interval, kIntervalType, Interval>>},
    {"timestamp_trunc", kernel<trunc_timestamp>},
    {"timestamptz_trunc", kernel<trunc_timestamptz>},
    {"timestamptz_trunc_zone", kernel<trunc_timestamptz_zone>},
    {"interval_trunc", kernel<trunc_interval>},
    {"timestamp_bin", kernel<bin>},
    {"timestamptz_bin", kernel<bin>},
    {"timestamp_age", kernel<age_of>},
    {"timestamptz_age", kernel<age_timestamptz>},
    {"age(timestamp)", kernel<age_to_today>},
    {"age(timestamptz)", kernel<age_to_today_tz>},
    {"overlaps_timestamp", kernel<overlap>},
    {"overlaps_time", kernel<overlap>},
    {"overlaps_timetz", kernel<overlap_timetz>},
    {"overlaps(timestamp,interval,timestamp,interval)", kernel<overlap_lengths<Clock::kTimestamp>>},
    {"overlaps(timestamp,timestamp,timestamp,interval)", kernel<overlap_second_length<Clock::kTimestamp>>},
    {"overlaps(timestamp,interval,timestamp,timestamp)", kernel<overlap_first_length<Clock::kTimestamp>>},
    {"overlaps(timestamptz,interval,timestamptz,interval)", kernel<overlap_lengths<Clock::kTimestampTz>>},
    {"overlaps(timestamptz,timestamptz,timestamptz,interval)", kernel<overlap_second_length<Clock::kTimestampTz>>},
    {"overlaps(timestamptz,interval,timestamptz,timestamptz)", kernel<overlap_first_length<Clock::kTimestampTz>>},
    {"overlaps(time,interval,time,interval)", kernel<overlap_lengths<Clock::kTime>>},
    {"overlaps(time,time,time,interval)", kernel<overlap_second_length<Clock::kTime>>},
    {"overlaps(time,interval,time,time)", kernel<overlap_first_length<Clock::kTime>>},
};

}  // namespace

std::span<const ScalarEntry> datetime_extraction() { return kExtractEntries; }

}  // namespace indigo::types
