// CopyData: a piece of COPY data, from either side. Row boundaries mean nothing when it comes from the client.
#pragma once

#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct CopyData {
  static constexpr char kType = 'd';
  std::string_view bytes;

  Status decode(std::string_view body) {
    bytes = body;
    return {};
  }
  void encode(OutputBuffer& out) const {
    size_t length_at = out.begin_message(kType);
    out.put_bytes(bytes);
    out.end_message(length_at);
  }
};

}  // namespace indigo::wire
