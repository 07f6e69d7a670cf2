#include "base/server_log.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

namespace indigo {

namespace {

std::atomic<LogLevel> lowest{LogLevel::kInfo};  // relaxed: a late change of level is harmless

// No thread waits for the reader of the log: what a full pipe does not take is dropped, and counted by the next line.
class StderrSink final : public spdlog::sinks::base_sink<std::mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    std::string_view rest(line.data(), line.size());
    if (dropped_ > 0) {
      const std::string note = "(" + std::to_string(dropped_) + " lines of the log were dropped: nobody read it)\n";
      if (write_some(note) != note.size()) return drop();
      dropped_ = 0;
    }
    while (!rest.empty()) {
      const size_t written = write_some(rest);
      if (written == 0) return drop();
      rest.remove_prefix(written);
    }
  }
  void flush_() override {}

 private:
  // A pipe that poll() calls writable takes so much at once.
  static constexpr size_t kPieceBytes = 4096;

  void drop() { dropped_++; }
  static size_t write_some(std::string_view bytes) {
    pollfd stderr_now{STDERR_FILENO, POLLOUT, 0};
    if (poll(&stderr_now, 1, 0) != 1 || (stderr_now.revents & POLLOUT) == 0) return 0;
    const ssize_t written = write(STDERR_FILENO, bytes.data(), std::min(bytes.size(), kPieceBytes));
    return written < 0 ? 0 : static_cast<size_t>(written);
  }

  uint64_t dropped_ = 0;
};

spdlog::logger& logger() {
  static spdlog::logger instance = [] {
    spdlog::logger made("indigo", std::make_shared<StderrSink>());
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

// A text of several lines must not look like several messages: its other lines begin with a tab, as in PostgreSQL's log.
std::string indented(std::string_view text) {
  std::string lines;
  lines.reserve(text.size());
  for (const char c : text) {
    lines += c;
    if (c == '\n') lines += '\t';
  }
  return lines;
}

}  // namespace

void log_message(LogLevel level, std::string_view text) {
  if (level < lowest.load(std::memory_order_relaxed)) return;
  logger().log(spdlog::level::info, "{}{}", prefix(level), indented(text));
}

void log_addition(std::string_view label, std::string_view text) {
  logger().log(spdlog::level::info, "{}:  {}", label, indented(text));
}

void set_log_level(LogLevel level) { lowest.store(level, std::memory_order_relaxed); }
LogLevel log_level() { return lowest.load(std::memory_order_relaxed); }

}  // namespace indigo
