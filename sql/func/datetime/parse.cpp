// Gives the fields of a date/time text their meaning.
#include "sql/func/datetime/parse.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

#include "sql/func/datetime/calendar.h"
#include "sql/func/datetime/tokens.h"
#include "sql/func/datetime/words.h"
#include "sql/func/errors.h"
#include "sql/func/text/ascii.h"

namespace indigo::sql {

namespace {

enum class Trouble : uint8_t { kNone, kFormat, kField, kMonthDay, kZoneRange, kZoneName };

bool to_int(std::string_view s, int32_t& out) {
  const auto r = std::from_chars(s.data(), s.data() + s.size(), out);
  return r.ec == std::errc() && r.ptr == s.data() + s.size();
}
// ".25" as microseconds, rounded, halves to even.
int64_t fraction(std::string_view digits_after_point) {
  const double v = std::strtod(("0." + std::string(digits_after_point)).c_str(), nullptr);
  return static_cast<int64_t>(std::rint(v * 1e6));
}

class Decoder {
 public:
  Decoder(FuncContext& context, bool time_only, DateTimeText& out)
      : order_(context.session().format().date_order), time_only_(time_only), out_(out) {}

  std::string unknown_zone;

  Trouble decode(const std::vector<Field>& fields) {
    if (fields.empty()) return Trouble::kFormat;
    for (size_t i = 0; i < fields.size(); i++) {
      const Trouble t = field(fields, i);
      if (t != Trouble::kNone) return t;
    }
    return finish();
  }

 private:
  using Order = FormatSettings::DateOrder;
  enum : uint32_t {
    kYear = 1,
    kMonth = 2,
    kDay = 4,
    kDate = 7,
    kTimeOfDay = 8,
    kZone = 16,
    kMeridian = 32,
    kEra = 64,
    kDayName = 128,
    kYearDay = 256
  };

  // Each part may be given once.
  Trouble mark(uint32_t parts) {
    if (seen_ & parts) return Trouble::kFormat;
    seen_ |= parts;
    return Trouble::kNone;
  }

  Trouble field(const std::vector<Field>& fields, size_t i) {
    const Field& f = fields[i];
    switch (f.kind) {
      case FieldKind::kDate: return date_field(f.text);
      case FieldKind::kTime: return time_field(f.text);
      case FieldKind::kZone: return zone_field(f.text);
      case FieldKind::kNumber: return number_field(f.text);
      case FieldKind::kWord:
      case FieldKind::kSpecial: return word_field(f.text, i + 1 < fields.size());
    }
    return Trouble::kFormat;
  }

  Trouble date_field(const std::string& text) {
    if (julian_) {
      // J2451187-... is not a date; a Julian day may have a fraction.
      return Trouble::kFormat;
    }
    if ((seen_ & kDate) == kDate || expect_time_ || !(is_digit(text[0]) || starts_with_month(text))) {
      if (is_digit(text[0]) || expect_time_) {
        // 040506-08: a time and its zone in one
        const size_t sign = text.find_first_of("-+");
        if (sign == std::string::npos) return Trouble::kFormat;
        const Trouble t = concatenated(text.substr(0, sign));
        return t != Trouble::kNone ? t : zone_field(text.substr(sign));
      }
      return time_only_ || (seen_ & kDate) == kDate ? named_zone(text) : Trouble::kFormat;
    }
    return date_parts(text);
  }
  static bool starts_with_month(const std::string& text) {
    size_t n = 0;
    while (n < text.size() && is_alpha(text[n])) n++;
    return find_date_word(text.substr(0, n)).word == DateWord::kMonth;
  }

  // 1999-01-08, 8-jan-1999, jan/8/99
  Trouble date_parts(const std::string& text) {
    std::vector<std::string> parts;
    for (size_t i = 0; i < text.size();) {
      if (!is_alnum(text[i])) {
        i++;
        continue;
      }
      size_t end = i;
      while (end < text.size() && (is_digit(text[i]) ? is_digit(text[end]) : is_alpha(text[end]))) end++;
      parts.push_back(text.substr(i, end - i));
      i = end;
    }
    if (parts.size() > 3) return Trouble::kFormat;
    for (const std::string& p : parts) {
      if (is_digit(p[0])) continue;
      const DateWordValue w = find_date_word(p);
      if (w.word != DateWord::kMonth) return Trouble::kFormat;
      if (const Trouble t = mark(kMonth); t != Trouble::kNone) return t;
      month_ = w.value;
      text_month_ = true;
    }
    for (const std::string& p : parts)
      if (is_digit(p[0]))
        if (const Trouble t = date_number(p); t != Trouble::kNone) return t;
    return (seen_ & kDate) == kDate ? Trouble::kNone : Trouble::kFormat;
  }

  // A number's place in the date depends on what has been seen, its width and DateStyle's order.
  Trouble date_number(const std::string& text) {
    int32_t v = 0;
    if (!to_int(text, v)) return Trouble::kField;
    if (text.size() == 3 && (seen_ & kDate) == kYear && v >= 1 && v <= 366) {
      year_day_ = v;
      return mark(kMonth | kDay | kYearDay);
    }
    const bool wide = text.size() >= 3;
    switch (seen_ & kDate) {
      case 0:
        if (wide || order_ == Order::kYmd) return set_year(v, text.size());
        return order_ == Order::kDmy ? set_day(v) : set_month(v);
      case kYear: return set_month(v);
      case kMonth:
        if (text_month_ && (wide || order_ == Order::kYmd)) return set_year(v, text.size());
        return set_day(v);
      case kYear | kMonth:
        if (text_month_ && wide && short_year_) {
          // 08-jan-1999 under YMD: what was taken for the year is the day.
          day_ = year_;
          seen_ = (seen_ & ~uint32_t{kYear}) | kDay;
          return set_year(v, text.size());
        }
        return set_day(v);
      case kDay: return set_month(v);
      case kMonth | kDay: return set_year(v, text.size());
      case kYear | kDay: return set_month(v);
      default: return concatenated(text);
    }
  }
  Trouble set_year(int32_t v, size_t width) {
    year_ = v;
    short_year_ = width <= 2;
    return mark(kYear);
  }
  Trouble set_month(int32_t v) {
    month_ = v;
    return mark(kMonth);
  }
  Trouble set_day(int32_t v) {
    day_ = v;
    return mark(kDay);
  }

  // 19990108, 990108, 040506, 0405 with perhaps a fraction of a second
  Trouble concatenated(const std::string& text) {
    const size_t point = std::min(text.find('.'), text.size());
    const std::string digits = text.substr(0, point);
    if (point < text.size()) {
      if (text.size() > point + 1) microsecond_ = fraction(text.substr(point + 1));
    } else if ((seen_ & kDate) != kDate && digits.size() >= 6 && !(time_only_ && !force_date_)) {
      const size_t n = digits.size();
      if (!to_int(digits.substr(n - 2), day_) || !to_int(digits.substr(n - 4, 2), month_) ||
          !to_int(digits.substr(0, n - 4), year_))
        return Trouble::kField;
      short_year_ = n == 6;
      return mark(kDate);
    }
    if (seen_ & kTimeOfDay) return Trouble::kFormat;
    if (digits.size() == 6) {
      (void)to_int(digits.substr(0, 2), hour_);
      (void)to_int(digits.substr(2, 2), minute_);
      (void)to_int(digits.substr(4, 2), second_);
    } else if (digits.size() == 4 && point == text.size()) {
      (void)to_int(digits.substr(0, 2), hour_);
      (void)to_int(digits.substr(2, 2), minute_);
      second_ = 0;
    } else if (digits.size() == 2 && expect_time_) {
      (void)to_int(digits, hour_);
      minute_ = second_ = 0;
    } else {
      return Trouble::kFormat;
    }
    expect_time_ = false;
    return mark(kTimeOfDay);
  }

  Trouble number_field(const std::string& text) {
    if (julian_) {
      julian_ = false;
      const double v = std::strtod(text.c_str(), nullptr);
      if (!(v >= 0 && v < 2147483494.0)) return Trouble::kField;
      const auto day = static_cast<int64_t>(v);
      out_.days = day - kEpochJulian;
      have_days_ = true;
      if (text.find('.') != std::string::npos) {
        if (const Trouble t = mark(kTimeOfDay); t != Trouble::kNone) return t;
        const double of_a_day = std::strtod(text.c_str() + text.find('.'), nullptr);
        const auto us = static_cast<int64_t>(std::rint(of_a_day * static_cast<double>(indigo::sql::kDay)));
        const CivilTime c = civil_time(std::min(us, indigo::sql::kDay - 1));
        hour_ = c.hour;
        minute_ = c.minute;
        second_ = c.second;
        microsecond_ = c.microsecond;
      }
      return mark(kDate);
    }
    if (expect_time_) return concatenated(text);
    const size_t point = text.find('.');
    if (time_only_ && (seen_ & kDate) != kDate) {
      if (text.size() > 4 || point != std::string::npos || (seen_ & kTimeOfDay) == 0) return concatenated(text);
    }
    if (point != std::string::npos && (seen_ & kDate) == 0) return date_parts(text);
    if (point != std::string::npos && point > 2) return concatenated(text);
    if (text.size() >= 6 && ((seen_ & kDate) != kDate || (seen_ & kTimeOfDay) == 0)) return concatenated(text);
    if (point != std::string::npos) return Trouble::kFormat;
    return date_number(text);
  }

  Trouble time_field(const std::string& text) {
    // hh:mm[:ss[.fff]]; mm:ss.fff when there is a fraction after two parts
    std::vector<std::string> parts;
    std::string rest = text, after;
    if (const size_t point = rest.find('.'); point != std::string::npos) {
      after = rest.substr(point + 1);
      rest.resize(point);
      if (after.find_first_not_of("0123456789") != std::string::npos) return Trouble::kFormat;
    }
    for (size_t from = 0; from <= rest.size();) {
      const size_t colon = std::min(rest.find(':', from), rest.size());
      parts.push_back(rest.substr(from, colon - from));
      from = colon + 1;
    }
    if (parts.size() < 2 || parts.size() > 3) return Trouble::kFormat;
    int32_t v[3] = {0, 0, 0};
    for (size_t i = 0; i < parts.size(); i++) {
      if (parts[i].empty()) {
        if (i + 1 == parts.size()) continue;
        return Trouble::kFormat;
      }
      if (!to_int(parts[i], v[i])) return Trouble::kField;
    }
    if (parts.size() == 2 && !after.empty()) {
      v[2] = v[1];
      v[1] = v[0];
      v[0] = 0;
    }
    hour_ = v[0];
    minute_ = v[1];
    second_ = v[2];
    microsecond_ = after.empty() ? 0 : fraction(after);
    if (minute_ > 59 || second_ > 60 || hour_ > 24 * 10000) return Trouble::kField;
    expect_time_ = false;
    return mark(kTimeOfDay);
  }

  Trouble zone_field(const std::string& text) {
    if (const Trouble t = mark(kZone); t != Trouble::kNone) return t;
    switch (parse_zone_offset(text, out_.seconds_east)) {
      case OffsetParse::kOk: break;
      case OffsetParse::kSyntax: return Trouble::kFormat;
      case OffsetParse::kRange: return Trouble::kZoneRange;
    }
    out_.has_zone = true;
    return Trouble::kNone;
  }

  Trouble named_zone(const std::string& text) {
    if (const Trouble t = mark(kZone); t != Trouble::kNone) return t;
    out_.zone = find_time_zone(text);
    if (out_.zone == nullptr) {
      unknown_zone = text;
      return Trouble::kZoneName;
    }
    out_.has_zone = true;
    return Trouble::kNone;
  }

  Trouble word_field(const std::string& text, bool more) {
    const DateWordValue w = find_date_word(text);
    switch (w.word) {
      case DateWord::kMonth:
        // "8 Jan 1999": a first number taken for the month was the day.
        if ((seen_ & kMonth) && !text_month_ && !(seen_ & kDay) && month_ >= 1 && month_ <= 31) {
          day_ = month_;
          seen_ = (seen_ & ~uint32_t{kMonth}) | kDay;
        }
        text_month_ = true;
        month_ = w.value;
        return mark(kMonth);
      case DateWord::kDayOfWeek: return mark(kDayName);
      case DateWord::kAm:
      case DateWord::kPm: pm_ = w.word == DateWord::kPm; return mark(kMeridian);
      case DateWord::kBc:
      case DateWord::kAd: bc_ = w.word == DateWord::kBc; return mark(kEra);
      case DateWord::kIgnore: return Trouble::kNone;
      case DateWord::kDst:
        if (!out_.has_zone) return Trouble::kFormat;
        out_.seconds_east += 3600;
        return Trouble::kNone;
      case DateWord::kIsoTime:
        if ((seen_ & kDate) != kDate && !time_only_) return Trouble::kFormat;
        if (!more) return Trouble::kFormat;
        expect_time_ = true;
        return Trouble::kNone;
      case DateWord::kJulian:
        if (!more) return Trouble::kFormat;
        julian_ = true;
        return Trouble::kNone;
      case DateWord::kAllBalls:
        if (const Trouble t = mark(kZone); t != Trouble::kNone) return t;
        out_.has_zone = true;
        hour_ = minute_ = second_ = 0;
        return mark(kTimeOfDay);
      case DateWord::kNow: return special(SpecialTime::kNow, kDate | kTimeOfDay | kZone);
      case DateWord::kToday: return special(SpecialTime::kToday, kDate);
      case DateWord::kTomorrow: return special(SpecialTime::kTomorrow, kDate);
      case DateWord::kYesterday: return special(SpecialTime::kYesterday, kDate);
      case DateWord::kEpoch: return special(SpecialTime::kEpoch, kDate | kTimeOfDay | kZone);
      case DateWord::kInfinity: return special(SpecialTime::kInfinity, kDate | kTimeOfDay | kZone);
      case DateWord::kMinusInfinity: return special(SpecialTime::kMinusInfinity, kDate | kTimeOfDay | kZone);
      case DateWord::kNone: break;
    }
    if (text == "z") {
      if (const Trouble t = mark(kZone); t != Trouble::kNone) return t;
      out_.has_zone = true;
      return Trouble::kNone;
    }
    if (const ZoneAbbreviation* a = find_zone_abbreviation(text)) {
      if (const Trouble t = mark(kZone); t != Trouble::kNone) return t;
      out_.has_zone = true;
      out_.seconds_east = a->seconds_east;
      return Trouble::kNone;
    }
    if (auto zone = find_time_zone(text)) {
      if (const Trouble t = mark(kZone); t != Trouble::kNone) return t;
      out_.has_zone = true;
      out_.zone = std::move(zone);
      return Trouble::kNone;
    }
    return Trouble::kFormat;
  }
  Trouble special(SpecialTime s, uint32_t parts) {
    out_.special = s;
    return mark(parts);
  }

  Trouble finish() {
    if (expect_time_ || julian_) return Trouble::kFormat;
    if (!time_only_ && !have_days_ && (seen_ & kDate) != kDate) {  // what there is of a date must be possible
      if ((seen_ & kMonth) && (month_ < 1 || month_ > 12)) return Trouble::kMonthDay;
      if ((seen_ & kDay) && (day_ < 1 || day_ > 31)) return Trouble::kMonthDay;
    }
    out_.has_time = (seen_ & kTimeOfDay) != 0;
    out_.has_date = (seen_ & kDate) == kDate;
    if (seen_ & kMeridian) {
      if (!out_.has_time) return Trouble::kFormat;
      if (hour_ > 12) return Trouble::kField;
      if (pm_ && hour_ != 12) hour_ += 12;
      if (!pm_ && hour_ == 12) hour_ = 0;
    }
    out_.time = time_of_day(hour_, minute_, second_, 0) + microsecond_;
    if (hour_ > 24 || out_.time > indigo::sql::kDay) return Trouble::kField;
    if (out_.special != SpecialTime::kNone) return Trouble::kNone;
    if (!out_.has_date) return time_only_ && (seen_ & kDate) == 0 && out_.has_time ? Trouble::kNone : Trouble::kFormat;
    if (have_days_) return Trouble::kNone;
    if (bc_) {
      if (year_ <= 0) return Trouble::kField;
      year_ = -(year_ - 1);
    } else if (short_year_) {
      year_ += year_ < 70 ? 2000 : year_ < 100 ? 1900 : 0;
    } else if (year_ <= 0) {
      return Trouble::kField;
    }
    if (seen_ & kYearDay) {
      if (year_day_ > (is_leap_year(year_) ? 366 : 365)) return Trouble::kField;
      out_.days = days_from_civil(year_, 1, 1) + year_day_ - 1;
      return Trouble::kNone;
    }
    if (month_ < 1 || month_ > 12) return Trouble::kMonthDay;
    if (day_ < 1 || day_ > 31) return Trouble::kMonthDay;
    if (day_ > days_in_month(year_, month_)) return Trouble::kField;
    out_.days = days_from_civil(year_, month_, day_);
    return Trouble::kNone;
  }

  Order order_;
  bool time_only_, force_date_ = false;
  DateTimeText& out_;
  uint32_t seen_ = 0;
  int32_t year_ = 0, month_ = 0, day_ = 0, year_day_ = 0, hour_ = 0, minute_ = 0, second_ = 0;
  int64_t microsecond_ = 0;
  bool short_year_ = false, text_month_ = false, bc_ = false, pm_ = false, julian_ = false, expect_time_ = false,
       have_days_ = false;
};

}  // namespace

OffsetParse parse_zone_offset(Str text, int32_t& seconds_east) {
  if (text.size() < 2 || (text[0] != '+' && text[0] != '-')) return OffsetParse::kSyntax;
  const int sign = text[0] == '-' ? -1 : 1;
  int32_t v[3] = {0, 0, 0};
  const Str body = text.substr(1);
  if (const size_t other = body.find_first_not_of("0123456789:"); other != Str::npos) {
    // The hour is looked at before what follows it.
    const Str hour = body.substr(0, std::min(other, body.find(':')));
    int32_t number = 0;
    return !hour.empty() && (!to_int(hour, number) || number > 15) ? OffsetParse::kRange : OffsetParse::kSyntax;
  }
  if (body.find(':') == Str::npos) {
    int32_t number = 0;
    if (!to_int(body, number)) return OffsetParse::kRange;
    if (body.size() > 4) {
      v[0] = number / 10000;
      v[1] = number / 100 % 100;
      v[2] = number % 100;
    } else if (body.size() > 2) {
      v[0] = number / 100;
      v[1] = number % 100;
    } else {
      v[0] = number;
    }
  } else {
    size_t from = 0;
    for (int i = 0; i < 3 && from <= body.size(); i++) {
      const size_t colon = std::min(body.find(':', from), body.size());
      if (colon > from && !to_int(body.substr(from, colon - from), v[i])) return OffsetParse::kRange;
      from = colon + 1;
    }
    if (from <= body.size()) return OffsetParse::kSyntax;
  }
  if (v[0] > 15 || v[1] > 59 || v[2] > 59) return OffsetParse::kRange;
  seconds_east = sign * (v[0] * 3600 + v[1] * 60 + v[2]);
  return OffsetParse::kOk;
}

bool parse_datetime(FuncContext& context, Str text, const char* type, bool time_only, DateTimeText& out) {
  std::vector<Field> fields;
  Trouble trouble = Trouble::kFormat;
  Decoder decoder(context, time_only, out);
  if (split_datetime(text, fields)) trouble = decoder.decode(fields);
  const std::string quoted = "\"" + std::string(text) + "\"";
  switch (trouble) {
    case Trouble::kNone: return true;
    case Trouble::kFormat:
      context.fail(sqlstate::kInvalidDatetimeFormat,
                   std::string("invalid input syntax for type ") + type + ": " + quoted);
      break;
    case Trouble::kField:
      context.fail(sqlstate::kDatetimeFieldOverflow, "date/time field value out of range: " + quoted);
      break;
    case Trouble::kMonthDay:
      context.fail(Error(sqlstate::kDatetimeFieldOverflow, "date/time field value out of range: " + quoted)
                       .with_hint("Perhaps you need a different \"datestyle\" setting."));
      break;
    case Trouble::kZoneRange: context.fail(SqlState("22009"), "time zone displacement out of range: " + quoted); break;
    case Trouble::kZoneName:
      context.fail(sqlstate::kInvalidParameterValue, "time zone \"" + decoder.unknown_zone + "\" not recognized");
      break;
  }
  return false;
}

int64_t current_timestamp_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count() - kUnixEpochSeconds * kSecond;
}

}  // namespace indigo::sql
