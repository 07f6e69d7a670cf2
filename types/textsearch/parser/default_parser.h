// The default parser: cuts a text into tokens, blanks included, so that they make up the whole text. Letters are what the
// C locale says: beyond ASCII every character is one.
// Thread safety: an object belongs to its caller.
#pragma once

#include <optional>
#include <vector>

#include "types/textsearch/parser/token_states.h"
#include "types/value/datum.h"

namespace indigo::types {

struct Token {
  TokenType type = TokenType::kNone;
  Str text;
};

class DefaultParser {
 public:
  explicit DefaultParser(Str text, TokenState state = TokenState::kStart) : text_(text), at_{state} {}

  // The next token; none at the text's end.
  std::optional<Token> next();

 private:
  static constexpr size_t kNoAttempt = SIZE_MAX;
  struct Position {
    TokenState state = TokenState::kStart;
    size_t byte = 0, token_bytes = 0, token_characters = 0;
    size_t character_bytes = 0;
    size_t attempted = kNoAttempt;  // the rule that was tried from here; kNoAttempt: none
  };

  size_t character_bytes() const;
  bool test(const TokenRule& rule);
  bool host_ahead();
  bool url_path_ahead();
  bool take(DefaultParser& ahead, TokenType wanted);
  void note_tag();
  void move(TokenAction action);

  Str text_;
  Position at_;
  std::vector<Position> attempts_;  // innermost last
  size_t token_begin_ = 0, token_bytes_ = 0, token_characters_ = 0;
  bool ignored_ = false;      // between <script> or <style> and its end
  bool host_wanted_ = false;  // the next token is a URL's host
};

}  // namespace indigo::types
