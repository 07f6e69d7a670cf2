// Time zones written as rules: 'EST5EDT,M3.2.0,M11.1.0', 'FOO+3', '<+03>-3', '+3'. Offsets in them count west.
// Source: POSIX.1-2017, 8.3 (TZ); where there is daylight time without a rule, the United States' rules of 2007 hold.
// Thread safety: immutable.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace indigo::types {

class PosixZone {
 public:
  static std::optional<PosixZone> parse(std::string_view text);

  // Moments are seconds since 2000-01-01.
  bool is_daylight(int64_t utc) const;
  bool is_fixed() const { return !has_daylight_; }
  int32_t seconds_east(bool daylight) const { return daylight ? daylight_east_ : standard_east_; }
  const std::string& abbreviation(bool daylight) const { return daylight ? daylight_ : standard_; }
  // The moment that a local time means: in a gap and in an overlap by standard time.
  int64_t to_utc(int64_t local) const;

 private:
  // When daylight time begins or ends, in local time.
  struct Rule {
    enum class Kind : uint8_t { kDayWithoutLeap, kDay, kWeekday } kind = Kind::kWeekday;
    int32_t month = 1, week = 1, day = 0;
    int32_t seconds = 2 * 3600;
    int64_t local_in(int32_t year) const;
  };
  class Reader;

  std::string standard_, daylight_;
  int32_t standard_east_ = 0, daylight_east_ = 0;
  bool has_daylight_ = false;
  Rule begin_, end_;
};

}  // namespace indigo::types
