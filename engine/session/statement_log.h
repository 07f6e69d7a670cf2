// What a session writes to the server's log of its statements: which ones (log_statement), how long they took
// (log_min_duration_statement, log_duration), and what went wrong (log_min_messages, log_min_error_statement). Passwords in
// statements are not written.
// Thread safety: none; belongs to a session.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/fiber/wait_point.h"
#include "base/server_log.h"
#include "engine/row_sink.h"
#include "engine/settings/log_settings.h"

namespace indigo::engine {

struct Prepared;
struct SessionActivity;
class TransactionBlock;

// Whether the log repeats the statement behind a message of its own.
enum class StatementShown : uint8_t { kYes, kNo };

class StatementLog {
 public:
  StatementLog(const LogSettings& settings, SessionActivity& session, const TransactionBlock& block)
      : settings_(settings), session_(session), block_(block) {}

  // A message with a text, which stays until ended(). Its statements are logged once.
  void began(std::string_view text) {
    text_ = text;
    logged_ = false;
    tag_.clear();
    if (settings_.any) start();
  }
  // A statement of it is about to run.
  void runs(const Prepared& statement) {
    if (settings_.statements != LogSettings::Statements::kNone && !logged_) write_statement(statement);
    if (log_forms() > kLogText) note_tag(statement);
  }
  void failed(const Error& error);
  void noticed(Severity severity, const Error& text, StatementShown shown);
  // Its time is over; nothing when it was not begun.
  void ended() {
    if (settings_.any) write_duration();
    text_ = {};
  }

 private:
  void start();
  void note_tag(const Prepared& statement);
  void write(LogLevel level, const Error& error, std::string_view message, StatementShown shown = StatementShown::kYes);
  void write(std::string_view text);
  void write_statement(const Prepared& statement);
  void write_duration();

  const LogSettings& settings_;
  SessionActivity& session_;
  const TransactionBlock& block_;
  std::string_view text_;
  std::string tag_;  // of the statement that runs, where the log shows it
  bool logged_ = false;
  Deadline since_{};
};

// The text with *** in the place of each string that follows the word PASSWORD.
std::string without_passwords(std::string_view text);

}  // namespace indigo::engine
