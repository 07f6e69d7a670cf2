#include "types/datetime/time_zone.h"

#include <charconv>
#include <mutex>
#include <unordered_map>

#include "types/datetime/calendar.h"
#include "types/datetime/zone_files.h"
#include "types/number/float.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

std::shared_ptr<const TimeZone> posix_zone(std::string_view name) {
  std::string upper = to_upper(name);
  std::optional<PosixZone> rule = PosixZone::parse(upper);
  return rule ? std::make_shared<TimeZone>(*std::move(rule), std::move(upper)) : nullptr;
}

int64_t floor_seconds(int64_t timestamp) {
  return timestamp >= 0 ? timestamp / kSecond : -((-timestamp + kSecond - 1) / kSecond);
}

std::shared_ptr<const TimeZone> load(std::string_view name) {
  if (name.empty() || name.size() > 200 || name.find("..") != std::string_view::npos || name[0] == '/') return nullptr;
  for (const std::string& candidate : {std::string(name), to_upper(name), spelled_zone_name(name)}) {
    absl::TimeZone zone;
    if (!candidate.empty() && absl::LoadTimeZone(candidate, &zone)) return std::make_shared<TimeZone>(zone, candidate);
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

TimeZone::TimeZone(PosixZone rule, std::string name)
    : name_(std::move(name)), rule_(std::make_unique<const PosixZone>(std::move(rule))) {}

TimeZone::TimeZone(std::shared_ptr<const TimeZone> zone, const char* abbreviation)
    : name_(to_upper(abbreviation)), abbreviates_(std::move(zone)) {}

TimeZone::Offset TimeZone::at(int64_t timestamp) const {
  if (utc_) return {0, false, "UTC"};
  if (abbreviates_) return abbreviated(timestamp);
  if (rule_) {
    const bool daylight = rule_->is_daylight(floor_seconds(timestamp));
    return {rule_->seconds_east(daylight), daylight, rule_->abbreviation(daylight).c_str()};
  }
  const auto info = zone_.At(absl::FromUnixSeconds(floor_seconds(timestamp) + kUnixEpochSeconds));
  return {info.offset, info.is_dst, info.zone_abbr};
}

// The newest use of the abbreviation up to the moment counts; else the first one after it.
TimeZone::Offset TimeZone::abbreviated(int64_t timestamp) const {
  const absl::TimeZone& zone = abbreviates_->zone_;
  const absl::Time moment = absl::FromUnixSeconds(floor_seconds(timestamp) + kUnixEpochSeconds);
  const auto now = zone.At(moment);
  if (now.zone_abbr == name_) return {now.offset, now.is_dst, now.zone_abbr};
  absl::TimeZone::CivilTransition step;
  absl::Time at = moment + absl::Seconds(1);
  while (zone.PrevTransition(at, &step)) {
    at = zone.At(step.to).trans;
    const auto before = zone.At(at - absl::Seconds(1));
    if (before.zone_abbr == name_) return {before.offset, before.is_dst, before.zone_abbr};
  }
  at = moment;
  for (int steps = 0; steps < 1000 && zone.NextTransition(at, &step); steps++) {
    at = zone.At(step.to).trans;
    const auto after = zone.At(at);
    if (after.zone_abbr == name_) return {after.offset, after.is_dst, after.zone_abbr};
  }
  return {now.offset, now.is_dst, now.zone_abbr};
}

bool TimeZone::is_fixed() const {
  if (utc_) return true;
  if (abbreviates_) return false;
  if (rule_) return rule_->is_fixed();
  absl::TimeZone::CivilTransition step;
  return !zone_.NextTransition(absl::InfinitePast(), &step);
}

int64_t TimeZone::to_utc(int64_t local) const {
  if (utc_) return local;
  if (abbreviates_) return local - abbreviated(abbreviates_->to_utc(local)).seconds_east * kSecond;
  if (rule_) {
    const int64_t seconds = floor_seconds(local);
    return rule_->to_utc(seconds) * kSecond + (local - seconds * kSecond);
  }
  const CivilDate date = civil_from_days(date_part_of(local));
  const int64_t time = time_part_of(local);
  const absl::CivilSecond civil(date.year, date.month, date.day, time / kHour, time / kMinute % 60,
                                time / kSecond % 60);
  const auto info = zone_.At(civil);
  const absl::Time moment = info.kind == absl::TimeZone::TimeInfo::REPEATED ? info.post : info.pre;
  return (absl::ToUnixSeconds(moment) - kUnixEpochSeconds) * kSecond + time % kSecond;
}

std::shared_ptr<const TimeZone> zone_of_abbreviation(const ZoneAbbreviation& a) {
  if (a.zone != nullptr)
    if (auto zone = find_time_zone(a.zone)) return std::make_shared<TimeZone>(std::move(zone), a.name);
  return std::make_shared<TimeZone>(absl::FixedTimeZone(a.seconds_east), a.name);
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
  return find_time_zone("<" + show(east) + ">" + show(-east));
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

}  // namespace indigo::types
