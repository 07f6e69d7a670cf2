#include "engine/session/statement_log.h"

#include <array>
#include <cstdio>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>

#include "base/memory/memory_reserve.h"
#include "base/server_log.h"
#include "base/sqlstate.h"
#include "engine/statement/prepared.h"
#include "engine/statement/utility_statement.h"
#include "sql/parse/parse_tree.h"

namespace indigo::engine {

namespace {

using Statements = LogSettings::Statements;

Statements class_of(const Prepared& statement) {
  if (!statement.is_utility()) {
    const bool reads = statement.plan != nullptr && statement.plan->command == sql::CommandKind::kSelect;
    return reads ? Statements::kAll : Statements::kMod;
  }
  const PgQuery__Node* node = statement.parsed->node;
  const UtilityStatement* row = find_utility(node);
  if (row == nullptr) return Statements::kAll;
  if (node->node_case == PG_QUERY__NODE__NODE_TRUNCATE_STMT) return Statements::kMod;
  if (node->node_case == PG_QUERY__NODE__NODE_COPY_STMT) {
    return node->copy_stmt->is_from != 0 ? Statements::kMod : Statements::kAll;
  }
  return row->define != nullptr || row->in_read_only == InReadOnly::kRefused ? Statements::kDdl : Statements::kAll;
}

bool is_word(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80) != 0; }

// The end of the string or quoted name that begins at `at`; both quotes of a doubled one belong to it.
size_t end_of_quoted(std::string_view text, size_t at, bool escapes) {
  const char quote = text[at];
  for (size_t i = at + 1; i < text.size(); i++) {
    if (escapes && text[i] == '\\') {
      i++;
    } else if (text[i] == quote) {
      if (i + 1 == text.size() || text[i + 1] != quote) return i + 1;
      i++;
    }
  }
  return text.size();
}

// The end of the dollar-quoted string at `at`; `at` when there is none.
size_t end_of_dollars(std::string_view text, size_t at) {
  size_t tag = at + 1;
  while (tag < text.size() && is_word(text[tag])) tag++;
  if (tag >= text.size() || text[tag] != '$') return at;
  const std::string_view mark = text.substr(at, tag - at + 1);
  const size_t end = text.find(mark, tag + 1);
  return end == std::string_view::npos ? text.size() : end + mark.size();
}

// So much of a text is written: what a log can show.
constexpr size_t kMostLoggedBytes = 64 * 1024;

std::string shown(std::string_view text) {
  const bool cut = text.size() > kMostLoggedBytes;
  return without_passwords(text.substr(0, kMostLoggedBytes)) + (cut ? "..." : "");
}

void write(LogLevel level, const Error& error) {
  log_message(level, error.message);
  if (!error.detail.empty()) log_addition("DETAIL", error.detail);
  if (!error.hint.empty()) log_addition("HINT", error.hint);
}

}  // namespace

std::string without_passwords(std::string_view text) {
  std::string out;
  bool secret = false;  // the last word was PASSWORD
  size_t i = 0;
  while (i < text.size()) {
    const size_t begin = i;
    const char c = text[i];
    bool string = false;
    if (c == '\'') {
      const bool escapes = begin > 0 && (text[begin - 1] == 'e' || text[begin - 1] == 'E');
      i = end_of_quoted(text, i, escapes);
      string = true;
    } else if (c == '"') {
      i = end_of_quoted(text, i, false);
    } else if (c == '$' && end_of_dollars(text, i) != i) {
      i = end_of_dollars(text, i);
      string = true;
    } else if (is_word(c)) {
      while (i < text.size() && is_word(text[i])) i++;
    } else {
      i++;
    }
    const std::string_view token = text.substr(begin, i - begin);
    if (string && secret) {
      out += "'***'";
    } else {
      out += token;
    }
    const bool prefix = absl::EqualsIgnoreCase({token.data(), token.size()}, "e");
    if (string || (is_word(c) && !(secret && prefix)))
      secret = absl::EqualsIgnoreCase({token.data(), token.size()}, "password");
  }
  return out;
}

void StatementLog::start() { since_ = Clock::now(); }

void StatementLog::write_statement(const Prepared& statement) {
  if (settings_.statements < class_of(statement)) return;
  logged_ = true;
  log_message(LogLevel::kInfo, "statement: " + shown(text_));
}

void StatementLog::write_duration() {
  if (text_.empty() || (settings_.least_duration_ms < 0 && !settings_.durations)) return;
  const std::chrono::duration<double, std::milli> took = Clock::now() - since_;
  const bool slow =
      settings_.least_duration_ms >= 0 && took.count() >= static_cast<double>(settings_.least_duration_ms);
  if (!slow && !settings_.durations) return;
  std::array<char, 64> time{};
  std::snprintf(time.data(), time.size(), "duration: %.3f ms", took.count());
  const bool with_text = slow && !logged_;
  log_message(LogLevel::kInfo, time.data() + (with_text ? "  statement: " + shown(text_) : std::string()));
}

void StatementLog::failed(const Error& error) {
  const MustNotFail scope;
  const bool deadlock = error.state == sqlstate::kDeadlockDetected;  // clients are told to look here
  if (settings_.messages > LogRank::kError && !(deadlock && settings_.messages <= LogRank::kLog)) return;
  write(LogLevel::kError, error);
  if (settings_.error_statements <= LogRank::kError && !text_.empty()) log_addition("STATEMENT", shown(text_));
}

void StatementLog::noticed(Severity severity, const Error& text) {
  if (severity == Severity::kLog && settings_.messages <= LogRank::kLog) {
    write(LogLevel::kInfo, text);
  } else if (severity == Severity::kWarning && settings_.messages <= LogRank::kWarning) {
    write(LogLevel::kWarning, text);
  }
}

}  // namespace indigo::engine
