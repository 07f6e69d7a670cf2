// What a session writes to the server's log of its statements: which ones (log_statement), how long they took
// (log_min_duration_statement, log_duration), and what went wrong (log_min_messages, log_min_error_statement). Passwords in
// statements are not written.
// Thread safety: none; belongs to a session.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/fiber/wait_point.h"
#include "engine/row_sink.h"
#include "engine/settings/log_settings.h"

namespace indigo::engine {

struct Prepared;

class StatementLog {
 public:
  explicit StatementLog(const LogSettings& settings) : settings_(settings) {}

  // A message with a text, which stays until ended(). Its statements are logged once.
  void began(std::string_view text) {
    text_ = text;
    logged_ = false;
    if (settings_.any) start();
  }
  // A statement of it is about to run.
  void runs(const Prepared& statement) {
    if (settings_.statements != LogSettings::Statements::kNone && !logged_) write_statement(statement);
  }
  void failed(const Error& error);
  void noticed(Severity severity, const Error& text);
  // Its time is over; nothing when it was not begun.
  void ended() {
    if (settings_.any) write_duration();
    text_ = {};
  }

 private:
  void start();
  void write_statement(const Prepared& statement);
  void write_duration();

  const LogSettings& settings_;
  std::string_view text_;
  bool logged_ = false;
  Deadline since_{};
};

// The text with *** in the place of each string that follows the word PASSWORD.
std::string without_passwords(std::string_view text);

}  // namespace indigo::engine
