// BackendKeyData: what a CancelRequest for this session must carry. From the server.
#pragma once

#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct BackendKeyData {
  static constexpr char kType = 'K';
  int32_t pid = 0;
  int32_t key = 0;

  Status decode(std::string_view body) {
    MessageReader reader(body);
    pid = reader.int32();
    key = reader.int32();
    return reader.finish();
  }
  void encode(OutputBuffer& out) const {
    size_t length_at = out.begin_message(kType);
    out.put_int32(pid);
    out.put_int32(key);
    out.end_message(length_at);
  }
};

}  // namespace indigo::wire
