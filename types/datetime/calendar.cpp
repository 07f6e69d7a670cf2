#include "types/datetime/calendar.h"

namespace indigo::types {

int64_t days_from_civil(int64_t year, int32_t month, int32_t day) {
  // Years from March, so that the leap day ends one.
  const int64_t y = month > 2 ? year : year - 1;
  const int64_t era = (y >= 0 ? y : y - 399) / 400;
  const int64_t year_of_era = y - era * 400;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + int64_t{day} - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 730425;
}

CivilDate civil_from_days(int64_t days) {
  const int64_t shifted = days + 730425;
  const int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const int64_t day_of_era = shifted - era * 146097;
  const int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const auto day = static_cast<int32_t>(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  const auto month = static_cast<int32_t>(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
  return {static_cast<int32_t>(year_of_era + era * 400 + (month <= 2 ? 1 : 0)), month, day};
}

int32_t day_of_year(const CivilDate& d) {
  return static_cast<int32_t>(days_from_civil(d.year, d.month, d.day) - days_from_civil(d.year, 1, 1)) + 1;
}

int64_t days_from_iso_week(int64_t year, int32_t week) {
  const int64_t fourth = days_from_civil(year, 1, 4);
  const int32_t from_monday = (day_of_week(fourth) + 6) % 7;
  return fourth - from_monday + int64_t{week - 1} * 7;
}

int32_t iso_year(int64_t days) {
  // The year of the week's Thursday.
  return civil_from_days(days - (day_of_week(days) + 6) % 7 + 3).year;
}

int32_t iso_week(int64_t days) { return static_cast<int32_t>((days - days_from_iso_week(iso_year(days), 1)) / 7) + 1; }

}  // namespace indigo::types
