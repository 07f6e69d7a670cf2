#include "types/datetime/format.h"

#include <cstdlib>

#include "types/datetime/calendar.h"
#include "types/datetime/words.h"

namespace indigo::types {

namespace {

using DateStyle = FormatSettings::DateStyle;
using DateOrder = FormatSettings::DateOrder;
using IntervalStyle = FormatSettings::IntervalStyle;

// ".25" without trailing zeros; nothing for zero.
void append_fraction(int64_t microseconds, std::string& out) {
  if (microseconds == 0) return;
  char digits[7];
  for (int i = 5; i >= 0; i--, microseconds /= 10) digits[i] = static_cast<char>('0' + microseconds % 10);
  size_t n = 6;
  while (digits[n - 1] == '0') n--;
  out.push_back('.');
  out.append(digits, n);
}

void append_clock(int64_t time, std::string& out) {
  const CivilTime c = civil_time(time);
  append_padded(c.hour, 2, out);
  out.push_back(':');
  append_padded(c.minute, 2, out);
  out.push_back(':');
  append_padded(c.second, 2, out);
  append_fraction(c.microsecond, out);
}

int32_t shown_year(int32_t year) { return year > 0 ? year : 1 - year; }

void append_civil_date(const CivilDate& d, DateStyle style, DateOrder order, std::string& out) {
  const auto triple = [&](int32_t a, int32_t b, char separator) {
    append_padded(a, 2, out);
    out.push_back(separator);
    append_padded(b, 2, out);
    out.push_back(separator);
    append_padded(shown_year(d.year), 4, out);
  };
  const bool day_first = order == DateOrder::kDmy;
  switch (style) {
    case DateStyle::kIso:
      append_padded(shown_year(d.year), 4, out);
      out.push_back('-');
      append_padded(d.month, 2, out);
      out.push_back('-');
      append_padded(d.day, 2, out);
      break;
    case DateStyle::kSql: day_first ? triple(d.day, d.month, '/') : triple(d.month, d.day, '/'); break;
    case DateStyle::kGerman: triple(d.day, d.month, '.'); break;
    case DateStyle::kPostgres: day_first ? triple(d.day, d.month, '-') : triple(d.month, d.day, '-'); break;
  }
}

// 2024-01-31 12:34:56, of years with four digits.
void append_iso(const CivilDate& d, int64_t time, std::string& out) {
  const CivilTime c = civil_time(time);
  char text[] = "0000-00-00 00:00:00";
  const auto two = [&](size_t at, int32_t value) {
    text[at] = static_cast<char>('0' + value / 10);
    text[at + 1] = static_cast<char>('0' + value % 10);
  };
  two(0, d.year / 100);
  two(2, d.year % 100);
  two(5, d.month);
  two(8, d.day);
  two(11, static_cast<int32_t>(c.hour));
  two(14, static_cast<int32_t>(c.minute));
  two(17, static_cast<int32_t>(c.second));
  out.append(text, sizeof text - 1);
  append_fraction(c.microsecond, out);
}

// `zone` is null for timestamps without one.
void append_moment(int64_t local, const TimeZone::Offset* zone, const FormatSettings& settings, std::string& out) {
  const int64_t days = date_part_of(local);
  const CivilDate d = civil_from_days(days);
  if (settings.date_style == DateStyle::kPostgres) {
    out.append(kDayNames[day_of_week(days)], 3).push_back(' ');
    if (settings.date_order == DateOrder::kDmy) {
      append_padded(d.day, 2, out);
      out.append(" ").append(kMonthNames[d.month - 1], 3);
    } else {
      out.append(kMonthNames[d.month - 1], 3).push_back(' ');
      append_padded(d.day, 2, out);
    }
    out.push_back(' ');
    append_clock(time_part_of(local), out);
    out.push_back(' ');
    append_padded(shown_year(d.year), 4, out);
  } else if (settings.date_style == DateStyle::kIso && d.year > 0 && d.year < 10000) {
    append_iso(d, time_part_of(local), out);
  } else {
    append_civil_date(d, settings.date_style, settings.date_order, out);
    out.push_back(' ');
    append_clock(time_part_of(local), out);
  }
  if (zone != nullptr) {
    const bool numeric = settings.date_style == DateStyle::kIso || zone->abbreviation == nullptr ||
                         zone->abbreviation[0] == '+' || zone->abbreviation[0] == '-' || zone->abbreviation[0] == 'F';
    if (settings.date_style == DateStyle::kIso) {
      append_zone_offset(zone->seconds_east, out);
    } else if (numeric) {
      out.push_back(' ');
      append_zone_offset(zone->seconds_east, out);
    } else {
      out.append(" ").append(zone->abbreviation);
    }
  }
  if (d.year <= 0) out.append(" BC");
}

bool append_infinite(int64_t t, std::string& out) {
  if (is_finite_timestamp(t)) return false;
  out.append(t > 0 ? "infinity" : "-infinity");
  return true;
}

// ---- intervals
struct Parts {
  int32_t years, months, days;
  int64_t hours;
  int32_t minutes, seconds;
  int64_t microseconds;
};
Parts split(const Interval& v) {
  const int64_t t = v.microseconds;
  return {v.months / 12,
          v.months % 12,
          v.days,
          t / kHour,
          static_cast<int32_t>(t / kMinute % 60),
          static_cast<int32_t>(t / kSecond % 60),
          t % kSecond};
}

void append_seconds(int64_t seconds, int64_t microseconds, int width, std::string& out) {
  append_padded(std::llabs(seconds), width, out);
  append_fraction(std::llabs(microseconds), out);
}

void append_postgres(const Parts& p, std::string& out) {
  bool zero = true, before = false;
  const auto part = [&](int64_t v, const char* unit) {
    if (v == 0) return;
    if (!zero) out.push_back(' ');
    if (before && v > 0) out.push_back('+');
    out.append(std::to_string(v)).append(" ").append(unit);
    if (v != 1) out.push_back('s');
    before = v < 0;
    zero = false;
  };
  part(p.years, "year");
  part(p.months, "mon");
  part(p.days, "day");
  if (!zero && p.hours == 0 && p.minutes == 0 && p.seconds == 0 && p.microseconds == 0) return;
  const bool minus = p.hours < 0 || p.minutes < 0 || p.seconds < 0 || p.microseconds < 0;
  if (!zero) out.push_back(' ');
  out.append(minus ? "-" : before ? "+" : "");
  append_padded(std::llabs(p.hours), 2, out);
  out.push_back(':');
  append_padded(std::abs(p.minutes), 2, out);
  out.push_back(':');
  append_seconds(p.seconds, p.microseconds, 2, out);
}

void append_verbose(const Parts& p, std::string& out) {
  out.push_back('@');
  bool zero = true, before = false;
  const auto part = [&](int64_t v, const char* unit) {
    if (v == 0) return;
    if (zero) {
      before = v < 0;
      v = std::llabs(v);
    } else if (before) {
      v = -v;
    }
    out.append(" ").append(std::to_string(v)).append(" ").append(unit).append(v == 1 ? "" : "s");
    zero = false;
  };
  part(p.years, "year");
  part(p.months, "mon");
  part(p.days, "day");
  part(p.hours, "hour");
  part(p.minutes, "min");
  if (p.seconds != 0 || p.microseconds != 0) {
    out.push_back(' ');
    const bool negative = p.seconds < 0 || p.microseconds < 0;
    if (negative) {
      if (zero) {
        before = true;
      } else if (!before) {
        out.push_back('-');
      }
    } else if (before) {
      out.push_back('-');
    }
    append_seconds(p.seconds, p.microseconds, 1, out);
    out.append(std::abs(p.seconds) != 1 || p.microseconds != 0 ? " secs" : " sec");
    zero = false;
  }
  if (zero) out.append(" 0");
  if (before) out.append(" ago");
}

void append_iso_8601(const Parts& p, std::string& out) {
  const bool time = p.hours != 0 || p.minutes != 0 || p.seconds != 0 || p.microseconds != 0;
  if (!time && p.years == 0 && p.months == 0 && p.days == 0) {
    out.append("PT0S");
    return;
  }
  const auto part = [&out](int64_t v, char unit) {
    if (v != 0) out.append(std::to_string(v)).push_back(unit);
  };
  out.push_back('P');
  part(p.years, 'Y');
  part(p.months, 'M');
  part(p.days, 'D');
  if (!time) return;
  out.push_back('T');
  part(p.hours, 'H');
  part(p.minutes, 'M');
  if (p.seconds != 0 || p.microseconds != 0) {
    if (p.seconds < 0 || p.microseconds < 0) out.push_back('-');
    append_seconds(p.seconds, p.microseconds, 1, out);
    out.push_back('S');
  }
}

void append_sql_standard(const Parts& p, std::string& out) {
  const bool negative =
      p.years < 0 || p.months < 0 || p.days < 0 || p.hours < 0 || p.minutes < 0 || p.seconds < 0 || p.microseconds < 0;
  const bool positive =
      p.years > 0 || p.months > 0 || p.days > 0 || p.hours > 0 || p.minutes > 0 || p.seconds > 0 || p.microseconds > 0;
  const bool year_month = p.years != 0 || p.months != 0;
  const bool time = p.hours != 0 || p.minutes != 0 || p.seconds != 0 || p.microseconds != 0;
  const bool day_time = p.days != 0 || time;
  const auto clock = [&] {
    append_padded(std::llabs(p.hours), 1, out);
    out.push_back(':');
    append_padded(std::abs(p.minutes), 2, out);
    out.push_back(':');
    append_seconds(p.seconds, p.microseconds, 2, out);
  };
  const auto magnitude = [&out](int64_t v) { out.append(std::to_string(std::llabs(v))); };
  if (!negative && !positive) {
    out.push_back('0');
  } else if ((negative && positive) || (year_month && day_time)) {
    // Not a value of the standard: each part with its sign.
    out.push_back(p.years < 0 || p.months < 0 ? '-' : '+');
    magnitude(p.years);
    out.push_back('-');
    magnitude(p.months);
    out.push_back(' ');
    out.push_back(p.days < 0 ? '-' : '+');
    magnitude(p.days);
    out.push_back(' ');
    out.push_back(p.hours < 0 || p.minutes < 0 || p.seconds < 0 || p.microseconds < 0 ? '-' : '+');
    clock();
  } else {
    if (negative) out.push_back('-');
    if (year_month) {
      magnitude(p.years);
      out.push_back('-');
      magnitude(p.months);
    } else {
      if (p.days != 0) {
        magnitude(p.days);
        out.push_back(' ');
      }
      clock();
    }
  }
}

}  // namespace

void append_padded(int64_t value, int width, std::string& out) {
  if (width == 2 && value >= 0 && value < 100) {
    const char two[] = {static_cast<char>('0' + value / 10), static_cast<char>('0' + value % 10)};
    out.append(two, 2);
    return;
  }
  const std::string digits = std::to_string(value);
  if (digits.size() < static_cast<size_t>(width)) out.append(static_cast<size_t>(width) - digits.size(), '0');
  out.append(digits);
}

void append_zone_offset(int32_t east, std::string& out) {
  out.push_back(east < 0 ? '-' : '+');
  const int32_t m = std::abs(east);
  append_padded(m / 3600, 2, out);
  if (m % 3600 == 0) return;
  out.push_back(':');
  append_padded(m / 60 % 60, 2, out);
  if (m % 60 == 0) return;
  out.push_back(':');
  append_padded(m % 60, 2, out);
}

void append_date(int32_t date, const FormatSettings& settings, std::string& out) {
  if (!is_finite_date(date)) {
    out.append(date > 0 ? "infinity" : "-infinity");
    return;
  }
  const CivilDate d = civil_from_days(date);
  append_civil_date(d, settings.date_style, settings.date_order, out);
  if (d.year <= 0) out.append(" BC");
}

void append_time(int64_t time, std::string& out) { append_clock(time, out); }

void append_timetz(const TimeTz& time, std::string& out) {
  append_clock(time.microseconds, out);
  append_zone_offset(-time.zone_seconds_west, out);
}

void append_timestamp(int64_t timestamp, const FormatSettings& settings, std::string& out) {
  if (!append_infinite(timestamp, out)) append_moment(timestamp, nullptr, settings, out);
}

void append_timestamptz(int64_t timestamp, const TimeZone& zone, const FormatSettings& settings, std::string& out) {
  if (append_infinite(timestamp, out)) return;
  const TimeZone::Offset offset = zone.at(timestamp);
  append_moment(timestamp + offset.seconds_east * kSecond, &offset, settings, out);
}

void append_iso_timestamp(int64_t timestamp, std::string& out) {
  if (append_infinite(timestamp, out)) return;
  const size_t from = out.size();
  append_moment(timestamp, nullptr, FormatSettings(), out);
  out[out.find(' ', from)] = 'T';
}

void append_iso_timestamptz(int64_t timestamp, const TimeZone& zone, std::string& out) {
  if (append_infinite(timestamp, out)) return;
  const int32_t east = zone.at(timestamp).seconds_east;
  const int64_t local = timestamp + east * kSecond;
  const CivilDate d = civil_from_days(date_part_of(local));
  append_civil_date(d, DateStyle::kIso, DateOrder::kYmd, out);
  out.push_back('T');
  append_clock(time_part_of(local), out);
  append_zone_offset(east, out);
  if (std::abs(east) % 3600 == 0) out.append(":00");
  if (d.year <= 0) out.append(" BC");
}

void append_interval(const Interval& v, IntervalStyle style, std::string& out) {
  const Parts p = split(v);
  switch (style) {
    case IntervalStyle::kPostgres: return append_postgres(p, out);
    case IntervalStyle::kPostgresVerbose: return append_verbose(p, out);
    case IntervalStyle::kSqlStandard: return append_sql_standard(p, out);
    case IntervalStyle::kIso8601: return append_iso_8601(p, out);
  }
}

}  // namespace indigo::types
