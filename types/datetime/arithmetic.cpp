#include "types/datetime/arithmetic.h"

#include <cmath>

#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/datetime/calendar.h"
#include "types/function/errors.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

// Adds months to local time; false when the year is out of range.
bool add_months(int64_t& local, int32_t months) {
  const int64_t days = date_part_of(local);
  CivilDate d = civil_from_days(days);
  const int64_t month = int64_t{d.year} * 12 + d.month - 1 + months;
  const int64_t year = month >= 0 ? month / 12 : -((11 - month) / 12);
  const auto month_of_year = static_cast<int32_t>(month - year * 12) + 1;
  if (year < -4800 || year > 300000) return false;
  const int32_t day = std::min(d.day, days_in_month(year, month_of_year));
  const int64_t result = days_from_civil(year, month_of_year, day);
  if (!is_timestamp_date(result)) return false;
  local = result * kDay + time_part_of(local);
  return true;
}

bool add_checked(int64_t& t, int64_t v) { return !__builtin_add_overflow(t, v, &t) && is_valid_timestamp(t); }
// From one end of time to the other there are more microseconds than an int64_t counts.
bool add_days(int64_t& t, int32_t days) {
  const __int128 sum = static_cast<__int128>(days) * kDay + t;
  t = static_cast<int64_t>(sum);
  return sum == t && is_valid_timestamp(t);
}

}  // namespace

int64_t date_to_timestamp(FuncContext& context, int32_t date) {
  if (!is_finite_date(date)) return date > 0 ? kTimestampInfinity : kTimestampMinusInfinity;
  if (!is_timestamp_date(date)) {
    context.fail(sqlstate::kDatetimeFieldOverflow, "date out of range for timestamp");
    return 0;
  }
  return date * kDay;
}

int64_t timestamp_to_timestamptz(FuncContext& context, int64_t local) {
  if (!is_finite_timestamp(local)) return local;
  const int64_t utc = session_time_zone(context).to_utc(local);
  if (!is_valid_timestamp(utc)) fail_timestamp_range(context);
  return utc;
}
int64_t date_to_timestamptz(FuncContext& context, int32_t date) {
  const int64_t local = date_to_timestamp(context, date);
  return context.failed() ? 0 : timestamp_to_timestamptz(context, local);
}
int64_t timestamptz_to_timestamp(FuncContext& context, int64_t timestamp) {
  if (!is_finite_timestamp(timestamp)) return timestamp;
  const int64_t local = session_time_zone(context).to_local(timestamp);
  if (!is_valid_timestamp(local)) {
    fail_timestamp_range(context);
    return 0;
  }
  return local;
}

int32_t date_plus(FuncContext& context, int32_t date, int32_t days) {
  if (!is_finite_date(date)) return date;
  const int64_t result = int64_t{date} + days;
  if (!is_valid_date(result)) fail_date_range(context);
  return static_cast<int32_t>(result);
}
int32_t date_minus(FuncContext& context, int32_t date, int32_t days) {
  if (!is_finite_date(date)) return date;
  const int64_t result = int64_t{date} - days;
  if (!is_valid_date(result)) fail_date_range(context);
  return static_cast<int32_t>(result);
}
int32_t date_difference(FuncContext& context, int32_t a, int32_t b) {
  if (!is_finite_date(a) || !is_finite_date(b)) {
    context.fail(sqlstate::kDatetimeFieldOverflow, "cannot subtract infinite dates");
    return 0;
  }
  return a - b;
}
int32_t timestamp_to_date(int64_t t) {
  if (!is_finite_timestamp(t)) return t > 0 ? kDateInfinity : kDateMinusInfinity;
  return static_cast<int32_t>(date_part_of(t));
}

int64_t timestamp_plus(FuncContext& context, int64_t t, const Interval& v) {
  if (!is_finite_timestamp(t)) return t;
  if ((v.months != 0 && !add_months(t, v.months)) || (v.days != 0 && !add_days(t, v.days)) ||
      !add_checked(t, v.microseconds)) {
    fail_timestamp_range(context);
    return 0;
  }
  return t;
}

int64_t timestamptz_plus(FuncContext& context, int64_t t, const Interval& v, const TimeZone& zone) {
  if (!is_finite_timestamp(t)) return t;
  if (v.months != 0 || v.days != 0) {
    int64_t local = zone.to_local(t);
    if ((v.months != 0 && !add_months(local, v.months)) || (v.days != 0 && !add_days(local, v.days))) {
      fail_timestamp_range(context);
      return 0;
    }
    t = zone.to_utc(local);
  }
  if (!add_checked(t, v.microseconds)) {
    fail_timestamp_range(context);
    return 0;
  }
  return t;
}

Interval interval_negate(FuncContext& context, Interval v) {
  Interval r{};
  if (__builtin_sub_overflow(int64_t{0}, v.microseconds, &r.microseconds) ||
      __builtin_sub_overflow(0, v.days, &r.days) || __builtin_sub_overflow(0, v.months, &r.months))
    fail_interval_range(context);
  return r;
}

Interval interval_add(FuncContext& context, Interval a, Interval b) {
  Interval r{};
  if (__builtin_add_overflow(a.microseconds, b.microseconds, &r.microseconds) ||
      __builtin_add_overflow(a.days, b.days, &r.days) || __builtin_add_overflow(a.months, b.months, &r.months))
    fail_interval_range(context);
  return r;
}

namespace {

double round_micro(double v) { return std::rint(v * 1e6) / 1e6; }

// The fractions of months go to days of thirty a month, those of days to time.
Interval scaled(FuncContext& context, const Interval& v, double months, double days, double microseconds) {
  Interval r{};
  const auto fits = [](double x) { return !std::isnan(x) && x >= -2147483648.0 && x < 2147483648.0; };
  if (!fits(months) || !fits(days)) {
    fail_interval_range(context);
    return v;
  }
  r.months = static_cast<int32_t>(months);
  r.days = static_cast<int32_t>(days);
  const double days_of_months = round_micro((months - r.months) * 30);
  bool overflow = false;
  double seconds = round_micro((days - r.days + days_of_months - static_cast<int32_t>(days_of_months)) * 86400);
  if (std::fabs(seconds) >= 86400) {
    const auto extra = static_cast<int32_t>(seconds / 86400);
    overflow |= __builtin_add_overflow(r.days, extra, &r.days);
    seconds -= extra * 86400.0;
  }
  overflow |= __builtin_add_overflow(r.days, static_cast<int32_t>(days_of_months), &r.days);
  const double total = std::rint(microseconds + seconds * 1e6);
  if (overflow || std::isnan(total) || total < -9223372036854775808.0 || total >= 9223372036854775808.0) {
    fail_interval_range(context);
    return v;
  }
  r.microseconds = static_cast<int64_t>(total);
  return r;
}

}  // namespace

Interval interval_subtract(FuncContext& context, Interval a, Interval b) {
  Interval r{};
  if (__builtin_sub_overflow(a.microseconds, b.microseconds, &r.microseconds) ||
      __builtin_sub_overflow(a.days, b.days, &r.days) || __builtin_sub_overflow(a.months, b.months, &r.months))
    fail_interval_range(context);
  return r;
}
Interval interval_times(FuncContext& context, Interval v, double f) {
  return scaled(context, v, v.months * f, v.days * f, static_cast<double>(v.microseconds) * f);
}

Interval interval_over(FuncContext& context, Interval v, double f) {
  if (f == 0) {
    fail_division_by_zero(context);
    return v;
  }
  return scaled(context, v, v.months / f, v.days / f, static_cast<double>(v.microseconds) / f);
}

Interval justify_hours(FuncContext& context, Interval v) {
  const int64_t days = v.microseconds / kDay;
  v.microseconds -= days * kDay;
  if (__builtin_add_overflow(v.days, static_cast<int32_t>(days), &v.days)) {
    fail_interval_range(context);
    return v;
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

Interval timestamp_difference(FuncContext& context, int64_t a, int64_t b) {
  if (!is_finite_timestamp(a) || !is_finite_timestamp(b)) {
    context.fail(sqlstate::kDatetimeFieldOverflow, "cannot subtract infinite timestamps");
    return {};
  }
  int64_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) {
    fail_interval_range(context);
    return {};
  }
  return justify_hours(context, Interval{difference, 0, 0});
}

std::shared_ptr<const TimeZone> zone_named(FuncContext& context, Str name) {
  constexpr size_t kMaxZoneNameBytes = 255;
  name = utf8_clip(name, kMaxZoneNameBytes);
  if (const ZoneAbbreviation* a = find_zone_abbreviation(to_lower(name))) return zone_of_abbreviation(*a);
  auto zone = find_time_zone(name);
  if (zone == nullptr)
    context.fail(sqlstate::kInvalidParameterValue, "time zone \"" + std::string(name) + "\" not recognized");
  return zone;
}

}  // namespace indigo::types
