// Intervals from text: PostgreSQL's units ('1 day 02:03:04'), SQL's ('1-2', '3 4:05'), ISO 8601's (P1Y2M3DT4H).
#include <cerrno>
#include <charconv>
#include <cmath>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "types/datetime/calendar.h"
#include "types/datetime/parse.h"
#include "types/datetime/tokens.h"
#include "types/datetime/words.h"
#include "types/function/errors.h"
#include "types/io/interval_fields.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

enum class IntervalTrouble : uint8_t { kNone, kFormat, kRange };

// An amount as whole and fractional part with the same sign.
struct Amount {
  int64_t whole = 0;
  double fraction = 0;
};

// Fields of 32 bits for years, months and days, 64 for microseconds: what does not fit is out of range at once.
class Accumulator {
 public:
  // Adds an amount of a unit; fractions go down to smaller units (a month has 30 days here, a day 24 hours).
  bool add(TimeUnit unit, Amount v) {
    switch (unit) {
      case TimeUnit::kMicrosecond: return add_time(v, 1);
      case TimeUnit::kMillisecond: return add_time(v, 1000);
      case TimeUnit::kSecond: return add_time(v, kSecond);
      case TimeUnit::kMinute: return add_time(v, kMinute);
      case TimeUnit::kHour: return add_time(v, kHour);
      case TimeUnit::kDay: return add_whole(days, v.whole, 1) && add_fraction(v.fraction, kDay);
      case TimeUnit::kWeek: return add_whole(days, v.whole, 7) && add_days(v.fraction, 7);
      case TimeUnit::kMonth: return add_whole(months, v.whole, 1) && add_days(v.fraction, 30);
      case TimeUnit::kYear: return add_years(v, 1);
      case TimeUnit::kDecade: return add_years(v, 10);
      case TimeUnit::kCentury: return add_years(v, 100);
      case TimeUnit::kMillennium: return add_years(v, 1000);
      default: return false;
    }
  }
  bool add_time(Amount v, int64_t unit) {
    int64_t scaled = 0;
    return !__builtin_mul_overflow(v.whole, unit, &scaled) &&
           !__builtin_add_overflow(microseconds, scaled, &microseconds) && add_fraction(v.fraction, unit);
  }
  bool negate() {
    return !__builtin_sub_overflow(0, years, &years) && !__builtin_sub_overflow(0, months, &months) &&
           !__builtin_sub_overflow(0, days, &days) && !__builtin_sub_overflow(0, microseconds, &microseconds);
  }
  int32_t years = 0, months = 0, days = 0;
  int64_t microseconds = 0;

 private:
  static bool add_whole(int32_t& field, int64_t v, int32_t unit) {
    int32_t scaled = 0;
    return v >= INT32_MIN && v <= INT32_MAX && !__builtin_mul_overflow(static_cast<int32_t>(v), unit, &scaled) &&
           !__builtin_add_overflow(field, scaled, &field);
  }
  bool add_years(Amount v, int32_t unit) {
    return add_whole(years, v.whole, unit) &&
           add_whole(months, static_cast<int64_t>(std::rint(v.fraction * 12.0 * unit)), 1);
  }
  bool add_days(double fraction, int32_t unit) {
    const double parts = fraction * unit;
    const double whole = std::trunc(parts);
    return add_whole(days, static_cast<int64_t>(whole), 1) && add_fraction(parts - whole, kDay);
  }
  // Halves go towards zero.
  bool add_fraction(double fraction, int64_t unit) {
    const double parts = fraction * static_cast<double>(unit);
    auto whole = static_cast<int64_t>(parts);
    const double rest = parts - static_cast<double>(whole);
    if (rest > 0.5) whole++;
    if (rest < -0.5) whole--;
    return !__builtin_add_overflow(microseconds, whole, &microseconds);
  }
};

// The unit of a bare number: the last field of the declared range, else seconds.
TimeUnit default_unit(int32_t range) {
  if (range == kIntervalFullRange || (range & kIntervalSecond)) return TimeUnit::kSecond;
  if (range & kIntervalMinute) return TimeUnit::kMinute;
  if (range & kIntervalHour) return TimeUnit::kHour;
  if (range & kIntervalDay) return TimeUnit::kDay;
  if (range & kIntervalMonth) return TimeUnit::kMonth;
  return TimeUnit::kYear;
}

// A whole number at the beginning of `text`, which loses it; none at all is 0.
template <class T>
bool take_integer(std::string_view& text, T& out) {
  const bool plus = !text.empty() && text[0] == '+' && text.size() > 1 && is_digit(text[1]);
  const auto r = std::from_chars(text.data() + (plus ? 1 : 0), text.data() + text.size(), out);
  if (r.ec == std::errc::result_out_of_range) return false;
  if (r.ec == std::errc()) text.remove_prefix(static_cast<size_t>(r.ptr - text.data()));
  return true;
}
// `.5` as a number; a point alone is nothing.
bool read_fraction(std::string_view text, double& out) {
  for (char c : text.substr(1))
    if (!is_digit(c)) return false;
  out = text.size() == 1 ? 0 : std::strtod(("0" + std::string(text)).c_str(), nullptr);
  return true;
}

constexpr uint32_t bit(TimeUnit unit) { return 1u << static_cast<uint32_t>(unit); }

class Reader {
 public:
  Reader(int32_t range, bool sql_standard) : range_(range), sql_standard_(sql_standard) {}
  Accumulator sum;

  // From the last field to the first: a unit's name stands after its number. A name that no number follows is nothing.
  IntervalTrouble read(const std::vector<Field>& fields) {
    bool ago = false;
    if (sql_standard_ && !fields.empty() && fields[0].text[0] == '-') {
      // '-1 2:03:04': one sign for all, unless another stands somewhere.
      force_negative_ = true;
      for (size_t i = 1; i < fields.size(); i++)
        if (fields[i].text[0] == '-' || fields[i].text[0] == '+') force_negative_ = false;
    }
    for (size_t i = fields.size(); i-- > 0;) {
      const Field& f = fields[i];
      if (f.kind == FieldKind::kWord || f.kind == FieldKind::kSpecial) {
        const TimeUnit unit = find_time_unit(f.text);
        if (unit == TimeUnit::kNone || (unit > TimeUnit::kMillennium && unit != TimeUnit::kAgo))
          return IntervalTrouble::kFormat;
        ago = ago || unit == TimeUnit::kAgo;
        unit_ = unit;
        continue;
      }
      const IntervalTrouble t = value(f);
      if (t != IntervalTrouble::kNone) return t;
    }
    if (seen_ == 0) return IntervalTrouble::kFormat;
    return ago && !sum.negate() ? IntervalTrouble::kRange : IntervalTrouble::kNone;
  }

 private:
  IntervalTrouble mark(uint32_t units) {
    if (seen_ & units) return IntervalTrouble::kFormat;
    seen_ |= units;
    return IntervalTrouble::kNone;
  }
  static constexpr uint32_t kSeconds =
      bit(TimeUnit::kSecond) | bit(TimeUnit::kMillisecond) | bit(TimeUnit::kMicrosecond);

  IntervalTrouble value(const Field& f) {
    const bool zone = f.kind == FieldKind::kZone;
    if (f.kind == FieldKind::kTime || (zone && f.text.find(':') != std::string::npos)) {
      const IntervalTrouble t = time(std::string_view(f.text).substr(zone ? 1 : 0));
      if (t != IntervalTrouble::kNone) return zone ? IntervalTrouble::kFormat : t;
      if (f.text[0] == '-') sum.microseconds = -sum.microseconds;
      if (force_negative_ && sum.microseconds > 0) sum.microseconds = -sum.microseconds;
      unit_ = TimeUnit::kDay;
      return mark(bit(TimeUnit::kHour) | bit(TimeUnit::kMinute) | kSeconds);
    }
    return number(f.text);
  }

  // hh:mm[:ss[.fff]]; two parts are minutes and seconds when the range says so or there is a fraction. What smaller
  // units have given before is forgotten.
  IntervalTrouble time(std::string_view text) {
    int64_t hours = 0;
    int32_t minutes = 0, seconds = 0;
    double fraction = 0;
    if (!take_integer(text, hours)) return IntervalTrouble::kRange;
    if (!text.starts_with(':')) return IntervalTrouble::kFormat;
    text.remove_prefix(1);
    if (!take_integer(text, minutes)) return IntervalTrouble::kRange;
    const bool three = text.starts_with(':');
    if (three) {
      text.remove_prefix(1);
      if (!take_integer(text, seconds)) return IntervalTrouble::kRange;
    }
    const bool point = text.starts_with('.');
    if (point ? !read_fraction(text, fraction) : !text.empty()) return IntervalTrouble::kFormat;
    if (!three && (point || range_ == (kIntervalMinute | kIntervalSecond))) {
      if (hours > INT32_MAX || hours < INT32_MIN) return IntervalTrouble::kRange;
      seconds = minutes;
      minutes = static_cast<int32_t>(hours);
      hours = 0;
    }
    if (hours < 0 || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 60) return IntervalTrouble::kRange;
    sum.microseconds = static_cast<int64_t>(std::rint(fraction * kSecond));
    return sum.add_time({hours, 0}, kHour) && sum.add_time({minutes, 0}, kMinute) && sum.add_time({seconds, 0}, kSecond)
               ? IntervalTrouble::kNone
               : IntervalTrouble::kRange;
  }

  IntervalTrouble number(std::string_view text) {
    if (unit_ == TimeUnit::kNone) unit_ = default_unit(range_);
    const bool negative = text[0] == '-';
    Amount amount;
    if (!take_integer(text, amount.whole)) return IntervalTrouble::kRange;
    if (text.starts_with('-')) {
      // years-months
      int32_t months = 0;
      text.remove_prefix(1);
      if (!take_integer(text, months) || months < 0 || months >= 12) return IntervalTrouble::kRange;
      if (!text.empty()) return IntervalTrouble::kFormat;
      unit_ = TimeUnit::kMonth;
      if (__builtin_mul_overflow(amount.whole, 12, &amount.whole) ||
          __builtin_add_overflow(amount.whole, negative ? -months : months, &amount.whole))
        return IntervalTrouble::kRange;
    } else if (text.starts_with('.')) {
      if (!read_fraction(text, amount.fraction)) return IntervalTrouble::kFormat;
      if (negative) amount.fraction = -amount.fraction;
    } else if (!text.empty()) {
      return IntervalTrouble::kFormat;
    }
    if (force_negative_) {
      if (amount.whole > 0) amount.whole = -amount.whole;
      if (amount.fraction > 0) amount.fraction = -amount.fraction;
    }
    if (unit_ == TimeUnit::kAgo || unit_ == TimeUnit::kQuarter) return IntervalTrouble::kFormat;
    if (!sum.add(unit_, amount)) return IntervalTrouble::kRange;
    const uint32_t units = unit_ == TimeUnit::kSecond && amount.fraction != 0 ? kSeconds : bit(unit_);
    if (unit_ == TimeUnit::kHour) unit_ = TimeUnit::kDay;  // '1 2' DAY TO HOUR
    return mark(units);
  }

  const int32_t range_;
  const bool sql_standard_;
  bool force_negative_ = false;
  TimeUnit unit_ = TimeUnit::kNone;
  uint32_t seen_ = 0;
};

// P1Y2M10DT2H30M, P0001-02-03T04:05:06, P00010203T040506
class IsoReader {
 public:
  IsoReader(std::string_view text, Accumulator& sum) : text_(text), sum_(sum) {}

  IntervalTrouble read() {
    if (text_.size() < 2 || text_[0] != 'P') return IntervalTrouble::kFormat;
    text_.remove_prefix(1);
    while (!text_.empty()) {
      if (text_[0] == 'T') {
        start_time();
        continue;
      }
      const std::string_view start = text_;
      Amount amount;
      if (const IntervalTrouble t = take_number(amount); t != IntervalTrouble::kNone) return t;
      const TimeUnit unit = unit_of(text_.empty() ? '\0' : text_[0]);
      if (unit != TimeUnit::kNone) {
        if (!sum_.add(unit, amount)) return IntervalTrouble::kRange;
        text_.remove_prefix(1);
        any_ = true;
        continue;
      }
      if (const IntervalTrouble t = alternative(start, amount); t != IntervalTrouble::kNone) return t;
    }
    return IntervalTrouble::kNone;
  }

 private:
  void start_time() {
    time_ = true;
    any_ = false;
    text_.remove_prefix(1);
  }
  TimeUnit unit_of(char letter) const {
    switch (letter) {
      case 'Y': return time_ ? TimeUnit::kNone : TimeUnit::kYear;
      case 'M': return time_ ? TimeUnit::kMinute : TimeUnit::kMonth;
      case 'W': return time_ ? TimeUnit::kNone : TimeUnit::kWeek;
      case 'D': return time_ ? TimeUnit::kNone : TimeUnit::kDay;
      case 'H': return time_ ? TimeUnit::kHour : TimeUnit::kNone;
      case 'S': return time_ ? TimeUnit::kSecond : TimeUnit::kNone;
      default: return TimeUnit::kNone;
    }
  }
  IntervalTrouble take_number(Amount& out) {
    if (text_.empty() || !(is_digit(text_[0]) || text_[0] == '-' || text_[0] == '.')) return IntervalTrouble::kFormat;
    // Only the number is copied: a client may send as many of them as a message holds.
    const std::string copy(text_.substr(0, text_.find_first_not_of("0123456789.+-eE")));
    note_work(64 + copy.size());
    char* end = nullptr;
    errno = 0;
    const double v = std::strtod(copy.c_str(), &end);
    if (end == copy.c_str() || errno != 0) return IntervalTrouble::kFormat;
    if (std::isnan(v) || v < -1e15 || v > 1e15) return IntervalTrouble::kRange;
    text_.remove_prefix(static_cast<size_t>(end - copy.c_str()));
    out.whole = static_cast<int64_t>(v);
    out.fraction = v - static_cast<double>(out.whole);
    return IntervalTrouble::kNone;
  }
  static size_t width(std::string_view number) {
    if (number.starts_with('-')) number.remove_prefix(1);
    return std::min(number.find_first_not_of("0123456789"), number.size());
  }

  // yyyymmdd and hhmmss, y-m-d and h:m:s. `first` has been taken; what it began with is `start`.
  IntervalTrouble alternative(std::string_view start, Amount first) {
    const char separator = time_ ? ':' : '-';
    const bool ends = text_.empty() || (!time_ && text_[0] == 'T');
    if (!ends && text_[0] != separator) return IntervalTrouble::kFormat;
    const TimeUnit units[2][3] = {{TimeUnit::kYear, TimeUnit::kMonth, TimeUnit::kDay},
                                  {TimeUnit::kHour, TimeUnit::kMinute, TimeUnit::kSecond}};
    if (any_) return IntervalTrouble::kFormat;
    if (ends && width(start) == (time_ ? 6u : 8u)) {
      const int64_t v = first.whole;
      return sum_.add(units[time_][0], {v / 10000, 0}) && sum_.add(units[time_][1], {v / 100 % 100, 0}) &&
                     sum_.add(units[time_][2], {v % 100, 0}) &&
                     sum_.add(time_ ? TimeUnit::kMicrosecond : TimeUnit::kDay, {0, first.fraction})
                 ? IntervalTrouble::kNone
                 : IntervalTrouble::kRange;
    }
    for (int i = 0; i < 3; i++) {
      if (i > 0) {
        text_.remove_prefix(1);
        if (const IntervalTrouble t = take_number(first); t != IntervalTrouble::kNone) return t;
      }
      if (!sum_.add(units[time_][i], first)) return IntervalTrouble::kRange;
      if (text_.empty() || (!time_ && text_[0] == 'T')) return IntervalTrouble::kNone;
      if (text_[0] != separator) return IntervalTrouble::kFormat;
    }
    return IntervalTrouble::kFormat;
  }

  std::string_view text_;
  Accumulator& sum_;
  bool time_ = false, any_ = false;
};

}  // namespace

bool parse_interval(FuncContext& context, Str text, int32_t typmod, Interval& out) {
  const bool sql_standard = context.session().format().interval_style == FormatSettings::IntervalStyle::kSqlStandard;
  Reader reader(typmod < 0 ? kIntervalFullRange : (typmod >> 16) & 0x7fff, sql_standard);
  std::vector<Field> fields;
  IntervalTrouble trouble = split_datetime(text, fields) ? reader.read(fields) : IntervalTrouble::kFormat;
  if (trouble == IntervalTrouble::kFormat) {
    reader.sum = {};
    trouble = IsoReader(text, reader.sum).read();
  }
  const Accumulator& sum = reader.sum;
  switch (trouble) {
    case IntervalTrouble::kFormat:
      context.fail(sqlstate::kInvalidDatetimeFormat,
                   "invalid input syntax for type interval: \"" + std::string(text) + "\"");
      return false;
    case IntervalTrouble::kRange:
      context.fail(sqlstate::kIntervalFieldOverflow,
                   "interval field value out of range: \"" + std::string(text) + "\"");
      return false;
    case IntervalTrouble::kNone: break;
  }
  int32_t months = 0;
  if (__builtin_mul_overflow(sum.years, 12, &months) || __builtin_add_overflow(months, sum.months, &months)) {
    context.fail(sqlstate::kDatetimeFieldOverflow, "interval out of range");
    return false;
  }
  out = Interval{sum.microseconds, sum.days, months};
  return apply_interval_typmod(context, out, typmod);
}

}  // namespace indigo::types
