// Every request for memory that a session makes is refused once: the statement answers 53200, the session goes on, and what the
// statement was to change is as if it had not been; a statement that succeeded nevertheless has happened as a whole, also
// after the next start. Thread safety: one user at a time.
#pragma once

#include <cstdint>
#include <string>

namespace indigo::allocations {

struct Options {
  int64_t step_part = 16;  // after n requests the next one that is refused is n + 1 + n / step_part; 0: each
  bool all = false;        // what follows the refused one is refused, too
  std::string only;        // cases whose last statement contains this
};

struct Outcome {
  uint64_t refused = 0;  // statements in which a request was
  uint64_t failed = 0;   // of them, those that answered 53200
  std::string error;     // empty, or what went wrong
};

Outcome sweep_statements(const Options& options);
// The same with the account of tables' memory (memory_limit) full after ever more of it.
Outcome sweep_limits(const Options& options);

inline int64_t next_request(int64_t n, const Options& options) {
  return n + 1 + (options.step_part == 0 ? 0 : n / options.step_part);
}

}  // namespace indigo::allocations
