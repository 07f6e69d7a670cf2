// Reads dates, times and timestamps in all the forms that PostgreSQL takes: ISO 8601, SQL, POSTGRES and German styles,
// month names, concatenated digits, Julian days, AM/PM, BC, zones by offset, abbreviation and name, and the special words.
// Source: PostgreSQL 15's documentation, appendix B (date/time input interpretation).
// Thread safety: pure functions but for the context.
#pragma once

#include <memory>

#include "types/datetime/time_zone.h"
#include "types/function/context.h"

namespace indigo::types {

enum class SpecialTime : uint8_t { kNone, kEpoch, kInfinity, kMinusInfinity };

struct DateTimeText {
  SpecialTime special = SpecialTime::kNone;
  bool has_date = false, has_time = false, has_zone = false;
  int64_t days = 0;  // since 2000-01-01, when has_date
  int64_t time = 0;  // microseconds of the day, 24:00:00 included
  // The zone: an offset, or a named zone whose offset depends on the moment.
  int32_t seconds_east = 0;
  std::shared_ptr<const TimeZone> zone;
};

// `type` names the type in errors. time_only: digits alone are a time (type time), and a date may be missing.
// False: the context has the error (22007, 22008, 22009, 22023).
bool parse_datetime(FuncContext& context, Str text, const char* type, bool time_only, DateTimeText& out);

// Values of whole texts; the null Datum's reasons are in the context.
bool parse_date(FuncContext& context, Str text, int32_t& out);
bool parse_timestamp(FuncContext& context, Str text, int32_t typmod, int64_t& out);
bool parse_timestamptz(FuncContext& context, Str text, int32_t typmod, int64_t& out);
bool parse_time(FuncContext& context, Str text, int32_t typmod, int64_t& out);
bool parse_timetz(FuncContext& context, Str text, int32_t typmod, TimeTz& out);
bool parse_interval(FuncContext& context, Str text, int32_t typmod, Interval& out);

// Rounds to the modifier's digits of a second.
int64_t round_time(int64_t microseconds, int32_t typmod);
// Applies INTERVAL's fields and precision.
bool apply_interval_typmod(FuncContext& context, Interval& v, int32_t typmod);

// ISO and Abseil offsets "+02", "-05:30", "+0530" at the whole of `text`. False when malformed; range 15:59:59.
enum class OffsetParse : uint8_t { kOk, kSyntax, kRange };
OffsetParse parse_zone_offset(Str text, int32_t& seconds_east);

// The current moment (clock_timestamp).
int64_t current_timestamp_now();

}  // namespace indigo::types
