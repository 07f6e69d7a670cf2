// What Indigo knows about a setting beyond PostgreSQL's description of it: one row for each, in setting_rows.cpp.
// Immutable. Thread safety: all functions are safe from any thread.
#pragma once

#include <span>

#include "engine/settings/setting_table.h"

namespace indigo::engine {

// A setting of PostgreSQL's that Indigo acts on, or starts with another value.
struct SettingRow {
  const char* name;
  SettingBehavior behavior;
};

std::span<const SettingRow> postgres_setting_rows();
// Indigo's own settings.
std::span<const SettingDefinition> own_settings();

}  // namespace indigo::engine
