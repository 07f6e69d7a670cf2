// A record of the server's log as lines: text, comma-separated values or JSON, as PostgreSQL 15 writes them.
// Thread safety: pure functions.
#pragma once

#include <chrono>
#include <string>

#include "base/server_log.h"

namespace indigo {

using LogTime = std::chrono::system_clock::time_point;

// Each ends with a newline; log_json's has no other, log_csv's have them within quotes. `source` is complete: nothing in it stands
// for the process's.
std::string log_text(const LogRecord& record, const LogSource& source, LogTime now);
std::string log_csv(const LogRecord& record, const LogSource& source, LogTime now);
std::string log_json(const LogRecord& record, const LogSource& source, LogTime now);

}  // namespace indigo
