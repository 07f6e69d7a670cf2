// Where exceptions end. The library throws: std::bad_alloc, std::length_error, std::system_error. Indigo does when long work is to
// stop (base/fiber/long_work.h), where recursion without another answer has no stack left (base/fiber/stack_exhausted.h) and where
// a comparison that calls a user's function fails (base/raised_error.h), and nowhere else.
// At the edge of each message to a session, and of each connection, they become errors: the statement fails, the server goes on.
#pragma once

#include <utility>

#include "base/error.h"
#include "base/fiber/long_work.h"
#include "base/memory/memory_reserve.h"

namespace indigo {

// The exception being handled, for the client: 53200 for memory, 53000 for the system's other resources, XX000 for the rest.
Error exception_error();

// f(), which answers a Result; an exception from it becomes the error, after `repair` has run.
template <class F, class Repair>
auto catch_exceptions(F&& f, Repair&& repair) -> decltype(f()) {
  try {
    return f();
  } catch (...) {
    const MustNotFail scope;
    Error error = exception_error();
    repair();
    return error;
  }
}

}  // namespace indigo
