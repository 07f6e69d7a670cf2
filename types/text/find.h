// Searches in strings that a client sent: time linear in both, whatever they hold, with looks at interrupts on the way
// (base/fiber/long_work.h). std::string_view::find compares the needle at each place where its first character stands, which
// takes the product of both lengths for 'aaa...b' in 'aaa...'.
//
// Thread safety: pure functions; a CharactersOf only reads.
#pragma once

#include <bitset>
#include <string_view>
#include <vector>

namespace indigo::types {

// Where `needle` stands first in `haystack` at or after `from`; npos when nowhere.
size_t find_in(std::string_view haystack, std::string_view needle, size_t from = 0);

// The UTF-8 characters of a text, which must outlive it.
class CharactersOf {
 public:
  explicit CharactersOf(std::string_view characters);
  bool contains(std::string_view character) const;

 private:
  std::bitset<128> ascii_;
  std::vector<std::string_view> others_;  // sorted
};

}  // namespace indigo::types
