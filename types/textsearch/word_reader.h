// Reads one word of a tsvector's or tsquery's text: quoted or bare, with backslashes, and a tsvector's places after it.
// Thread safety: an object belongs to its caller.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "types/function/context.h"
#include "types/value/datum.h"

namespace indigo::types {

class WordReader {
 public:
  enum class Syntax : uint8_t { kVector, kQuery };
  WordReader(FuncContext& context, Str text, Syntax syntax) : context_(context), text_(text), syntax_(syntax) {}

  // False at the text's end, or with an error in the context.
  bool read(std::string& word, std::vector<uint16_t>& places);
  size_t at() const { return at_; }
  void move_to(size_t at) { at_ = at; }

 private:
  bool fail_syntax();
  bool escaped(std::string& word);
  bool quoted(std::string& word);
  bool bare(std::string& word);
  bool read_places(std::vector<uint16_t>& places);
  bool at_end() const { return at_ == text_.size(); }
  void copy_character(std::string& word);

  FuncContext& context_;
  Str text_;
  Syntax syntax_;
  size_t at_ = 0;
};

}  // namespace indigo::types
