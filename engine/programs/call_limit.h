// How long functions of users' own may take where nobody can cancel them: for keys of indexes behind statements (what is taken
// back, versions that nobody needs any more), and while the server starts. Whoever has replaced an index's function by one that
// does not end keeps neither the server from starting, nor memory from coming back, nor a session from ending.
//
// Each call has a time; a role whose function has taken all of it gets half for its next calls, and so on, and in the end only one
// call in ten seconds behind statements, until an hour has passed without that. The log says so.
// Thread safety: any number of threads at once.
#pragma once

#include <functional>

#include "base/error.h"
#include "base/ids.h"
#include "types/value/datum.h"

namespace indigo::engine {
class SessionParts;
}  // namespace indigo::engine

namespace indigo::engine::programs {

// While it lives, calls for keys of indexes on this thread are limited though they are a session's: the server starts. Not in
// fibers.
class StartingCalls {
 public:
  StartingCalls();
  ~StartingCalls();
  StartingCalls(const StartingCalls&) = delete;
  StartingCalls& operator=(const StartingCalls&) = delete;

  static bool on_this_thread();
};

// What `call` gives, which has the thread's current Waiter: 57014 when it was stopped. That Waiter has no deadline of its own.
Result<OwnedDatum> call_within_limit(SessionParts& session, Oid function,
                                     const std::function<Result<OwnedDatum>()>& call);

}  // namespace indigo::engine::programs
