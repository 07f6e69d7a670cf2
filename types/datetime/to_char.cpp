// to_char of timestamps and intervals.
#include <algorithm>
#include <cstdlib>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "types/datetime/arithmetic.h"
#include "types/datetime/format.h"
#include "types/datetime/template.h"
#include "types/datetime/words.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/function/limits.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

constexpr const char* kRomanMonths[] = {"I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"};

// A moment or an interval, in fields.
struct Fields {
  bool interval = false;
  int32_t year = 0, month = 0, day = 0;
  int64_t days = 0;  // since 2000-01-01
  int64_t hour = 0;
  int32_t minute = 0, second = 0;
  int64_t microsecond = 0;
  int32_t day_of_year = 0;
  const TimeZone::Offset* zone = nullptr;
};

class Writer {
 public:
  Writer(FuncContext& context, const Fields& f) : context_(context), f_(f) {}

  std::string write(const std::vector<TemplateNode>& nodes) {
    for (const TemplateNode& node : nodes) {
      if (context_.failed() || !check_text_bytes(context_, out_.size())) break;
      note_work(64);
      put(node);
    }
    return std::move(out_);
  }

 private:
  // A number with leading zeros unless FM; a minus counts as one of the digits.
  void number(const TemplateNode& n, int64_t v, int width) {
    if (v < 0) out_.push_back('-');
    append_padded(std::llabs(v), n.fill ? 0 : std::max(v < 0 ? width - 1 : width, 0), out_);
    if (n.ordinal) out_.append(ordinal_suffix(v, n.ordinal_lower));
  }
  // The same, but a minus comes on top.
  void signed_number(const TemplateNode& n, int64_t v, int width) { number(n, v, v < 0 ? width + 1 : width); }
  void name(const TemplateNode& n, std::string_view text, size_t width) {
    std::string s(text);
    if (n.letters == LetterCase::kUpper) s = to_upper(s);
    if (n.letters == LetterCase::kLower) s = to_lower(s);
    if (!n.fill && !n.localized && s.size() < width) s.append(width - s.size(), ' ');
    out_.append(s);
  }
  bool needs_date() {
    if (!f_.interval) return true;
    context_.fail(Error(sqlstate::kInvalidDatetimeFormat, "invalid format specification for an interval value")
                      .with_hint("Intervals are not tied to specific calendar dates."));
    return false;
  }
  int32_t era_year() const { return f_.year <= 0 && !f_.interval ? 1 - f_.year : f_.year; }
  void iso_year_part(const TemplateNode& n, int32_t modulus, int width) {
    int32_t y = iso_year(f_.days);
    if (y <= 0 && !f_.interval) y = 1 - y;
    number(n, modulus == 0 ? y : y % modulus, era_year() < 0 ? width + 1 : width);
  }
  void year_part(const TemplateNode& n, int32_t modulus, int width) { signed_number(n, era_year() % modulus, width); }

  void put(const TemplateNode& n) {
    switch (n.field) {
      case DateField::kLiteral:
      case DateField::kSeparator:
      case DateField::kSpace: out_.append(n.text); break;
      case DateField::kMeridian:
        out_.append(n.letters == LetterCase::kLower ? (pm() ? "pm" : "am") : (pm() ? "PM" : "AM"));
        break;
      case DateField::kMeridianDots:
        out_.append(n.letters == LetterCase::kLower ? (pm() ? "p.m." : "a.m.") : (pm() ? "P.M." : "A.M."));
        break;
      case DateField::kEra:
        if (needs_date()) out_.append(n.letters == LetterCase::kLower ? (bc() ? "bc" : "ad") : (bc() ? "BC" : "AD"));
        break;
      case DateField::kEraDots:
        if (needs_date())
          out_.append(n.letters == LetterCase::kLower ? (bc() ? "b.c." : "a.d.") : (bc() ? "B.C." : "A.D."));
        break;
      case DateField::kHour12: {
        const int64_t h = f_.hour % 12;
        number(n, h == 0 ? 12 : h, f_.hour < 0 ? 3 : 2);
        break;
      }
      case DateField::kHour24: signed_number(n, f_.hour, 2); break;
      case DateField::kMinute: signed_number(n, f_.minute, 2); break;
      case DateField::kSecond: signed_number(n, f_.second, 2); break;
      case DateField::kMillisecond: fraction(n, 3); break;
      case DateField::kMicrosecond: fraction(n, 6); break;
      case DateField::kFraction: fraction(n, n.digits); break;
      case DateField::kSecondsOfDay: number(n, f_.hour * 3600 + f_.minute * 60 + f_.second, 0); break;
      case DateField::kZone:
        if (needs_date() && f_.zone != nullptr && f_.zone->abbreviation != nullptr)
          out_.append(n.letters == LetterCase::kLower ? to_lower(f_.zone->abbreviation)
                                                      : std::string(f_.zone->abbreviation));
        break;
      case DateField::kZoneHour:
        if (needs_date()) {
          out_.push_back(zone_seconds() < 0 ? '-' : '+');
          append_padded(std::abs(zone_seconds()) / 3600, 2, out_);
        }
        break;
      case DateField::kZoneMinute:
        if (needs_date()) append_padded(std::abs(zone_seconds()) % 3600 / 60, 2, out_);
        break;
      case DateField::kZoneOffset:
        if (needs_date()) {
          out_.push_back(zone_seconds() < 0 ? '-' : '+');
          append_padded(std::abs(zone_seconds()) / 3600, n.fill ? 0 : 2, out_);
          if (std::abs(zone_seconds()) % 3600 != 0) {
            out_.push_back(':');
            append_padded(std::abs(zone_seconds()) % 3600 / 60, 2, out_);
          }
        }
        break;
      case DateField::kMonthName: month_name(n, kMonthNames, 9); break;
      case DateField::kMonthAbbreviation: month_name(n, kMonthNames, 3); break;
      case DateField::kMonth: signed_number(n, f_.month, 2); break;
      case DateField::kDayName:
        if (needs_date()) name(n, kDayNames[day_of_week(f_.days)], 9);
        break;
      case DateField::kDayAbbreviation:
        if (needs_date()) name(n, std::string_view(kDayNames[day_of_week(f_.days)]).substr(0, 3), 3);
        break;
      case DateField::kDayOfYear: number(n, f_.day_of_year, 3); break;
      case DateField::kIsoDayOfYear: number(n, f_.days - days_from_iso_week(iso_year(f_.days), 1) + 1, 3); break;
      case DateField::kDayOfMonth: number(n, f_.day, 2); break;
      case DateField::kDayOfWeek:
        if (needs_date()) number(n, day_of_week(f_.days) + 1, 0);
        break;
      case DateField::kIsoDayOfWeek:
        if (needs_date()) number(n, (day_of_week(f_.days) + 6) % 7 + 1, 0);
        break;
      case DateField::kWeek: number(n, (f_.day_of_year - 1) / 7 + 1, 2); break;
      case DateField::kIsoWeek: number(n, iso_week(f_.days), 2); break;
      case DateField::kQuarter:
        if (f_.month != 0) number(n, (f_.month - 1) / 3 + 1, 0);
        break;
      case DateField::kCentury: {
        const int64_t y = f_.year;
        const int64_t century = f_.interval ? y / 100 : y > 0 ? (y - 1) / 100 + 1 : y / 100 - 1;
        signed_number(n, century, century <= 99 && century >= -99 ? 2 : 0);
        break;
      }
      case DateField::kYearComma: {
        const int32_t y = era_year(), rest = y % 1000;
        append_padded(y / 1000, 0, out_);
        out_.push_back(',');
        if (rest < 0) out_.push_back('-');
        append_padded(std::abs(rest), rest < 0 ? 2 : 3, out_);
        if (n.ordinal) out_.append(ordinal_suffix(y, n.ordinal_lower));
        break;
      }
      case DateField::kYear4: signed_number(n, era_year(), 4); break;
      case DateField::kYear3: year_part(n, 1000, 3); break;
      case DateField::kYear2: year_part(n, 100, 2); break;
      case DateField::kYear1: year_part(n, 10, 1); break;
      case DateField::kIsoYear4: iso_year_part(n, 0, 4); break;
      case DateField::kIsoYear3: iso_year_part(n, 1000, 3); break;
      case DateField::kIsoYear2: iso_year_part(n, 100, 2); break;
      case DateField::kIsoYear1: iso_year_part(n, 10, 1); break;
      case DateField::kRoman:
        // Months of intervals count backwards when they are negative; no month stands for the last.
        if (f_.month != 0 || f_.year != 0)
          name(n, kRomanMonths[f_.month > 0 ? f_.month - 1 : f_.month < 0 ? 12 + f_.month : f_.year >= 0 ? 11 : 0], 4);
        break;
      case DateField::kWeekOfMonth: number(n, (f_.day - 1) / 7 + 1, 0); break;
      case DateField::kJulian: number(n, julian_day(f_.days), 0); break;
      case DateField::kExact: break;
    }
  }
  bool pm() const {
    const int64_t h = f_.hour % 24;
    return h >= 12;
  }
  bool bc() const { return f_.year <= 0; }
  int32_t zone_seconds() const { return f_.zone == nullptr ? 0 : f_.zone->seconds_east; }
  void fraction(const TemplateNode& n, int digits) {
    int64_t v = f_.microsecond;
    for (int i = digits; i < 6; i++) v /= 10;
    if (v < 0) out_.push_back('-');
    append_padded(std::llabs(v), digits, out_);
    if (n.ordinal) out_.append(ordinal_suffix(v, n.ordinal_lower));
  }
  void month_name(const TemplateNode& n, const char* const* names, size_t width) {
    if (!needs_date() || f_.month == 0) return;
    const std::string_view full = names[f_.month - 1];
    name(n, width == 3 ? full.substr(0, 3) : full, width);
  }

  FuncContext& context_;
  const Fields& f_;
  std::string out_;
};

// Templates parsed once per query.
struct Templates {
  std::string last;
  std::vector<TemplateNode> nodes;
  const std::vector<TemplateNode>& of(FuncContext& context, Str format) {
    if (last != format || nodes.empty()) {
      nodes.clear();
      if (!check_template_bytes(context, format.size())) return nodes;
      last = format;
      nodes = parse_date_template(last);
    }
    return nodes;
  }
};

Fields fields_of(int64_t local) {
  Fields f;
  f.days = date_part_of(local);
  const CivilDate d = civil_from_days(f.days);
  const CivilTime t = civil_time(time_part_of(local));
  f.year = d.year;
  f.month = d.month;
  f.day = d.day;
  f.hour = t.hour;
  f.minute = t.minute;
  f.second = t.second;
  f.microsecond = t.microsecond;
  f.day_of_year = day_of_year(d);
  return f;
}

std::optional<std::string> timestamp_to_char(FuncContext& context, int64_t t, Str format) {
  if (format.empty() || !is_finite_timestamp(t)) return {};
  const Fields f = fields_of(t);
  return Writer(context, f).write(context.cached<Templates>().of(context, format));
}
std::optional<std::string> timestamptz_to_char(FuncContext& context, int64_t t, Str format) {
  if (format.empty() || !is_finite_timestamp(t)) return {};
  const TimeZone::Offset zone = session_time_zone(context).at(t);
  Fields f = fields_of(t + zone.seconds_east * kSecond);
  f.zone = &zone;
  return Writer(context, f).write(context.cached<Templates>().of(context, format));
}
std::optional<std::string> interval_to_char(FuncContext& context, Interval v, Str format) {
  if (format.empty()) return {};
  Fields f;
  f.interval = true;
  f.year = v.months / 12;
  f.month = v.months % 12;
  f.day = v.days;
  f.hour = v.microseconds / kHour;
  f.minute = static_cast<int32_t>(v.microseconds / kMinute % 60);
  f.second = static_cast<int32_t>(v.microseconds / kSecond % 60);
  f.microsecond = v.microseconds % kSecond;
  f.day_of_year = static_cast<int32_t>(int64_t{v.months} * 30 + v.days);
  f.days = days_from_civil(f.year, f.month, f.day);  // of a date with these fields, however odd
  return Writer(context, f).write(context.cached<Templates>().of(context, format));
}

const ScalarEntry kToCharEntries[] = {
    {"timestamp_to_char", kernel<timestamp_to_char>},
    {"timestamptz_to_char", kernel<timestamptz_to_char>},
    {"interval_to_char", kernel<interval_to_char>},
};

}  // namespace

std::span<const ScalarEntry> datetime_to_char() { return kToCharEntries; }

}  // namespace indigo::types
