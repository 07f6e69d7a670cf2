// The spellings of booleans that PostgreSQL takes as input of type boolean, as settings and as storage options.
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "types/text/ascii.h"

namespace indigo::types {

// on, off, 1, 0, and any unambiguous beginning of true, false, yes, no and off, in either case. Nothing for other words.
inline std::optional<bool> boolean_word(std::string_view text) {
  const std::string word = to_lower(text);
  const auto begins = [&word](std::string_view full, size_t at_least) {
    return word.size() >= at_least && full.starts_with(word);
  };
  if (begins("true", 1) || begins("yes", 1) || word == "on" || word == "1") return true;
  if (begins("false", 1) || begins("no", 1) || begins("off", 2) || word == "0") return false;
  return std::nullopt;
}

}  // namespace indigo::types
