// The settings of auto_explain, PostgreSQL's module that writes plans of slow statements to the log.
// Thread safety: values.
#pragma once

#include <cstdint>
#include <span>

#include "engine/row_sink.h"
#include "engine/settings/setting_table.h"
#include "sql/explain/explain_tree.h"

namespace indigo::engine {

struct AutoExplainSettings {
  int64_t least_duration_ms = -1;  // -1: no plan is written
  bool analyze = false, nested = false;
  // Of these analyze, buffers, wal, timing and triggers count only for what ran with counters.
  sql::ExplainOptions options{.buffers = false, .timing = true, .triggers = false, .logged = true};
  Severity level = Severity::kLog;
  double sample_rate = 1;
};

// Known to sessions that have loaded the module.
std::span<const SettingDefinition> auto_explain_settings();

}  // namespace indigo::engine
