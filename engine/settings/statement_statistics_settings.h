// The settings of pg_stat_statements: which statements it counts.
// Thread safety: values.
#pragma once

#include <cstdint>
#include <span>

#include "engine/settings/setting_table.h"

namespace indigo::engine {

struct StatementStatisticsSettings {
  bool loaded = false;  // shared_preload_libraries names the module
  enum class Track : uint8_t { kNone, kTop, kAll } track = Track::kTop;
  bool utility = true, planning = false;
};

// Known to sessions that have loaded the module.
std::span<const SettingDefinition> statement_statistics_settings();

}  // namespace indigo::engine
