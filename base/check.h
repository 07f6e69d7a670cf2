// INDIGO_CHECK(condition): an invariant that release builds check, too. For programmers' errors that are cheap to look at and after
// which going on would lose or corrupt data: the process ends with a line in the log that says which and where. What a client
// or the world can cause is an Error instead; what is dear to check is assert's.
#pragma once

namespace indigo {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace indigo

#define INDIGO_CHECK(condition) \
  (__builtin_expect(!(condition), 0) ? ::indigo::check_failed(#condition, __FILE__, __LINE__) : void())
