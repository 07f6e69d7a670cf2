// Which keyword a word is, found by a hash that a scanner computes on its way over the word.
// Thread safety: constants.
#pragma once

#include <cstdint>
#include <string_view>

namespace indigo::types {

inline constexpr uint32_t kWordHashBegin = 2166136261;

// FNV-1a.
inline constexpr uint32_t add_to_word_hash(uint32_t hash, char c) {
  return (hash ^ static_cast<uint8_t>(c)) * 16777619U;
}

inline constexpr uint32_t word_hash(std::string_view folded) {
  uint32_t hash = kWordHashBegin;
  for (const char c : folded) hash = add_to_word_hash(hash, c);
  return hash;
}

// The keyword's place in keywords() (keywords.h), -1 for what is none. `folded` is in lower case, `hash` its word_hash.
int find_keyword(std::string_view folded, uint32_t hash);

}  // namespace indigo::types
