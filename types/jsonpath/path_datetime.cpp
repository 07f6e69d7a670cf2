// .datetime() of jsonpath: text to moments, moments to text, and their order.
#include <limits>

#include "base/sqlstate.h"
#include "types/datetime/calendar.h"
#include "types/datetime/format.h"
#include "types/datetime/from_char.h"
#include "types/datetime/parse.h"
#include "types/datetime/template.h"
#include "types/datetime/time_zone.h"
#include "types/function/compare.h"
#include "types/function/registry.h"
#include "types/jsonpath/path_value.h"
#include "types/oids.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

// The parts of an ISO 8601 text, by form only.
struct IsoForm {
  bool date = false, time = false, zone = false;
};
bool digits(Str s, size_t& at, size_t count) {
  for (size_t i = 0; i < count; i++, at++)
    if (at >= s.size() || !is_digit(s[at])) return false;
  return true;
}
bool symbol(Str s, size_t& at, char c) {
  if (at >= s.size() || s[at] != c) return false;
  at++;
  return true;
}
bool iso_time(Str s, size_t& at, IsoForm& form) {
  if (!digits(s, at, 2) || !symbol(s, at, ':') || !digits(s, at, 2) || !symbol(s, at, ':') || !digits(s, at, 2))
    return false;
  if (symbol(s, at, '.')) {
    const size_t from = at;
    while (at < s.size() && is_digit(s[at])) at++;
    if (at == from || at - from > 6) return false;
  }
  form.time = true;
  if (at < s.size() && (s[at] == '+' || s[at] == '-')) {
    at++;
    if (!digits(s, at, 2) || (symbol(s, at, ':') && !digits(s, at, 2))) return false;
    form.zone = true;
  }
  return at == s.size();
}
bool iso_form(Str s, IsoForm& form) {
  size_t at = 0;
  if (s.size() > 2 && s[2] == ':') return iso_time(s, at, form);
  if (!digits(s, at, 4) || !symbol(s, at, '-') || !digits(s, at, 2) || !symbol(s, at, '-') || !digits(s, at, 2))
    return false;
  form.date = true;
  if (at == s.size()) return true;
  if (!symbol(s, at, ' ') && !symbol(s, at, 'T')) return false;
  return iso_time(s, at, form);
}

Oid type_of(const IsoForm& form) {
  if (form.date) return !form.time ? oid::kDate : form.zone ? oid::kTimestampTz : oid::kTimestamp;
  return form.zone ? oid::kTimeTz : oid::kTime;
}

int32_t zone_east(Str s) {
  int32_t east = 0;
  const size_t sign = s.find_last_of("+-");
  if (sign != Str::npos) (void)parse_zone_offset(s.substr(sign), east);
  return east;
}

// Outside quotes, a template has keywords and these.
bool is_standard_separator(Str text) { return text.size() == 1 && Str("-./,':; ").find(text[0]) != Str::npos; }

MomentParse by_template(FuncContext& context, Str text, const std::string& format, PathValue& out) {
  IsoForm form;
  for (const TemplateNode& n : parse_date_template(format)) {
    const bool plain =
        n.field == DateField::kLiteral || n.field == DateField::kSeparator || n.field == DateField::kSpace;
    if (plain && !n.quoted && !is_standard_separator(n.text)) {
      context.fail(sqlstate::kInvalidDatetimeFormat,
                   "invalid datetime format separator: \"" + std::string(n.text) + "\"");
      return MomentParse::kFailed;
    }
    switch (n.field) {
      case DateField::kLiteral:
      case DateField::kSeparator:
      case DateField::kSpace:
      case DateField::kExact: break;
      case DateField::kFraction:
      case DateField::kHour12:
      case DateField::kHour24:
      case DateField::kMinute:
      case DateField::kMillisecond:
      case DateField::kMicrosecond:
      case DateField::kSecondsOfDay:
      case DateField::kSecond:
      case DateField::kMeridian:
      case DateField::kMeridianDots: form.time = true; break;
      case DateField::kZone:
      case DateField::kZoneOffset:
      case DateField::kZoneHour:
      case DateField::kZoneMinute: form.zone = true; break;
      default: form.date = true; break;
    }
  }
  const auto invalid = [&](const char* message) {
    context.fail(sqlstate::kInvalidDatetimeFormat, message);
    return MomentParse::kFailed;
  };
  if (!form.time && form.zone) return invalid("datetime format is zoned but not timed");
  if (!form.time && !form.date) return invalid("datetime format is not dated and not timed");
  TemplateMoment m;
  if (!read_moment(context, text, format, TemplateMode::kStandard, m)) return MomentParse::kFailed;
  if (form.zone && !m.east) return invalid("missing time zone in input string for type timestamptz");
  const auto out_of_range = [&](const std::string& message) {
    context.fail(sqlstate::kDatetimeFieldOverflow, message);
    return MomentParse::kFailed;
  };
  if (form.date && !form.time && (m.out_of_range || !is_valid_date(m.days)))
    return out_of_range("date out of range: \"" + std::string(text) + "\"");
  if (form.date && form.time && (m.out_of_range || !is_timestamp_date(m.days)))
    return out_of_range("timestamp out of range");
  const int32_t east = m.east.value_or(0);
  out.moment_type = type_of(form);
  out.east = east;
  switch (out.moment_type) {
    case oid::kDate: out.moment = Datum::of(static_cast<int32_t>(m.days)); break;
    case oid::kTime: out.moment = Datum::of(m.time); break;
    case oid::kTimeTz:
      out.moment = Datum::of(Block16{});
      out.moment.timetz = TimeTz{m.time, -east, 0};
      break;
    default: out.moment = Datum::of(m.days * kDay + m.time - (form.zone ? east * kSecond : 0)); break;
  }
  return MomentParse::kOk;
}

// The templates of texts that are less strict than ISO 8601: "2017-3-1 1:2:3 +3".
MomentParse by_known_templates(FuncContext& context, Str text, PathValue& out) {
  static const std::vector<std::string> kTemplates = [] {
    std::vector<std::string> all = {"yyyy-mm-dd"};
    for (const char* date : {"", "yyyy-mm-dd ", "yyyy-mm-dd\"T\""})
      for (const char* time : {"HH24:MI:SS.USTZH:TZM", "HH24:MI:SS.USTZH", "HH24:MI:SSTZH:TZM", "HH24:MI:SSTZH",
                               "HH24:MI:SS.US", "HH24:MI:SS"})
        all.push_back(std::string(date) + time);
    return all;
  }();
  for (const std::string& format : kTemplates) {
    if (by_template(context, text, format, out) == MomentParse::kOk) return MomentParse::kOk;
    context.take_error();
  }
  return MomentParse::kUnrecognized;
}

// Days and moments of the local time that no timestamp has are the infinities here.
int64_t timestamp_of_date(int32_t days) {
  constexpr int64_t kLast = std::numeric_limits<int64_t>::max() / kDay;
  if (days > kLast) return std::numeric_limits<int64_t>::max();
  if (days < -kLast) return std::numeric_limits<int64_t>::min();
  return days * kDay;
}

const char* short_name(Oid type) {
  switch (type) {
    case oid::kDate: return "date";
    case oid::kTime: return "time";
    case oid::kTimeTz: return "timetz";
    case oid::kTimestamp: return "timestamp";
    default: return "timestamptz";
  }
}
bool timed_only(Oid type) { return type == oid::kTime || type == oid::kTimeTz; }
bool zoned(Oid type) { return type == oid::kTimeTz || type == oid::kTimestampTz; }

}  // namespace

const char* PathValue::type_name() const {
  switch (moment_type) {
    case kInvalidOid: return json_kind_name(json.kind());
    case oid::kDate: return "date";
    case oid::kTime: return "time without time zone";
    case oid::kTimeTz: return "time with time zone";
    case oid::kTimestamp: return "timestamp without time zone";
    default: return "timestamp with time zone";
  }
}

Str PathValue::image(FuncContext& context) const {
  if (!is_moment()) return json.raw();
  std::string text;
  switch (moment_type) {
    case oid::kDate: append_date(moment.i32, FormatSettings(), text); break;
    case oid::kTime: append_time(moment.i64, text); break;
    case oid::kTimeTz: append_timetz(moment.timetz, text); break;
    case oid::kTimestamp: append_iso_timestamp(moment.i64, text); break;
    default: append_iso_timestamp(moment.i64 + east * kSecond, text); break;
  }
  if (moment_type == oid::kTimeTz || moment_type == oid::kTimestampTz) {
    // Zones are written with their minutes.
    if (moment_type == oid::kTimestampTz) append_zone_offset(east, text);
    if (text.size() > 3 && (text[text.size() - 3] == '+' || text[text.size() - 3] == '-')) text.append(":00");
  }
  return context.arena().copy(jsonb_string(text));
}

MomentParse parse_moment(FuncContext& context, Str text, const std::string* format, PathValue& out) {
  if (format != nullptr) return by_template(context, text, *format, out);
  IsoForm form;
  if (!iso_form(text, form)) return by_known_templates(context, text, out);
  out.moment_type = type_of(form);
  out.moment = type_input(context, {out.moment_type, -1, kInvalidOid}, text);
  if (context.failed()) {
    context.take_error();
    return MomentParse::kUnrecognized;
  }
  if (form.zone) out.east = zone_east(text);
  return MomentParse::kOk;
}

bool compare_moments(FuncContext& context, const PathValue& a, const PathValue& b, bool with_zone, int& order,
                     bool& unknown, std::string& from, std::string& to) {
  if (timed_only(a.moment_type) != timed_only(b.moment_type)) {
    unknown = true;
    return true;
  }
  if (zoned(a.moment_type) != zoned(b.moment_type) && !with_zone) {
    const PathValue& plain = zoned(a.moment_type) ? b : a;
    const PathValue& other = zoned(a.moment_type) ? a : b;
    from = short_name(plain.moment_type);
    to = short_name(other.moment_type);
    return false;
  }
  const bool as_zoned = zoned(a.moment_type) || zoned(b.moment_type);
  const TimeZone& zone = session_time_zone(context);
  // Seconds west of Greenwich: of a time without a zone, the session's today.
  const auto west_of = [&](const PathValue& v) -> int64_t {
    if (v.moment_type == oid::kTimeTz) return v.moment.timetz.zone_seconds_west;
    const int64_t now = context.session().transaction_timestamp();
    return -(zone.to_local(now) - now) / kSecond;
  };
  const auto value = [&](const PathValue& v) {
    switch (v.moment_type) {
      case oid::kDate: {
        const int64_t local = timestamp_of_date(v.moment.i32);
        const bool finite =
            local != std::numeric_limits<int64_t>::max() && local != std::numeric_limits<int64_t>::min();
        return as_zoned && finite ? zone.to_utc(local) : local;
      }
      case oid::kTime: return as_zoned ? v.moment.i64 + west_of(v) * kSecond : v.moment.i64;
      case oid::kTimeTz: return v.moment.timetz.microseconds + v.moment.timetz.zone_seconds_west * kSecond;
      case oid::kTimestamp: return as_zoned ? zone.to_utc(v.moment.i64) : v.moment.i64;
      default: return v.moment.i64;
    }
  };
  order = three_way(value(a), value(b));
  if (order == 0 && as_zoned && timed_only(a.moment_type)) order = three_way(west_of(a), west_of(b));
  return true;
}

}  // namespace indigo::types
