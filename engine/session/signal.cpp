#include "engine/session/signal.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/session_context.h"
#include "engine/instance_impl.h"
#include "types/oids.h"

namespace indigo::engine {

namespace {

constexpr double kPollSeconds = 0.005;

Status check_may_signal(SessionParts& session, Oid target, InterruptReason reason) {
  auto& catalog = session.session_catalog();
  const Oid user = catalog.user();
  if (catalog.is_superuser(user)) return {};
  const bool terminate = reason == InterruptReason::kTerminate;
  if (catalog.is_superuser(target)) {
    return Error(sqlstate::kInsufficientPrivilege, terminate ? "must be a superuser to terminate superuser process"
                                                             : "must be a superuser to cancel superuser query");
  }
  if (catalog.has_privileges_of(user, target) || catalog.has_privileges_of(user, oid::kSignalBackendRole)) return {};
  return Error(sqlstate::kInsufficientPrivilege,
               terminate
                   ? "must be a member of the role whose process is being terminated or member of pg_signal_backend"
                   : "must be a member of the role whose query is being canceled or member of pg_signal_backend");
}

struct Target {
  int32_t pid;
  Oid user, database;
};
std::vector<Target> targets(SessionParts& session) {
  std::vector<Target> out;
  for (const auto& entry : session.instance().sessions()) {
    std::lock_guard lock(entry.activity->mutex);
    out.push_back({entry.pid, entry.activity->user, entry.activity->database});
  }
  return out;
}

}  // namespace

Result<bool> signal_session(SessionParts& session, int32_t pid, InterruptReason reason) {
  for (const Target& target : targets(session)) {
    if (target.pid != pid) continue;
    INDIGO_TRY(check_may_signal(session, target.user, reason));
    return session.instance().interrupt(pid, reason);
  }
  return false;
}

Status terminate_sessions(SessionParts& session, Oid database) {
  const auto all = targets(session);
  const auto meant = [&](const Target& t) { return t.database == database && t.pid != session.pid(); };
  for (const Target& target : all) {
    if (meant(target)) INDIGO_TRY(check_may_signal(session, target.user, InterruptReason::kTerminate));
  }
  for (const Target& target : all) {
    if (meant(target)) session.instance().interrupt(target.pid, InterruptReason::kTerminate);
  }
  return {};
}

Result<bool> wait_for_end(SessionParts& session, int32_t pid, std::chrono::milliseconds most) {
  const auto deadline = Clock::now() + most;
  for (;;) {
    const auto all = targets(session);
    if (std::none_of(all.begin(), all.end(), [&](const Target& t) { return t.pid == pid; })) return true;
    if (Clock::now() >= deadline) return false;
    INDIGO_TRY(session.context().sleep(kPollSeconds));
  }
}

}  // namespace indigo::engine
