// CommandComplete: the statement's tag, e.g. "INSERT 0 1".
#pragma once

#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct CommandComplete {
  static constexpr char kType = 'C';
  std::string_view tag;

  Status decode(std::string_view body) {
    MessageReader reader(body);
    tag = reader.string();
    return reader.finish();
  }
  void encode(OutputBuffer& out) const {
    size_t length_at = out.begin_message(kType);
    out.put_string(tag);
    out.end_message(length_at);
  }
};

}  // namespace indigo::wire
