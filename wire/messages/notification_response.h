// NotificationResponse: another session's NOTIFY. From the server.
#pragma once

#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct NotificationResponse {
  static constexpr char kType = 'A';
  int32_t pid = 0;
  std::string_view channel, payload;

  Status decode(std::string_view body) {
    MessageReader reader(body);
    pid = reader.int32();
    channel = reader.string();
    payload = reader.string();
    return reader.finish();
  }
  void encode(OutputBuffer& out) const {
    size_t length_at = out.begin_message(kType);
    out.put_int32(pid);
    out.put_string(channel);
    out.put_string(payload);
    out.end_message(length_at);
  }
};

}  // namespace indigo::wire
