#include "engine/settings/changed_settings.h"

#include "engine/settings/setting_table.h"
#include "engine/settings/settings.h"

namespace indigo::engine {

std::vector<std::pair<std::string, std::string>> changed_settings(const Settings& settings) {
  std::vector<std::pair<std::string, std::string>> out;
  const auto& table = setting_table();
  for (uint32_t i = 0; i < table.size(); i++) {
    const std::string_view category = table[i].category;
    const std::string_view name = table[i].name;
    if (!category.starts_with("Query Tuning") && name != "work_mem" && name != "search_path") continue;
    if (settings.value(i) == table[i].boot_value) continue;
    out.emplace_back(table[i].name, display_setting(table[i], settings.value(i)));
  }
  return out;
}

}  // namespace indigo::engine
