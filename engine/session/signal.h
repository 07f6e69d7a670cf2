// Cancelling and ending other sessions: pg_cancel_backend, pg_terminate_backend, DROP DATABASE ... WITH (FORCE).
// Thread safety: as the calling session; the others are interrupted through the instance.
#pragma once

#include "engine/session/session_impl.h"

namespace indigo::engine {

// 42501 unless the current role is a superuser, a member of the session's role or of pg_signal_backend; only superusers
// reach a superuser's session. False when there is no such session.
Result<bool> signal_session(SessionImpl& session, int32_t pid, InterruptReason reason);

// The same with kTerminate for all other sessions of a database. They are gone a little later.
Status terminate_sessions(SessionImpl& session, Oid database);

// Waits until the session has gone; false when the time is over. 57014 when interrupted.
Result<bool> wait_for_end(SessionImpl& session, int32_t pid, std::chrono::milliseconds most);

}  // namespace indigo::engine
