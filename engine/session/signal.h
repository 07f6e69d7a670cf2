// Cancelling and ending other sessions: pg_cancel_backend, pg_terminate_backend, DROP DATABASE ... WITH (FORCE).
// Thread safety: as the calling session; the others are interrupted through the instance.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/error.h"
#include "base/fiber/wait_point.h"
#include "engine/session/session_parts.h"

namespace indigo::engine {

// 42501 unless the current role is a superuser, a member of the session's role or of pg_signal_backend; only superusers
// reach a superuser's session. False when there is no such session.
Result<bool> signal_session(SessionParts& session, int32_t pid, InterruptReason reason);

// The same with kTerminate for all other sessions of a database. They are gone a little later.
Status terminate_sessions(SessionParts& session, Oid database);

// Waits until the session has gone; false when the time is over. 57014 when interrupted.
Result<bool> wait_for_end(SessionParts& session, int32_t pid, std::chrono::milliseconds most);

}  // namespace indigo::engine
