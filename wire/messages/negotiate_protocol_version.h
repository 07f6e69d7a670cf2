// NegotiateProtocolVersion: the newest version spoken here (major << 16 | minor), and options not known. From the server.
#pragma once

#include <vector>

#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct NegotiateProtocolVersion {
  static constexpr char kType = 'v';
  int32_t version = 3 << 16;
  std::vector<std::string_view> unknown_options;

  Status decode(std::string_view body) {
    MessageReader reader(body);
    version = reader.int32();
    int32_t count = reader.int32();
    unknown_options.clear();
    for (int i = 0; i < count && !reader.failed(); i++) unknown_options.push_back(reader.string());
    return reader.finish();
  }
  void encode(OutputBuffer& out) const {
    size_t length_at = out.begin_message(kType);
    out.put_int32(version);
    out.put_int32(static_cast<int32_t>(unknown_options.size()));
    for (auto option : unknown_options) out.put_string(option);
    out.end_message(length_at);
  }
};

}  // namespace indigo::wire
