// Query: one or more statements as text, each result in text format. From the client.
#pragma once

#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct Query {
  static constexpr char kType = 'Q';
  std::string_view text;

  Status decode(std::string_view body) {
    MessageReader reader(body);
    text = reader.string();
    return reader.finish();
  }
  void encode(OutputBuffer& out) const {
    size_t length_at = out.begin_message(kType);
    out.put_string(text);
    out.end_message(length_at);
  }
};

}  // namespace indigo::wire
