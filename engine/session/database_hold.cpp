#include "engine/session/database_hold.h"

#include <utility>

#include "base/fiber/wait_point.h"
#include "base/sqlstate.h"
#include "catalog/database.h"
#include "catalog/descriptor/session_context.h"
#include "engine/instance_impl.h"
#include "engine/session/session_activity.h"
#include "engine/session/session_functions.h"
#include "engine/session/session_parts.h"
#include "engine/utility/prepared_transaction.h"

namespace indigo::engine {

DatabaseHold::DatabaseHold(InstanceImpl& instance, std::shared_ptr<catalog::Database> database)
    : instance_(instance), database_(std::move(database)) {}

DatabaseHold::~DatabaseHold() { release(); }

Status DatabaseHold::take(SessionParts& session) {
  if (!database_->close()) {
    return Error(sqlstate::kObjectInUse, "database \"" + database_->name() + "\" is being restored by another session");
  }
  closed_ = true;
  for (const auto& [pid, activity, connected_to] : instance_.sessions()) {
    if (pid == session.pid() || connected_to != database_->oid()) continue;
    INDIGO_TRY(hold(session, activity));
  }
  return check_nothing_prepared(session);
}

Status DatabaseHold::hold(SessionParts& session, const std::shared_ptr<SessionActivity>& other) {
  constexpr double kPollSeconds = 0.0005;
  // A client that has closed its connection may still have its session here for a moment.
  const auto begin = Clock::now(), deadline = begin + std::chrono::seconds(5);
  const auto deadline_in_block = begin + std::chrono::milliseconds(200);
  while (!other->use.hold()) {
    const bool in_block = other->use.in_block();
    if (Clock::now() >= (in_block ? deadline_in_block : deadline)) {
      return Error(sqlstate::kObjectInUse, "database \"" + database_->name() + "\" is being accessed by other users")
          .with_detail(in_block ? "Another session has an open transaction."
                                : "Another session is running a statement.")
          .with_hint("pg_stat_activity shows which.");
    }
    INDIGO_TRY(session.context().sleep(kPollSeconds));
  }
  held_.push_back(other);
  return {};
}

void DatabaseHold::release() {
  if (!std::exchange(closed_, false)) return;
  for (const auto& activity : held_) activity->use.release();
  held_.clear();
  database_->open();
  instance_.database_opened().notify_all();
}

}  // namespace indigo::engine
