// The packets that come before authentication, which have a length but no type byte: StartupMessage, CancelRequest,
// SSLRequest, GSSENCRequest. From the client.
#pragma once

#include <utility>
#include <vector>

#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

inline constexpr uint32_t kMaxStartupBytes = 10'004;  // its length included

struct StartupPacket {
  static constexpr uint32_t kProtocol3 = 3u << 16;
  static constexpr uint32_t kCancelRequest = 80877102;
  static constexpr uint32_t kSslRequest = 80877103;
  static constexpr uint32_t kGssEncRequest = 80877104;

  uint32_t code = kProtocol3;  // one of the above, or another protocol version: major << 16 | minor
  int32_t cancel_pid = 0;      // of a CancelRequest
  int32_t cancel_key = 0;
  std::vector<std::pair<std::string_view, std::string_view>> parameters;  // of protocol 3's StartupMessage

  // `body`: what follows the length field.
  Status decode(std::string_view body) {
    MessageReader reader(body);
    code = static_cast<uint32_t>(reader.int32());
    parameters.clear();
    if (code == kCancelRequest) {
      cancel_pid = reader.int32();
      cancel_key = reader.int32();
      return reader.finish();
    }
    if (code == kSslRequest || code == kGssEncRequest || code >> 16 != 3) {
      if (reader.failed()) return reader.finish();
      return {};
    }
    while (reader.left() > 1) {
      std::string_view name = reader.string();
      if (name.empty()) return bad_layout();
      std::string_view value = reader.string();
      if (reader.failed()) return bad_layout();
      parameters.emplace_back(name, value);
    }
    if (reader.failed() || reader.left() != 1 || reader.byte() != 0) return bad_layout();
    return {};
  }
  void encode(OutputBuffer& out) const {
    size_t length_at = out.size();
    out.put_int32(0);
    out.put_int32(static_cast<int32_t>(code));
    if (code == kCancelRequest) {
      out.put_int32(cancel_pid);
      out.put_int32(cancel_key);
    } else if (code >> 16 == 3) {
      for (auto [name, value] : parameters) {
        out.put_string(name);
        out.put_string(value);
      }
      out.put_byte('\0');
    }
    out.end_message(length_at);
  }

 private:
  static Error bad_layout() {
    return Error(sqlstate::kProtocolViolation, "invalid startup packet layout: expected terminator as last byte");
  }
};

}  // namespace indigo::wire
