#include "engine/settings/settings.h"

#include <algorithm>
#include <charconv>

#include "base/memory/memory_account.h"
#include "base/memory/process_memory.h"
#include "base/sqlstate.h"
#include "types/extension/extension_settings.h"
#include "types/text/ascii.h"

namespace indigo::engine {

namespace {

constexpr uint32_t kCustom = UINT32_MAX;

Error unrecognized(std::string_view name) {
  return Error(sqlstate::kUndefinedObject, "unrecognized configuration parameter \"" + std::string(name) + "\"");
}

bool valid_custom_name(std::string_view name) {
  bool dot = false, start = true;
  for (char c : name) {
    if (c == '.') {
      if (start) return false;
      dot = start = true;
      continue;
    }
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
    if (!letter && (start || !((c >= '0' && c <= '9') || c == '$'))) return false;
    start = false;
  }
  return dot && !start;
}

}  // namespace

Settings::Settings(const std::vector<std::string>& instance_defaults)
    : defaults_(instance_defaults), slots_(instance_defaults.size()) {}

Settings::Slot& Settings::own(uint32_t index) {
  auto& slot = slots_[index];
  if (!slot) slot = std::make_unique<Slot>(Slot{defaults_[index], defaults_[index], defaults_[index]});
  return *slot;
}

int64_t Settings::integer(uint32_t index) const {
  int64_t v = 0;
  const std::string& s = value(index);
  std::from_chars(s.data(), s.data() + s.size(), v);
  return v;
}

void Settings::assign(uint32_t index, std::string value, Scope scope) {
  Slot& slot = own(index);
  if (in_transaction_) undo_.push_back({index, {}, slot.value, slot.session_value, scope});
  if (scope == Scope::kSession) slot.session_value = value;
  slot.value = std::move(value);
  if (on_change) on_change(index);
}

bool Settings::InAnyCase::operator()(std::string_view a, std::string_view b) const {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return static_cast<unsigned char>(types::ascii_lower(x)) < static_cast<unsigned char>(types::ascii_lower(y));
  });
}

Status Settings::set_custom(std::string_view name, std::string_view text, Scope scope) {
  if (name.find('.') == std::string_view::npos) return unrecognized(name);
  if (is_reserved(name)) return reserved_name(name);
  if (!valid_custom_name(name)) {
    return Error(sqlstate::kInvalidName, "invalid configuration parameter name \"" + std::string(name) + "\"")
        .with_detail("Custom parameter names must be two or more simple identifiers separated by dots.");
  }
  if (!text.empty() && (process_memory_is_short() || MemoryAccount::over_limit())) {
    return Error(sqlstate::kOutOfMemory, "out of memory")
        .with_detail(MemoryAccount::over_limit() ? "The session holds more than session_memory_limit."
                                                 : "The machine's memory is used up.");
  }
  std::string kept(text);
  if (const auto* known = types::find_extension_setting(name); known != nullptr && !text.empty()) {
    INDIGO_ASSIGN(kept, known->parse(text));
  }
  std::string key(name);
  auto now = custom_.find(key);
  if (in_transaction_) {
    auto stays = custom_session_.find(key);
    undo_.push_back({kCustom, key, now == custom_.end() ? "" : now->second,
                     stays == custom_session_.end() ? "" : stays->second, scope});
  }
  custom_[key] = kept;
  custom_generation_++;
  if (scope == Scope::kSession) {
    custom_session_[key] = std::move(kept);
  } else {
    custom_session_.try_emplace(key, "");
  }
  return {};
}

Result<std::string> Settings::checked(uint32_t index, std::string_view text) const {
  INDIGO_ASSIGN(std::string value, parse_setting(setting_table()[index], text));
  if (check) return check(index, std::move(value));
  return value;
}

Status Settings::set(std::string_view name, std::string_view text, Scope scope, bool superuser) {
  auto index = find(name);
  if (!index) {
    INDIGO_TRY(set_custom(name, text, scope));
    note_setter(name, superuser);
    return {};
  }
  const auto& definition = setting_table()[*index];
  INDIGO_TRY(check_settable(definition, superuser));
  INDIGO_ASSIGN(std::string value, checked(*index, text));
  assign(*index, std::move(value), scope);
  if (definition.puts_back != nullptr) {
    const uint32_t other = *find_setting(definition.puts_back);
    assign(other, setting_table()[other].boot_value, scope);
  }
  return {};
}

void Settings::set_internal(uint32_t index, std::string value) {
  Slot& slot = own(index);
  if (slot.value == value) return;
  slot.value = slot.session_value = slot.reset_value = std::move(value);
  if (on_change) on_change(index);
}

void Settings::change_default(uint32_t index, const std::string& before, const std::string& now) {
  Slot& slot = own(index);
  if (slot.reset_value != before || before == now) return;
  const bool follows = slot.value == before && slot.session_value == before;
  slot.reset_value = now;
  if (!follows) return;
  slot.value = slot.session_value = now;
  if (on_change) on_change(index);
}

Status Settings::set_default(std::string_view name, std::string_view text, bool superuser) {
  auto index = find(name);
  if (!index) {
    INDIGO_TRY(set_custom(name, text, Scope::kSession));
    note_setter(name, superuser);
    custom_start_[std::string(name)] = custom_[std::string(name)];
    return {};
  }
  INDIGO_TRY(check_settable(setting_table()[*index], superuser, SettingTime::kStart));
  INDIGO_ASSIGN(std::string value, checked(*index, text));
  own(*index).reset_value = value;
  assign(*index, std::move(value), Scope::kSession);
  return {};
}

Status Settings::reset(std::string_view name, Scope scope, bool superuser) {
  auto index = find(name);
  if (!index) {
    if (is_reserved(name)) return reserved_name(name);
    return set_custom(name, start_of(name), scope);  // a custom setting is known from its first mention on
  }
  const auto& definition = setting_table()[*index];
  INDIGO_TRY(check_settable(definition, superuser));
  if (check && definition.no_reset_all) INDIGO_TRY(check(*index, reset_value(*index)));
  assign(*index, reset_value(*index), scope);
  if (definition.puts_back != nullptr) {
    const uint32_t other = *find_setting(definition.puts_back);
    assign(other, reset_value(other), scope);
  }
  return {};
}

void Settings::reset_all() {
  for (uint32_t i = 0; i < slots_.size(); i++) {
    const auto& d = setting_table()[i];
    bool settable = d.context == SettingContext::kUser || d.context == SettingContext::kSuperuser;
    if (settable && !d.no_reset_all && value(i) != reset_value(i)) {
      assign(i, reset_value(i), Scope::kSession);
    }
  }
  for (auto& [name, value] : custom_) (void)set_custom(name, start_of(name), Scope::kSession);
}

Result<std::string> Settings::show(std::string_view name) const {
  if (auto index = find(name)) {
    const auto& definition = setting_table()[*index];
    return definition.shown == SettingShown::kNever ? std::string("unavailable")
                                                    : display_setting(definition, value(*index));
  }
  auto at = custom_.find(std::string(name));
  if (at != custom_.end() && !at->second.empty()) return at->second;
  if (const auto* known = types::find_extension_setting(name)) return std::string(known->usual);
  if (at != custom_.end()) return at->second;
  // What the server was started with is a value of the name, whoever has it.
  if (const auto index = find_setting(name); index && defaults_[*index] != setting_table()[*index].boot_value)
    return defaults_[*index];
  return unrecognized(name);
}

bool Settings::lookup(std::string_view name, std::string& value) const {
  auto shown = show(name);
  if (!shown.ok()) return false;
  value = *shown;
  return true;
}

bool Settings::lasting_since(uint32_t mark, std::string_view name, std::string& value) const {
  const auto index = find(name);
  const auto is_set = [&](const Undo& u) {
    return u.scope == Scope::kSession && (index ? u.name.empty() && u.index == *index : u.name == name);
  };
  if (mark > undo_.size() || std::none_of(undo_.begin() + mark, undo_.end(), is_set)) return false;
  if (index) {
    value = slots_[*index] ? slots_[*index]->session_value : defaults_[*index];
    return true;
  }
  const auto custom = custom_session_.find(std::string(name));
  if (custom == custom_session_.end()) return false;
  value = custom->second;
  return true;
}

void Settings::begin() {
  undo_.clear();
  in_transaction_ = true;
}

void Settings::rollback_to(uint32_t mark) {
  while (undo_.size() > mark) {
    Undo& undo = undo_.back();
    if (undo.index == kCustom) {
      custom_generation_++;  // one that the transaction made stays known, and is empty
      custom_[undo.name] = undo.value;
      custom_session_[undo.name] = undo.session_value;
    } else {
      Slot& slot = own(undo.index);
      bool changed = slot.value != undo.value;
      slot.value = std::move(undo.value);
      slot.session_value = std::move(undo.session_value);
      if (changed && on_change) on_change(undo.index);
    }
    undo_.pop_back();
  }
}

void Settings::commit() {
  in_transaction_ = false;
  for (const Undo& undo : undo_) {
    if (undo.index == kCustom) {
      custom_[undo.name] = custom_session_[undo.name];
      custom_generation_++;
      continue;
    }
    Slot& slot = own(undo.index);
    if (slot.value == slot.session_value) continue;
    slot.value = slot.session_value;
    if (on_change) on_change(undo.index);
  }
  undo_.clear();
}

void Settings::rollback() {
  rollback_to(0);
  in_transaction_ = false;
}

}  // namespace indigo::engine
