#include "engine/programs/call_limit.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/exception_error.h"
#include "base/fiber/wait_point.h"
#include "base/server_log.h"
#include "base/sqlstate.h"
#include "catalog/catalog.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/instance_impl.h"
#include "engine/session/session_parts.h"

namespace indigo::engine::programs {

namespace {

using std::chrono::milliseconds;

// An entry that stays in an index behind a statement is passed over; an index that a start cannot build serves nobody.
constexpr milliseconds kBehindStatement{1000}, kAtStart{10'000};
constexpr milliseconds kShortest{1};
constexpr auto kForgiven = std::chrono::hours(1);
// Behind statements a role that has used up all trust is not even called: millions of entries may be left to look at.
constexpr auto kRefused = std::chrono::seconds(10);

constinit thread_local int starting = 0;

// How often the functions of each role have taken all their time.
class Overruns {
 public:
  struct Overrun {
    int count = 0;
    Clock::time_point last;
  };
  Overrun of(Oid role) {
    const std::lock_guard lock(mutex_);
    const auto at = roles_.find(role);
    return at == roles_.end() || Clock::now() - at->second.last > kForgiven ? Overrun() : at->second;
  }
  void note(Oid role) {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    std::erase_if(roles_, [&](const auto& entry) { return now - entry.second.last > kForgiven; });
    Overrun& overrun = roles_[role];
    overrun.last = now;
    overrun.count++;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<Oid, Overrun> roles_;
};

// The process's: roles of several instances that have the same number share it, which costs them time alone.
Overruns& overruns() {
  static Overruns all;
  return all;
}

void tell(SessionParts& session, Oid function, Oid owner, milliseconds limit) {
  const auto info = session.session_catalog().function(function);
  const auto role = session.instance().catalog().role(owner);
  log_warning("function " + (info == nullptr ? std::to_string(function) : info->name) + " of role " +
              (role == nullptr ? std::to_string(owner) : role->name) + ", which an index calls, was stopped after " +
              std::to_string(limit.count()) + " ms, as nobody can cancel it there");
}

}  // namespace

StartingCalls::StartingCalls() { starting++; }
StartingCalls::~StartingCalls() { starting--; }
bool StartingCalls::on_this_thread() { return starting > 0; }

Result<OwnedDatum> call_within_limit(SessionParts& session, Oid function,
                                     const std::function<Result<OwnedDatum>()>& call) {
  const auto info = session.session_catalog().function(function);
  const Oid owner = info == nullptr ? kInvalidOid : info->owner;
  const auto before = overruns().of(owner);
  const bool starts = StartingCalls::on_this_thread();
  const milliseconds limit =
      std::max((starts ? kAtStart : kBehindStatement) / (1 << std::min(before.count, 30)), kShortest);
  if (!starts && limit == kShortest && Clock::now() - before.last < kRefused) {
    return Error(sqlstate::kQueryCanceled, "functions of this role have taken too long");
  }
  Waiter& waiter = Waiter::current();
  waiter.set_statement_deadline(Clock::now() + limit);
  // Long work that is stopped throws, and behind statements nothing else would catch that.
  Result<OwnedDatum> result = catch_exceptions(call, [] {});
  const bool stopped = !result.ok() && waiter.interrupted() == InterruptReason::kStatementTimeout;
  waiter.set_statement_deadline(kNoDeadline);
  waiter.clear_cancel();
  if (stopped) {
    overruns().note(owner);
    if (limit > kShortest) tell(session, function, owner, limit);
  }
  return result;
}

}  // namespace indigo::engine::programs
