// The proleptic Gregorian calendar, and PostgreSQL's dates and timestamps on it: days and microseconds since 2000-01-01.
// Source: Richards, "Calendars", in Explanatory Supplement to the Astronomical Almanac (2013), for the day numbers.
// Thread safety: pure functions.
#pragma once

#include <cstdint>

namespace indigo::types {

inline constexpr int64_t kSecond = 1'000'000, kMinute = 60 * kSecond, kHour = 60 * kMinute, kDay = 24 * kHour;
inline constexpr int32_t kDateInfinity = INT32_MAX, kDateMinusInfinity = INT32_MIN;
inline constexpr int64_t kTimestampInfinity = INT64_MAX, kTimestampMinusInfinity = INT64_MIN;
inline constexpr int32_t kEpochJulian = 2451545;                      // Julian day of 2000-01-01
inline constexpr int32_t kUnixEpochDays = -10957;                     // 1970-01-01
inline constexpr int64_t kUnixEpochSeconds = int64_t{10957} * 86400;  // 2000-01-01 in Unix time
// PostgreSQL's range: 4714-11-24 BC to before 5874898-01-01 (dates), 294277-01-01 (timestamps).
inline constexpr int32_t kMinDate = -2451545, kEndDate = 2147483494 - kEpochJulian;
inline constexpr int64_t kMinTimestamp = -211813488000000000, kEndTimestamp = 9223371331200000000;

// Year 0 is 1 BC.
struct CivilDate {
  int32_t year = 2000, month = 1, day = 1;
};
struct CivilTime {
  int32_t hour = 0, minute = 0, second = 0, microsecond = 0;
};

inline bool is_leap_year(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }
inline int32_t days_in_month(int64_t year, int32_t month) {
  constexpr int8_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap_year(year) ? 29 : kDays[month - 1];
}

// Days since 2000-01-01.
int64_t days_from_civil(int64_t year, int32_t month, int32_t day);
CivilDate civil_from_days(int64_t days);
inline int32_t julian_day(int64_t days) { return static_cast<int32_t>(days + kEpochJulian); }
// 0 Sunday .. 6 Saturday
inline int32_t day_of_week(int64_t days) { return static_cast<int32_t>(((days + 6) % 7 + 7) % 7); }
int32_t day_of_year(const CivilDate& date);
// ISO 8601: week 1 has the year's first Thursday.
int32_t iso_week(int64_t days);
int32_t iso_year(int64_t days);
int64_t days_from_iso_week(int64_t year, int32_t week);  // its Monday

inline CivilTime civil_time(int64_t time_of_day) {
  return {static_cast<int32_t>(time_of_day / kHour), static_cast<int32_t>(time_of_day / kMinute % 60),
          static_cast<int32_t>(time_of_day / kSecond % 60), static_cast<int32_t>(time_of_day % kSecond)};
}
inline int64_t time_of_day(int32_t hour, int32_t minute, int32_t second, int32_t microsecond) {
  return hour * kHour + minute * kMinute + second * kSecond + microsecond;
}
// Splits a finite timestamp.
inline int64_t date_part_of(int64_t timestamp) {
  return timestamp >= 0 ? timestamp / kDay : -((-(timestamp + 1)) / kDay) - 1;
}
inline int64_t time_part_of(int64_t timestamp) { return timestamp - date_part_of(timestamp) * kDay; }

inline bool is_finite_timestamp(int64_t t) { return t != kTimestampInfinity && t != kTimestampMinusInfinity; }
inline bool is_finite_date(int32_t d) { return d != kDateInfinity && d != kDateMinusInfinity; }
inline bool is_valid_timestamp(int64_t t) { return t >= kMinTimestamp && t < kEndTimestamp; }
inline bool is_valid_date(int64_t d) { return d >= kMinDate && d < kEndDate; }
// The dates that a timestamp can hold.
inline constexpr int64_t kTimestampEndDate = 109203528 - kEpochJulian;
inline bool is_timestamp_date(int64_t d) { return d >= kMinDate && d < kTimestampEndDate; }

}  // namespace indigo::types
