#include "engine/session/running_session.h"

#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/fiber/wait_point.h"

namespace indigo::engine {

namespace {

struct Running {
  std::mutex mutex;
  std::unordered_map<const Waiter*, std::vector<SessionParts*>> sessions;
};

Running& running() {
  static Running all;
  return all;
}

}  // namespace

void enter_running_sessions(Waiter& waiter, SessionParts& session) {
  const std::lock_guard lock(running().mutex);
  running().sessions[&waiter].push_back(&session);
}

void leave_running_sessions(Waiter& waiter, SessionParts& session) {
  const std::lock_guard lock(running().mutex);
  const auto at = running().sessions.find(&waiter);
  if (at == running().sessions.end()) return;
  std::erase(at->second, &session);
  if (at->second.empty()) running().sessions.erase(at);
}

SessionParts* running_session() {
  const std::lock_guard lock(running().mutex);
  const auto at = running().sessions.find(&Waiter::current());
  return at == running().sessions.end() ? nullptr : at->second.back();
}

}  // namespace indigo::engine
