#include "wire/session/anteroom.h"

#include <algorithm>

namespace indigo::wire {

namespace {

constexpr uint32_t kFreeFailures = 5;
constexpr auto kFirstDelay = std::chrono::milliseconds(100);
constexpr uint32_t kMostDoublings = 5;
constexpr auto kForgotten = std::chrono::minutes(1);

}  // namespace

Anteroom::Stay::Stay(Anteroom& room, Task& task) : room_(&room) {
  const std::lock_guard lock(room.mutex_);
  if (room.guests_.size() >= kMostGuests) {
    // It stays in the list until it has gone; the next connection finds another.
    Task* oldest = room.guests_.front();
    room.guests_.splice(room.guests_.end(), room.guests_, room.guests_.begin());
    oldest->interrupt(InterruptReason::kTerminate);
  }
  place_ = room.guests_.insert(room.guests_.end(), &task);
}

void Anteroom::Stay::leave() {
  if (room_ == nullptr) return;
  const std::lock_guard lock(room_->mutex_);
  room_->guests_.erase(place_);
  room_ = nullptr;
}

Clock::duration Anteroom::failed(const std::string& address) {
  const Deadline now = Clock::now();
  const std::lock_guard lock(mutex_);
  if (failures_.size() >= kMostAddresses) {
    std::erase_if(failures_, [&](const auto& entry) { return now - entry.second.last > kForgotten; });
    if (failures_.size() >= kMostAddresses) failures_.clear();
  }
  Failures& known = failures_[address];
  if (now - known.last > kForgotten) known.count = 0;
  known.last = now;
  known.count++;
  if (known.count <= kFreeFailures) return {};
  return kFirstDelay * (1u << std::min(known.count - kFreeFailures - 1, kMostDoublings));
}

}  // namespace indigo::wire
