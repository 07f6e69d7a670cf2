// Parse: prepare a statement. Types may be fewer than the parameters; 0 is "infer". From the client.
#pragma once

#include <vector>

#include "base/ids.h"
#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct Parse {
  static constexpr char kType = 'P';
  std::string_view statement, text;
  std::vector<Oid> parameter_types;  // keeps its memory from message to message

  Status decode(std::string_view body) {
    MessageReader reader(body);
    statement = reader.string();
    text = reader.string();
    auto count = static_cast<uint16_t>(reader.int16());
    parameter_types.clear();
    for (int i = 0; i < count && !reader.failed(); i++) parameter_types.push_back(static_cast<Oid>(reader.int32()));
    return reader.finish();
  }
  void encode(OutputBuffer& out) const {
    size_t length_at = out.begin_message(kType);
    out.put_string(statement);
    out.put_string(text);
    out.put_int16(static_cast<int16_t>(parameter_types.size()));
    for (Oid type : parameter_types) out.put_int32(static_cast<int32_t>(type));
    out.end_message(length_at);
  }
};

}  // namespace indigo::wire
