// Dates, times, timestamps and intervals as text, in the session's DateStyle and IntervalStyle.
// Thread safety: pure functions.
#pragma once

#include <string>

#include "types/datetime/time_zone.h"
#include "types/function/context.h"

namespace indigo::types {

void append_date(int32_t date, const FormatSettings& settings, std::string& out);
void append_time(int64_t time, std::string& out);
void append_timetz(const TimeTz& time, std::string& out);
void append_timestamp(int64_t timestamp, const FormatSettings& settings, std::string& out);
void append_timestamptz(int64_t timestamp, const TimeZone& zone, const FormatSettings& settings, std::string& out);
void append_interval(const Interval& v, FormatSettings::IntervalStyle style, std::string& out);

// JSON's form: always ISO 8601 with a T.
void append_iso_timestamp(int64_t timestamp, std::string& out);
void append_iso_timestamptz(int64_t timestamp, const TimeZone& zone, std::string& out);

// "+02", "-05:30"; seconds east of UTC.
void append_zone_offset(int32_t seconds_east, std::string& out);
// Decimal with at least `width` digits.
void append_padded(int64_t value, int width, std::string& out);

}  // namespace indigo::types
