// What statements that differ in their constants have in common: a number, and a text with $n in the place of each constant.
// Thread safety: safe from any thread.
// Source: the text is libpg_query's, made as pg_stat_statements makes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace indigo::sql {

struct Fingerprint {
  uint64_t number = 0;
  std::string text;
};

// Of one statement that has been parsed before; one that cannot be normalized is its own text.
Fingerprint fingerprint(std::string_view statement);

}  // namespace indigo::sql
