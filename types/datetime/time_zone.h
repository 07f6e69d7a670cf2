// Time zones by name: the system's zone database (through Abseil), fixed offsets ('+02', '-05:30'), the abbreviations that
// PostgreSQL's default set knows, and POSIX specifications ('EST5EDT', '<+03>-3').
// Offsets are seconds east of UTC. Thread safety: zones are immutable and cached for the process's life.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <absl/time/time.h>

#include "types/datetime/posix_zone.h"
#include "types/function/context.h"

namespace indigo::types {

class TimeZone {
 public:
  TimeZone(absl::TimeZone zone, std::string name);
  TimeZone(PosixZone rule, std::string name);
  // An abbreviation whose offset is what the zone meant by it at the moment in question (MSK).
  TimeZone(std::shared_ptr<const TimeZone> zone, const char* abbreviation);

  struct Offset {
    int32_t seconds_east;
    bool daylight;
    const char* abbreviation;
  };
  Offset at(int64_t timestamp_utc) const;  // microseconds since 2000-01-01 UTC
  // The UTC timestamp of a local one. In a gap the offset before it holds, in an overlap the standard one, as in PostgreSQL.
  int64_t to_utc(int64_t local) const;
  int64_t to_local(int64_t utc) const { return utc + at(utc).seconds_east * int64_t{1000000}; }
  const std::string& name() const { return name_; }
  // The same offset at all times.
  bool is_fixed() const;

 private:
  // What the abbreviation meant at `utc`, else what the zone itself says.
  Offset abbreviated(int64_t utc) const;

  absl::TimeZone zone_;
  std::string name_;
  bool utc_ = false;
  std::unique_ptr<const PosixZone> rule_;        // instead of zone_
  std::shared_ptr<const TimeZone> abbreviates_;  // name_ is the abbreviation, in capitals
};

// A zone's full name (any case), or a POSIX specification whose offset counts west ('+3' and 'FOO3' are three hours west,
// '<+03>-3' east); null when unknown. Abbreviations are not looked up here.
std::shared_ptr<const TimeZone> find_time_zone(std::string_view name);
// An offset's own zone: <+02>-02.
std::shared_ptr<const TimeZone> fixed_time_zone(int32_t seconds_east);
// As SET TimeZone reads its value: plain numbers are hours east. The result's name() is what SHOW prints.
std::shared_ptr<const TimeZone> find_time_zone_setting(std::string_view value);
// The session's zone. Cached in the context.
const TimeZone& session_time_zone(FuncContext& context);

// Zone abbreviations of PostgreSQL's default set (lower case), with their offsets of today.
struct ZoneAbbreviation {
  const char* name;
  int32_t seconds_east;
  bool daylight;
  const char* zone = nullptr;  // where its meaning has changed over time
};
const ZoneAbbreviation* find_zone_abbreviation(std::string_view lower_name);
std::span<const ZoneAbbreviation> zone_abbreviations();
// The abbreviation as a zone.
std::shared_ptr<const TimeZone> zone_of_abbreviation(const ZoneAbbreviation& abbreviation);

}  // namespace indigo::types
