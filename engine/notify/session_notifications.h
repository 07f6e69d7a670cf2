// LISTEN, NOTIFY and UNLISTEN of one session. What a transaction says takes effect when it commits: channels first, then what it
// sends, so that it may hear itself. What was said since a savepoint goes when that is rolled back.
//
// Invariants:
// 1. A notification that the transaction has sent already is not sent again; order is that of the first ones.
// 2. Between before_commit() and the transaction's end the session holds the hub's turn, if it sends anything.
// Thread safety: none; belongs to a session. Others reach its Listener through the hub.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "engine/notify/notification.h"
#include "engine/notify/notification_hub.h"

namespace indigo::engine {

class SessionNotifications {
 public:
  SessionNotifications(NotificationHub& hub, Oid database, Waiter& waiter, int32_t pid)
      : hub_(hub), database_(database), pid_(pid), listener_(hub, database, waiter) {}
  ~SessionNotifications() { forget(); }
  SessionNotifications(const SessionNotifications&) = delete;
  SessionNotifications& operator=(const SessionNotifications&) = delete;

  // ---- within a transaction
  Status notify(std::string_view channel, std::string_view payload);
  void listen(std::string_view channel) { actions_.push_back({Action::Kind::kListen, std::string(channel)}); }
  void unlisten(std::string_view channel) {
    if (may_listen()) actions_.push_back({Action::Kind::kUnlisten, std::string(channel)});
  }
  void unlisten_all() {
    if (may_listen()) actions_.push_back({Action::Kind::kUnlistenAll, {}});
  }
  // Whether the transaction has said anything: it cannot be prepared then.
  bool used() const { return !actions_.empty() || !sent_.empty(); }

  // ---- the transaction's end
  struct Mark {
    size_t actions = 0, sent = 0;
  };
  Mark mark() const { return {actions_.size(), sent_.size()}; }
  void rollback_to(const Mark& mark);
  Status before_commit();
  void after_commit();
  void forget();  // rolled back

  // ---- for the client; only between transactions
  const std::list<std::string>& channels() const { return listener_.channels(); }
  const std::atomic<bool>& waiting() const { return listener_.waiting(); }
  struct Delivery {
    int32_t sender = 0;
    std::string_view channel, payload;  // valid until the next call
  };
  bool next(Delivery& out);

 private:
  struct Action {
    enum class Kind : uint8_t { kListen, kUnlisten, kUnlistenAll } kind;
    std::string channel;
  };
  // UNLISTEN of a session that has never listened is nothing that keeps a transaction from being prepared.
  bool may_listen() const { return listened_ || !actions_.empty(); }
  static std::string key_of(std::string_view channel, std::string_view payload);

  NotificationHub& hub_;
  const Oid database_;
  const int32_t pid_;
  NotificationHub::Listener listener_;
  std::vector<Action> actions_;
  bool listened_ = false;  // ever
  std::vector<Notification> sent_;
  std::unordered_set<std::string> sent_keys_;
  size_t sent_bytes_ = 0;
  std::shared_ptr<NotificationBatch> batch_;            // while the session holds the turn
  std::shared_ptr<const NotificationBatch> delivered_;  // the batch that next() reads
  size_t delivered_at_ = 0;
};

}  // namespace indigo::engine
