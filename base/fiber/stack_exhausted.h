// For recursion that has no way to return an error, such as look-ups of the catalog that follow what users have nested: it ends
// at the message's edge as the statement's error (base/exception_error.h), as a failed allocation does. Where an error can be
// returned, check_stack_depth() (stack.h) is the way. In a MustNotFail scope (memory/memory_reserve.h) it does nothing.
// Thread safety: as stack.h.
#pragma once

#include <exception>

#include "base/fiber/stack.h"
#include "base/memory/memory_reserve.h"

namespace indigo {

struct StackExhausted : std::exception {
  const char* what() const noexcept override { return "stack depth limit exceeded"; }
};

inline void require_stack() {
  if (stack_remaining() == 0 && !MustNotFail::active()) [[unlikely]]
    throw StackExhausted();
}

}  // namespace indigo
