// Whole texts as dates, times and timestamps.
#include <algorithm>

#include "base/sqlstate.h"
#include "types/datetime/calendar.h"
#include "types/datetime/parse.h"
#include "types/function/errors.h"
#include "types/io/interval_fields.h"

namespace indigo::types {

namespace {

int64_t local_transaction_time(FuncContext& context) {
  return session_time_zone(context).to_local(context.session().transaction_timestamp());
}

bool fail_range(FuncContext& context, const char* what, Str text) {
  context.fail(sqlstate::kDatetimeFieldOverflow, std::string(what) + " out of range: \"" + std::string(text) + "\"");
  return false;
}

}  // namespace

int64_t round_time(int64_t microseconds, int32_t typmod) {
  if (typmod < 0 || typmod >= 6) return microseconds;
  int64_t unit = 1;
  for (int32_t i = typmod; i < 6; i++) unit *= 10;
  const int64_t half = unit / 2;
  return microseconds >= 0 ? (microseconds + half) / unit * unit : -((-microseconds + half) / unit * unit);
}

bool parse_date(FuncContext& context, Str text, int32_t& out) {
  DateTimeText parsed;
  if (!parse_datetime(context, text, "date", false, parsed)) return false;
  switch (parsed.special) {
    case SpecialTime::kNone: break;
    case SpecialTime::kEpoch: out = kUnixEpochDays; return true;
    case SpecialTime::kInfinity: out = kDateInfinity; return true;
    case SpecialTime::kMinusInfinity: out = kDateMinusInfinity; return true;
  }
  if (!is_valid_date(parsed.days)) return fail_range(context, "date", text);
  out = static_cast<int32_t>(parsed.days);
  return true;
}

namespace {

bool timestamp_text(FuncContext& context, Str text, int32_t typmod, bool with_zone, int64_t& out) {
  DateTimeText parsed;
  if (!parse_datetime(context, text, with_zone ? "timestamp with time zone" : "timestamp", false, parsed)) return false;
  int64_t local = 0;
  switch (parsed.special) {
    case SpecialTime::kNone:
      // The first day of all begins, west of Greenwich, on the day before.
      if (!is_timestamp_date(parsed.days) && !(with_zone && is_timestamp_date(parsed.days + 1)))
        return fail_range(context, "timestamp", text);
      local = parsed.days * kDay + parsed.time;
      break;
    case SpecialTime::kEpoch: out = kUnixEpochDays * kDay; return true;
    case SpecialTime::kInfinity: out = kTimestampInfinity; return true;
    case SpecialTime::kMinusInfinity: out = kTimestampMinusInfinity; return true;
  }
  if (with_zone) {
    if (!parsed.has_zone) {
      local = session_time_zone(context).to_utc(local);
    } else if (parsed.zone != nullptr) {
      local = parsed.zone->to_utc(local);
    } else {
      local -= parsed.seconds_east * kSecond;
    }
  }
  out = round_time(local, typmod);
  return is_valid_timestamp(out) || fail_range(context, "timestamp", text);
}

bool time_text(FuncContext& context, Str text, int32_t typmod, const char* type, DateTimeText& parsed, int64_t& out) {
  if (!parse_datetime(context, text, type, true, parsed)) return false;
  out = round_time(parsed.time, typmod);
  return true;
}

}  // namespace

bool parse_timestamp(FuncContext& context, Str text, int32_t typmod, int64_t& out) {
  return timestamp_text(context, text, typmod, false, out);
}
bool parse_timestamptz(FuncContext& context, Str text, int32_t typmod, int64_t& out) {
  return timestamp_text(context, text, typmod, true, out);
}

bool parse_time(FuncContext& context, Str text, int32_t typmod, int64_t& out) {
  DateTimeText parsed;
  return time_text(context, text, typmod, "time", parsed, out);
}

bool parse_timetz(FuncContext& context, Str text, int32_t typmod, TimeTz& out) {
  DateTimeText parsed;
  int64_t time = 0;
  if (!time_text(context, text, typmod, "time with time zone", parsed, time)) return false;
  int32_t east = parsed.seconds_east;
  if (!parsed.has_zone || parsed.zone != nullptr) {
    const TimeZone& zone = parsed.zone ? *parsed.zone : session_time_zone(context);
    const int64_t day = parsed.has_date ? parsed.days : date_part_of(local_transaction_time(context));
    east = zone.at(zone.to_utc(day * kDay + time)).seconds_east;
  }
  out = TimeTz{time, -east, 0};
  return true;
}

bool apply_interval_typmod(FuncContext& context, Interval& v, int32_t typmod) {
  if (typmod < 0) return true;
  const int32_t range = (typmod >> 16) & 0x7fff, precision = typmod & 0xffff;
  // The fields that remain are the range's last and everything above it.
  if (range != kIntervalFullRange) {
    if (range == kIntervalYear) {
      v.months = v.months / 12 * 12;
      v.days = 0;
      v.microseconds = 0;
    } else if (range == kIntervalMonth || range == (kIntervalYear | kIntervalMonth)) {
      v.days = 0;
      v.microseconds = 0;
    } else if (range == kIntervalDay) {
      v.microseconds = 0;
    } else if (range & kIntervalSecond) {
    } else if (range & kIntervalMinute) {
      v.microseconds = v.microseconds / kMinute * kMinute;
    } else if (range & kIntervalHour) {
      v.microseconds = v.microseconds / kHour * kHour;
    } else {
      context.fail(sqlstate::kInternalError, "unrecognized interval typmod: " + std::to_string(typmod));
      return false;
    }
  }
  if (precision != kIntervalFullPrecision) v.microseconds = round_time(v.microseconds, precision);
  return true;
}

}  // namespace indigo::types
