// A call of libpg_query that may run out of memory. The library is C and does not look at every malloc's answer, and outside
// of the parser proper its own error handling has nowhere to go. So its allocations are ours (third_party.cmake renames
// them): one that fails leaves the call with a jump, the library is put in order, and std::bad_alloc is thrown.
//
// Thread safety: all functions; the library's state is the thread's. Invariants:
// 1. No object with a destructor lives between call_grammar and the library: the jump would pass it by.
// 2. Calls are not nested, and nothing suspends within one.
#pragma once

#include <type_traits>

namespace indigo::sql {

void call_grammar(void (*call)(void* argument), void* argument);

// Within a call, for memory that is missing: returns when some has been found, else leaves the call with the jump.
void grammar_memory_missing();

// call() gives a plain struct of the library.
template <class F>
auto call_grammar(F&& call) {
  struct Call {
    std::remove_reference_t<F>& call;
    decltype(call()) answer{};
  } both{call};
  static_assert(std::is_trivially_destructible_v<Call>);
  call_grammar(
      [](void* argument) {
        auto* both = static_cast<Call*>(argument);
        both->answer = both->call();
      },
      &both);
  return both.answer;
}

}  // namespace indigo::sql
