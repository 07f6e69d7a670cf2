// What NOTIFY sends. Thread safety: plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/name.h"

namespace indigo::engine {

// As in PostgreSQL; both without a terminating zero.
inline constexpr size_t kMaxChannelBytes = kMaxNameBytes;
inline constexpr size_t kMaxPayloadBytes = 7999;

struct Notification {
  std::string channel, payload;
};

// All that one transaction sends.
struct NotificationBatch {
  int32_t sender = 0;  // pid
  std::vector<Notification> notifications;
};

}  // namespace indigo::engine
