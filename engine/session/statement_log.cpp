#include "engine/session/statement_log.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include <absl/cleanup/cleanup.h>
#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_replace.h>

#include "base/memory/memory_reserve.h"
#include "base/server_log.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "engine/session/session_log.h"
#include "engine/statement/prepared.h"
#include "engine/statement/text_tokens.h"
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

bool equals(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase({a.data(), a.size()}, {b.data(), b.size()});
}
bool is_password(std::string_view word) { return equals(word, "password"); }
// E'...', U&'...'
bool is_string_prefix(std::string_view word) { return equals(word, "e") || equals(word, "u"); }

// Where in `text` a secret begins behind `at` and how long it is; nothing when there is none.
struct Place {
  size_t begin, length;
};

// libpq's password=secret and sslpassword = 'secret'.
std::optional<Place> secret_of_options(std::string_view text, size_t at) {
  constexpr std::string_view kPassword = "password", kSpaces = " \t\n\r";
  for (; at + kPassword.size() < text.size(); at++) {
    if (!is_password(text.substr(at, kPassword.size()))) continue;
    const size_t equal = text.find_first_not_of(kSpaces, at + kPassword.size());
    if (equal == std::string_view::npos || text[equal] != '=') continue;
    const size_t begin = text.find_first_not_of(kSpaces, equal + 1);
    if (begin == std::string_view::npos) return std::nullopt;
    const size_t end = text[begin] == '\'' ? end_of_quoted(text, begin, true)
                                           : std::min(text.find_first_of(" \t\n\r'&", begin), text.size());
    return Place{begin, end - begin};
  }
  return std::nullopt;
}

// postgresql://user:secret@host
std::optional<Place> secret_of_address(std::string_view text, size_t at) {
  while ((at = text.find("://", at)) != std::string_view::npos) {
    at += 3;
    const size_t host = text.find_first_of("@/ \t\n", at), colon = text.find(':', at);
    if (host != std::string_view::npos && text[host] == '@' && colon < host) return Place{colon + 1, host - colon - 1};
  }
  return std::nullopt;
}

// Strings within strings are looked into so deep; beyond, nothing of them is shown.
constexpr size_t kMostDepth = 8;

std::string masked(std::string_view text, size_t depth);

// Connection strings of the value of a string, which may be a statement, too.
std::string masked_value(std::string_view value, size_t depth) {
  if (depth == kMostDepth) return "***";
  std::string out(value);
  for (const auto find : {secret_of_options, secret_of_address}) {
    size_t at = 0;
    while (const auto secret = find(out, at)) {
      out.replace(secret->begin, secret->length, "***");
      at = secret->begin + 3;
    }
  }
  return masked(out, depth + 1);
}

bool may_have_secrets(std::string_view text) {
  constexpr std::string_view kPassword = "password";
  const auto same = [](char a, char b) { return absl::ascii_tolower(static_cast<unsigned char>(a)) == b; };
  return std::search(text.begin(), text.end(), kPassword.begin(), kPassword.end(), same) != text.end() ||
         text.find("://") != std::string_view::npos;
}

// A string with its quotes. Within escapes no secrets are looked for: all of it is one.
std::string masked_string(std::string_view quoted, bool escapes, size_t depth) {
  if (!may_have_secrets(quoted)) return std::string(quoted);
  if (escapes) return "'***'";
  const bool closed = quoted.size() > 1 && quoted.back() == '\'';
  const std::string_view inner = quoted.substr(1, quoted.size() - (closed ? 2 : 1));
  const std::string value = masked_value(absl::StrReplaceAll({inner.data(), inner.size()}, {{"''", "'"}}), depth);
  return "'" + absl::StrReplaceAll(value, {{"'", "''"}}) + (closed ? "'" : "");
}

std::string masked_dollars(std::string_view quoted, size_t depth) {
  if (!may_have_secrets(quoted)) return std::string(quoted);
  const size_t mark = quoted.find('$', 1) + 1;
  const bool closed = quoted.size() >= 2 * mark && quoted.ends_with(quoted.substr(0, mark));
  const std::string_view inner = quoted.substr(mark, quoted.size() - (closed ? 2 : 1) * mark);
  return std::string(quoted.substr(0, mark)) + masked_value(inner, depth) +
         (closed ? std::string(quoted.substr(0, mark)) : std::string());
}

std::string masked(std::string_view text, size_t depth) {
  std::string out;
  bool secret = false;  // PASSWORD stands before, or a part of a string that it stands before
  for (size_t i = 0; i < text.size();) {
    const Token token = next_token(text, i);
    const std::string_view words = text.substr(i, token.end - i);
    switch (token.kind) {
      case Token::Kind::kString: secret ? out += "'***'" : out += masked_string(words, token.escapes, depth); break;
      case Token::Kind::kDollars: secret ? out += "'***'" : out += masked_dollars(words, depth); break;
      case Token::Kind::kWord:
        out += words;
        secret = is_password(words) || (secret && is_string_prefix(words));
        break;
      case Token::Kind::kName:
        out += words;
        secret = is_password(words.substr(1, words.size() - std::min<size_t>(words.size(), 2)));
        break;
      case Token::Kind::kOther:
        out += words;
        secret = secret && words != "," && words != ";" && words != ")";
        break;
      case Token::Kind::kComment: out += words; break;
    }
    i = token.end;
  }
  return out;
}

// So much of a text is written: what a log can show.
constexpr size_t kMostLoggedBytes = 64 * 1024;

std::string shown(std::string_view text) {
  const bool cut = text.size() > kMostLoggedBytes;
  return without_passwords(utf8_clip(text, kMostLoggedBytes)) + (cut ? "..." : "");
}

// The lines that say where a program is: their quotes are not those of SQL, so nothing is shown of what may be secret.
std::string shown_context(const std::string& context) { return may_have_secrets(context) ? "***" : context; }

}  // namespace

std::string without_passwords(std::string_view text) { return masked(text, 0); }

void StatementLog::start() { since_ = Clock::now(); }

void StatementLog::write_statement(const Prepared& statement) {
  if (settings_.statements < class_of(statement)) return;
  logged_ = true;
  write("statement: " + shown(text_));
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
  write(time.data() + (with_text ? "  statement: " + shown(text_) : std::string()));
}

// Durations are written of what has ended well.
void StatementLog::failed(const Error& error) {
  const MustNotFail scope;
  const absl::Cleanup forget = [this] { text_ = {}; };
  const bool deadlock = error.state == sqlstate::kDeadlockDetected;  // clients are told to look here
  if (settings_.messages > LogRank::kError && !(deadlock && settings_.messages <= LogRank::kLog)) return;
  // What the parser has stopped at may be a part of a password.
  const bool secret =
      error.state == sqlstate::kSyntaxError && (may_have_secrets(text_) || may_have_secrets(error.internal_query));
  const size_t near = secret ? error.message.find(" at or near \"") : std::string::npos;
  write(LogLevel::kError, error, std::string_view(error.message).substr(0, near));
}

void StatementLog::noticed(Severity severity, const Error& text, StatementShown with_statement) {
  if (severity == Severity::kLog && settings_.messages <= LogRank::kLog) {
    // What does not show the statement for itself has it in its text.
    const bool repeated = with_statement == StatementShown::kNo;
    write(LogLevel::kInfo, text, repeated ? shown(text.message) : text.message, with_statement);
  } else if (severity == Severity::kWarning && settings_.messages <= LogRank::kWarning) {
    write(LogLevel::kWarning, text, text.message);
  }
}

void StatementLog::note_tag(const Prepared& statement) {
  const PgQuery__Node* node = statement.parsed == nullptr ? nullptr : statement.parsed->node;
  if (statement.is_utility()) {
    tag_ = node == nullptr ? "" : statement_name(node);
    return;
  }
  switch (statement.plan == nullptr ? sql::CommandKind::kSelect : statement.plan->command) {
    case sql::CommandKind::kSelect: tag_ = "SELECT"; break;
    case sql::CommandKind::kInsert: tag_ = "INSERT"; break;
    case sql::CommandKind::kUpdate: tag_ = "UPDATE"; break;
    case sql::CommandKind::kDelete: tag_ = "DELETE"; break;
    case sql::CommandKind::kMerge: tag_ = "MERGE"; break;
  }
}

// A notice's text has no state of its own: what RAISE has not named is 00000, which the log leaves out.
void StatementLog::write(LogLevel level, const Error& error, std::string_view message, StatementShown statement_shown) {
  const bool with_statement = statement_shown == StatementShown::kYes && !text_.empty() &&
                              (level == LogLevel::kWarning ? settings_.error_statements <= LogRank::kWarning
                                                           : settings_.error_statements <= LogRank::kError);
  const std::string statement = with_statement ? shown(text_) : std::string();
  const std::string query = without_passwords(error.internal_query), context = shown_context(error.where);
  const bool whole = message.size() == error.message.size();  // else what it names may be secret
  const bool successful = error.state == SqlState("00000");
  log_record({.level = level,
              .message = message,
              .state = successful ? std::string_view() : error.state.text(),
              .detail = whole ? std::string_view(error.detail) : std::string_view(),
              .hint = whole ? std::string_view(error.hint) : std::string_view(),
              .internal_query = query,
              .context = context,
              .statement = statement,
              .position = error.position,
              .internal_position = error.internal_position},
             log_source(session_, block_, tag_.empty() ? "idle" : std::string_view(tag_)));
}

void StatementLog::write(std::string_view text) {
  log_record({.message = text}, log_source(session_, block_, tag_.empty() ? "idle" : std::string_view(tag_)));
}

}  // namespace indigo::engine
