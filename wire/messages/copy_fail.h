// CopyFail: the client gives up its COPY data.
#pragma once

#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct CopyFail {
  static constexpr char kType = 'f';
  std::string_view reason;

  Status decode(std::string_view body) {
    MessageReader reader(body);
    reason = reader.string();
    return reader.finish();
  }
  void encode(OutputBuffer& out) const {
    size_t length_at = out.begin_message(kType);
    out.put_string(reason);
    out.end_message(length_at);
  }
};

}  // namespace indigo::wire
