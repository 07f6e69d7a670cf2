#include "sql/plpgsql/lexer.h"

#include "base/name.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/text/ascii.h"

namespace indigo::sql::plpgsql {

namespace {

bool is_name_start(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}
bool is_digit(unsigned char c) { return c >= '0' && c <= '9'; }
bool is_name_part(unsigned char c) { return is_name_start(c) || is_digit(c) || c == '$'; }

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  Result<std::vector<Token>> run() {
    for (;;) {
      INDIGO_TRY(skip_blanks());
      Token token;
      token.begin = static_cast<int>(at_);
      token.line = line_;
      if (at_ >= source_.size()) {
        token.end = token.begin;
        tokens_.push_back(std::move(token));
        return std::move(tokens_);
      }
      INDIGO_TRY(read(token));
      token.end = static_cast<int>(at_);
      for (size_t i = static_cast<size_t>(token.begin); i < at_; i++) line_ += source_[i] == '\n';
      tokens_.push_back(std::move(token));
    }
  }

 private:
  unsigned char peek(size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? static_cast<unsigned char>(source_[at_ + ahead]) : '\0';
  }

  Status skip_blanks() {
    while (at_ < source_.size()) {
      const unsigned char c = peek();
      if (c == '\n') line_++;
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
        at_++;
      } else if (c == '-' && peek(1) == '-') {
        while (at_ < source_.size() && peek() != '\n') at_++;
      } else if (c == '/' && peek(1) == '*') {
        INDIGO_TRY(skip_comment());
      } else {
        break;
      }
    }
    return {};
  }

  Status skip_comment() {
    int depth = 0;
    do {
      if (at_ >= source_.size()) return Error(sqlstate::kSyntaxError, "unterminated /* comment");
      if (peek() == '/' && peek(1) == '*') {
        depth++;
        at_ += 2;
      } else if (peek() == '*' && peek(1) == '/') {
        depth--;
        at_ += 2;
      } else {
        line_ += peek() == '\n';
        at_++;
      }
    } while (depth > 0);
    return {};
  }

  Status read(Token& token) {
    const unsigned char c = peek();
    if ((c == 'e' || c == 'E' || c == 'b' || c == 'B' || c == 'x' || c == 'X' || c == 'n' || c == 'N') &&
        peek(1) == '\'') {
      at_++;
      return quoted_string(token, c == 'e' || c == 'E');
    }
    if (c == '\'') return quoted_string(token, false);
    if (c == '"') return quoted_name(token);
    if (c == '$') return dollar(token);
    if (is_name_start(c)) {
      token.kind = TokenKind::kWord;
      while (is_name_part(peek())) {
        const auto ch = static_cast<char>(peek());
        token.text.push_back(ch >= 'A' && ch <= 'Z' ? static_cast<char>(ch + 32) : ch);
        at_++;
      }
      token.text.resize(clip_name(token.text).size());
      return {};
    }
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number(token);
    token.kind = TokenKind::kSymbol;
    for (const std::string_view two : {":=", "=>", "..", "<<", ">>", "::", "<=", ">=", "<>", "!=", "||"}) {
      if (source_.substr(at_, 2) != two) continue;
      token.text = two;
      at_ += 2;
      return {};
    }
    token.text.push_back(static_cast<char>(c));
    at_++;
    return {};
  }

  Status number(Token& token) {
    token.kind = TokenKind::kNumber;
    const size_t from = at_;
    while (is_digit(peek())) at_++;
    if (peek() == '.' && peek(1) != '.') {  // 1..10 is a range
      at_++;
      while (is_digit(peek())) at_++;
    }
    if ((peek() == 'e' || peek() == 'E') &&
        (is_digit(peek(1)) || ((peek(1) == '+' || peek(1) == '-') && is_digit(peek(2))))) {
      at_ += 2;
      while (is_digit(peek())) at_++;
    }
    token.text = source_.substr(from, at_ - from);
    return {};
  }

  Status quoted_name(Token& token) {
    token.kind = TokenKind::kQuoted;
    for (at_++; at_ < source_.size(); at_++) {
      if (peek() != '"') {
        token.text.push_back(source_[at_]);
      } else if (peek(1) == '"') {
        token.text.push_back('"');
        at_++;
      } else {
        at_++;
        token.text.resize(clip_name(token.text).size());
        return {};
      }
    }
    return Error(sqlstate::kSyntaxError, "unterminated quoted identifier");
  }

  // \101, \x41, \u0041, \U00000041, behind the backslash: leaves at_ at the last digit.
  bool coded(std::string& out) {
    const char kind = source_[at_];
    const bool octal = kind >= '0' && kind <= '7';
    const size_t most = octal ? 3 : kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
    const size_t from = at_ + (octal ? 0 : 1);
    uint32_t value = 0;
    size_t n = 0;
    for (; n < most && from + n < source_.size(); n++) {
      const int digit = types::hex_value(source_[from + n]);
      if (digit < 0 || (octal && digit > 7)) break;
      value = value * (octal ? 8 : 16) + static_cast<uint32_t>(digit);
    }
    if (n == 0 || (most >= 4 && (n < most || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)))) return false;
    at_ = from + n - 1;
    if (most >= 4) {
      utf8_append(value, out);
    } else {
      out.push_back(static_cast<char>(value));
    }
    return true;
  }

  // Where the quote is that goes on with a string that ends before `at`: blanks with a line's end between them. 0: none.
  size_t continuation(size_t at) const {
    bool line_ended = false;
    for (; at < source_.size(); at++) {
      const char c = source_[at];
      if (c == '-' && at + 1 < source_.size() && source_[at + 1] == '-') {
        at = source_.find('\n', at);
        if (at == std::string_view::npos) return 0;
        line_ended = true;
      } else if (c == '\n' || c == '\r') {
        line_ended = true;
      } else if (c != ' ' && c != '\t' && c != '\f' && c != '\v') {
        return c == '\'' && line_ended ? at : 0;
      }
    }
    return 0;
  }

  Status quoted_string(Token& token, bool escapes) {
    token.kind = TokenKind::kString;
    for (at_++; at_ < source_.size(); at_++) {
      const char c = source_[at_];
      if (c == '\'' && peek(1) == '\'') {
        token.text.push_back('\'');
        at_++;
      } else if (c == '\'') {
        const size_t next = continuation(at_ + 1);
        if (next == 0) {
          at_++;
          return check_client_text(token.text);  // escapes may have made bytes that are no text
        }
        at_ = next;
      } else if (c == '\\' && escapes && at_ + 1 < source_.size()) {
        at_++;
        if (coded(token.text)) continue;
        switch (source_[at_]) {
          case 'n': token.text.push_back('\n'); break;
          case 't': token.text.push_back('\t'); break;
          case 'r': token.text.push_back('\r'); break;
          case 'b': token.text.push_back('\b'); break;
          case 'f': token.text.push_back('\f'); break;
          default: token.text.push_back(source_[at_]); break;
        }
      } else {
        token.text.push_back(c);
      }
    }
    return Error(sqlstate::kSyntaxError, "unterminated quoted string");
  }

  // $1, $$text$$ or $tag$text$tag$.
  Status dollar(Token& token) {
    if (is_digit(peek(1))) {
      token.kind = TokenKind::kParameter;
      const size_t from = at_++;
      while (is_digit(peek())) at_++;
      token.text = source_.substr(from, at_ - from);
      return {};
    }
    size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != '$' && is_name_part(static_cast<unsigned char>(source_[end]))) end++;
    if (end >= source_.size() || source_[end] != '$') {
      token.kind = TokenKind::kSymbol;
      token.text = "$";
      at_++;
      return {};
    }
    const std::string_view tag = source_.substr(at_, end + 1 - at_);
    const size_t close = source_.find(tag, end + 1);
    if (close == std::string_view::npos) return Error(sqlstate::kSyntaxError, "unterminated dollar-quoted string");
    token.kind = TokenKind::kString;
    token.text = source_.substr(end + 1, close - end - 1);
    at_ = close + tag.size();
    return {};
  }

  const std::string_view source_;
  size_t at_ = 0;
  int line_ = 1;
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view source) { return Lexer(source).run(); }

}  // namespace indigo::sql::plpgsql
