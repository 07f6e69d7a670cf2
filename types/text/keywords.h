// SQL's keywords, for quoting identifiers and pg_get_keywords.
// Thread safety: constants.
#pragma once

#include <span>

namespace indigo::types {

struct Keyword {
  const char* word;
  char category;
  bool bare_label;
};
std::span<const Keyword> keywords();  // in order

}  // namespace indigo::types
