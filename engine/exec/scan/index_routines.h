// Functions of users' own in keys of indexes. An index has one of these where its expressions call such functions.
//
// Who changes or reads a row computes its key, and calls the function in its own session; what is left to do behind a statement
// (a change that is taken back, versions that nobody needs any more) calls it in a session that is made for the call.
// Thread safety: any number of threads at once.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "types/function/registry.h"

namespace indigo::catalog {
class SessionContext;
}  // namespace indigo::catalog

namespace indigo::engine::exec {

// Why a key could not be made: a function of users' own failed.
struct KeyFailure {
  const void* extractor;  // null: a comparison of users' own failed
  std::string read;       // what the key depends on
  Error error;
};

class IndexRoutines {
 public:
  virtual ~IndexRoutines() = default;
  // A strict function is not called with nulls, but answers null.
  virtual Result<OwnedDatum> call(const types::CallInfo& call, std::span<const Datum> arguments) = 0;
  // Does a session compute keys now, or what cleans up behind it?
  virtual bool in_session() = 0;
  // Of that session (HasIndexRoutines); nothing where there is none.
  virtual void note_failure(const KeyFailure& failure) = 0;
  virtual bool has_failed(const void* extractor, std::string_view read) = 0;
};

// A session that runs programs is one of these, too.
class HasIndexRoutines {
 public:
  virtual ~HasIndexRoutines() = default;
  virtual std::shared_ptr<IndexRoutines> index_routines() = 0;
  // Why the last key of an index could not be made, once. The function is not called again to find that out: it may be fine then.
  std::optional<Error> take_key_failure() {
    if (!key_failure_ || std::exchange(key_failure_taken_, true)) return std::nullopt;
    return key_failure_->error;
  }
  void note_key_failure(const KeyFailure& failure) {
    key_failure_ = failure;
    key_failure_taken_ = false;
  }
  // Nor is it called again when the change is taken back, which asks for the key, too.
  bool has_failed(const void* extractor, std::string_view read) const {
    return key_failure_ && key_failure_->extractor == extractor && key_failure_->read == read;
  }
  // The change has been taken back, or another statement begins.
  void forget_key_failure() { key_failure_.reset(); }

 private:
  std::optional<KeyFailure> key_failure_;
  bool key_failure_taken_ = false;
};

}  // namespace indigo::engine::exec
