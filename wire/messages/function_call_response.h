// FunctionCallResponse: a function's result, or null. From the server.
#pragma once

#include <optional>
#include <string>

#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct FunctionCallResponse {
  static constexpr char kType = 'V';
  const std::optional<std::string>& value;

  void encode(OutputBuffer& out) const {
    const size_t length_at = out.begin_message(kType);
    out.put_int32(value ? static_cast<int32_t>(value->size()) : -1);
    if (value) out.put_bytes(*value);
    out.end_message(length_at);
  }
};

}  // namespace indigo::wire
