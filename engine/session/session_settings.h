// Connects a session's settings with what they do: checks before a value changes, effects after, and the client told.
// Thread safety: none; belongs to a session.
#pragma once

#include <cstdint>
#include <string>
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

  // Another one when a setting changes that plans or folded constants depend on.
  uint64_t plan_generation() const { return plan_generation_; }
  // All those settings are again what they were in that generation.
  void return_to(uint64_t generation) { plan_generation_ = generation; }
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
  uint64_t plan_generation_ = 1, newest_generation_ = 1;
};

}  // namespace indigo::engine
