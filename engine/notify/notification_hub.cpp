#include "engine/notify/notification_hub.h"

#include <iterator>
#include <unordered_set>

#include "base/fiber/interrupt_error.h"
#include "base/sqlstate.h"

namespace indigo::engine {

namespace {

// Of a batch's place in one queue.
constexpr size_t kPlaceBytes = 2 * sizeof(void*);

size_t batch_bytes(const NotificationBatch& batch) {
  size_t bytes = sizeof(NotificationBatch);
  for (const Notification& n : batch.notifications) bytes += NotificationHub::bytes_of(n);
  return bytes;
}

}  // namespace

size_t NotificationHub::bytes_of(const Notification& notification) {
  return sizeof(Notification) + notification.channel.size() + notification.payload.size();
}

std::string NotificationHub::key_of(Oid database, std::string_view channel) {
  return std::to_string(database) + ' ' + std::string(channel);
}

NotificationHub::Listener::~Listener() { unlisten_all(); }

void NotificationHub::Listener::listen(const std::string& channel) {
  const std::lock_guard lock(hub_.mutex_);
  if (listens_to(channel)) return;
  hub_.listeners_[key_of(database_, channel)].insert(this);
  hub_.listener_places_++;
  channels_.push_back(channel);
  places_.emplace(channels_.back(), std::prev(channels_.end()));
}

void NotificationHub::Listener::forget(std::list<std::string>::iterator channel) {
  hub_.forget(*this, *channel);
  places_.erase(*channel);
  channels_.erase(channel);
}

void NotificationHub::Listener::unlisten(const std::string& channel) {
  const std::lock_guard lock(hub_.mutex_);
  const auto at = places_.find(channel);
  if (at == places_.end()) return;
  forget(at->second);
  if (channels_.empty()) hub_.drop_queue(*this);
}

void NotificationHub::Listener::unlisten_all() {
  constexpr int kAtOnce = 256;  // others want the mutex
  for (;;) {
    const std::lock_guard lock(hub_.mutex_);
    for (int i = 0; i < kAtOnce && !channels_.empty(); i++) forget(channels_.begin());
    if (!channels_.empty()) continue;
    hub_.drop_queue(*this);
    return;
  }
}

std::shared_ptr<const NotificationBatch> NotificationHub::Listener::take() {
  const std::lock_guard lock(hub_.mutex_);
  if (queue_.empty()) {
    waiting_.store(false, std::memory_order_relaxed);
    return nullptr;
  }
  auto batch = std::move(queue_.front());
  queue_.pop_front();
  if (queue_.empty()) waiting_.store(false, std::memory_order_relaxed);
  hub_.release(*batch);
  return batch;
}

void NotificationHub::forget(Listener& listener, const std::string& channel) {
  const auto at = listeners_.find(key_of(listener.database_, channel));
  listener_places_ -= at->second.erase(&listener);
  if (at->second.empty()) listeners_.erase(at);
}

void NotificationHub::release(const NotificationBatch& batch) {
  const auto held = held_.find(&batch);
  held_bytes_ -= kPlaceBytes;
  if (--held->second.places != 0) return;
  held_bytes_ -= held->second.bytes;
  held_.erase(held);
}

void NotificationHub::drop_queue(Listener& listener) {
  for (const auto& batch : listener.queue_) release(*batch);
  listener.queue_.clear();
  listener.waiting_.store(false, std::memory_order_relaxed);
}

Status NotificationHub::take_turn(const NotificationBatch& batch) {
  const WaitResult waited = turn_free_.wait([this] { return !turn_taken_.exchange(true, std::memory_order_acquire); });
  if (waited == WaitResult::kInterrupted) return interrupt_error(Waiter::current().interrupted());
  const size_t bytes = batch_bytes(batch);
  {
    const std::lock_guard lock(mutex_);
    // Every listener may get a place.
    if (listener_places_ == 0 || held_bytes_ + bytes + listener_places_ * kPlaceBytes <= limit_bytes_) return {};
  }
  give_turn();
  return Error(sqlstate::kProgramLimitExceeded, "too many notifications in the NOTIFY queue");
}

void NotificationHub::give_turn() {
  turn_taken_.store(false, std::memory_order_release);
  turn_free_.notify_all();
}

void NotificationHub::publish(Oid database, const std::shared_ptr<const NotificationBatch>& batch) {
  std::unordered_set<std::string_view> channels;
  for (const Notification& n : batch->notifications) channels.insert(n.channel);
  const size_t bytes = batch_bytes(*batch);
  const std::lock_guard lock(mutex_);
  const uint64_t number = ++batches_;
  size_t places = 0;
  for (const std::string_view channel : channels) {
    const auto at = listeners_.find(key_of(database, channel));
    if (at == listeners_.end()) continue;
    for (Listener* listener : at->second) {
      if (listener->last_batch_ == number) continue;
      listener->last_batch_ = number;
      listener->queue_.push_back(batch);
      places++;
      listener->waiting_.store(true, std::memory_order_release);
      listener->waiter_.wake();
    }
  }
  if (places == 0) return;
  held_.emplace(batch.get(), Held{bytes, places});
  held_bytes_ += bytes + places * kPlaceBytes;
}

double NotificationHub::usage() const {
  const std::lock_guard lock(mutex_);
  return static_cast<double>(held_bytes_) / static_cast<double>(limit_bytes_);
}

}  // namespace indigo::engine
