// Codes of how English words sound. They take the letters of ASCII; a code has capital letters and digits.
// Thread safety: pure functions.
#pragma once

#include <string>

#include "types/value/vector.h"

namespace indigo::types::fuzzystrmatch {

// Russell's: the first letter and three digits. Empty where a text has no letter.
std::string soundex(Str text);
// Philips's Metaphone: at most `most` letters.
std::string metaphone(Str text, size_t most);
// Philips's Double Metaphone: at most four letters for each of two readings.
struct DoubleCode {
  std::string first, second;
};
DoubleCode double_metaphone(Str text);

}  // namespace indigo::types::fuzzystrmatch
