#include "engine/session/current_message.h"

#include "base/fiber/interrupt_error.h"
#include "engine/session/clock.h"
#include "engine/session/transaction_block.h"
#include "engine/settings/applied_settings.h"

namespace indigo::engine {

namespace {

constexpr size_t kShownQueryBytes = 1024;

std::string_view state_text(TransactionBlock::State state) {
  switch (state) {
    case TransactionBlock::State::kFailed: return "idle in transaction (aborted)";
    case TransactionBlock::State::kBlock: return "idle in transaction";
    default: return "idle";
  }
}

}  // namespace

void CurrentMessage::begin(std::string_view text) {
  waiter_.clear_cancel();
  timestamp_ = timestamp_now();
  if (deadline_ == kNoDeadline) start_timeout();
  if (!text.empty()) log_.began(text);
  if (!settings_.tracks_activity || text.empty()) return;
  std::lock_guard lock(activity_->mutex);
  activity_->state = "active";
  activity_->query_start = activity_->state_change = timestamp_;
  activity_->query.assign(text.substr(0, kShownQueryBytes));
}

void CurrentMessage::end() {
  stop_timeout();
  waiter_.clear_cancel();
  sink_ = nullptr;
  log_.ended();
  if (!settings_.tracks_activity) return;
  std::lock_guard lock(activity_->mutex);
  activity_->state = state_text(block_.state());
  activity_->state_change = timestamp_;
  activity_->transaction_start = block_.in_block() ? block_.start_timestamp() : 0;
}

void CurrentMessage::start_timeout() {
  const auto timeout = settings_.statement_timeout;
  deadline_ = timeout.count() == 0 ? kNoDeadline : Clock::now() + timeout;
  waiter_.set_statement_deadline(deadline_);
}

void CurrentMessage::stop_timeout() {
  deadline_ = kNoDeadline;
  waiter_.set_statement_deadline(kNoDeadline);
}

Status CurrentMessage::check_time() const {
  if (deadline_ == kNoDeadline || Clock::now() < deadline_) return {};
  return interrupt_error(InterruptReason::kStatementTimeout);
}

void CurrentMessage::notice(Severity severity, const Error& text, StatementShown logged) {
  log_.noticed(severity, text, logged);
  if (sink_ == nullptr) return;
  if (severity >= settings_.client_min_severity || severity == Severity::kInfo) sink_->notice(severity, text);
}

}  // namespace indigo::engine
