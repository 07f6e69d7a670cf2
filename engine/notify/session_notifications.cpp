#include "engine/notify/session_notifications.h"

#include <utility>

#include "base/sqlstate.h"

namespace indigo::engine {

std::string SessionNotifications::key_of(std::string_view channel, std::string_view payload) {
  std::string key;
  key.reserve(channel.size() + 1 + payload.size());
  key.append(channel).append(1, '\0').append(payload);
  return key;
}

Status SessionNotifications::notify(std::string_view channel, std::string_view payload) {
  if (channel.empty()) return Error(sqlstate::kInvalidParameterValue, "channel name cannot be empty");
  if (channel.size() > kMaxChannelBytes) return Error(sqlstate::kInvalidParameterValue, "channel name too long");
  if (payload.size() > kMaxPayloadBytes) return Error(sqlstate::kInvalidParameterValue, "payload string too long");
  std::string key = key_of(channel, payload);
  if (sent_keys_.contains(key)) return {};
  Notification notification{std::string(channel), std::string(payload)};
  const size_t bytes = NotificationHub::bytes_of(notification);
  if (!hub_.fits(sent_bytes_ + bytes))
    return Error(sqlstate::kProgramLimitExceeded, "too many notifications in the NOTIFY queue");
  sent_.push_back(std::move(notification));
  sent_bytes_ += bytes;
  sent_keys_.insert(std::move(key));
  return {};
}

void SessionNotifications::rollback_to(const Mark& mark) {
  actions_.resize(mark.actions);
  while (sent_.size() > mark.sent) {
    sent_bytes_ -= NotificationHub::bytes_of(sent_.back());
    sent_keys_.erase(key_of(sent_.back().channel, sent_.back().payload));
    sent_.pop_back();
  }
}

Status SessionNotifications::before_commit() {
  if (sent_.empty()) return {};
  auto batch = std::make_shared<NotificationBatch>();
  batch->sender = pid_;
  batch->notifications = std::move(sent_);
  sent_.clear();
  INDIGO_TRY(hub_.take_turn(*batch));
  batch_ = std::move(batch);
  return {};
}

void SessionNotifications::after_commit() {
  for (const Action& action : actions_) {
    switch (action.kind) {
      case Action::Kind::kListen:
        listener_.listen(action.channel);
        listened_ = true;
        break;
      case Action::Kind::kUnlisten: listener_.unlisten(action.channel); break;
      case Action::Kind::kUnlistenAll: listener_.unlisten_all(); break;
    }
  }
  if (batch_) hub_.publish(database_, batch_);
  forget();
}

void SessionNotifications::forget() {
  if (std::exchange(batch_, nullptr) != nullptr) hub_.give_turn();
  actions_.clear();
  sent_.clear();
  sent_keys_.clear();
  sent_bytes_ = 0;
}

bool SessionNotifications::next(Delivery& out) {
  for (;;) {
    if (delivered_ == nullptr) {
      if (!listener_.waiting().load(std::memory_order_acquire)) return false;
      delivered_ = listener_.take();
      delivered_at_ = 0;
      if (delivered_ == nullptr) return false;
    }
    while (delivered_at_ < delivered_->notifications.size()) {
      const Notification& n = delivered_->notifications[delivered_at_++];
      if (!listener_.listens_to(n.channel)) continue;
      out = {delivered_->sender, n.channel, n.payload};
      return true;
    }
    delivered_ = nullptr;
  }
}

}  // namespace indigo::engine
