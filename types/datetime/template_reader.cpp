#include "types/datetime/template_reader.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/datetime/template.h"
#include "types/datetime/words.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

constexpr const char* kRomanMonths[] = {"XII", "XI", "X", "IX", "VIII", "VII", "VI", "V", "IV", "III", "II", "I"};
constexpr const char* kMeridians[] = {"am", "pm"};
constexpr const char* kMeridiansWithDots[] = {"a.m.", "p.m."};
constexpr const char* kEras[] = {"ad", "bc"};
constexpr const char* kErasWithDots[] = {"a.d.", "b.c."};

// Fields whose text begins with a digit, so that a number before them ends at its width.
bool is_number_field(DateField f) {
  switch (f) {
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
    case DateField::kZone:
    case DateField::kZoneHour:
    case DateField::kZoneOffset: return false;
    default: return true;
  }
}

bool is_plain(DateField f) { return f == DateField::kLiteral || f == DateField::kSeparator || f == DateField::kSpace; }

enum class Convention : uint8_t { kNone, kGregorian, kIsoWeek };

Convention convention_of(DateField f) {
  switch (f) {
    case DateField::kIsoYear4:
    case DateField::kIsoYear3:
    case DateField::kIsoYear2:
    case DateField::kIsoYear1:
    case DateField::kIsoWeek:
    case DateField::kIsoDayOfYear:
    case DateField::kIsoDayOfWeek: return Convention::kIsoWeek;
    case DateField::kYear4:
    case DateField::kYear3:
    case DateField::kYear2:
    case DateField::kYear1:
    case DateField::kYearComma:
    case DateField::kMonth:
    case DateField::kMonthName:
    case DateField::kMonthAbbreviation:
    case DateField::kRoman:
    case DateField::kDayOfMonth:
    case DateField::kDayOfYear:
    case DateField::kWeek:
    case DateField::kWeekOfMonth:
    case DateField::kDayOfWeek: return Convention::kGregorian;
    default: return Convention::kNone;
  }
}

// Years of fewer than four digits are those next to 2020.
int32_t complete_year(int32_t v) {
  if (v < 70) return v + 2000;
  if (v < 100) return v + 1900;
  if (v < 520) return v + 2000;
  return v < 1000 ? v + 1000 : v;
}

class Reader {
 public:
  Reader(FuncContext& context, Str text, const std::vector<TemplateNode>& nodes, TemplateMode mode, TemplateFields& out)
      : context_(context), in_(text), nodes_(nodes), standard_(mode == TemplateMode::kStandard), out_(out) {}

  bool read() {
    exact_ = standard_;
    for (; node_ < nodes_.size() && at_ < in_.size(); node_++) {
      note_work(64);
      const TemplateNode& n = nodes_[node_];
      if (!exact_ && n.field != DateField::kExact && (node_ == 0 || !is_plain(n.field))) skipped_ += skip_blanks();
      if (is_plain(n.field)) {
        if (!plain(n)) return false;
        continue;
      }
      if (!agree(convention_of(n.field)) || !field(n)) return false;
      if (!exact_) skipped_ = skip_blanks();
    }
    if (!standard_) return true;
    if (node_ < nodes_.size()) return refuse("input string is too short for datetime format");
    skip_blanks();
    return at_ == in_.size() || refuse("trailing characters remain in input string after datetime format");
  }

 private:
  bool refuse(std::string message) {
    context_.fail(sqlstate::kInvalidDatetimeFormat, std::move(message));
    return false;
  }
  bool refuse(std::string message, std::string detail) {
    context_.fail(Error(sqlstate::kInvalidDatetimeFormat, std::move(message)).with_detail(std::move(detail)));
    return false;
  }
  bool refuse_width(std::string message, std::string detail) {
    context_.fail(Error(sqlstate::kInvalidDatetimeFormat, std::move(message))
                      .with_detail(std::move(detail))
                      .with_hint("If your source string is not fixed-width, try using the \"FM\" modifier."));
    return false;
  }
  static std::string name_of(const TemplateNode& n) { return std::string(n.text); }
  // A character that a width has cut is left out (PostgreSQL sends what is left of it).
  static std::string invalid_value(Str value, const TemplateNode& n) {
    return "invalid value \"" + std::string(value) + "\" for \"" + name_of(n) + "\"";
  }

  char next() const { return at_ < in_.size() ? in_[at_] : '\0'; }
  int skip_blanks() {
    const size_t from = at_;
    while (at_ < in_.size() && is_blank(in_[at_])) at_++;
    return static_cast<int>(at_ - from);
  }
  void skip_character() {
    if (at_ < in_.size()) at_ = std::min(at_ + utf8_length(in_[at_]), in_.size());
  }

  // A character of the template that is no field.
  bool plain(const TemplateNode& n) {
    if (standard_) {
      if (in_.substr(at_, n.text.size()) != n.text) {
        const char* what = n.field == DateField::kLiteral ? "character" : "separator";
        return refuse("unmatched format " + std::string(what) + " \"" + std::string(n.text) + "\"");
      }
      at_ += n.text.size();
    } else if (exact_) {
      skip_character();
    } else if (n.field == DateField::kLiteral) {
      // What was skipped beyond the template may have been this character; then the next may belong to a field.
      if (skipped_ > 0) {
        skipped_--;
      } else {
        skip_character();
      }
    } else {
      skipped_--;
      if (at_ < in_.size() && (is_blank(in_[at_]) || is_template_separator(in_[at_]))) {
        at_++;
        skipped_++;
      }
    }
    return true;
  }

  bool agree(Convention c) {
    if (c == Convention::kNone || convention_ == c) return true;
    if (convention_ != Convention::kNone) {
      context_.fail(Error(sqlstate::kInvalidDatetimeFormat, "invalid combination of date conventions")
                        .with_hint("Do not mix Gregorian and ISO week date conventions in a formatting template."));
      return false;
    }
    convention_ = c;
    out_.iso = c == Convention::kIsoWeek;
    return true;
  }

  bool set(int32_t& to, int32_t value, const TemplateNode& n) {
    if (to != 0 && to != value) {
      return refuse("conflicting values for \"" + name_of(n) + "\" field in formatting string",
                    "This value contradicts a previous setting for the same field type.");
    }
    to = value;
    return true;
  }

  // Whether a number at this node goes on as far as its digits do.
  bool unbounded(const TemplateNode& n) const {
    if (n.fill || n.ordinal || node_ + 1 == nodes_.size()) return true;
    const TemplateNode& after = nodes_[node_ + 1];
    if (is_plain(after.field)) return after.text.size() != 1 || !is_digit(after.text[0]);
    return !is_number_field(after.field);
  }

  // As strtol reads one; false: there are no digits, and `end` is `from`. `wide`: it does not fit 32 bits.
  static bool scan(Str text, size_t from, size_t& end, int64_t& value, bool& wide) {
    size_t at = from;
    while (at < text.size() && is_blank(text[at])) at++;
    const bool negative = at < text.size() && text[at] == '-';
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) at++;
    const size_t digits = at;
    value = 0;
    wide = false;
    for (; at < text.size() && is_digit(text[at]); at++) {
      value = value * 10 + (text[at] - '0');
      if (value > int64_t{INT32_MAX} + 1) {
        wide = true;
        value = int64_t{INT32_MAX} + 1;
      }
    }
    end = at == digits ? from : at;
    if (negative) {
      value = -value;
    } else if (value > INT32_MAX) {
      wide = true;
    }
    return at != digits;
  }

  // `used` becomes what it took of the text, blanks before it included.
  bool integer(const TemplateNode& n, size_t width, int32_t* to, int& used) {
    const size_t from = at_;
    skip_blanks();
    const Str copy = in_.substr(at_, width), shown = utf8_clip(in_.substr(at_), width);
    size_t end = at_;
    int64_t value = 0;
    bool wide = false;
    if (unbounded(n)) {
      if (!scan(in_, from, end, value, wide)) end = from;
      at_ = end;
    } else {
      const size_t left = in_.size() - at_;
      if (left < width) {
        return refuse_width(
            "source string too short for \"" + name_of(n) + "\" formatting field",
            "Field requires " + std::to_string(width) + " characters, but only " + std::to_string(left) + " remain.");
      }
      size_t taken = 0;
      scan(copy, 0, taken, value, wide);
      if (taken > 0 && taken < width) {
        return refuse_width(invalid_value(shown, n), "Field requires " + std::to_string(width) +
                                                         " characters, but only " + std::to_string(taken) +
                                                         " could be parsed.");
      }
      at_ += taken;
    }
    if (at_ == from) return refuse(invalid_value(shown, n), "Value must be an integer.");
    if (wide) {
      context_.fail(
          Error(sqlstate::kDatetimeFieldOverflow, "value for \"" + name_of(n) + "\" in source string is out of range")
              .with_detail("Value must be in the range -2147483648 to 2147483647."));
      return false;
    }
    used = static_cast<int>(at_ - from);
    return to == nullptr || set(*to, static_cast<int32_t>(value), n);
  }
  void skip_ordinal(const TemplateNode& n) {
    if (!n.ordinal) return;
    skip_character();
    skip_character();
  }
  bool number(const TemplateNode& n, size_t width, int32_t& to) {
    int used = 0;
    if (!integer(n, width, &to, used)) return false;
    skip_ordinal(n);
    return true;
  }
  // Three digits of milliseconds: 25 and 250 are .25, 025 is not.
  bool fraction(const TemplateNode& n, size_t width, size_t digits, int32_t& to) {
    int used = 0;
    if (!integer(n, width, &to, used)) return false;
    int64_t value = to;
    for (auto i = static_cast<size_t>(used); i < digits; i++) value *= 10;
    to = static_cast<int32_t>(value);
    skip_ordinal(n);
    return true;
  }
  bool year(const TemplateNode& n, int digits) {
    int used = 0;
    if (!integer(n, static_cast<size_t>(digits), &out_.year, used)) return false;
    if (digits < 4 && used < 4) out_.year = complete_year(out_.year);
    out_.year_digits = digits;
    skip_ordinal(n);
    return true;
  }
  // Y,YYY
  bool year_with_comma(const TemplateNode& n) {
    size_t end = at_, last = 0;
    int64_t thousands = 0, years = 0;
    bool wide = false;
    const bool first = scan(in_, at_, end, thousands, wide) && !wide && end < in_.size() && in_[end] == ',';
    if (!first || !scan(in_.substr(0, std::min(in_.size(), end + 4)), end + 1, last, years, wide)) {
      return refuse("invalid input string for \"Y,YYY\"");
    }
    at_ = last;
    const int64_t all = thousands * 1000 + years;
    if (all < INT32_MIN || all > INT32_MAX) {
      context_.fail(sqlstate::kDatetimeFieldOverflow, "value for \"Y,YYY\" in source string is out of range");
      return false;
    }
    if (!set(out_.year, static_cast<int32_t>(all), n)) return false;
    out_.year_digits = 4;
    skip_ordinal(n);
    return true;
  }

  // The first of `names`, or of what `letters` of each are, that the text has here.
  bool word(const TemplateNode& n, std::span<const char* const> names, size_t letters, int& found) {
    for (size_t i = 0; i < names.size(); i++) {
      const Str name = Str(names[i]).substr(0, letters);
      if (!equals_ignoring_case(in_.substr(at_, name.size()), name)) continue;
      at_ += name.size();
      found = static_cast<int>(i);
      return true;
    }
    size_t end = at_;
    while (end < in_.size() && !is_blank(in_[end])) end++;
    return refuse(invalid_value(in_.substr(at_, end - at_), n),
                  "The given value did not match any of the allowed values for this field.");
  }
  bool month_name(const TemplateNode& n, size_t letters) {
    int m = 0;
    return word(n, kMonthNames, letters, m) && set(out_.month, m + 1, n);
  }
  bool day_name(const TemplateNode& n, size_t letters) {
    int d = 0;
    if (!word(n, kDayNames, letters, d) || !set(out_.weekday, d, n)) return false;
    out_.weekday++;
    return true;
  }
  bool meridian(const TemplateNode& n, std::span<const char* const> names) {
    int m = 0;
    if (!word(n, names, Str::npos, m) || !set(out_.pm, m, n)) return false;
    out_.twelve_hour = true;
    return true;
  }
  bool era(const TemplateNode& n, std::span<const char* const> names) {
    int e = 0;
    return word(n, names, Str::npos, e) && set(out_.bc, e, n);
  }
  bool zone_hour(const TemplateNode& n) {
    if (const char c = next(); c == '+' || c == '-' || c == ' ') {
      out_.zone_sign = c == '-' ? -1 : 1;
      at_++;
    } else {
      // The sign may have been taken for a separator of the template.
      out_.zone_sign = skipped_ > 0 && at_ > 0 && in_[at_ - 1] == '-' ? -1 : 1;
    }
    int used = 0;
    return integer(n, 2, &out_.zone_hour, used);
  }

  bool field(const TemplateNode& n) {
    int used = 0;
    switch (n.field) {
      case DateField::kExact: exact_ = true; return true;
      case DateField::kMeridian: return meridian(n, kMeridians);
      case DateField::kMeridianDots: return meridian(n, kMeridiansWithDots);
      case DateField::kHour12: out_.twelve_hour = true; return number(n, 2, out_.hour);
      case DateField::kHour24: return number(n, 2, out_.hour);
      case DateField::kMinute: return number(n, 2, out_.minute);
      case DateField::kSecond: return number(n, 2, out_.second);
      case DateField::kMillisecond: return fraction(n, 3, 3, out_.millisecond);
      case DateField::kFraction: out_.fraction_digits = n.digits; return fraction(n, n.digits, 6, out_.microsecond);
      case DateField::kMicrosecond: return fraction(n, 6, 6, out_.microsecond);
      case DateField::kSecondsOfDay: return number(n, n.text.size(), out_.seconds_of_day);
      case DateField::kZone:
      case DateField::kZoneOffset:
        context_.fail(sqlstate::kFeatureNotSupported,
                      "formatting field \"" + name_of(n) + "\" is only supported in to_char");
        return false;
      case DateField::kZoneHour: return zone_hour(n);
      case DateField::kZoneMinute:
        if (out_.zone_sign == 0) out_.zone_sign = 1;
        return integer(n, 2, &out_.zone_minute, used);
      case DateField::kEra: return era(n, kEras);
      case DateField::kEraDots: return era(n, kErasWithDots);
      case DateField::kMonthName: return month_name(n, Str::npos);
      case DateField::kMonthAbbreviation: return month_name(n, 3);
      case DateField::kMonth: return number(n, 2, out_.month);
      case DateField::kDayName: return day_name(n, Str::npos);
      case DateField::kDayAbbreviation: return day_name(n, 3);
      case DateField::kDayOfYear:
      case DateField::kIsoDayOfYear: return number(n, 3, out_.day_of_year);
      case DateField::kDayOfMonth: return number(n, 2, out_.day);
      case DateField::kDayOfWeek: return number(n, 1, out_.weekday);
      case DateField::kIsoDayOfWeek:
        if (!number(n, 1, out_.weekday)) return false;
        if (++out_.weekday > 7) out_.weekday = 1;
        return true;
      case DateField::kWeek:
      case DateField::kIsoWeek: return number(n, 2, out_.week);
      case DateField::kQuarter:
        // Which day of the quarter would be unclear: it is read, no more.
        if (!integer(n, 1, nullptr, used)) return false;
        skip_ordinal(n);
        return true;
      case DateField::kCentury: return number(n, 2, out_.century);
      case DateField::kYearComma: return year_with_comma(n);
      case DateField::kYear4:
      case DateField::kIsoYear4: return year(n, 4);
      case DateField::kYear3:
      case DateField::kIsoYear3: return year(n, 3);
      case DateField::kYear2:
      case DateField::kIsoYear2: return year(n, 2);
      case DateField::kYear1:
      case DateField::kIsoYear1: return year(n, 1);
      case DateField::kRoman: {
        int m = 0;
        return word(n, kRomanMonths, Str::npos, m) && set(out_.month, 12 - m, n);
      }
      case DateField::kWeekOfMonth: return number(n, 1, out_.week_of_month);
      case DateField::kJulian: return number(n, 1, out_.julian);
      default: return true;
    }
  }

  FuncContext& context_;
  const Str in_;
  const std::vector<TemplateNode>& nodes_;
  const bool standard_;
  TemplateFields& out_;
  size_t at_ = 0, node_ = 0;
  int skipped_ = 0;  // characters beyond the template's that were passed since the last field
  bool exact_ = false;
  Convention convention_ = Convention::kNone;
};

}  // namespace

bool read_template_fields(FuncContext& context, Str text, Str format, TemplateMode mode, TemplateFields& out) {
  if (!check_template_bytes(context, format.size())) return false;
  const std::vector<TemplateNode> nodes = parse_date_template(format);
  if (mode == TemplateMode::kStandard) {
    for (const TemplateNode& n : nodes) {
      constexpr Str kAllowed = "-./,':; ";
      if (n.quoted || !is_plain(n.field) || kAllowed.find(n.text[0]) != Str::npos) continue;
      context.fail(sqlstate::kInvalidDatetimeFormat,
                   "invalid datetime format separator: \"" + std::string(n.text) + "\"");
      return false;
    }
  }
  return Reader(context, text, nodes, mode, out).read();
}

}  // namespace indigo::types
