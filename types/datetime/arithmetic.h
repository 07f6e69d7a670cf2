// Sums and differences of dates, timestamps and intervals; conversions between the types. Failures go to the context
// (22008 "timestamp out of range" and the like) and give 0.
// Thread safety: pure functions but for the context.
#pragma once

#include "base/sqlstate.h"
#include "types/datetime/calendar.h"
#include "types/datetime/time_zone.h"
#include "types/function/context.h"

namespace indigo::types {

inline void fail_timestamp_range(FuncContext& c) { c.fail(sqlstate::kDatetimeFieldOverflow, "timestamp out of range"); }
inline void fail_date_range(FuncContext& c) { c.fail(sqlstate::kDatetimeFieldOverflow, "date out of range"); }
inline void fail_interval_range(FuncContext& c) { c.fail(sqlstate::kDatetimeFieldOverflow, "interval out of range"); }

int32_t date_plus(FuncContext& context, int32_t date, int32_t days);
int32_t date_minus(FuncContext& context, int32_t date, int32_t days);
int32_t date_difference(FuncContext& context, int32_t a, int32_t b);
int32_t timestamp_to_date(int64_t timestamp);
int64_t date_to_timestamp(FuncContext& context, int32_t date);
int64_t date_to_timestamptz(FuncContext& context, int32_t date);
int64_t timestamp_to_timestamptz(FuncContext& context, int64_t local);
int64_t timestamptz_to_timestamp(FuncContext& context, int64_t timestamp);

// Months keep the day where the month has it; days are the calendar's, in `zone` for timestamptz.
int64_t timestamp_plus(FuncContext& context, int64_t timestamp, const Interval& v);
int64_t timestamptz_plus(FuncContext& context, int64_t timestamp, const Interval& v, const TimeZone& zone);
Interval interval_negate(FuncContext& context, Interval v);
Interval interval_add(FuncContext& context, Interval a, Interval b);
Interval interval_times(FuncContext& context, Interval v, double factor);
Interval interval_over(FuncContext& context, Interval v, double factor);
Interval timestamp_difference(FuncContext& context, int64_t a, int64_t b);  // days and time
Interval justify_hours(FuncContext& context, Interval v);

int compare_intervals(Interval a, Interval b);  // a month is thirty days
int compare_timetz(TimeTz a, TimeTz b);
Interval interval_subtract(FuncContext& context, Interval a, Interval b);

// AT TIME ZONE's name: an abbreviation, a full name or a POSIX specification. Null: the context has 22023.
std::shared_ptr<const TimeZone> zone_named(FuncContext& context, Str name);

}  // namespace indigo::types
