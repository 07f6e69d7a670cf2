// Connects a session's settings with what they do: checks before a value changes, effects after, and the client told.
// Thread safety: none; belongs to a session.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engine/row_sink.h"
#include "engine/settings/applied_settings.h"
#include "engine/settings/setting_session.h"
#include "engine/settings/settings.h"

namespace indigo::engine {

class SessionSettings {
 public:
  // Both outlive this. From here on `values` asks and tells this.
  SessionSettings(Settings& values, const SettingSession& session);
  SessionSettings(const SessionSettings&) = delete;
  SessionSettings& operator=(const SessionSettings&) = delete;

  // Every effect, once: at the session's start.
  void apply_all();

  // Of the settings that plans or folded constants depend on: another one when they are not what they were in any earlier one
  // that is remembered, and that one when they are. A function that sets search_path whenever it is called finds its plans.
  uint64_t plan_generation() const;
  // All those settings are again what they were in that generation.
  void return_to(uint64_t generation) {
    plan_generation_ = generation;
    plan_settings_changed_ = false;
  }
  // The values of those settings, where they are not the instance's: equal for sessions that plan alike.
  std::string plan_values() const;

  // What a client is told when it connects, and of later changes (ParameterStatus).
  std::vector<std::pair<std::string, std::string>> reported() const;
  void report_changes(RowSink& sink);
  void forget_changes() { changed_.clear(); }

 private:
  Result<std::string> check(uint32_t index, std::string value);
  void apply(uint32_t index);

  Settings& values_;
  SettingSession session_;
  std::vector<uint32_t> changed_;  // reported ones, in the order of the changes
  // Made when it is asked for, after a change.
  mutable uint64_t plan_generation_ = 0, newest_generation_ = 0;
  mutable bool plan_settings_changed_ = true;
  mutable std::unordered_map<std::string, uint64_t> generations_;  // by plan_values()
};

}  // namespace indigo::engine
