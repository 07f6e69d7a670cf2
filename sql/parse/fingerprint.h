// What pg_stat_statements knows a statement by: a number, and a text with $n in the place of each constant.
// Thread safety: safe from any thread.
// Source: the text is libpg_query's, made as pg_stat_statements makes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace indigo::sql {

struct Fingerprint {
  uint64_t number = 0;
  int parameters = 0;  // the highest $n that the statement has; its constants are those behind
};

// Of a statement that is known by its text alone.
uint64_t number_of_text(std::string_view statement);
// Of one statement that has been parsed before; one that cannot be normalized is its own text. `parameters` may be more than the
// text has: a program's variables are parameters, too.
std::string normalized_text(std::string_view statement, int parameters);

}  // namespace indigo::sql
