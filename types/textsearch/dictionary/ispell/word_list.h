// The words of a spelling dictionary, with their flags, as a tree of bytes.
// Thread safety: immutable once made.
#pragma once

#include <string>
#include <vector>

#include "types/textsearch/dictionary/ispell/flags.h"

namespace indigo::types::ispell {

class WordList {
 public:
  // Lines "word/flags".
  static Result<WordList> read(const std::vector<std::string>& lines, const Flags& flags);

  // Is it a word that takes the affix with this flag (empty: any), in this part of a compound (0: in none)?
  bool contains(const Flags& flags, Str word, Str flag, Compound part) const;
  // Does any word take the affix?
  bool uses(const Flags& flags, Str flag) const;

  // A place in the tree: the words that begin with the same `depth` bytes.
  struct Node {
    size_t first, end, depth;
  };
  Node root() const { return {0, words_.size(), 0}; }
  // False: no word goes on with this byte.
  bool step(Node& node, char c) const;
  // The parts that the word which ends here may have in a compound; 0: none ends here.
  Compound compound_at(const Node& node) const;

 private:
  struct Word {
    std::string text, flags;
    Compound compound = 0;
  };
  std::vector<Word> words_;  // ascending, each once
  std::vector<std::string> sets_;
};

}  // namespace indigo::types::ispell
