#include "types/datetime/posix_zone.h"

#include <algorithm>
#include <charconv>

#include "types/datetime/calendar.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

constexpr int64_t kDaySeconds = 86400;

int64_t midnight(int32_t year, int32_t month, int32_t day) { return days_from_civil(year, month, day) * kDaySeconds; }

}  // namespace

class PosixZone::Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  bool at_end() const { return text_.empty(); }
  bool take(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool at_separator() const { return text_.starts_with(',') || text_.starts_with(';'); }

  bool name(std::string& out) {
    if (take('<')) {
      const size_t end = text_.find('>');
      if (end == std::string_view::npos) return false;
      out = text_.substr(0, end);
      text_.remove_prefix(end + 1);
      return true;
    }
    const size_t end = std::min(text_.find_first_of("0123456789,+-"), text_.size());
    out = text_.substr(0, end);
    text_.remove_prefix(end);
    return true;
  }
  bool number(int32_t& out, int32_t least, int32_t most) {
    if (text_.empty() || !is_digit(text_[0])) return false;
    const auto r = std::from_chars(text_.data(), text_.data() + text_.size(), out);
    if (r.ec != std::errc() || out < least || out > most) return false;
    text_.remove_prefix(static_cast<size_t>(r.ptr - text_.data()));
    return true;
  }
  // [+-]h[:m[:s]]
  bool offset(int32_t& seconds) {
    const int32_t sign = take('-') ? -1 : 1;
    if (sign == 1) take('+');
    int32_t v = 0;
    if (!number(v, 0, 167)) return false;
    seconds = v * 3600;
    if (take(':')) {
      if (!number(v, 0, 59)) return false;
      seconds += v * 60;
      if (take(':')) {
        if (!number(v, 0, 60)) return false;
        seconds += v;
      }
    }
    seconds *= sign;
    return true;
  }
  bool rule(Rule& out) {
    if (take('J')) {
      out.kind = Rule::Kind::kDayWithoutLeap;
      if (!number(out.day, 1, 365)) return false;
    } else if (take('M')) {
      out.kind = Rule::Kind::kWeekday;
      if (!number(out.month, 1, 12) || !take('.') || !number(out.week, 1, 5) || !take('.') || !number(out.day, 0, 6))
        return false;
    } else {
      out.kind = Rule::Kind::kDay;
      if (!number(out.day, 0, 365)) return false;
    }
    return !take('/') || offset(out.seconds);
  }

 private:
  std::string_view text_;
};

int64_t PosixZone::Rule::local_in(int32_t year) const {
  const int64_t first = midnight(year, 1, 1);
  switch (kind) {
    case Kind::kDay: return first + day * kDaySeconds + seconds;
    case Kind::kDayWithoutLeap: {
      const bool after_february = is_leap_year(year) && day >= 60;
      return first + (day - 1 + (after_february ? 1 : 0)) * kDaySeconds + seconds;
    }
    case Kind::kWeekday: break;
  }
  const int64_t month_begin = days_from_civil(year, month, 1);
  int32_t date = (day - day_of_week(month_begin) + 7) % 7 + (week - 1) * 7;
  while (date >= days_in_month(year, month)) date -= 7;
  return (month_begin + date) * kDaySeconds + seconds;
}

std::optional<PosixZone> PosixZone::parse(std::string_view text) {
  Reader reader(text);
  PosixZone out;
  int32_t west = 0;
  if (!reader.name(out.standard_) || !reader.offset(west)) return std::nullopt;
  out.standard_east_ = -west;
  if (reader.at_end()) return out;
  if (!reader.name(out.daylight_) || out.daylight_.empty()) return std::nullopt;
  out.has_daylight_ = true;
  out.daylight_east_ = out.standard_east_ + 3600;
  if (!reader.at_end() && !reader.at_separator()) {
    if (!reader.offset(west)) return std::nullopt;
    out.daylight_east_ = -west;
  }
  if (reader.at_end()) reader = Reader(",M3.2.0,M11.1.0");
  if (!reader.take(',') && !reader.take(';')) return std::nullopt;
  if (!reader.rule(out.begin_) || !reader.take(',') || !reader.rule(out.end_) || !reader.at_end()) return std::nullopt;
  return out;
}

bool PosixZone::is_daylight(int64_t utc) const {
  if (!has_daylight_) return false;
  const int64_t local = utc + standard_east_;
  const int32_t year = civil_from_days((local - (local % kDaySeconds + kDaySeconds) % kDaySeconds) / kDaySeconds).year;
  const int64_t begin = begin_.local_in(year) - standard_east_, end = end_.local_in(year) - daylight_east_;
  return begin < end ? utc >= begin && utc < end : utc >= begin || utc < end;
}

int64_t PosixZone::to_utc(int64_t local) const {
  const int64_t standard = local - standard_east_, daylight = local - daylight_east_;
  return has_daylight_ && is_daylight(standard) && is_daylight(daylight) ? daylight : standard;
}

}  // namespace indigo::types
