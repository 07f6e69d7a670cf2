// ParameterDescription: the types of a prepared statement's parameters. From the server.
#pragma once

#include <span>
#include <vector>

#include "base/ids.h"
#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct ParameterDescription {
  static constexpr char kType = 't';

  static void encode(std::span<const Oid> types, OutputBuffer& out) {
    size_t length_at = out.begin_message(kType);
    out.put_int16(static_cast<int16_t>(types.size()));
    for (Oid type : types) out.put_int32(static_cast<int32_t>(type));
    out.end_message(length_at);
  }
  static Status decode(std::string_view body, std::vector<Oid>& types) {
    MessageReader reader(body);
    auto count = static_cast<uint16_t>(reader.int16());
    types.clear();
    for (int i = 0; i < count && !reader.failed(); i++) types.push_back(static_cast<Oid>(reader.int32()));
    return reader.finish();
  }
};

}  // namespace indigo::wire
