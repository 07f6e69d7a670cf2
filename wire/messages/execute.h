// Execute: rows of a portal, up to a limit. From the client.
#pragma once

#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct Execute {
  static constexpr char kType = 'E';
  std::string_view portal;
  int32_t max_rows = 0;  // 0 and below: all

  Status decode(std::string_view body) {
    MessageReader reader(body);
    portal = reader.string();
    max_rows = reader.int32();
    return reader.finish();
  }
  void encode(OutputBuffer& out) const {
    size_t length_at = out.begin_message(kType);
    out.put_string(portal);
    out.put_int32(max_rows);
    out.end_message(length_at);
  }
};

}  // namespace indigo::wire
