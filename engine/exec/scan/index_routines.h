// Functions of users' own in keys of indexes. An index has one of these where its expressions call such functions.
//
// Who changes or reads a row computes its key, and calls the function in its own session; what is left to do behind a statement
// (a change that is taken back, versions that nobody needs any more) calls it in a session that is made for the call.
// Thread safety: any number of threads at once.
#pragma once

#include <memory>
#include <span>

#include "base/error.h"
#include "types/function/registry.h"

namespace indigo::catalog {
class SessionContext;
}  // namespace indigo::catalog

namespace indigo::engine::exec {

class IndexRoutines {
 public:
  virtual ~IndexRoutines() = default;
  // A strict function is not called with nulls, but answers null.
  virtual Result<OwnedDatum> call(const types::CallInfo& call, std::span<const Datum> arguments) = 0;
};

// A session that runs programs is one of these, too.
class HasIndexRoutines {
 public:
  virtual ~HasIndexRoutines() = default;
  virtual std::shared_ptr<IndexRoutines> index_routines() = 0;
};

}  // namespace indigo::engine::exec
