#include "engine/replication/replication_command.h"

#include <algorithm>

#include "base/name.h"
#include "base/sqlstate.h"
#include "engine/replication/change_stream.h"

namespace indigo::engine::replication {

namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hexadecimal(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

std::string upper(std::string_view word) {
  std::string out(word);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
  return out;
}
std::string lower(std::string_view word) {
  std::string out(word);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  return out;
}

struct CommandToken {
  enum class Kind : uint8_t { kEnd, kWord, kQuotedName, kString, kNumber, kPosition, kSign };
  Kind kind = Kind::kEnd;
  std::string text;
};

class CommandLexer {
 public:
  explicit CommandLexer(std::string_view text) : text_(text) {}

  Result<CommandToken> next() {
    while (at_ < text_.size() && is_space(text_[at_])) at_++;
    if (at_ >= text_.size()) return CommandToken{};
    const char c = text_[at_];
    if (c == '\'' || c == '"') return quoted(c);
    if (is_hexadecimal(c)) {
      if (auto position = position_here()) return *position;
    }
    const size_t begin = at_;
    if (is_letter(c)) {
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '$')) at_++;
      return CommandToken{CommandToken::Kind::kWord, std::string(text_.substr(begin, at_ - begin))};
    }
    if (is_digit(c)) {
      while (at_ < text_.size() && is_digit(text_[at_])) at_++;
      return CommandToken{CommandToken::Kind::kNumber, std::string(text_.substr(begin, at_ - begin))};
    }
    at_++;
    return CommandToken{CommandToken::Kind::kSign, std::string(1, c)};
  }

 private:
  Result<CommandToken> quoted(char quote) {
    CommandToken out{quote == '"' ? CommandToken::Kind::kQuotedName : CommandToken::Kind::kString, {}};
    for (at_++; at_ < text_.size(); at_++) {
      if (text_[at_] == quote) {
        if (at_ + 1 >= text_.size() || text_[at_ + 1] != quote) {
          at_++;
          return out;
        }
        at_++;
      }
      out.text += text_[at_];
    }
    return Error(sqlstate::kSyntaxError, "unterminated quoted string");
  }
  std::optional<CommandToken> position_here() {
    size_t end = at_;
    while (end < text_.size() && is_hexadecimal(text_[end])) end++;
    if (end >= text_.size() || text_[end] != '/') return std::nullopt;
    for (end++; end < text_.size() && is_hexadecimal(text_[end]);) end++;
    CommandToken out{CommandToken::Kind::kPosition, std::string(text_.substr(at_, end - at_))};
    at_ = end;
    return out;
  }

  std::string_view text_;
  size_t at_ = 0;
};

class CommandParser {
 public:
  explicit CommandParser(std::string_view text) : lexer_(text) {}

  Result<ReplicationCommand> run() {
    INDIGO_TRY(advance());
    const std::string word = upper(token_.text);
    INDIGO_TRY(advance());
    if (word == "IDENTIFY_SYSTEM") {
      command_.kind = ReplicationCommand::Kind::kIdentifySystem;
    } else if (word == "READ_REPLICATION_SLOT") {
      command_.kind = ReplicationCommand::Kind::kReadSlot;
      INDIGO_TRY(name(command_.slot));
    } else if (word == "CREATE_REPLICATION_SLOT") {
      INDIGO_TRY(create());
    } else if (word == "DROP_REPLICATION_SLOT") {
      command_.kind = ReplicationCommand::Kind::kDropSlot;
      INDIGO_TRY(name(command_.slot));
      INDIGO_ASSIGN(command_.wait, take("WAIT"));
    } else if (word == "START_REPLICATION") {
      INDIGO_TRY(start());
    } else if (word == "TIMELINE_HISTORY") {
      command_.kind = ReplicationCommand::Kind::kTimelineHistory;
      if (token_.kind != CommandToken::Kind::kNumber) return unexpected();
      INDIGO_TRY(advance());
    } else {
      command_.kind = ReplicationCommand::Kind::kBaseBackup;
      return command_;
    }
    INDIGO_TRY(take_sign(";"));
    if (token_.kind != CommandToken::Kind::kEnd) return unexpected();
    return command_;
  }

 private:
  Status advance() {
    INDIGO_ASSIGN(token_, lexer_.next());
    return {};
  }
  Error unexpected() const {
    if (token_.kind == CommandToken::Kind::kEnd) return Error(sqlstate::kSyntaxError, "syntax error");
    return Error(sqlstate::kSyntaxError, "syntax error at or near \"" + token_.text + "\"");
  }
  Result<bool> take(std::string_view word) {
    if (token_.kind != CommandToken::Kind::kWord || upper(token_.text) != word) return false;
    INDIGO_TRY(advance());
    return true;
  }
  Result<bool> take_sign(std::string_view sign) {
    if (token_.kind != CommandToken::Kind::kSign || token_.text != sign) return false;
    INDIGO_TRY(advance());
    return true;
  }
  Status name(std::string& out) {
    if (token_.kind == CommandToken::Kind::kQuotedName) {
      out = clip_name(token_.text);
    } else if (token_.kind == CommandToken::Kind::kWord) {
      out = clip_name(lower(token_.text));
    } else {
      return unexpected();
    }
    return advance();
  }

  Status create() {
    command_.kind = ReplicationCommand::Kind::kCreateSlot;
    INDIGO_TRY(name(command_.slot));
    INDIGO_ASSIGN(command_.temporary, take("TEMPORARY"));
    INDIGO_ASSIGN(command_.physical, take("PHYSICAL"));
    if (!command_.physical) {
      INDIGO_ASSIGN(const bool logical, take("LOGICAL"));
      if (!logical) return unexpected();
      INDIGO_TRY(name(command_.plugin));
    }
    if (token_.kind == CommandToken::Kind::kSign && token_.text == "(") return options();
    // As it was written before PostgreSQL 15.
    while (token_.kind == CommandToken::Kind::kWord) {
      const std::string word = upper(token_.text);
      if (word == "EXPORT_SNAPSHOT") {
        command_.options.emplace_back("snapshot", "export");
      } else if (word == "NOEXPORT_SNAPSHOT") {
        command_.options.emplace_back("snapshot", "nothing");
      } else if (word == "USE_SNAPSHOT") {
        command_.options.emplace_back("snapshot", "use");
      } else if (word == "TWO_PHASE" || word == "RESERVE_WAL") {
        command_.options.emplace_back(lower(word), std::nullopt);
      } else {
        return unexpected();
      }
      INDIGO_TRY(advance());
    }
    return {};
  }

  Status start() {
    command_.kind = ReplicationCommand::Kind::kStart;
    INDIGO_ASSIGN(const bool has_slot, take("SLOT"));
    if (has_slot) INDIGO_TRY(name(command_.slot));
    INDIGO_ASSIGN(const bool logical, take("LOGICAL"));
    if (!logical) {
      INDIGO_TRY(take("PHYSICAL"));
      command_.physical = true;
    }
    if (token_.kind != CommandToken::Kind::kPosition) return unexpected();
    const auto position = read_position(token_.text);
    if (!position) return Error(sqlstate::kSyntaxError, "invalid streaming start location");
    command_.position = *position;
    INDIGO_TRY(advance());
    if (command_.physical) {
      INDIGO_ASSIGN(const bool timeline, take("TIMELINE"));
      return timeline ? advance() : Status();
    }
    if (token_.kind == CommandToken::Kind::kSign && token_.text == "(") return options();
    return {};
  }

  Status options() {
    INDIGO_TRY(advance());
    for (;;) {
      std::string option;
      INDIGO_TRY(name(option));
      std::optional<std::string> value;
      if (token_.kind != CommandToken::Kind::kSign && token_.kind != CommandToken::Kind::kEnd) {
        value = token_.text;
        INDIGO_TRY(advance());
      }
      command_.options.emplace_back(std::move(option), std::move(value));
      INDIGO_ASSIGN(const bool end, take_sign(")"));
      if (end) return {};
      INDIGO_ASSIGN(const bool more, take_sign(","));
      if (!more) return unexpected();
    }
  }

  CommandLexer lexer_;
  CommandToken token_;
  ReplicationCommand command_;
};

}  // namespace

bool ReplicationCommand::is_one(std::string_view text) {
  auto token = CommandLexer(text).next();
  if (!token.ok() || token->kind != CommandToken::Kind::kWord) return false;
  const std::string word = upper(token->text);
  for (const char* known : {"IDENTIFY_SYSTEM", "READ_REPLICATION_SLOT", "CREATE_REPLICATION_SLOT",
                            "DROP_REPLICATION_SLOT", "START_REPLICATION", "TIMELINE_HISTORY", "BASE_BACKUP"}) {
    if (word == known) return true;
  }
  return false;
}

Result<ReplicationCommand> ReplicationCommand::parse(std::string_view text) { return CommandParser(text).run(); }

}  // namespace indigo::engine::replication
