// Sync: ends a pipeline's transaction and its error state. From the client.
#pragma once

#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct Sync {
  static constexpr char kType = 'S';
  static Status decode(std::string_view body) { return MessageReader(body).finish(); }
  static void encode(OutputBuffer& out) { out.end_message(out.begin_message(kType)); }
};

}  // namespace indigo::wire
