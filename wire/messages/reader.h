// Bounds-checked reading of one message's body. The first failure sticks; finish() answers it, or complains about bytes
// left. Strings borrow from the body.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"
#include "base/sqlstate.h"

namespace indigo::wire {

class MessageReader {
 public:
  explicit MessageReader(std::string_view body) : at_(body.data()), end_(body.data() + body.size()) {}

  uint8_t byte() {
    if (!need(1, "no data left in message")) return 0;
    return static_cast<uint8_t>(*at_++);
  }
  int16_t int16() { return static_cast<int16_t>(number<uint16_t>()); }
  int32_t int32() { return static_cast<int32_t>(number<uint32_t>()); }
  std::string_view bytes(size_t count) {
    if (!need(count, "insufficient data left in message")) return {};
    std::string_view taken(at_, count);
    at_ += count;
    return taken;
  }
  // Up to its NUL, which is consumed.
  std::string_view string() {
    const void* nul = left() > 0 ? std::memchr(at_, 0, left()) : nullptr;
    if (nul == nullptr) {
      fail("invalid string in message");
      return {};
    }
    std::string_view taken(at_, static_cast<size_t>(static_cast<const char*>(nul) - at_));
    at_ += taken.size() + 1;
    return taken;
  }
  std::string_view rest() { return bytes(left()); }
  size_t left() const { return static_cast<size_t>(end_ - at_); }

  void fail(const char* message) {
    if (failure_ == nullptr) failure_ = message;
    at_ = end_;
  }
  bool failed() const { return failure_ != nullptr; }
  Status finish() {
    if (at_ != end_) fail("invalid message format");
    if (failure_) return Error(sqlstate::kProtocolViolation, failure_);
    return {};
  }

 private:
  bool need(size_t count, const char* message) {
    if (left() >= count) return true;
    fail(message);
    return false;
  }
  template <class T>
  T number() {
    if (!need(sizeof(T), "insufficient data left in message")) return 0;
    T v = big_endian(load_unaligned<T>(at_));
    at_ += sizeof(T);
    return v;
  }

  const char* at_;
  const char* end_;
  const char* failure_ = nullptr;
};

}  // namespace indigo::wire
