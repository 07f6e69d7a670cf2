// The message that a session works on: when it began, how long it may run, whom it answers. Keeps the session's line in
// pg_stat_activity.
// Thread safety: none; belongs to a session.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/fiber/wait_point.h"
#include "engine/row_sink.h"
#include "engine/session/session_activity.h"
#include "engine/session/statement_log.h"
#include "engine/settings/applied_settings.h"

namespace indigo::engine {

class TransactionBlock;

class CurrentMessage {
 public:
  CurrentMessage(Waiter& waiter, const AppliedSettings& settings, const TransactionBlock& block)
      : waiter_(waiter),
        settings_(settings),
        block_(block),
        activity_(std::make_shared<SessionActivity>()),
        log_(settings.log, *activity_, block) {}

  // Cancel requests that came before are void; statement_timeout counts from here, or goes on when it counts already: a pipeline's
  // messages have one time until a portal has run or Sync ends it. An empty text changes no activity: a Bind is seen when it
  // is executed.
  void begin(std::string_view text);
  // 57014 when the time of the messages before has run out.
  Status check_time() const;
  void end();

  // statement_timeout from now.
  void start_timeout();
  void stop_timeout();

  // Microseconds since 2000-01-01.
  int64_t timestamp() const { return timestamp_; }
  // For work outside any message, at the session's end.
  void set_timestamp(int64_t now) { timestamp_ = now; }

  // Null between messages.
  RowSink* sink() const { return sink_; }
  void set_sink(RowSink* sink) { sink_ = sink; }
  // To the client, if client_min_messages lets it through.
  void notice(Severity severity, const Error& text, StatementShown logged = StatementShown::kYes);

  StatementLog& log() { return log_; }
  SessionActivity& activity() { return *activity_; }
  std::shared_ptr<SessionActivity> shared_activity() const { return activity_; }

 private:
  Waiter& waiter_;
  const AppliedSettings& settings_;
  const TransactionBlock& block_;
  const std::shared_ptr<SessionActivity> activity_;
  StatementLog log_;
  RowSink* sink_ = nullptr;
  Deadline deadline_ = kNoDeadline;  // of statement_timeout, while it counts
  int64_t timestamp_ = 0;
};

}  // namespace indigo::engine
