// What holds while a routine runs: SECURITY DEFINER's role and the settings of its SET clauses. Both end with the call.
// Thread safety: none; lives on the stack of the call.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "catalog/descriptor/relation_info.h"
#include "engine/session/session_roles.h"

namespace indigo::engine {

class SessionParts;

namespace programs {

class CallFrame {
 public:
  explicit CallFrame(SessionParts& session) : session_(session) {}
  ~CallFrame();
  CallFrame(const CallFrame&) = delete;
  CallFrame& operator=(const CallFrame&) = delete;

  Status enter(const types::FunctionInfo& info);

 private:
  SessionParts& session_;
  std::optional<SessionRoles::Acting> definer_;
  // A setting, its value before, and the mark of the changes after the clause's.
  struct Kept {
    std::string name, before;
    uint32_t mark = 0;
  };
  std::vector<Kept> settings_;
  // SessionSettings::plan_generation before them and with them: what was planned before serves again behind the call, and what is
  // being planned while a call is folded is not outdated by it.
  uint64_t generation_before_ = 0, generation_within_ = 0;
};

}  // namespace programs
}  // namespace indigo::engine
