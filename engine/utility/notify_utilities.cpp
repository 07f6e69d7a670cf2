// LISTEN, NOTIFY, UNLISTEN.
#include "base/sqlstate.h"
#include "engine/notify/session_notifications.h"
#include "engine/session/current_message.h"
#include "engine/session/session_parts.h"
#include "engine/session/transaction_block.h"
#include "engine/utility/families.h"
#include "sql/parse/parse_tree.h"

namespace indigo::engine {

namespace {

// They need a transaction, as what they say waits for its commit, but no snapshot: SET TRANSACTION may follow.
Status open_transaction(UtilityCall& call) {
  return call.session.block().ensure_open(call.session.message().timestamp());
}

Status run_notify(UtilityCall& call) {
  INDIGO_TRY(open_transaction(call));
  const auto& stmt = *call.node->notify_stmt;
  return call.session.notifications().notify(stmt.conditionname, stmt.payload == nullptr ? "" : stmt.payload);
}

Status run_listen(UtilityCall& call) {
  INDIGO_TRY(open_transaction(call));
  call.session.notifications().listen(call.node->listen_stmt->conditionname);
  return {};
}

Status run_unlisten(UtilityCall& call) {
  INDIGO_TRY(open_transaction(call));
  const char* channel = call.node->unlisten_stmt->conditionname;
  if (channel == nullptr || *channel == '\0') {
    call.session.notifications().unlisten_all();
  } else {
    call.session.notifications().unlisten(channel);
  }
  return {};
}

constexpr UtilityStatement kNotifyStatements[] = {
    {.node = PG_QUERY__NODE__NODE_NOTIFY_STMT, .name = "NOTIFY", .run = run_notify, .needs_transaction = false},
    {.node = PG_QUERY__NODE__NODE_LISTEN_STMT,
     .name = "LISTEN",
     .run = run_listen,
     .needs_transaction = false,
     .refused_when_restricted = "LISTEN"},
    {.node = PG_QUERY__NODE__NODE_UNLISTEN_STMT,
     .name = "UNLISTEN",
     .run = run_unlisten,
     .needs_transaction = false,
     .refused_when_restricted = "UNLISTEN"},
};

}  // namespace

std::span<const UtilityStatement> notify_utilities() { return kNotifyStatements; }

}  // namespace indigo::engine
