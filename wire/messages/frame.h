// How messages are cut out of the byte stream: one type byte, then a 4-byte length that counts itself. Limits on the
// length are protocol 3's as PostgreSQL applies them: what cannot be long may not be long.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"

namespace indigo::wire {

inline constexpr uint32_t kMaxSmallMessageBytes = 10'000;
inline constexpr uint32_t kMaxMessageBytes = (1u << 30) - 2;

struct Frame {
  char type;
  std::string_view body;
  size_t total_bytes() const { return body.size() + 5; }
};

// The largest length field that a client's message of this type may have; 0: no such message.
inline uint32_t max_length(char type) {
  switch (type) {
    case 'Q':
    case 'P':
    case 'B':
    case 'F':
    case 'd': return kMaxMessageBytes;
    case 'C':
    case 'D':
    case 'E':
    case 'H':
    case 'S':
    case 'X':
    case 'c':
    case 'f': return kMaxSmallMessageBytes;
    default: return 0;
  }
}

enum class FrameState : uint8_t { kComplete, kIncomplete, kBadType, kBadLength };

inline constexpr uint32_t kMaxPasswordBytes = 65'535;

// Looks for a frame at the front of `unread`. While the client authenticates, only 'p' is allowed.
inline FrameState next_frame(std::string_view unread, Frame& frame, bool authenticating = false) {
  if (unread.empty()) return FrameState::kIncomplete;
  uint32_t limit = authenticating ? (unread[0] == 'p' ? kMaxPasswordBytes : 0) : max_length(unread[0]);
  if (limit == 0) return FrameState::kBadType;
  if (unread.size() < 5) return FrameState::kIncomplete;
  uint32_t length = big_endian(load_unaligned<uint32_t>(unread.data() + 1));
  if (length < 4 || length > limit) return FrameState::kBadLength;
  if (unread.size() < 1 + size_t{length}) return FrameState::kIncomplete;
  frame = {unread[0], unread.substr(5, length - 4)};
  return FrameState::kComplete;
}

}  // namespace indigo::wire
