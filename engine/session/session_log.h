// Records of the server's log that are a session's (base/server_log.h): who it is, and its transaction.
// Thread safety: called by whoever runs the session.
#pragma once

#include <string_view>

#include "base/server_log.h"
#include "engine/session/session_activity.h"

namespace indigo::engine {

class Session;
class SessionParts;
class TransactionBlock;

// Counts a record. `activity`: what the session does, a command tag or "idle".
LogSource log_source(SessionActivity& session, const TransactionBlock& block, std::string_view activity);

void log_session(SessionParts& session, LogLevel level, std::string_view text, std::string_view activity);
void log_session(Session& session, LogLevel level, std::string_view text, std::string_view activity);

}  // namespace indigo::engine
