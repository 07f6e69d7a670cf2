// Gives tokens to the dictionaries of a configuration, also those that read phrases.
// Thread safety: an object belongs to its caller.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "types/textsearch/configuration.h"
#include "types/textsearch/parser/default_parser.h"

namespace indigo::types {

class Lexizer {
 public:
  explicit Lexizer(const TextSearchConfiguration& configuration) : configuration_(configuration) {}

  // The next token; type kNone: there are no more. Each token is followed by next() until that answers none.
  void add(const Token& token) { waiting_.push_back(token); }
  // What a dictionary makes of one token, or of several together. None: no more without a further token.
  Normals next();
  // The tokens that are done with since this was called last, in order: the first of them that the last answer is about.
  std::vector<Token> take_done() { return std::exchange(done_, {}); }

 private:
  std::optional<Normals> first_word();
  std::optional<Normals> following_words();
  void finish(size_t tokens);

  const TextSearchConfiguration& configuration_;
  std::deque<Token> waiting_;
  std::vector<Token> done_;
  size_t step_ = 0;  // of the first token's dictionaries, where to go on
  LexizeState state_;
  // A dictionary that has asked for further words.
  const TextSearchConfiguration::Step* reading_ = nullptr;
  size_t read_ = 0;      // tokens that it has seen
  Normals found_;        // its last answer
  size_t found_at_ = 0;  // the tokens that make it
};

}  // namespace indigo::types
