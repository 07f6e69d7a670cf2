// The words of dates and intervals.
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace indigo::types {

inline constexpr const char* kMonthNames[] = {"January", "February", "March",     "April",   "May",      "June",
                                              "July",    "August",   "September", "October", "November", "December"};
inline constexpr const char* kDayNames[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                            "Thursday", "Friday", "Saturday"};

enum class DateWord : uint8_t {
  kNone,
  kMonth,
  kDayOfWeek,
  kAm,
  kPm,
  kBc,
  kAd,
  kDst,
  kIgnore,
  kIsoTime,
  kUnit,  // of the number that follows: y2001m12d27, j2451187
  kAllBalls,
  kNow,
  kToday,
  kTomorrow,
  kYesterday,
  kEpoch,
  kInfinity,
  kMinusInfinity,
};
struct DateWordValue {
  DateWord word = DateWord::kNone;
  int32_t value = 0;  // month 1..12, day 0..6, a TimeUnit
};
DateWordValue find_date_word(std::string_view lower);

enum class TimeUnit : uint8_t {
  kNone,
  kMicrosecond,
  kMillisecond,
  kSecond,
  kMinute,
  kHour,
  kDay,
  kWeek,
  kMonth,
  kQuarter,
  kYear,
  kDecade,
  kCentury,
  kMillennium,
  kDow,
  kDoy,
  kIsoDow,
  kIsoYear,
  kEpoch,
  kJulian,
  kTimezone,
  kTimezoneHour,
  kTimezoneMinute,
  kAgo,
};
// Units of intervals, extract, date_trunc: lower case. `m` is minutes in intervals.
TimeUnit find_time_unit(std::string_view lower);

}  // namespace indigo::types
