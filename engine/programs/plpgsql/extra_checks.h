// plpgsql.extra_errors and plpgsql.extra_warnings: what becomes of doubtful statements.
// Thread safety: none; belongs to a session.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace indigo::engine {

class SessionParts;

namespace programs {

enum class ExtraCheck : uint8_t { kNone, kWarning, kError };

class ExtraChecks {
 public:
  enum class Kind : uint8_t { kShadowedVariables, kStrictMultiAssignment, kTooManyRows };
  // The lists are read again when a custom setting has changed.
  ExtraCheck of(SessionParts& session, Kind kind);

 private:
  std::array<ExtraCheck, 3> checks_{};
  uint64_t generation_ = 0;  // Settings::custom_generation of `checks_`; 0: none
};

// Of the session's programs.
ExtraCheck extra_check(SessionParts& session, ExtraChecks::Kind kind);

}  // namespace programs
}  // namespace indigo::engine
