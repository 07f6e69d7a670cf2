// Scripts of statements each of whose allocations fails once, and what shows whether a script has happened as a whole or not
// at all.
// Used by tests/unit/engine/session/statement_edge_test.cpp (operator new) and tests/allocations (malloc, mmap, whole servers).
#pragma once

#include <span>
#include <vector>

namespace indigo::engine {

struct EdgeCase {
  const char* setup;
  std::vector<const char*> messages;  // one after the other; a block is open between some
  const char* check;                  // shows whether they have happened
  const char* undo;
};

// All work on `create table t (a int primary key, b text)` with the rows (1, 'b1') to (60, 'b60').
std::span<const EdgeCase> edge_cases();

}  // namespace indigo::engine
