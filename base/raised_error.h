// An error of the statement's own from where no error can be returned: in comparisons that call users' functions, deep within
// sorts and hash tables. It becomes an error again where a plan is executed, where a program plans or runs a statement, in GREATEST
// and LEAST, and else at the message's edge (base/exception_error.h): blocks with exception handlers see errors alone.
#pragma once

#include <exception>
#include <utility>

#include "base/error.h"

namespace indigo {

struct RaisedError : std::exception {
  explicit RaisedError(Error e) : error(std::move(e)) {}
  const char* what() const noexcept override { return error.message.c_str(); }

  Error error;
};

// f(), which answers a Result or a Status; an error that it raises becomes its answer.
template <class F>
auto catch_raised(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (RaisedError& raised) {
    return std::move(raised.error);
  }
}

}  // namespace indigo
