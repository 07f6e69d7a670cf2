// Functions of users' own in keys of indexes. An index has one of these where its expressions call such functions.
//
// Who changes or reads a row computes its key, and calls the function in its own session; what is left to do behind a statement
// (a change that is taken back, versions that nobody needs any more) calls it in a session that is made for the call.
// Thread safety: any number of threads at once.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>

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
  // Why the last key of an index could not be made: a comparison of users' own failed. It may be fine when asked again, as the
  // change has been taken back by then, which makes the key, too.
  std::optional<Error> take_key_failure() { return std::exchange(key_failure_, std::nullopt); }
  void note_key_failure(const Error& error) { key_failure_ = error; }

 private:
  std::optional<Error> key_failure_;
};

}  // namespace indigo::engine::exec
