#include "engine/session/session_log.h"

#include <mutex>

#include "engine/session/clock.h"
#include "engine/session/current_message.h"
#include "engine/session/session_impl.h"
#include "engine/session/transaction_block.h"

namespace indigo::engine {

LogSource log_source(SessionActivity& session, const TransactionBlock& block, std::string_view activity) {
  constexpr int64_t kSecondsFrom1970To2000 = 946684800;
  LogSource out;
  out.client = true;
  out.activity = activity;
  const std::lock_guard lock(session.mutex);
  out.pid = session.pid;
  out.line = ++session.log_lines;
  out.started = session.backend_start / 1000000 + kSecondsFrom1970To2000;
  out.user = session.user_name;
  out.database = session.database_name;
  out.application = session.application_name;
  out.remote_host = session.client_address.empty() ? "[local]" : session.client_address;
  out.remote_port = session.client_port;
  out.virtual_transaction = std::to_string(session.pid) + "/" + std::to_string(block.running_number());
  out.transaction = block.has_number() ? block.running_number() : 0;
  return out;
}

void log_session(SessionParts& session, LogLevel level, std::string_view text, std::string_view activity) {
  log_record({.level = level, .message = text}, log_source(session.message().activity(), session.block(), activity));
}

void log_session(Session& session, LogLevel level, std::string_view text, std::string_view activity) {
  log_session(dynamic_cast<SessionImpl&>(session).parts(), level, text, activity);
}

}  // namespace indigo::engine
