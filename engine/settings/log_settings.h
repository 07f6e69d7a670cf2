// What of a session's work is written to the server's log.
// Thread safety: values.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/row_sink.h"

namespace indigo::engine {

// As PostgreSQL orders messages for its log: a LOG line is more than an error, and less than the end of a session.
enum class LogRank : uint8_t { kDebug, kInfo, kNotice, kWarning, kError, kLog, kFatal, kPanic };

struct LogSettings {
  enum class Statements : uint8_t { kNone, kDdl, kMod, kAll };

  Statements statements = Statements::kNone;
  int64_t least_duration_ms = -1;  // log_min_duration_statement; -1: none
  bool durations = false;          // log_duration
  LogRank messages = LogRank::kLog;
  LogRank error_statements = LogRank::kError;
  bool any = false;  // statements or their durations may be written
};

inline LogRank log_rank(std::string_view name) {
  if (name.starts_with("debug")) return LogRank::kDebug;
  if (name == "info") return LogRank::kInfo;
  if (name == "notice") return LogRank::kNotice;
  if (name == "warning") return LogRank::kWarning;
  if (name == "error") return LogRank::kError;
  if (name == "log") return LogRank::kLog;
  return name == "fatal" ? LogRank::kFatal : LogRank::kPanic;
}

// As the levels of messages are called in settings.
inline Severity severity_named(std::string_view name) {
  if (name.starts_with("debug")) return Severity::kDebug;
  if (name == "log") return Severity::kLog;
  if (name == "notice") return Severity::kNotice;
  if (name == "error") return Severity::kError;
  return name == "info" ? Severity::kInfo : Severity::kWarning;
}

}  // namespace indigo::engine
