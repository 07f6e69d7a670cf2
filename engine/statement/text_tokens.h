// The lexical parts of a statement's text, as far as who looks for a word in it must know them.
// Thread safety: pure function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace indigo::engine {

struct Token {
  enum class Kind : uint8_t { kWord, kName, kString, kDollars, kComment, kOther };
  Kind kind;
  size_t end;
  bool escapes = false;  // a string in which a backslash escapes
};

// The end of the string or quoted name that begins at `at`; both quotes of a doubled one belong to it.
size_t end_of_quoted(std::string_view text, size_t at, bool escapes);

// The one that begins at `at`.
Token next_token(std::string_view text, size_t at);

}  // namespace indigo::engine
