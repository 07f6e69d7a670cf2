#include "sql/func/time_zone.h"

#include <charconv>
#include <mutex>
#include <unordered_map>

#include "sql/func/datetime/calendar.h"
#include "sql/func/number/float.h"
#include "sql/func/text/ascii.h"

namespace indigo::sql {

namespace {

int64_t unix_seconds(int64_t timestamp) {
  return (timestamp >= 0 ? timestamp / kSecond : -((-timestamp + kSecond - 1) / kSecond)) + kUnixEpochSeconds;
}

// "america/new_york" -> "America/New_York"
std::string capitalize_words(std::string_view name) {
  std::string out = to_lower(name);
  bool start = true;
  for (char& c : out) {
    if (start) c = ascii_upper(c);
    start = !is_alpha(c);
  }
  return out;
}

// [+-]hh[:mm[:ss]] at `at`; false when there is none.
bool read_offset(std::string_view text, size_t& at, int32_t& seconds) {
  int sign = 1;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) sign = text[at++] == '-' ? -1 : 1;
  seconds = 0;
  for (int unit = 3600; unit >= 1; unit /= 60) {
    int32_t v = 0;
    const auto r = std::from_chars(text.data() + at, text.data() + text.size(), v);
    if (r.ec != std::errc() || v < 0 || v > (unit == 3600 ? 167 : 59)) return false;
    seconds += v * unit;
    at = static_cast<size_t>(r.ptr - text.data());
    if (at >= text.size() || text[at] != ':') break;
    at++;
  }
  seconds *= sign;
  return true;
}

std::shared_ptr<const TimeZone> fixed_zone(int32_t seconds_east, std::string name) {
  return std::make_shared<TimeZone>(absl::FixedTimeZone(seconds_east), std::move(name));
}

// ABC3, <+03>-3, +3: an optional name and an offset counted west. Without a daylight rule.
std::shared_ptr<const TimeZone> posix_zone(std::string_view name) {
  size_t at = 0;
  if (!name.empty() && name[0] == '<') {
    at = name.find('>');
    if (at == std::string_view::npos) return nullptr;
    at++;
  } else {
    while (at < name.size() && is_alpha(name[at])) at++;
  }
  int32_t west = 0;
  if (at >= name.size() || !read_offset(name, at, west) || at != name.size()) return nullptr;
  return fixed_zone(-west, std::string(name));
}

std::shared_ptr<const TimeZone> load(std::string_view name) {
  if (name.empty() || name.size() > 200 || name.find("..") != std::string_view::npos || name[0] == '/') return nullptr;
  for (std::string candidate : {std::string(name), capitalize_words(name), to_upper(name)}) {
    absl::TimeZone zone;
    if (absl::LoadTimeZone(candidate, &zone)) return std::make_shared<TimeZone>(zone, candidate);
  }
  return posix_zone(name);
}

// Zones by the names they were asked for; bounded, since names come from statements.
class ZoneCache {
 public:
  std::shared_ptr<const TimeZone> find(std::string_view name) {
    std::lock_guard lock(mutex_);
    const auto it = zones_.find(std::string(name));
    if (it != zones_.end()) return it->second;
    auto zone = load(name);
    if (zones_.size() > 2000) zones_.clear();
    zones_.emplace(std::string(name), zone);
    return zone;
  }

 private:
  std::mutex mutex_;  // guards zones_
  std::unordered_map<std::string, std::shared_ptr<const TimeZone>> zones_;
};

struct SessionZone {
  std::shared_ptr<const TimeZone> zone;
  std::string setting;
};

}  // namespace

TimeZone::TimeZone(absl::TimeZone zone, std::string name) : zone_(zone), name_(std::move(name)) {
  utc_ = zone_ == absl::UTCTimeZone() || name_ == "Etc/UTC" || name_ == "UTC";
}

TimeZone::Offset TimeZone::at(int64_t timestamp) const {
  if (utc_) return {0, false, "UTC"};
  const auto info = zone_.At(absl::FromUnixSeconds(unix_seconds(timestamp)));
  return {info.offset, info.is_dst, info.zone_abbr};
}

int64_t TimeZone::to_utc(int64_t local) const {
  if (utc_) return local;
  const CivilDate date = civil_from_days(date_part_of(local));
  const int64_t time = time_part_of(local);
  const absl::CivilSecond civil(date.year, date.month, date.day, time / kHour, time / kMinute % 60,
                                time / kSecond % 60);
  const auto info = zone_.At(civil);
  const absl::Time moment = info.kind == absl::TimeZone::TimeInfo::REPEATED ? info.post : info.pre;
  return (absl::ToUnixSeconds(moment) - kUnixEpochSeconds) * kSecond + time % kSecond;
}

std::shared_ptr<const TimeZone> find_time_zone(std::string_view name) {
  static ZoneCache cache;
  return cache.find(name);
}

std::shared_ptr<const TimeZone> fixed_time_zone(int32_t east) {
  const auto show = [](int32_t seconds) {
    const int32_t m = seconds < 0 ? -seconds : seconds;
    char text[32];
    int n = std::snprintf(text, sizeof text, "%c%02d", seconds < 0 ? '-' : '+', m / 3600);
    if (m % 3600 != 0) n += std::snprintf(text + n, sizeof text - static_cast<size_t>(n), ":%02d", m / 60 % 60);
    if (m % 60 != 0) n += std::snprintf(text + n, sizeof text - static_cast<size_t>(n), ":%02d", m % 60);
    return std::string(text, static_cast<size_t>(n));
  };
  return fixed_zone(east, "<" + show(east) + ">" + show(-east));
}

std::shared_ptr<const TimeZone> find_time_zone_setting(std::string_view value) {
  value = trim_blanks(value);
  double hours = 0;
  if (parse_double(value, hours) != FloatParse::kOk || !(hours > -168 && hours < 168)) return find_time_zone(value);
  return fixed_time_zone(static_cast<int32_t>(hours * 3600));
}

const TimeZone& session_time_zone(FuncContext& context) {
  auto& cached = context.cached<SessionZone>();
  const std::string& setting = context.session().format().time_zone;
  if (cached.zone == nullptr || cached.setting != setting) {
    cached.zone = find_time_zone(setting);
    if (cached.zone == nullptr) cached.zone = find_time_zone("UTC");
    cached.setting = setting;
  }
  return *cached.zone;
}

}  // namespace indigo::sql
