// Texts as trigrams: a word (letters and digits, in small letters) with two blanks before it and one after gives each three
// characters in turn. Letters are those of the C locale, in which databases are: what is beyond ASCII separates words.
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "types/value/vector.h"

namespace indigo::types::trgm {

// Three characters, the first in the highest byte: numbers are ordered as texts are.
using Trigram = uint32_t;
std::string text_of(Trigram trigram);

struct Place {
  Trigram trigram;
  bool begins_word = false, ends_word = false;
};
// In the order of the text.
std::vector<Place> places_of(Str text);
// Sorted, each once.
std::vector<Trigram> set_of(Str text);

// How many trigrams of both are in common; 0 where one text has none.
float similarity(Str a, Str b);
// How similar `part` is to the continuous extent of `whole` that is most like it; with `words`, one of whole words.
float word_similarity(Str part, Str whole, bool words);

}  // namespace indigo::types::trgm
