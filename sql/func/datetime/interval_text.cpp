// Intervals from text: PostgreSQL's units ('1 day 02:03:04'), SQL's ('1-2', '3 4:05'), ISO 8601's (P1Y2M3DT4H).
#include <charconv>
#include <cmath>

#include "sql/func/datetime/calendar.h"
#include "sql/func/datetime/parse.h"
#include "sql/func/datetime/tokens.h"
#include "sql/func/datetime/words.h"
#include "sql/func/errors.h"
#include "sql/func/text/ascii.h"
#include "sql/func/types/interval_fields.h"

namespace indigo::sql {

namespace {

enum class Trouble : uint8_t { kNone, kFormat, kRange };

// An amount as whole and fractional part with the same sign.
struct Amount {
  int64_t whole = 0;
  double fraction = 0;
};

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
      case TimeUnit::kDay: return add_days(v, 1);
      case TimeUnit::kWeek: return add_days(v, 7);
      case TimeUnit::kMonth: return add_whole(months, v.whole, 1) && add_days({0, v.fraction}, 30);
      case TimeUnit::kYear: return add_years(v, 1);
      case TimeUnit::kDecade: return add_years(v, 10);
      case TimeUnit::kCentury: return add_years(v, 100);
      case TimeUnit::kMillennium: return add_years(v, 1000);
      default: return false;
    }
  }
  bool add_time(Amount v, int64_t unit) {
    int64_t scaled = 0;
    if (__builtin_mul_overflow(v.whole, unit, &scaled) || __builtin_add_overflow(microseconds, scaled, &microseconds))
      return false;
    return !__builtin_add_overflow(
        microseconds, static_cast<int64_t>(std::rint(v.fraction * static_cast<double>(unit))), &microseconds);
  }
  int64_t months = 0, days = 0, microseconds = 0;

 private:
  static bool add_whole(int64_t& field, int64_t v, int64_t unit) {
    int64_t scaled = 0;
    return !__builtin_mul_overflow(v, unit, &scaled) && !__builtin_add_overflow(field, scaled, &field);
  }
  bool add_years(Amount v, int64_t unit) {
    return add_whole(months, v.whole, 12 * unit) &&
           add_whole(months, static_cast<int64_t>(std::rint(v.fraction * 12.0 * static_cast<double>(unit))), 1);
  }
  bool add_days(Amount v, int64_t unit) {
    const double parts = v.fraction * static_cast<double>(unit);
    const double whole = std::trunc(parts);
    return add_whole(days, v.whole, unit) && add_whole(days, static_cast<int64_t>(whole), 1) &&
           add_time({0, parts - whole}, kDay);
  }
};

bool read_amount(std::string_view text, Amount& out) {
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  const size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point),
                         after = point < text.size() ? text.substr(point + 1) : std::string_view();
  if (whole.empty() && after.empty()) return false;
  for (char c : whole)
    if (!is_digit(c)) return false;
  for (char c : after)
    if (!is_digit(c)) return false;
  out = {};
  if (!whole.empty() && std::from_chars(whole.data(), whole.data() + whole.size(), out.whole).ec != std::errc())
    out.whole = INT64_MAX;
  if (!after.empty()) out.fraction = std::strtod(("0." + std::string(after)).c_str(), nullptr);
  if (negative) {
    out.whole = -out.whole;
    out.fraction = -out.fraction;
  }
  return true;
}

// The unit of a bare number: the last field of the declared range, else seconds.
TimeUnit default_unit(int32_t typmod) {
  const int32_t range = typmod < 0 ? kIntervalFullRange : (typmod >> 16) & 0x7fff;
  if (range == kIntervalFullRange || (range & kIntervalSecond)) return TimeUnit::kSecond;
  if (range & kIntervalMinute) return TimeUnit::kMinute;
  if (range & kIntervalHour) return TimeUnit::kHour;
  if (range & kIntervalDay) return TimeUnit::kDay;
  if (range & kIntervalMonth) return TimeUnit::kMonth;
  return TimeUnit::kYear;
}

class Reader {
 public:
  Reader(int32_t typmod, bool sql_standard) : typmod_(typmod), sql_standard_(sql_standard) {}
  Accumulator sum;

  // From the last field to the first: a unit's name stands after its number.
  Trouble read(const std::vector<Field>& fields) {
    bool force_negative = false, ago = false;
    if (sql_standard_ && !fields.empty() && fields[0].text[0] == '-') {
      // '-1 2:03:04': one sign for all, unless another stands somewhere.
      force_negative = true;
      for (size_t i = 1; i < fields.size(); i++)
        if (fields[i].text[0] == '-' || fields[i].text[0] == '+') force_negative = false;
    }
    for (size_t i = fields.size(); i-- > 0;) {
      const Field& f = fields[i];
      if (f.kind == FieldKind::kWord || f.kind == FieldKind::kSpecial) {
        if (f.text == "at" || f.text == "on") continue;
        const TimeUnit unit = find_time_unit(f.text);
        if (unit == TimeUnit::kNone || (unit > TimeUnit::kMillennium && unit != TimeUnit::kAgo))
          return Trouble::kFormat;
        if (unit == TimeUnit::kQuarter) return Trouble::kFormat;
        if (unit == TimeUnit::kAgo) {
          ago = true;
          continue;
        }
        if (unit_ != TimeUnit::kNone && pending_) return Trouble::kFormat;
        unit_ = unit;
        pending_ = true;
        continue;
      }
      const Trouble t = f.text.find(':') != std::string::npos ? time(f.text) : number(f.text);
      if (t != Trouble::kNone) return t;
    }
    if (seen_ == 0 || pending_) return Trouble::kFormat;
    if (force_negative || ago) {
      if (force_negative) {
        // Positive amounts become negative; the first one already is.
        sum.months = -std::abs(sum.months);
        sum.days = -std::abs(sum.days);
        sum.microseconds = -std::abs(sum.microseconds);
      }
      if (ago) {
        sum.months = -sum.months;
        sum.days = -sum.days;
        sum.microseconds = -sum.microseconds;
      }
    }
    return Trouble::kNone;
  }

 private:
  Trouble mark(TimeUnit unit) {
    const uint32_t bit = 1u << static_cast<uint32_t>(unit);
    if (seen_ & bit) return Trouble::kFormat;
    seen_ |= bit;
    return Trouble::kNone;
  }

  // [-]hh:mm[:ss[.fff]]; two parts are minutes and seconds when the range says so or there is a fraction.
  Trouble time(std::string_view text) {
    if (pending_) return Trouble::kFormat;
    const bool negative = text[0] == '-';
    if (text[0] == '-' || text[0] == '+') text.remove_prefix(1);
    int64_t v[3] = {0, 0, 0};
    int parts = 0;
    double fraction = 0;
    while (true) {
      if (parts == 3) return Trouble::kFormat;
      const auto r = std::from_chars(text.data(), text.data() + text.size(), v[parts]);
      if (r.ec == std::errc::result_out_of_range) return Trouble::kRange;
      if (r.ec != std::errc() && !text.empty()) return Trouble::kFormat;
      parts++;
      text.remove_prefix(static_cast<size_t>(r.ptr - text.data()));
      if (text.empty()) break;
      if (text[0] == '.') {
        Amount a;
        if (!read_amount(text, a)) return Trouble::kFormat;
        fraction = a.fraction;
        break;
      }
      if (text[0] != ':') return Trouble::kFormat;
      text.remove_prefix(1);
    }
    const int32_t range = typmod_ < 0 ? kIntervalFullRange : (typmod_ >> 16) & 0x7fff;
    if (parts == 2 && (fraction != 0 || range == (kIntervalMinute | kIntervalSecond))) {
      v[2] = v[1];
      v[1] = v[0];
      v[0] = 0;
    }
    if (v[1] > 59 || v[2] > 60 || v[1] < 0 || v[2] < 0) return Trouble::kRange;
    const int sign = negative ? -1 : 1;
    if (!sum.add_time({sign * v[0], 0}, kHour) || !sum.add_time({sign * v[1], 0}, kMinute) ||
        !sum.add_time({sign * v[2], sign * fraction}, kSecond))
      return Trouble::kRange;
    unit_ = TimeUnit::kDay;
    for (TimeUnit u : {TimeUnit::kHour, TimeUnit::kMinute, TimeUnit::kSecond})
      if (const Trouble t = mark(u); t != Trouble::kNone) return t;
    return Trouble::kNone;
  }

  Trouble number(const std::string& text) {
    TimeUnit unit = unit_ == TimeUnit::kNone ? default_unit(typmod_) : unit_;
    Amount amount;
    const size_t dash = text.find('-', 1);
    if (dash != std::string::npos) {
      // years-months
      int64_t years = 0, months = 0;
      const char* begin = text.data() + (text[0] == '+' ? 1 : 0);
      const auto y = std::from_chars(begin, text.data() + dash, years);
      const auto m = std::from_chars(text.data() + dash + 1, text.data() + text.size(), months);
      if (y.ec != std::errc() || y.ptr != text.data() + dash || m.ec != std::errc()) return Trouble::kFormat;
      if (months < 0 || months >= 12) return Trouble::kRange;
      if (m.ptr != text.data() + text.size()) return Trouble::kFormat;
      if (text[0] == '-') months = -months;
      if (std::abs(years) > INT32_MAX) return Trouble::kRange;
      amount.whole = years * 12 + months;
      unit = TimeUnit::kMonth;
    } else if (text != "." && !read_amount(text, amount)) {  // a point alone is nothing
      return Trouble::kFormat;
    }
    if (amount.whole > INT32_MAX * int64_t{1} * 1000000000 || std::abs(amount.whole) > INT64_MAX / 2)
      return Trouble::kRange;
    if (!sum.add(unit, amount)) return Trouble::kRange;
    pending_ = false;
    // A further number without a unit is seconds' left neighbour only after a time (days); otherwise it is an error.
    const Trouble t = mark(unit);
    unit_ = unit;
    return t;
  }

  int32_t typmod_;
  bool sql_standard_;
  TimeUnit unit_ = TimeUnit::kNone;
  bool pending_ = false;  // a unit waits for its number
  uint32_t seen_ = 0;
};

// P1Y2M10DT2H30M, P0001-02-03T04:05:06
Trouble read_iso(std::string_view text, Accumulator& sum) {
  text.remove_prefix(1);
  if (text.empty()) return Trouble::kFormat;
  bool time = false, any = false;
  while (!text.empty()) {
    if (text[0] == 'T') {
      time = true;
      any = false;
      text.remove_prefix(1);
      continue;
    }
    size_t n = 0;
    if (text[0] == '-' || text[0] == '+') n = 1;
    while (n < text.size() && (is_digit(text[n]) || text[n] == '.')) n++;
    Amount amount;
    if (!read_amount(text.substr(0, n), amount)) return Trouble::kFormat;
    const char unit = n < text.size() ? text[n] : '\0';
    TimeUnit of = TimeUnit::kNone;
    switch (unit) {
      case 'Y': of = TimeUnit::kYear; break;
      case 'M': of = time ? TimeUnit::kMinute : TimeUnit::kMonth; break;
      case 'W': of = TimeUnit::kWeek; break;
      case 'D': of = TimeUnit::kDay; break;
      case 'H': of = TimeUnit::kHour; break;
      case 'S': of = TimeUnit::kSecond; break;
      case '-':
      case ':':
      case '\0':
      case 'T': break;
      default: return Trouble::kFormat;
    }
    if (of != TimeUnit::kNone) {
      const bool belongs = time == (of == TimeUnit::kMinute || of == TimeUnit::kHour || of == TimeUnit::kSecond);
      if (!belongs) return Trouble::kFormat;
      if (!sum.add(of, amount)) return Trouble::kRange;
      any = true;
      text.remove_prefix(n + 1);
      continue;
    }
    // The alternative format: y-m-d and h:m:s.
    if (any) return Trouble::kFormat;
    const char separator = time ? ':' : '-';
    const TimeUnit units[2][3] = {{TimeUnit::kYear, TimeUnit::kMonth, TimeUnit::kDay},
                                  {TimeUnit::kHour, TimeUnit::kMinute, TimeUnit::kSecond}};
    for (int i = 0; i < 3; i++) {
      n = !text.empty() && text[0] == '-' ? 1 : 0;
      while (n < text.size() && (is_digit(text[n]) || text[n] == '.')) n++;
      if (!read_amount(text.substr(0, n), amount)) return Trouble::kFormat;
      if (!sum.add(units[time][i], amount)) return Trouble::kRange;
      text.remove_prefix(n);
      if (text.empty() || text[0] == 'T') break;
      if (text[0] != separator || i == 2) return Trouble::kFormat;
      text.remove_prefix(1);
    }
    any = true;
    if (!text.empty() && text[0] != 'T') return Trouble::kFormat;
  }
  return any ? Trouble::kNone : Trouble::kFormat;
}

}  // namespace

bool parse_interval(FuncContext& context, Str text, int32_t typmod, Interval& out) {
  const bool sql_standard = context.session().format().interval_style == FormatSettings::IntervalStyle::kSqlStandard;
  Reader reader(typmod, sql_standard);
  std::vector<Field> fields;
  const Str trimmed = trim_blanks(text);
  Trouble trouble = Trouble::kFormat;
  if (!trimmed.empty() && trimmed[0] == 'P') {
    trouble = read_iso(trimmed, reader.sum);
  } else if (split_datetime(text, fields)) {
    trouble = reader.read(fields);
  }
  const Accumulator& sum = reader.sum;
  if (trouble == Trouble::kNone &&
      (sum.months > INT32_MAX || sum.months < INT32_MIN || sum.days > INT32_MAX || sum.days < INT32_MIN))
    trouble = Trouble::kRange;
  switch (trouble) {
    case Trouble::kFormat:
      context.fail(sqlstate::kInvalidDatetimeFormat,
                   "invalid input syntax for type interval: \"" + std::string(text) + "\"");
      return false;
    case Trouble::kRange:
      context.fail(sqlstate::kIntervalFieldOverflow,
                   "interval field value out of range: \"" + std::string(text) + "\"");
      return false;
    case Trouble::kNone: break;
  }
  out = Interval{sum.microseconds, static_cast<int32_t>(sum.days), static_cast<int32_t>(sum.months)};
  return apply_interval_typmod(context, out, typmod);
}

}  // namespace indigo::sql
