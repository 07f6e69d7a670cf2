#include "base/server_log.h"

#include <atomic>
#include <memory>

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace indigo {

namespace {

std::atomic<LogLevel> lowest{LogLevel::kInfo};  // relaxed: a late change of level harms nobody

spdlog::logger& logger() {
  static spdlog::logger instance = [] {
    spdlog::logger made("indigo", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made.set_formatter(std::make_unique<spdlog::pattern_formatter>("%Y-%m-%d %H:%M:%S.%e UTC [%P] %v",
                                                                   spdlog::pattern_time_type::utc));
    made.set_level(spdlog::level::trace);
    return made;
  }();
  return instance;
}

std::string_view prefix(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return "DEBUG:  ";
    case LogLevel::kInfo: return "LOG:  ";
    case LogLevel::kWarning: return "WARNING:  ";
    case LogLevel::kError: return "ERROR:  ";
    case LogLevel::kFatal:
    case LogLevel::kSilent: return "FATAL:  ";
  }
  return "";
}

}  // namespace

void log_message(LogLevel level, std::string_view text) {
  if (level < lowest.load(std::memory_order_relaxed)) return;
  logger().log(spdlog::level::info, "{}{}", prefix(level), text);
}

void set_log_level(LogLevel level) { lowest.store(level, std::memory_order_relaxed); }
LogLevel log_level() { return lowest.load(std::memory_order_relaxed); }

}  // namespace indigo
