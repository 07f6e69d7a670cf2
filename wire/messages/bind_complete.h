// BindComplete.
#pragma once

#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct BindComplete {
  static constexpr char kType = '2';
  static Status decode(std::string_view body) { return MessageReader(body).finish(); }
  static void encode(OutputBuffer& out) { out.end_message(out.begin_message(kType)); }
};

}  // namespace indigo::wire
