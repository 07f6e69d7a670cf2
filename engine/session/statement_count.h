// One run of a statement that pg_stat_statements counts, when it counts any: begun before the run, counted at its end.
// Thread safety: none; belongs to a session.
#pragma once

#include <chrono>
#include <string_view>

#include "engine/statement/prepared.h"

namespace indigo::engine {

class SessionParts;

class StatementCount {
 public:
  StatementCount(SessionParts& parts, const PreparedPtr& statement);
  // It has run without an error, and this is its tag.
  void ended(std::string_view tag);

 private:
  SessionParts& parts_;
  PreparedPtr statement_;  // null: not counted
  std::chrono::steady_clock::time_point since_;
};

}  // namespace indigo::engine
