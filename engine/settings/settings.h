// One session's settings: values, SET / SET LOCAL / RESET with transaction and savepoint semantics, SHOW.
//
// Every value lives twice: `value` (in force now) and `session_value` (what stays after the transaction commits); SET LOCAL
// changes only the first. Changes within a transaction are remembered and undone when it, or a savepoint, rolls back.
// Thread safety: none; belongs to a session.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engine/settings/setting_table.h"

namespace indigo::engine {

// Of a name that begins with a loaded module's and is none of its settings.
Error reserved_name(std::string_view name);

class Settings {
 public:
  // `instance_defaults` by table index: the server's values (-c), which RESET returns to. They must outlive this.
  explicit Settings(const std::vector<std::string>& instance_defaults);

  // Called after a value has changed, also by roll-back; checks that need the session run in `check` before.
  std::function<void(uint32_t index)> on_change;
  std::function<Result<std::string>(uint32_t index, std::string value)> check;

  const std::string& value(uint32_t index) const { return slots_[index] ? slots_[index]->value : defaults_[index]; }
  const std::string& reset_value(uint32_t index) const {
    return slots_[index] ? slots_[index]->reset_value : defaults_[index];
  }
  // As the instance has it.
  bool is_default(uint32_t index) const { return !slots_[index] || slots_[index]->value == defaults_[index]; }
  int64_t integer(uint32_t index) const;
  bool boolean(uint32_t index) const { return value(index) == "on"; }

  enum class Scope : uint8_t { kSession, kLocal };
  // Undefined names with a dot are custom settings, as in PostgreSQL.
  Status set(std::string_view name, std::string_view text, Scope scope, bool superuser);
  Status reset(std::string_view name, Scope scope, bool superuser);
  void reset_all();
  // The display form. Errors: 42704.
  Result<std::string> show(std::string_view name) const;
  bool lookup(std::string_view name, std::string& value) const;
  // Whether a SET since the mark, not SET LOCAL, has given it a value: the one that stays after the transaction.
  bool lasting_since(uint32_t mark, std::string_view name, std::string& value) const;
  // A module's settings are custom ones until the session loads it: what has been made of them counts from then on, and other
  // names that begin with its own are no settings any more. The answer: what becomes of values that cannot be (warnings).
  std::vector<Error> load_module(std::string_view module);
  bool has_loaded(std::string_view module) const;
  // Whether it is one of the server's, or of a module that the session has loaded.
  bool knows(uint32_t index) const;
  // Startup values: become what RESET returns to.
  Status set_default(std::string_view name, std::string_view text, bool superuser);
  // What RESET returns to becomes another value, and so does the setting, unless the session has given it one. `before`: the
  // instance's own until now; a session that began with another one keeps it.
  void change_default(uint32_t index, const std::string& before, const std::string& now);
  // As the command line has it.
  const std::string& instance_default(uint32_t index) const { return defaults_[index]; }
  // Of a setting that the session computes (SettingContext::kInternal), whatever rolls back.
  void set_internal(uint32_t index, std::string value);

  // Transactions: begin() at the start; mark() before a savepoint.
  void begin();
  uint32_t mark() const { return static_cast<uint32_t>(undo_.size()); }
  void rollback_to(uint32_t mark);
  void commit();
  void rollback();
  // Does what `change` does and takes it back: SET LOCAL where there is no transaction.
  template <class Change>
  Status try_out(Change change) {
    const bool inside = std::exchange(in_transaction_, true);
    const uint32_t before = mark();
    Status status = change();
    rollback_to(before);
    in_transaction_ = inside;
    return status;
  }

  // Names in whatever case are the same; the first one given is shown.
  struct InAnyCase {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const;
  };
  using Custom = std::map<std::string, std::string, InAnyCase>;
  const Custom& custom() const { return custom_; }
  // Grows when a custom setting changes.
  uint64_t custom_generation() const { return custom_generation_; }

 private:
  struct Slot {
    std::string value, session_value, reset_value;
  };
  struct Undo {
    uint32_t index;
    std::string name;  // custom settings
    std::string value, session_value;
    Scope scope = Scope::kLocal;  // of the change
  };
  void assign(uint32_t index, std::string value, Scope scope);
  Status set_custom(std::string_view name, std::string_view text, Scope scope);
  // As it is stored. 22023 for what it cannot be.
  Result<std::string> checked(uint32_t index, std::string_view text) const;

  // module_settings.cpp
  std::optional<uint32_t> find(std::string_view name) const;
  bool is_reserved(std::string_view name) const;
  void note_setter(std::string_view name, bool superuser);
  std::string start_of(std::string_view name) const;
  void adopt_custom(uint32_t index, std::vector<Error>& warnings);
  std::string adopted(uint32_t index, const std::string& text, const std::string& otherwise,
                      std::vector<Error>& warnings) const;
  void forget_custom(const std::string& name);

  Slot& own(uint32_t index);

  const std::vector<std::string>& defaults_;
  std::vector<std::unique_ptr<Slot>> slots_;  // null: as the instance has it; few settings differ
  Custom custom_, custom_session_, custom_start_;
  std::set<std::string, InAnyCase> custom_of_others_;  // set by who may not set a superuser's
  std::vector<std::string> modules_;                   // loaded
  uint64_t custom_generation_ = 1;
  std::vector<Undo> undo_;
  bool in_transaction_ = false;
};

}  // namespace indigo::engine
