// Where committed notifications meet the sessions that listen. One for each instance.
//
// A transaction that has sent some takes the turn before it commits, publishes after it, and gives the turn back: batches reach
// every listener in the order of commits. A listener has a queue of its own, of the batches that name one of its channels; the
// texts are shared. It is woken, and takes its batches when it is in no transaction.
//
// Invariants:
// 1. What the queues hold does not exceed the limit (but for the places of those that begin to listen meanwhile): a transaction
//    whose batch does not fit fails before it commits (54000).
// 2. Only the holder of the turn adds to queues: what has found room keeps it.
// 3. A listener is woken under the mutex, which its end takes, too: its Waiter is alive then.
// Thread safety: all functions; a Listener's channels and queue are guarded by the hub's mutex.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "base/fiber/wait_point.h"
#include "base/ids.h"
#include "engine/notify/notification.h"

namespace indigo::engine {

inline constexpr size_t kNotificationQueueBytes = size_t{1} << 30;

class NotificationHub {
 public:
  explicit NotificationHub(size_t limit_bytes = kNotificationQueueBytes) : limit_bytes_(limit_bytes) {}
  NotificationHub(const NotificationHub&) = delete;
  NotificationHub& operator=(const NotificationHub&) = delete;

  class Listener {
   public:
    Listener(NotificationHub& hub, Oid database, Waiter& waiter) : hub_(hub), database_(database), waiter_(waiter) {}
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    // What has been committed; in the order of LISTEN.
    const std::list<std::string>& channels() const { return channels_; }
    bool listens_to(std::string_view channel) const { return places_.contains(channel); }
    void listen(const std::string& channel);
    void unlisten(const std::string& channel);
    void unlisten_all();
    // Whether take() would find something. The flag is set before the listener is woken.
    const std::atomic<bool>& waiting() const { return waiting_; }
    // The oldest batch; null when there is none.
    std::shared_ptr<const NotificationBatch> take();

   private:
    friend class NotificationHub;
    void forget(std::list<std::string>::iterator channel);  // under the mutex
    NotificationHub& hub_;
    const Oid database_;
    Waiter& waiter_;
    // Changed by the owner, under the hub's mutex.
    std::list<std::string> channels_;
    std::unordered_map<std::string_view, std::list<std::string>::iterator> places_;  // in channels_
    std::deque<std::shared_ptr<const NotificationBatch>> queue_;
    uint64_t last_batch_ = 0;  // the number of the last one that was put into the queue
    std::atomic<bool> waiting_{false};
  };

  // Waits for the turn, suspending the session; an interrupt ends the wait. Then makes sure that the batch fits: otherwise the
  // turn is free again.
  Status take_turn(const NotificationBatch& batch);
  void give_turn();
  // By the holder of the turn, after its commit.
  void publish(Oid database, const std::shared_ptr<const NotificationBatch>& batch);
  // Whether a transaction may gather so much.
  bool fits(size_t bytes) const { return bytes <= limit_bytes_; }
  // The part of the limit that is in use.
  double usage() const;
  // What a notification takes in the queues.
  static size_t bytes_of(const Notification& notification);

 private:
  static std::string key_of(Oid database, std::string_view channel);
  void forget(Listener& listener, const std::string& channel);
  void drop_queue(Listener& listener);
  void release(const NotificationBatch& batch);  // one queue's place

  // One batch that lies in queues, however many.
  struct Held {
    size_t bytes = 0, places = 0;
  };
  const size_t limit_bytes_;
  std::atomic<bool> turn_taken_{false};
  WaitPoint turn_free_;

  mutable std::mutex mutex_;  // guards the members below, and those of listeners
  std::unordered_map<std::string, std::unordered_set<Listener*>> listeners_;  // by database and channel
  size_t listener_places_ = 0;                                                // in all of them
  std::unordered_map<const NotificationBatch*, Held> held_;
  size_t held_bytes_ = 0;
  uint64_t batches_ = 0;
};

}  // namespace indigo::engine
