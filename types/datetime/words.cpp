#include "types/datetime/words.h"

#include "types/text/ascii.h"

namespace indigo::types {

namespace {

struct WordEntry {
  const char* text;
  DateWord word;
  int32_t value = 0;
};
constexpr WordEntry kWords[] = {
    {"am", DateWord::kAm},
    {"pm", DateWord::kPm},
    {"ad", DateWord::kAd},
    {"bc", DateWord::kBc},
    {"dst", DateWord::kDst},
    {"at", DateWord::kIgnore},
    {"on", DateWord::kIgnore},
    {"t", DateWord::kIsoTime},
    {"d", DateWord::kUnit, static_cast<int32_t>(TimeUnit::kDay)},
    {"dow", DateWord::kUnit, static_cast<int32_t>(TimeUnit::kDow)},
    {"doy", DateWord::kUnit, static_cast<int32_t>(TimeUnit::kDoy)},
    {"h", DateWord::kUnit, static_cast<int32_t>(TimeUnit::kHour)},
    {"isodow", DateWord::kUnit, static_cast<int32_t>(TimeUnit::kIsoDow)},
    {"isoyear", DateWord::kUnit, static_cast<int32_t>(TimeUnit::kIsoYear)},
    {"j", DateWord::kUnit, static_cast<int32_t>(TimeUnit::kJulian)},
    {"jd", DateWord::kUnit, static_cast<int32_t>(TimeUnit::kJulian)},
    {"julian", DateWord::kUnit, static_cast<int32_t>(TimeUnit::kJulian)},
    {"m", DateWord::kUnit, static_cast<int32_t>(TimeUnit::kMonth)},
    {"mm", DateWord::kUnit, static_cast<int32_t>(TimeUnit::kMinute)},
    {"s", DateWord::kUnit, static_cast<int32_t>(TimeUnit::kSecond)},
    {"y", DateWord::kUnit, static_cast<int32_t>(TimeUnit::kYear)},
    {"allballs", DateWord::kAllBalls},
    {"now", DateWord::kNow},
    {"today", DateWord::kToday},
    {"tomorrow", DateWord::kTomorrow},
    {"yesterday", DateWord::kYesterday},
    {"epoch", DateWord::kEpoch},
    {"infinity", DateWord::kInfinity},
    {"-infinity", DateWord::kMinusInfinity},
    {"sept", DateWord::kMonth, 9},
    {"tues", DateWord::kDayOfWeek, 2},
    {"weds", DateWord::kDayOfWeek, 3},
    {"thur", DateWord::kDayOfWeek, 4},
    {"thurs", DateWord::kDayOfWeek, 4},
};

// The whole name or its first three letters.
bool is_name(std::string_view word, std::string_view name) {
  return equals_ignoring_case(word, name) || equals_ignoring_case(word, name.substr(0, 3));
}

struct UnitEntry {
  const char* text;
  TimeUnit unit;
};
constexpr UnitEntry kUnits[] = {
    {"ago", TimeUnit::kAgo},
    {"c", TimeUnit::kCentury},
    {"cent", TimeUnit::kCentury},
    {"centuries", TimeUnit::kCentury},
    {"century", TimeUnit::kCentury},
    {"d", TimeUnit::kDay},
    {"day", TimeUnit::kDay},
    {"days", TimeUnit::kDay},
    {"dec", TimeUnit::kDecade},
    {"decade", TimeUnit::kDecade},
    {"decades", TimeUnit::kDecade},
    {"decs", TimeUnit::kDecade},
    {"dow", TimeUnit::kDow},
    {"doy", TimeUnit::kDoy},
    {"epoch", TimeUnit::kEpoch},
    {"h", TimeUnit::kHour},
    {"hour", TimeUnit::kHour},
    {"hours", TimeUnit::kHour},
    {"hr", TimeUnit::kHour},
    {"hrs", TimeUnit::kHour},
    {"isodow", TimeUnit::kIsoDow},
    {"isoyear", TimeUnit::kIsoYear},
    {"j", TimeUnit::kJulian},
    {"jd", TimeUnit::kJulian},
    {"julian", TimeUnit::kJulian},
    {"m", TimeUnit::kMinute},
    {"microsecon", TimeUnit::kMicrosecond},
    {"microsecond", TimeUnit::kMicrosecond},
    {"microseconds", TimeUnit::kMicrosecond},
    {"mil", TimeUnit::kMillennium},
    {"millennia", TimeUnit::kMillennium},
    {"millennium", TimeUnit::kMillennium},
    {"millisecon", TimeUnit::kMillisecond},
    {"millisecond", TimeUnit::kMillisecond},
    {"milliseconds", TimeUnit::kMillisecond},
    {"mils", TimeUnit::kMillennium},
    {"min", TimeUnit::kMinute},
    {"mins", TimeUnit::kMinute},
    {"minute", TimeUnit::kMinute},
    {"minutes", TimeUnit::kMinute},
    {"mon", TimeUnit::kMonth},
    {"mons", TimeUnit::kMonth},
    {"month", TimeUnit::kMonth},
    {"months", TimeUnit::kMonth},
    {"ms", TimeUnit::kMillisecond},
    {"msec", TimeUnit::kMillisecond},
    {"msecond", TimeUnit::kMillisecond},
    {"mseconds", TimeUnit::kMillisecond},
    {"msecs", TimeUnit::kMillisecond},
    {"qtr", TimeUnit::kQuarter},
    {"quarter", TimeUnit::kQuarter},
    {"s", TimeUnit::kSecond},
    {"sec", TimeUnit::kSecond},
    {"second", TimeUnit::kSecond},
    {"seconds", TimeUnit::kSecond},
    {"secs", TimeUnit::kSecond},
    {"timezone", TimeUnit::kTimezone},
    {"timezone_h", TimeUnit::kTimezoneHour},
    {"timezone_hour", TimeUnit::kTimezoneHour},
    {"timezone_m", TimeUnit::kTimezoneMinute},
    {"timezone_minute", TimeUnit::kTimezoneMinute},
    {"us", TimeUnit::kMicrosecond},
    {"usec", TimeUnit::kMicrosecond},
    {"usecond", TimeUnit::kMicrosecond},
    {"useconds", TimeUnit::kMicrosecond},
    {"usecs", TimeUnit::kMicrosecond},
    {"w", TimeUnit::kWeek},
    {"week", TimeUnit::kWeek},
    {"weeks", TimeUnit::kWeek},
    {"y", TimeUnit::kYear},
    {"year", TimeUnit::kYear},
    {"years", TimeUnit::kYear},
    {"yr", TimeUnit::kYear},
    {"yrs", TimeUnit::kYear},
};

}  // namespace

DateWordValue find_date_word(std::string_view lower) {
  for (const WordEntry& e : kWords)
    if (lower == e.text) return {e.word, e.value};
  for (int32_t m = 0; m < 12; m++)
    if (is_name(lower, kMonthNames[m])) return {DateWord::kMonth, m + 1};
  for (int32_t d = 0; d < 7; d++)
    if (is_name(lower, kDayNames[d]) || (d == 2 && lower == "tue") || (d == 3 && lower == "wed"))
      return {DateWord::kDayOfWeek, d};
  return {};
}

TimeUnit find_time_unit(std::string_view lower) {
  constexpr size_t kSeen = 10;  // bytes of a word that PostgreSQL compares (TOKMAXLEN)
  for (const UnitEntry& e : kUnits)
    if (lower.substr(0, kSeen) == std::string_view(e.text).substr(0, kSeen)) return e.unit;
  return TimeUnit::kNone;
}

}  // namespace indigo::types
