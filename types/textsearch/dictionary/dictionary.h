// Dictionaries: what turns a token into lexemes, drops it as a stop word, or does not know it.
// Thread safety: immutable once made; lexize() may run on any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "types/value/datum.h"

namespace indigo::types {

struct Normal {
  std::string word;
  uint16_t variant = 0;       // those of one variant are to be found together
  bool add_position = false;  // stands one place behind what is before it
  bool prefix = false;
  bool filter = false;  // not the answer: what the next dictionaries are asked instead
};
// None: an unknown word. Empty: a stop word.
using Normals = std::optional<std::vector<Normal>>;

// Of a phrase that a dictionary reads word by word.
struct LexizeState {
  bool at_end = false;      // there are no more words
  bool wants_next = false;  // set by the dictionary: it would see the next word, too
  std::shared_ptr<const void> memory;
};

class Dictionary {
 public:
  virtual ~Dictionary() = default;
  virtual Normals lexize(Str word, LexizeState& state) const = 0;
};
using DictionaryPtr = std::shared_ptr<const Dictionary>;

}  // namespace indigo::types
