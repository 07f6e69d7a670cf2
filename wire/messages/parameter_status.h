// ParameterStatus: a setting that clients follow. From the server.
#pragma once

#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct ParameterStatus {
  static constexpr char kType = 'S';
  std::string_view name, value;

  Status decode(std::string_view body) {
    MessageReader reader(body);
    name = reader.string();
    value = reader.string();
    return reader.finish();
  }
  void encode(OutputBuffer& out) const {
    size_t length_at = out.begin_message(kType);
    out.put_string(name);
    out.put_string(value);
    out.end_message(length_at);
  }
};

}  // namespace indigo::wire
