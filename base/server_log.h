// The server's log: records on stderr, as lines of text (`2026-01-31 12:00:00.123 UTC [4711] LOG:  text`, a text's further lines
// behind a tab), and as lines of JSON or of comma-separated values with the fields of PostgreSQL 15 (log_destination). The
// process has one stderr, so this is process-wide. Never on the point path; a record costs a write. A reader that has stopped
// reading blocks no one: records are dropped. Thread safety: all functions, from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace indigo {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarning, kError, kFatal, kSilent };

// Forms of a record, as bits: it is written once in each that is chosen; in none: not at all.
inline constexpr uint8_t kLogText = 1, kLogCsv = 2, kLogJson = 4;

// Whose record it is. Empty and 0: there is no such thing.
struct LogSource {
  int32_t pid = 0;      // 0: the process's
  uint64_t line = 0;    // its number among the records of this source; 0: it is counted as one of the process's own
  int64_t started = 0;  // seconds since 1970; 0: when the process began
  bool client = false;  // it has a client, and so what follows
  std::string user, database, application;
  std::string remote_host;  // "[local]": a unix socket
  int remote_port = 0;
  std::string activity;             // a command tag, "idle", ...
  std::string virtual_transaction;  // 4/13
  uint64_t transaction = 0;
  std::string_view backend_type;  // empty: the thread's (name_log_thread), "client backend" or "postmaster"
};

struct LogRecord {
  LogLevel level = LogLevel::kInfo;
  std::string_view message;
  std::string_view state = {};  // the SQLSTATE
  std::string_view detail = {}, hint = {}, internal_query = {}, context = {}, statement = {};
  int position = 0, internal_position = 0;  // in `statement` and `internal_query`; 0: none
};

void log_record(const LogRecord& record, const LogSource& source = {});
void log_message(LogLevel level, std::string_view text);
// Records below `level` are dropped. Default kInfo.
void set_log_level(LogLevel level);
LogLevel log_level();
// Default kLogText.
void set_log_forms(uint8_t forms);
namespace log_internal {
inline std::atomic<uint8_t> forms{kLogText};  // relaxed: a late change is harmless
}
inline uint8_t log_forms() { return log_internal::forms.load(std::memory_order_relaxed); }
// What the calling thread's records say as backend_type; a literal.
void name_log_thread(std::string_view backend_type);

inline void log_debug(std::string_view text) { log_message(LogLevel::kDebug, text); }
inline void log_info(std::string_view text) { log_message(LogLevel::kInfo, text); }
inline void log_warning(std::string_view text) { log_message(LogLevel::kWarning, text); }
inline void log_error(std::string_view text) { log_message(LogLevel::kError, text); }

}  // namespace indigo
