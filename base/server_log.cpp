#include "base/server_log.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <memory>
#include <mutex>
#include <string>

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include "base/log_lines.h"

namespace indigo {

namespace {

std::atomic<LogLevel> lowest{LogLevel::kInfo};  // relaxed: a late change of level is harmless
std::atomic<uint64_t> process_lines{0};
const int64_t kProcessStart = std::time(nullptr);
thread_local std::string_view thread_type;  // empty: it has no name of its own

std::string in_all_forms(const LogRecord& record, const LogSource& source) {
  const LogTime now = std::chrono::system_clock::now();
  const uint8_t forms = log_forms();
  std::string lines;
  if ((forms & kLogText) != 0) lines += log_text(record, source, now);
  if ((forms & kLogCsv) != 0) lines += log_csv(record, source, now);
  if ((forms & kLogJson) != 0) lines += log_json(record, source, now);
  return lines;
}

// What of the source stands for the process's.
LogSource completed(const LogSource& source) {
  LogSource out = source;
  if (out.started == 0) out.started = kProcessStart;
  if (out.line == 0) out.line = process_lines.fetch_add(1, std::memory_order_relaxed) + 1;
  if (out.pid == 0) out.pid = getpid();
  if (out.backend_type.empty()) out.backend_type = thread_type;
  if (out.backend_type.empty()) out.backend_type = out.client ? "client backend" : "postmaster";
  return out;
}

// No thread waits for the reader of the log: what a full pipe does not take is dropped, and counted by the next record.
class StderrSink final : public spdlog::sinks::base_sink<std::mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    std::string_view rest(line.data(), line.size());
    if (dropped_ > 0) {
      // What was cut within a line gets its end, so that the note is a line of its own.
      const std::string text = std::to_string(dropped_) + " lines of the log were dropped: nobody read it";
      const std::string note = (cut_ ? "\n" : "") + in_all_forms({.message = text}, completed({}));
      if (write_some(note) != note.size()) return drop();
      dropped_ = 0;
      cut_ = false;
    }
    while (!rest.empty()) {
      const size_t written = write_some(rest);
      if (written == 0) {
        cut_ = cut_ || rest.size() != line.size();
        return drop();
      }
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
  bool cut_ = false;  // the last of what was written was a part of a line
};

spdlog::logger& logger() {
  static spdlog::logger instance = [] {
    spdlog::logger made("indigo", std::make_shared<StderrSink>());
    made.set_formatter(std::make_unique<spdlog::pattern_formatter>("%v", spdlog::pattern_time_type::utc, ""));
    made.set_level(spdlog::level::trace);
    return made;
  }();
  return instance;
}

}  // namespace

void log_record(const LogRecord& record, const LogSource& source) {
  if (record.level < lowest.load(std::memory_order_relaxed)) return;
  const std::string lines = in_all_forms(record, completed(source));
  if (!lines.empty()) logger().log(spdlog::level::info, spdlog::string_view_t(lines.data(), lines.size()));
}

void log_message(LogLevel level, std::string_view text) { log_record({.level = level, .message = text}); }

void set_log_level(LogLevel level) { lowest.store(level, std::memory_order_relaxed); }
LogLevel log_level() { return lowest.load(std::memory_order_relaxed); }
void set_log_forms(uint8_t forms) { log_internal::forms.store(forms, std::memory_order_relaxed); }
void name_log_thread(std::string_view backend_type) { thread_type = backend_type; }

}  // namespace indigo
