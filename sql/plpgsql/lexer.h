// Tokens of a PL/pgSQL function's text: enough to find statements, names and the ends of SQL fragments.
// Thread safety: none; one parse.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace indigo::sql::plpgsql {

enum class TokenKind : uint8_t {
  kWord,    // an identifier or keyword, in lower case
  kQuoted,  // "identifier"
  kString,  // '...', E'...', $$...$$: `text` is its value
  kNumber,
  kParameter,  // $1
  kSymbol,     // punctuation and operators: := => .. << >> ; , . ( ) [ ] and single characters
  kEnd
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;
  int begin = 0, end = 0;  // bytes of the source
  int line = 1;
  bool is(std::string_view word) const {
    return (kind == TokenKind::kWord || kind == TokenKind::kSymbol) && text == word;
  }
  bool is_name() const { return kind == TokenKind::kWord || kind == TokenKind::kQuoted; }
};

// All tokens, kEnd last. 42601 for what is never closed.
Result<std::vector<Token>> tokenize(std::string_view source);

}  // namespace indigo::sql::plpgsql
