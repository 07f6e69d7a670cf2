// Gives the fields of a date/time text their meaning.
#include "types/datetime/parse.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/sqlstate.h"
#include "types/datetime/calendar.h"
#include "types/datetime/tokens.h"
#include "types/datetime/words.h"
#include "types/function/errors.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

enum class Trouble : uint8_t { kNone, kFormat, kField, kMonthDay, kZoneRange, kZoneName };

bool to_int(std::string_view s, int32_t& out) {
  const auto r = std::from_chars(s.data(), s.data() + s.size(), out);
  return r.ec == std::errc() && r.ptr == s.data() + s.size();
}
// ".25" as microseconds, rounded, halves to even.
int64_t fraction(std::string_view digits_after_point) {
  if (digits_after_point.empty()) return 0;
  const double v = std::strtod(("0." + std::string(digits_after_point)).c_str(), nullptr);
  return static_cast<int64_t>(std::rint(v * 1e6));
}

// A number at the beginning of `text`, which loses it. kField: too large for 32 bits.
Trouble take_int(std::string_view& text, int32_t& out) {
  out = 0;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), out);
  if (r.ec == std::errc::result_out_of_range) return Trouble::kField;
  if (r.ec == std::errc()) text.remove_prefix(static_cast<size_t>(r.ptr - text.data()));
  return Trouble::kNone;
}

constexpr int64_t kSecondLength = kSecond, kDayLength = kDay;  // Decoder has parts of these names

class Decoder {
 public:
  Decoder(FuncContext& context, bool time_only, DateTimeText& out)
      : context_(context), order_(context.session().format().date_order), time_only_(time_only), out_(out) {}

  std::string unknown_zone;

  Trouble decode(const std::vector<Field>& fields) {
    if (fields.empty()) return Trouble::kFormat;
    for (size_t i = 0; i < fields.size(); i++) {
      parts_ = 0;
      const Trouble t = field(fields, i);
      if (t != Trouble::kNone) return t;
      if (seen_ & parts_) return Trouble::kFormat;  // each part may be given once
      seen_ |= parts_;
    }
    return time_only_ ? finish_time() : finish();
  }

 private:
  using Order = FormatSettings::DateOrder;
  enum : uint32_t {
    kYear = 1,
    kMonth = 2,
    kDay = 4,
    kDate = 7,
    kHour = 8,
    kMinute = 16,
    kSecond = 32,
    kSubsecond = 64,
    kTime = kHour | kMinute | kSecond | kSubsecond,
    kZone = 128,
    kDaylightZone = 256,
    kDaylightWord = 512,
    kMeridian = 1024,
    kEra = 2048,
    kDayName = 4096,
    kYearDay = 8192,
    kSpecial = 16384
  };

  Trouble field(const std::vector<Field>& fields, size_t i) {
    const Field& f = fields[i];
    switch (f.kind) {
      case FieldKind::kDate: return time_only_ ? date_in_time(fields, i) : date_field(f.text);
      case FieldKind::kTime: return time_field(f.text);
      case FieldKind::kZone: return zone_offset(f.text);
      case FieldKind::kNumber:
        if (time_label_ || label_ != TimeUnit::kNone) return labelled_number(f.text);
        return time_only_ ? number_in_time(fields, i) : number_field(f.text);
      case FieldKind::kWord:
      case FieldKind::kSpecial: return word_field(f.text, i + 1 < fields.size() ? &fields[i + 1] : nullptr);
    }
    return Trouble::kFormat;
  }

  // ---- dates
  Trouble date_field(const std::string& text) {
    if (label_ == TimeUnit::kJulian) {  // J2451187-08
      std::string_view rest = text;
      int32_t day = 0;
      if (const Trouble t = take_int(rest, day); t != Trouble::kNone) return t;
      label_ = TimeUnit::kNone;
      set_julian(day);
      const Trouble t = zone_offset(rest);
      parts_ = kDate | kTime | kZone;
      return t;
    }
    const bool labelled = time_label_ || label_ != TimeUnit::kNone;
    if (!labelled && (seen_ & (kMonth | kDay)) != (kMonth | kDay)) return date_parts(text);
    if (!is_digit(text[0]) && !labelled) return named_zone(text);
    if (label_ != TimeUnit::kNone || (seen_ & kTime) == kTime) return Trouble::kFormat;
    time_label_ = false;
    return time_and_zone(text, seen_);
  }
  // A date beside a time of day must come first.
  Trouble date_in_time(const std::vector<Field>& fields, size_t i) {
    const std::string& text = fields[i].text;
    if (i == 0 && fields.size() >= 2 && (fields.back().kind == FieldKind::kDate || fields[1].kind == FieldKind::kTime))
      return date_parts(text);
    if (!is_digit(text[0])) return named_zone(text);
    return (seen_ & kTime) == kTime ? Trouble::kFormat : time_and_zone(text, seen_ | kDate);
  }
  // 040506-08
  Trouble time_and_zone(const std::string& text, uint32_t seen) {
    const size_t sign = text.find('-');
    if (sign == std::string::npos) return Trouble::kFormat;
    if (const Trouble t = zone_offset(std::string_view(text).substr(sign)); t != Trouble::kNone) return t;
    const Trouble t = concatenated(text.substr(0, sign), seen);
    parts_ |= kZone;
    return t;
  }

  // 1999-01-08, 8-jan-1999, jan/8/99: nothing but a zone and the day's number in the year may stand before.
  Trouble date_parts(const std::string& text) {
    std::vector<std::string> parts;
    for (size_t i = 0; i < text.size();) {
      while (i < text.size() && !is_alnum(text[i])) i++;
      if (i == text.size()) return Trouble::kFormat;
      size_t end = i;
      while (end < text.size() && (is_digit(text[i]) ? is_digit(text[end]) : is_alpha(text[end]))) end++;
      parts.push_back(text.substr(i, end - i));
      i = end + (end < text.size() ? 1 : 0);
    }
    uint32_t all = 0;
    bool text_month = false;
    const auto add = [&] {
      if ((seen_ | all) & parts_) return false;
      all |= parts_;
      return true;
    };
    for (const std::string& p : parts) {
      if (is_digit(p[0])) continue;
      const DateWordValue w = find_date_word(p);
      if (w.word == DateWord::kIgnore) continue;
      if (w.word != DateWord::kMonth) return Trouble::kFormat;
      month_ = w.value;
      text_month = true;
      parts_ = kMonth;
      if (!add()) return Trouble::kFormat;
    }
    for (const std::string& p : parts) {
      if (!is_digit(p[0])) continue;
      parts_ = 0;
      if (const Trouble t = number(p, text_month, seen_ | all); t != Trouble::kNone) return t;
      if (!add()) return Trouble::kFormat;
    }
    parts_ = all;
    return ((seen_ | all) & ~uint32_t{kYearDay | kZone}) == kDate ? Trouble::kNone : Trouble::kFormat;
  }

  // ---- numbers
  // A number's place in the date depends on what has been seen, its width and DateStyle's order.
  Trouble number(const std::string& text, bool text_month, uint32_t seen) {
    std::string_view rest = text;
    int32_t v = 0;
    if (const Trouble t = take_int(rest, v); t != Trouble::kNone) return t;
    if (rest.size() == text.size()) return Trouble::kFormat;
    if (rest.starts_with('.')) {
      if (text.size() - rest.size() > 2) return concatenated(text, seen | kDate);
      microsecond_ = fraction(rest.substr(1));
    } else if (!rest.empty()) {
      return Trouble::kFormat;
    }
    const size_t width = text.size();
    if (width == 3 && (seen & kDate) == kYear && v >= 1 && v <= 366) {
      year_day_ = v;
      parts_ = kMonth | kDay | kYearDay;
      return Trouble::kNone;
    }
    const bool year_first = width >= 3 || order_ == Order::kYmd;
    switch (seen & kDate) {
      case 0:
        if (year_first) return set_year(v, width);
        return order_ == Order::kDmy ? set(kDay, day_, v) : set(kMonth, month_, v);
      case kYear: return set(kMonth, month_, v);
      case kMonth: return text_month && year_first ? set_year(v, width) : set(kDay, day_, v);
      case kYear | kMonth:
        if (text_month && width >= 3 && short_year_) {
          // 08-jan-1999 under YMD: what was taken for the year is the day.
          day_ = year_;
          year_ = v;
          short_year_ = false;
          parts_ = kDay;
          return Trouble::kNone;
        }
        return set(kDay, day_, v);
      case kDay: return set(kMonth, month_, v);
      case kMonth | kDay: return set_year(v, width);
      case kDate: return concatenated(text, seen);
      default: return Trouble::kFormat;
    }
  }
  Trouble set(uint32_t part, int32_t& to, int32_t v) {
    to = v;
    parts_ = part;
    return Trouble::kNone;
  }
  Trouble set_year(int32_t v, size_t width) {
    short_year_ = width <= 2;
    return set(kYear, year_, v);
  }

  // 19990108, 990108, 040506, 0405 with perhaps a fraction of a second
  Trouble concatenated(const std::string& text, uint32_t seen) {
    const size_t point = std::min(text.find('.'), text.size());
    const std::string digits = text.substr(0, point);
    const size_t n = digits.size();
    if (point < text.size()) {
      microsecond_ = fraction(text.substr(point + 1));
    } else if ((seen & kDate) != kDate && n >= 6) {
      if (!to_int(digits.substr(n - 2), day_) || !to_int(digits.substr(n - 4, 2), month_) ||
          !to_int(digits.substr(0, n - 4), year_))
        return Trouble::kField;
      if (n == 6) short_year_ = true;
      parts_ = kDate;
      return Trouble::kNone;
    }
    if ((seen & kTime) == kTime || (n != 6 && n != 4)) return Trouble::kFormat;
    parts_ = kTime;
    second_ = 0;
    return to_int(digits.substr(0, 2), hour_) && to_int(digits.substr(2, 2), minute_) &&
                   (n == 4 || to_int(digits.substr(4, 2), second_))
               ? Trouble::kNone
               : Trouble::kFormat;
  }

  Trouble number_field(const std::string& text) {
    const size_t point = text.find('.');
    if (point != std::string::npos && (seen_ & kDate) == 0) return date_parts(text);
    if (point != std::string::npos && point > 2) return concatenated(text, seen_);
    if (text.size() >= 6 && ((seen_ & kDate) == 0 || (seen_ & kTime) == 0)) return concatenated(text, seen_);
    return number(text, text_month_, seen_);
  }
  Trouble number_in_time(const std::vector<Field>& fields, size_t i) {
    const std::string& text = fields[i].text;
    const size_t point = text.find('.');
    if (point != std::string::npos) {
      if (i == 0 && fields.size() >= 2 && fields.back().kind == FieldKind::kDate) return date_parts(text);
      return point > 2 ? concatenated(text, seen_ | kDate) : Trouble::kFormat;
    }
    return text.size() > 4 ? concatenated(text, seen_ | kDate) : number(text, false, seen_ | kDate);
  }

  // y2001 m02 d04, j2451187, t040506
  Trouble labelled_number(const std::string& text) {
    const TimeUnit label = std::exchange(label_, TimeUnit::kNone);
    out_.special = SpecialTime::kNone;
    std::string_view rest = text;
    int32_t v = 0;
    if (const Trouble t = take_int(rest, v); t != Trouble::kNone) return t;
    if (!rest.empty() && rest[0] != '.') return Trouble::kFormat;
    if (std::exchange(time_label_, false)) {
      const Trouble t = concatenated(text, seen_ | kDate);
      return t == Trouble::kNone && parts_ != kTime ? Trouble::kFormat : t;
    }
    switch (label) {
      case TimeUnit::kYear: return set(kYear, year_, v);
      case TimeUnit::kMonth:  // after a month and an hour: minutes
        return (seen_ & kMonth) && (seen_ & kHour) ? set(kMinute, minute_, v) : set(kMonth, month_, v);
      case TimeUnit::kDay: return set(kDay, day_, v);
      case TimeUnit::kHour: return set(kHour, hour_, v);
      case TimeUnit::kMinute: return set(kMinute, minute_, v);
      case TimeUnit::kSecond:
        if (!rest.empty()) microsecond_ = fraction(rest.substr(1));
        return set(rest.empty() ? kSecond : kSecond | kSubsecond, second_, v);
      case TimeUnit::kJulian: {
        set_julian(v);
        parts_ = kDate;
        if (rest.empty()) return Trouble::kNone;
        const double of_a_day = rest.size() == 1 ? 0 : std::strtod(std::string(rest).c_str(), nullptr);
        microsecond_ = static_cast<int64_t>(of_a_day * static_cast<double>(kDayLength));
        parts_ |= kTime;
        return Trouble::kNone;
      }
      default: return Trouble::kFormat;
    }
  }
  void set_julian(int32_t day) {
    out_.days = int64_t{day} - kEpochJulian;
    have_days_ = true;
  }

  // ---- times and zones
  // hh:mm[:ss[.fff]]; mm:ss.fff when there is a fraction after two parts
  Trouble time_field(const std::string& text) {
    if (!time_only_) {
      if (label_ != TimeUnit::kNone) return Trouble::kFormat;
      time_label_ = false;
    }
    std::string_view rest = text;
    if (const Trouble t = take_int(rest, hour_); t != Trouble::kNone) return t;
    if (!rest.starts_with(':')) return Trouble::kFormat;
    rest.remove_prefix(1);
    if (const Trouble t = take_int(rest, minute_); t != Trouble::kNone) return t;
    second_ = 0;
    microsecond_ = 0;
    const bool three = rest.starts_with(':');
    if (three) {
      rest.remove_prefix(1);
      if (const Trouble t = take_int(rest, second_); t != Trouble::kNone) return t;
    }
    if (rest.starts_with('.')) {
      if (rest.find_first_not_of("0123456789", 1) != std::string_view::npos) return Trouble::kFormat;
      microsecond_ = fraction(rest.substr(1));
      if (!three) {
        second_ = minute_;
        minute_ = hour_;
        hour_ = 0;
      }
    } else if (!rest.empty()) {
      return Trouble::kFormat;
    }
    if (hour_ < 0 || minute_ < 0 || minute_ > 59 || second_ < 0 || second_ > 60) return Trouble::kField;
    parts_ = kTime;
    return !time_only_ && time_overflows() ? Trouble::kField : Trouble::kNone;
  }
  // Beyond 24:00:00.
  bool time_overflows() const {
    return hour_ < 0 || minute_ < 0 || second_ < 0 || hour_ > 24 || minute_ > 59 || second_ > 60 ||
           time_of_day(hour_, minute_, second_, 0) + microsecond_ > kDayLength;
  }

  Trouble zone_offset(std::string_view text) {
    parts_ = kZone;
    out_.has_zone = true;
    switch (parse_zone_offset(text, out_.seconds_east)) {
      case OffsetParse::kOk: return Trouble::kNone;
      case OffsetParse::kSyntax: return Trouble::kFormat;
      case OffsetParse::kRange: break;
    }
    return Trouble::kZoneRange;
  }
  Trouble named_zone(const std::string& text) {
    parts_ = kZone;
    out_.has_zone = named_zone_ = true;
    out_.zone = find_time_zone(text);
    if (out_.zone != nullptr) return Trouble::kNone;
    unknown_zone = text;
    return Trouble::kZoneName;
  }
  Trouble abbreviation(const ZoneAbbreviation& a) {
    parts_ = a.daylight || a.zone != nullptr ? kZone | kDaylightZone : kZone;
    out_.has_zone = true;
    out_.seconds_east = a.seconds_east;
    if (a.zone != nullptr) out_.zone = zone_of_abbreviation(a);
    return Trouble::kNone;
  }

  // ---- words
  Trouble word_field(const std::string& text, const Field* next) {
    if (const ZoneAbbreviation* a = find_zone_abbreviation(text)) return abbreviation(*a);
    const DateWordValue w = find_date_word(text);
    switch (w.word) {
      case DateWord::kIgnore: return Trouble::kNone;
      case DateWord::kUnit: label_ = static_cast<TimeUnit>(w.value); return Trouble::kNone;
      case DateWord::kAm:
      case DateWord::kPm:
        pm_ = w.word == DateWord::kPm;
        parts_ = kMeridian;
        return Trouble::kNone;
      case DateWord::kBc:
      case DateWord::kAd:
        bc_ = w.word == DateWord::kBc;
        parts_ = kEra;
        return Trouble::kNone;
      case DateWord::kDst:
        parts_ = kDaylightWord | kDaylightZone;
        out_.seconds_east += 3600;
        return Trouble::kNone;
      case DateWord::kIsoTime:
        if (!time_only_ && (seen_ & kDate) != kDate) return Trouble::kFormat;
        if (next == nullptr ||
            (next->kind != FieldKind::kNumber && next->kind != FieldKind::kTime && next->kind != FieldKind::kDate))
          return Trouble::kFormat;
        time_label_ = true;
        return Trouble::kNone;
      case DateWord::kAllBalls:
        out_.special = SpecialTime::kNone;
        out_.has_zone = true;
        out_.seconds_east = 0;
        hour_ = minute_ = second_ = 0;
        parts_ = kTime | kZone;
        return Trouble::kNone;
      case DateWord::kNow: return now();
      case DateWord::kNone: return all_letters_zone(text);
      default: return time_only_ ? Trouble::kFormat : date_word(w);
    }
  }
  Trouble date_word(const DateWordValue& w) {
    switch (w.word) {
      case DateWord::kMonth:
        // "8 Jan 1999": a first number taken for the month was the day.
        parts_ = kMonth;
        if ((seen_ & kMonth) && !text_month_ && !(seen_ & kDay) && month_ >= 1 && month_ <= 31) {
          day_ = month_;
          parts_ = kDay;
        }
        text_month_ = true;
        month_ = w.value;
        return Trouble::kNone;
      case DateWord::kDayOfWeek: parts_ = kDayName; return Trouble::kNone;
      case DateWord::kToday: return day_from_now(0);
      case DateWord::kTomorrow: return day_from_now(1);
      case DateWord::kYesterday: return day_from_now(-1);
      case DateWord::kEpoch: return special(SpecialTime::kEpoch);
      case DateWord::kInfinity: return special(SpecialTime::kInfinity);
      case DateWord::kMinusInfinity: return special(SpecialTime::kMinusInfinity);
      default: return Trouble::kFormat;
    }
  }
  // The value, unless a later word says otherwise; other fields are read and forgotten.
  Trouble special(SpecialTime s) {
    out_.special = s;
    parts_ = kSpecial;
    return Trouble::kNone;
  }
  Trouble day_from_now(int64_t days) {
    const int64_t utc = context_.session().transaction_timestamp();
    const CivilDate date = civil_from_days(date_part_of(session_time_zone(context_).to_local(utc)) + days);
    year_ = date.year;
    month_ = date.month;
    day_ = date.day;
    out_.special = SpecialTime::kNone;
    parts_ = kDate;
    return Trouble::kNone;
  }
  Trouble now() {
    (void)day_from_now(0);
    const int64_t utc = context_.session().transaction_timestamp();
    const int32_t east = session_time_zone(context_).at(utc).seconds_east;
    const CivilTime time = civil_time(time_part_of(utc + east * kSecondLength));
    hour_ = time.hour;
    minute_ = time.minute;
    second_ = time.second;
    microsecond_ = time.microsecond;
    parts_ = kTime;
    if (time_only_) return Trouble::kNone;
    out_.has_zone = true;
    out_.seconds_east = east;
    parts_ = kDate | kTime | kZone;
    return Trouble::kNone;
  }
  Trouble all_letters_zone(const std::string& text) {
    if (find_time_zone(text) == nullptr) return Trouble::kFormat;
    return named_zone(text);
  }

  // ---- the whole
  // 12-hour clock, year's form, and whether there is such a day.
  Trouble check_fields() {
    if ((seen_ & kYear) && !have_days_) {
      if (bc_ || !short_year_) {
        if (year_ <= 0) return Trouble::kField;
        if (bc_) year_ = -(year_ - 1);
      } else {
        year_ += year_ < 70 ? 2000 : year_ < 100 ? 1900 : 0;
      }
    }
    if (seen_ & kYearDay) {
      out_.days = days_from_civil(year_, 1, 1) + year_day_ - 1;
      have_days_ = true;
    } else if (!have_days_) {
      if ((seen_ & kMonth) && (month_ < 1 || month_ > 12)) return Trouble::kMonthDay;
      if ((seen_ & kDay) && (day_ < 1 || day_ > 31)) return Trouble::kMonthDay;
      if ((seen_ & kDate) == kDate && day_ > days_in_month(year_, month_)) return Trouble::kField;
    }
    if (seen_ & kMeridian) {
      if (hour_ > 12) return Trouble::kField;
      if (pm_ && hour_ != 12) hour_ += 12;
      if (!pm_ && hour_ == 12) hour_ = 0;
    }
    if ((seen_ & kDaylightWord) && (!out_.has_zone || out_.zone != nullptr)) return Trouble::kFormat;
    out_.has_date = (seen_ & kDate) == kDate;
    out_.has_time = (seen_ & kTime) == kTime;
    if (out_.has_date && !have_days_) out_.days = days_from_civil(year_, month_, day_);
    out_.time = time_of_day(hour_, minute_, second_, 0) + microsecond_;
    return Trouble::kNone;
  }
  Trouble finish() {
    if (const Trouble t = check_fields(); t != Trouble::kNone) return t;
    return out_.has_date || out_.special != SpecialTime::kNone ? Trouble::kNone : Trouble::kFormat;
  }
  Trouble finish_time() {
    if (const Trouble t = check_fields(); t != Trouble::kNone) return t;
    if (time_overflows()) return Trouble::kField;
    if (!out_.has_time) return Trouble::kFormat;
    // A date is needed where the zone's offset depends on it, and half of one says nothing.
    if (named_zone_ && !out_.has_date && !out_.zone->is_fixed()) return Trouble::kFormat;
    if (out_.zone != nullptr && (seen_ & kDate) != 0 && !out_.has_date) return Trouble::kFormat;
    return (seen_ & kDate) != 0 && !out_.has_date && !out_.has_zone ? Trouble::kFormat : Trouble::kNone;
  }

  FuncContext& context_;
  const Order order_;
  const bool time_only_;
  DateTimeText& out_;
  uint32_t seen_ = 0, parts_ = 0;  // of all fields, of this one
  int32_t year_ = 0, month_ = 0, day_ = 0, year_day_ = 0, hour_ = 0, minute_ = 0, second_ = 0;
  int64_t microsecond_ = 0;
  bool short_year_ = false, text_month_ = false, bc_ = false, pm_ = false, have_days_ = false, named_zone_ = false;
  TimeUnit label_ = TimeUnit::kNone;  // the word before says what the number is
  bool time_label_ = false;           // the word before was T
};

}  // namespace

OffsetParse parse_zone_offset(Str text, int32_t& seconds_east) {
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return OffsetParse::kSyntax;
  const int sign = text[0] == '-' ? -1 : 1;
  const bool wide = text.size() > 3;
  text.remove_prefix(1);
  int32_t hours = 0, minutes = 0, seconds = 0;
  if (take_int(text, hours) != Trouble::kNone) return OffsetParse::kRange;
  if (text.starts_with(':')) {
    text.remove_prefix(1);
    if (take_int(text, minutes) != Trouble::kNone) return OffsetParse::kRange;
    if (text.starts_with(':')) {
      text.remove_prefix(1);
      if (take_int(text, seconds) != Trouble::kNone) return OffsetParse::kRange;
    }
  } else if (text.empty() && wide) {
    minutes = hours % 100;
    hours /= 100;
  }
  if (hours < 0 || hours > 15 || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 59) return OffsetParse::kRange;
  seconds_east = sign * (hours * 3600 + minutes * 60 + seconds);
  return text.empty() ? OffsetParse::kOk : OffsetParse::kSyntax;
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

}  // namespace indigo::types
