// PostgreSQL's advanced regular expressions in RE2's syntax, and beyond it what backtrack.h knows: escapes, classes (ASCII's or
// Unicode's), directors, and letters in all their cases where case does not matter.
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "types/text/regex.h"

namespace indigo::types {

struct TranslatedRegex {
  enum class Outcome : uint8_t { kOk, kBadEscape, kBadRepeat };
  std::string text;
  Outcome outcome = Outcome::kOk;
  bool lazy = false;        // has a non-greedy quantifier
  bool beyond_re2 = false;  // has back references, look-around, or boundaries of Unicode's words
};
// What the pattern itself says of flags is added to `flags`.
TranslatedRegex translate_regex(Str pattern, RegexFlags& flags);

}  // namespace indigo::types
