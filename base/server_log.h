// The server's log: lines on stderr, `2026-01-31 12:00:00.123 UTC [4711] LOG:  text`, a text's further lines behind a tab. The
// process has one stderr, so this is process-wide. Never on the point path; a line costs a write. A reader that has stopped
// reading blocks no one: lines are dropped. Thread safety: all functions, from any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace indigo {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarning, kError, kFatal, kSilent };

void log_message(LogLevel level, std::string_view text);
// What belongs to the message before it: "DETAIL", "HINT", "STATEMENT".
void log_addition(std::string_view label, std::string_view text);
// Lines below `level` are dropped. Default kInfo.
void set_log_level(LogLevel level);
LogLevel log_level();

inline void log_debug(std::string_view text) { log_message(LogLevel::kDebug, text); }
inline void log_info(std::string_view text) { log_message(LogLevel::kInfo, text); }
inline void log_warning(std::string_view text) { log_message(LogLevel::kWarning, text); }
inline void log_error(std::string_view text) { log_message(LogLevel::kError, text); }

}  // namespace indigo
