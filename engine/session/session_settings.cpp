#include "engine/session/session_settings.h"

#include <algorithm>

namespace indigo::engine {

SessionSettings::SessionSettings(Settings& values, const SettingSession& session) : values_(values), session_(session) {
  values_.on_change = [this](uint32_t index) { apply(index); };
  values_.check = [this](uint32_t index, std::string value) { return check(index, std::move(value)); };
}

void SessionSettings::apply_all() {
  for (uint32_t i = 0; i < setting_table().size(); i++) apply(i);
}

Result<std::string> SessionSettings::check(uint32_t index, std::string value) {
  const SettingBehavior& behavior = setting_table()[index].behavior;
  if (behavior.check != nullptr) return behavior.check(session_, value);
  if (behavior.normalise != nullptr) return behavior.normalise(value, session_.applied.format);
  return value;
}

void SessionSettings::apply(uint32_t index) {
  const SettingBehavior& behavior = setting_table()[index].behavior;
  if (behavior.reported) changed_.push_back(index);
  if (!behavior.keeps_plans) plan_settings_changed_ = true;
  if (behavior.apply != nullptr) behavior.apply(session_, values_.value(index));
}

uint64_t SessionSettings::plan_generation() const {
  if (!plan_settings_changed_) return plan_generation_;
  constexpr size_t kRemembered = 64;
  if (generations_.size() >= kRemembered) generations_.clear();  // numbers do not come again
  const auto [at, is_new] = generations_.try_emplace(plan_values(), newest_generation_ + 1);
  if (is_new) newest_generation_++;
  plan_settings_changed_ = false;
  return plan_generation_ = at->second;
}

std::string SessionSettings::plan_values() const {
  std::string out;
  const auto& table = setting_table();
  for (uint32_t i = 0; i < table.size(); i++) {
    if (table[i].behavior.keeps_plans || values_.is_default(i)) continue;
    const std::string& value = values_.value(i);
    out.append(std::to_string(i)).append(1, '=').append(std::to_string(value.size())).append(1, ':').append(value);
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> SessionSettings::reported() const {
  std::vector<std::pair<std::string, std::string>> out;
  const auto& table = setting_table();
  for (uint32_t i = 0; i < table.size(); i++) {
    if (table[i].behavior.reported) out.emplace_back(table[i].name, display_setting(table[i], values_.value(i)));
  }
  return out;
}

void SessionSettings::report_changes(RowSink& sink) {
  if (changed_.empty()) return;
  std::sort(changed_.begin(), changed_.end());
  changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
  for (const uint32_t index : changed_) sink.parameter_status(setting_table()[index].name, values_.value(index));
  changed_.clear();
}

}  // namespace indigo::engine
