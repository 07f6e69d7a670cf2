// What loading a module makes of custom settings with its names.
#include <algorithm>

#include "base/sqlstate.h"
#include "engine/settings/settings.h"
#include "types/text/ascii.h"

namespace indigo::engine {

namespace {

bool begins_with_module(std::string_view name, std::string_view module) {
  return name.size() > module.size() && name[module.size()] == '.' &&
         types::to_lower(name.substr(0, module.size())) == module;
}

Error invalid_name(std::string_view name, const char* what) {
  return Error(sqlstate::kInvalidName, "invalid configuration parameter name \"" + std::string(name) + "\"" + what);
}

}  // namespace

Error reserved_name(std::string_view name) {
  return invalid_name(name, "").with_detail("\"" + std::string(name.substr(0, name.find('.'))) +
                                            "\" is a reserved prefix.");
}

bool Settings::has_loaded(std::string_view module) const {
  return std::find(modules_.begin(), modules_.end(), module) != modules_.end();
}

bool Settings::knows(uint32_t index) const {
  const char* const module = setting_table()[index].module;
  return module == nullptr || has_loaded(module);
}

std::optional<uint32_t> Settings::find(std::string_view name) const {
  const auto index = find_setting(name);
  return index && knows(*index) ? index : std::nullopt;
}

bool Settings::is_reserved(std::string_view name) const {
  return std::any_of(modules_.begin(), modules_.end(),
                     [&](const std::string& module) { return begins_with_module(name, module); });
}

void Settings::note_setter(std::string_view name, bool superuser) {
  if (superuser) {
    custom_of_others_.erase(std::string(name));
  } else {
    custom_of_others_.emplace(name);
  }
}

std::string Settings::start_of(std::string_view name) const {
  const auto at = custom_start_.find(name);
  return at == custom_start_.end() ? std::string() : at->second;
}

std::vector<Error> Settings::load_module(std::string_view module) {
  std::vector<Error> warnings;
  if (has_loaded(module)) return warnings;
  const auto& table = setting_table();
  for (uint32_t i = 0; i < table.size(); i++) {
    if (table[i].module != nullptr && module == table[i].module) adopt_custom(i, warnings);
  }
  modules_.emplace_back(module);
  std::vector<std::string> others;
  for (const auto& [name, value] : custom_) {
    if (begins_with_module(name, module)) others.push_back(name);
  }
  for (const std::string& name : others) {
    forget_custom(name);
    warnings.push_back(
        invalid_name(name, ", removing it").with_detail("\"" + std::string(module) + "\" is now a reserved prefix."));
  }
  return warnings;
}

// What had no value has the one that RESET returns to.
std::string Settings::adopted(uint32_t index, const std::string& text, const std::string& otherwise,
                              std::vector<Error>& warnings) const {
  if (text.empty()) return otherwise;
  auto value = checked(index, text);
  if (value.ok()) return *std::move(value);
  const auto again = [&](const Error& e) { return e.message == value.error().message; };
  if (std::none_of(warnings.begin(), warnings.end(), again)) warnings.push_back(value.error());
  return otherwise;
}

void Settings::adopt_custom(uint32_t index, std::vector<Error>& warnings) {
  const std::string name = setting_table()[index].name;
  const auto now = custom_.find(name);
  if (now == custom_.end()) return;
  if (custom_of_others_.contains(name)) {
    warnings.emplace_back(sqlstate::kInsufficientPrivilege, "permission denied to set parameter \"" + name + "\"");
    return forget_custom(name);
  }
  Slot& slot = own(index);
  slot.reset_value = adopted(index, start_of(name), slot.reset_value, warnings);
  slot.session_value = adopted(index, custom_session_[name], slot.reset_value, warnings);
  slot.value = adopted(index, now->second, slot.session_value, warnings);
  for (Undo& undo : undo_) {
    if (undo.name.empty() || InAnyCase()(undo.name, name) || InAnyCase()(name, undo.name)) continue;
    undo.index = index;
    undo.name.clear();
    undo.value = adopted(index, undo.value, slot.reset_value, warnings);
    undo.session_value = adopted(index, undo.session_value, slot.reset_value, warnings);
  }
  forget_custom(name);
  if (on_change) on_change(index);
}

void Settings::forget_custom(const std::string& name) {
  custom_.erase(name);
  custom_session_.erase(name);
  custom_start_.erase(name);
  custom_of_others_.erase(name);
  const InAnyCase before;
  std::erase_if(undo_,
                [&](const Undo& u) { return !u.name.empty() && !before(u.name, name) && !before(name, u.name); });
  custom_generation_++;
}

}  // namespace indigo::engine
