// to_date and to_timestamp: text read by a template.
#include "types/datetime/from_char.h"

#include <algorithm>
#include <charconv>

#include "base/long_work.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/datetime/arithmetic.h"
#include "types/datetime/parse.h"
#include "types/datetime/template.h"
#include "types/datetime/words.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

constexpr const char* kRomanMonths[] = {"XII", "XI", "X", "IX", "VIII", "VII", "VI", "V", "IV", "III", "II", "I"};

struct Parsed {
  std::optional<int32_t> year, iso_year, month, day, day_of_year, iso_day_of_year, week, iso_week, week_of_month,
      iso_day, weekday, century, hour, minute, second, seconds_of_day, julian, zone_seconds, zone_hour, zone_minute;
  int64_t milliseconds = 0, microsecond = 0;  // both in microseconds
  bool bc = false, pm = false, twelve_hour = false, meridian = false;
  int year_digits = 0;
  int zone_sign = 1;
};

class Reader {
 public:
  Reader(FuncContext& context, Str text) : context_(context), in_(text) {}

  bool read(const std::vector<TemplateNode>& nodes) {
    bool exact = false;
    for (size_t i = 0; i < nodes.size() && at_ < in_.size(); i++) {
      const TemplateNode& n = nodes[i];
      note_work(64);
      if (n.field == DateField::kExact) {
        exact = true;
        continue;
      }
      if (n.field == DateField::kSeparator || n.field == DateField::kSpace) {
        if (exact) {
          at_++;
          continue;
        }
        // Any separator or blank of the text may stand for it; more of them in the template than in the text do no harm.
        skip_blanks();
        if (n.field == DateField::kSeparator && at_ < in_.size() && is_separator(in_[at_])) at_++;
        continue;
      }
      if (n.field == DateField::kLiteral) {
        if (!exact) skip_blanks_before(n);
        at_ += std::min(utf8_length(in_[std::min(at_, in_.size() - 1)]), in_.size() - at_);
        continue;
      }
      if (!exact) {
        skip_blanks();
        // A separator that the template does not have is skipped too, unless it could be a sign.
        while (at_ < in_.size() && is_separator(in_[at_]) && in_[at_] != '-' && in_[at_] != '+') at_++;
        skip_blanks();
      }
      const bool bounded = i + 1 < nodes.size() && is_number_field(nodes[i + 1].field) && !n.fill && !n.ordinal;
      if (!field(n, bounded)) return false;
    }
    return true;
  }
  Parsed result;

 private:
  static bool is_separator(char c) {
    return static_cast<uint8_t>(c) > 0x20 && static_cast<uint8_t>(c) < 0x7f && !is_alnum(c);
  }
  static bool is_number_field(DateField f) {
    switch (f) {
      case DateField::kLiteral:
      case DateField::kSeparator:
      case DateField::kSpace:
      case DateField::kExact:
      case DateField::kEra:
      case DateField::kEraDots:
      case DateField::kMeridian:
      case DateField::kMeridianDots:
      case DateField::kMonthName:
      case DateField::kMonthAbbreviation:
      case DateField::kDayName:
      case DateField::kDayAbbreviation:
      case DateField::kRoman:
      case DateField::kZone: return false;
      default: return true;
    }
  }
  void skip_blanks() {
    while (at_ < in_.size() && is_blank(in_[at_])) at_++;
  }
  void skip_blanks_before(const TemplateNode& n) {
    if (!n.text.empty() && !is_blank(n.text[0])) skip_blanks();
  }

  bool fail_value(const TemplateNode& n, Str value, const char* detail) {
    context_.fail(Error(sqlstate::kInvalidDatetimeFormat,
                        "invalid value \"" + std::string(value) + "\" for \"" + std::string(n.text) + "\"")
                      .with_detail(detail));
    return false;
  }

  // At most `width` characters when another number follows directly.
  bool integer(const TemplateNode& n, size_t width, bool bounded, int32_t& out) {
    const size_t from = at_;
    if (bounded && in_.size() - from < width) {
      context_.fail(Error(sqlstate::kInvalidDatetimeFormat,
                          "source string too short for \"" + std::string(n.text) + "\" formatting field")
                        .with_detail("Field requires " + std::to_string(width) + " characters, but only " +
                                     std::to_string(in_.size() - from) + " remain.")
                        .with_hint("If your source string is not fixed-width, try using the \"FM\" modifier."));
      return false;
    }
    size_t end = at_;
    if (end < in_.size() && (in_[end] == '-' || in_[end] == '+')) end++;
    const size_t limit = bounded ? std::min(in_.size(), from + width) : in_.size();
    while (end < limit && is_digit(in_[end])) end++;
    const Str taken = in_.substr(from, end - from);
    const Str digits = !taken.empty() && taken[0] == '+' ? taken.substr(1) : taken;
    const auto r = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    if (r.ec == std::errc::result_out_of_range) {
      context_.fail(sqlstate::kDatetimeFieldOverflow,
                    "value for \"" + std::string(n.text) + "\" in source string is out of range");
      return false;
    }
    if (r.ec != std::errc() || digits.empty())
      return fail_value(n, in_.substr(from, std::max<size_t>(std::min(width, in_.size() - from), 1)),
                        "Value must be an integer.");
    if (bounded && taken.size() < width && at_ + width <= in_.size() && taken.size() < width && !is_digit(in_[end])) {
      context_.fail(Error(sqlstate::kInvalidDatetimeFormat, "invalid value \"" + std::string(in_.substr(from, width)) +
                                                                "\" for \"" + std::string(n.text) + "\"")
                        .with_detail("Field requires " + std::to_string(width) + " characters, but only " +
                                     std::to_string(taken.size()) + " could be parsed.")
                        .with_hint("If your source string is not fixed-width, try using the \"FM\" modifier."));
      return false;
    }
    at_ = end;
    if (n.ordinal) at_ = std::min(at_ + 2, in_.size());
    return true;
  }
  bool store(const TemplateNode& n, std::optional<int32_t>& to, int32_t v) {
    if (to && *to != v) {
      context_.fail(Error(sqlstate::kInvalidDatetimeFormat,
                          "conflicting values for \"" + std::string(n.text) + "\" field in formatting string")
                        .with_detail("This value contradicts a previous setting for the same field type."));
      return false;
    }
    to = v;
    return true;
  }
  bool number(const TemplateNode& n, size_t width, bool bounded, std::optional<int32_t>& to) {
    int32_t v = 0;
    return integer(n, width, bounded, v) && store(n, to, v);
  }

  // The longest of `names` (or their first `letters` letters) that the text has here; -1.
  int word(std::span<const char* const> names, size_t letters) {
    for (size_t i = 0; i < names.size(); i++) {
      const Str name = Str(names[i]).substr(0, letters);
      if (equals_ignoring_case(in_.substr(at_, name.size()), name)) {
        at_ += name.size();
        return static_cast<int>(i);
      }
    }
    return -1;
  }
  Str rest_word() const {
    size_t end = at_;
    while (end < in_.size() && !is_blank(in_[end])) end++;
    return in_.substr(at_, end - at_);
  }

  // Two-digit years and the like lie between 1970 and 2069.
  static int32_t complete_year(int32_t v, int digits) {
    if (digits == 1) return v < 10 ? 2000 + v : v;
    if (digits == 2) return v < 70 ? v + 2000 : v < 100 ? v + 1900 : v;
    return v < 100 ? v + 2000 : v < 520 ? v + 2000 : v < 1000 ? v + 1000 : v;
  }
  bool year(const TemplateNode& n, size_t digits, bool bounded, std::optional<int32_t>& to) {
    const size_t from = at_;
    int32_t v = 0;
    if (!integer(n, digits, bounded, v)) return false;
    const size_t taken = at_ - from - (n.ordinal ? 2 : 0);
    if (digits < 4 && taken <= 3 && v >= 0)
      v = complete_year(v, static_cast<int>(std::min<size_t>(std::max(taken, size_t{1}), digits)));
    if (digits == 4) result.year_digits = 4;
    if (digits == 2) result.year_digits = 2;
    return store(n, to, v);
  }

  // ISO weeks and months do not go together.
  bool check_convention(DateField f) {
    switch (f) {
      case DateField::kIsoYear4:
      case DateField::kIsoYear3:
      case DateField::kIsoYear2:
      case DateField::kIsoYear1:
      case DateField::kIsoWeek:
      case DateField::kIsoDayOfYear:
      case DateField::kIsoDayOfWeek: iso_ = true; break;
      case DateField::kYear4:
      case DateField::kYear3:
      case DateField::kYear2:
      case DateField::kYear1:
      case DateField::kYearComma:
      case DateField::kCentury:
      case DateField::kMonth:
      case DateField::kMonthName:
      case DateField::kMonthAbbreviation:
      case DateField::kRoman:
      case DateField::kDayOfMonth:
      case DateField::kDayOfYear:
      case DateField::kWeek:
      case DateField::kWeekOfMonth:
      case DateField::kDayOfWeek:
      case DateField::kDayName:
      case DateField::kDayAbbreviation: gregorian_ = true; break;
      default: break;
    }
    if (!iso_ || !gregorian_) return true;
    context_.fail(Error(sqlstate::kInvalidDatetimeFormat, "invalid combination of date conventions")
                      .with_hint("Do not mix Gregorian and ISO week date conventions in a formatting template."));
    return false;
  }

  bool field(const TemplateNode& n, bool bounded) {
    int32_t v = 0;
    if (!check_convention(n.field)) return false;
    switch (n.field) {
      case DateField::kYear4: return year(n, 4, bounded, result.year);
      case DateField::kYear3: return year(n, 3, bounded, result.year);
      case DateField::kYear2: return year(n, 2, bounded, result.year);
      case DateField::kYear1: return year(n, 1, bounded, result.year);
      case DateField::kIsoYear4: return year(n, 4, bounded, result.iso_year);
      case DateField::kIsoYear3: return year(n, 3, bounded, result.iso_year);
      case DateField::kIsoYear2: return year(n, 2, bounded, result.iso_year);
      case DateField::kIsoYear1: return year(n, 1, bounded, result.iso_year);
      case DateField::kYearComma: {
        const size_t comma = in_.find(',', at_);
        int32_t low = 0;
        if (comma == Str::npos || !integer(n, comma - at_, true, v))
          return fail_value(n, in_.substr(at_), "Value must be an integer.");
        at_ = comma + 1;
        return integer(n, 3, true, low) && store(n, result.year, v * 1000 + low);
      }
      case DateField::kCentury: return number(n, 2, bounded, result.century);
      case DateField::kMonth: return number(n, 2, bounded, result.month);
      case DateField::kDayOfMonth: return number(n, 2, bounded, result.day);
      case DateField::kDayOfYear: return number(n, 3, bounded, result.day_of_year);
      case DateField::kIsoDayOfYear: return number(n, 3, bounded, result.iso_day_of_year);
      case DateField::kWeek: return number(n, 2, bounded, result.week);
      case DateField::kIsoWeek: return number(n, 2, bounded, result.iso_week);
      case DateField::kWeekOfMonth: return number(n, 1, bounded, result.week_of_month);
      case DateField::kIsoDayOfWeek: return number(n, 1, true, result.iso_day);
      case DateField::kDayOfWeek: return number(n, 1, true, result.weekday);
      case DateField::kQuarter: return integer(n, 1, bounded, v);
      case DateField::kJulian: return number(n, 1, bounded, result.julian);
      case DateField::kHour12: result.twelve_hour = true; return number(n, 2, bounded, result.hour);
      case DateField::kHour24: return number(n, 2, bounded, result.hour);
      case DateField::kMinute: return number(n, 2, bounded, result.minute);
      case DateField::kSecond: return number(n, 2, bounded, result.second);
      case DateField::kSecondsOfDay: return number(n, 5, bounded, result.seconds_of_day);
      case DateField::kMillisecond: return fraction(n, 3, bounded);
      case DateField::kMicrosecond: return fraction(n, 6, bounded);
      case DateField::kFraction: return fraction(n, n.digits, bounded);
      case DateField::kMonthName:
      case DateField::kMonthAbbreviation: {
        int m = n.field == DateField::kMonthName ? word(kMonthNames, 99) : word(kMonthNames, 3);
        if (m < 0)
          return fail_value(n, rest_word(), "The given value did not match any of the allowed values for this field.");
        return store(n, result.month, m + 1);
      }
      case DateField::kDayName:
      case DateField::kDayAbbreviation: {
        const int d = n.field == DateField::kDayName ? word(kDayNames, 99) : word(kDayNames, 3);
        if (d < 0)
          return fail_value(n, rest_word(), "The given value did not match any of the allowed values for this field.");
        return store(n, result.weekday, d + 1);
      }
      case DateField::kRoman: {
        const int m = roman();
        if (m < 0)
          return fail_value(n, rest_word(), "The given value did not match any of the allowed values for this field.");
        return store(n, result.month, 12 - m);
      }
      case DateField::kMeridian:
      case DateField::kMeridianDots: {
        static constexpr const char* kWords[] = {"a.m.", "p.m.", "am", "pm"};
        const int w = word(kWords, 99);
        if (w < 0)
          return fail_value(n, rest_word(), "The given value did not match any of the allowed values for this field.");
        result.pm = w % 2 == 1;
        result.meridian = result.twelve_hour = true;
        return true;
      }
      case DateField::kEra:
      case DateField::kEraDots: {
        static constexpr const char* kWords[] = {"a.d.", "b.c.", "ad", "bc"};
        const int w = word(kWords, 99);
        if (w < 0)
          return fail_value(n, rest_word(), "The given value did not match any of the allowed values for this field.");
        result.bc = w % 2 == 1;
        return true;
      }
      case DateField::kZoneHour: {
        result.zone_sign = 1;
        if (at_ < in_.size() && (in_[at_] == '+' || in_[at_] == '-' || in_[at_] == ' '))
          result.zone_sign = in_[at_++] == '-' ? -1 : 1;
        return number(n, 2, bounded, result.zone_hour);
      }
      case DateField::kZoneMinute: return number(n, 2, bounded, result.zone_minute);
      case DateField::kZone:
      case DateField::kZoneOffset:
        context_.fail(sqlstate::kFeatureNotSupported,
                      "formatting field \"" + std::string(n.text) + "\" is only supported in to_char");
        return false;
      default: return true;
    }
  }
  int roman() {
    for (int i = 0; i < 12; i++) {
      const Str name(kRomanMonths[i]);
      // The longest first: VIII before VII.
      if (!equals_ignoring_case(in_.substr(at_, name.size()), name)) continue;
      const size_t end = at_ + name.size();
      if (end < in_.size() && is_alpha(in_[end])) continue;
      at_ = end;
      return i;
    }
    return -1;
  }
  bool fraction(const TemplateNode& n, size_t digits, bool bounded) {
    const size_t from = at_;
    int32_t v = 0;
    if (!integer(n, digits, bounded, v)) return false;
    int64_t us = v;
    for (size_t i = at_ - from; i < 6; i++) us *= 10;
    for (size_t i = 6; i < at_ - from; i++) us /= 10;
    (n.field == DateField::kMillisecond ? result.milliseconds : result.microsecond) = us;
    return true;
  }

  FuncContext& context_;
  Str in_;
  size_t at_ = 0;
  bool iso_ = false, gregorian_ = false;
};

using Moment = TemplateMoment;

bool field_range(FuncContext& context, Str text) {
  context.fail(sqlstate::kDatetimeFieldOverflow, "date/time field value out of range: \"" + std::string(text) + "\"");
  return false;
}

}  // namespace

bool read_moment(FuncContext& context, Str text, Str format, Moment& out) {
  if (!check_template_bytes(context, format.size())) return false;
  Reader reader(context, text);
  if (!reader.read(parse_date_template(format))) return false;
  Parsed& p = reader.result;
  int32_t hour = p.hour.value_or(0), minute = p.minute.value_or(0), second = p.second.value_or(0);
  if (p.seconds_of_day) {
    hour = *p.seconds_of_day / 3600;
    minute = *p.seconds_of_day / 60 % 60;
    second = *p.seconds_of_day % 60;
  }
  if (p.twelve_hour && p.hour) {
    if (hour < 1 || hour > 12) {
      context.fail(Error(sqlstate::kInvalidDatetimeFormat,
                         "hour \"" + std::to_string(hour) + "\" is invalid for the 12-hour clock")
                       .with_hint("Use the 24-hour clock, or give an hour between 1 and 12."));
      return false;
    }
    if (p.pm && hour < 12) hour += 12;
    if (!p.pm && hour == 12) hour = 0;
  }
  int32_t year = p.year.value_or(0), month = p.month.value_or(1), day = p.day.value_or(1);
  if (p.year) {
    if (p.century && p.year_digits <= 2) {
      // A century completes a two-digit year.
      const int32_t century = *p.century;
      year = *p.year % 100;
      year = year != 0      ? (century >= 0 ? year + (century - 1) * 100 : -year + (century + 1) * 100 + 1)
             : century >= 0 ? century * 100
                            : century * 100 + 1;
      if (p.bc) year = year > 0 ? 1 - year : year;
    } else if (p.bc && year > 0) {
      year = 1 - year;
    } else if (year < 0) {
      year++;
    } else if (year == 0) {
      year = p.year_digits == 4 ? 0 : year;
    }
  } else if (p.century) {
    year = *p.century > 0 ? (*p.century - 1) * 100 + 1 : *p.century * 100 + 100;
  }
  bool have_days = false;
  if (p.julian) {
    out.days = int64_t{*p.julian} - kEpochJulian;
    have_days = true;
  } else if (p.iso_year || p.iso_week || p.iso_day_of_year) {
    const int32_t iso_year = p.iso_year.value_or(0);
    if (p.iso_week) {
      out.days = days_from_iso_week(iso_year, *p.iso_week) + (p.iso_day ? *p.iso_day - 1 : 0);
      have_days = true;
    } else if (p.iso_day_of_year) {
      out.days = days_from_iso_week(iso_year, 1) + *p.iso_day_of_year - 1;
      have_days = true;
    } else {
      year = iso_year;
    }
  } else if (p.week) {
    out.days = days_from_civil(year, 1, 1) + (*p.week - 1) * 7;
    have_days = true;
  } else if (p.day_of_year && !p.month) {
    if (!p.year && !p.bc) {
      context.fail(sqlstate::kInvalidDatetimeFormat, "cannot calculate day of year without year information");
      return false;
    }
    if (*p.day_of_year < 1 || *p.day_of_year > (is_leap_year(year) ? 366 : 365)) return field_range(context, text);
    out.days = days_from_civil(year, 1, 1) + *p.day_of_year - 1;
    have_days = true;
  } else if (p.week_of_month && !p.day) {
    day = (*p.week_of_month - 1) * 7 + 1;
  }
  if (!have_days) {
    if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) return field_range(context, text);
    out.days = days_from_civil(year, month, day);
  }
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) {
    return field_range(context, text);
  }
  out.time = time_of_day(hour, minute, second, 0) + p.milliseconds + p.microsecond;
  if (p.zone_hour || p.zone_minute)
    out.east = p.zone_sign * (p.zone_hour.value_or(0) * 3600 + p.zone_minute.value_or(0) * 60);
  return true;
}

namespace {

int64_t to_timestamp(FuncContext& context, Str text, Str format) {
  Moment m;
  if (!read_moment(context, text, format, m)) return 0;
  if (!is_timestamp_date(m.days)) {
    fail_timestamp_range(context);
    return 0;
  }
  const int64_t local = m.days * kDay + m.time;
  return m.east ? local - *m.east * kSecond : session_time_zone(context).to_utc(local);
}
int32_t to_date(FuncContext& context, Str text, Str format) {
  Moment m;
  if (!read_moment(context, text, format, m)) return 0;
  if (!is_valid_date(m.days))
    context.fail(sqlstate::kDatetimeFieldOverflow, "date out of range: \"" + std::string(text) + "\"");
  return static_cast<int32_t>(m.days);
}

const ScalarEntry kFromCharEntries[] = {
    {"to_timestamp", kernel<to_timestamp>},
    {"to_date", kernel<to_date>},
};

}  // namespace

std::span<const ScalarEntry> datetime_from_char() { return kFromCharEntries; }

}  // namespace indigo::types
