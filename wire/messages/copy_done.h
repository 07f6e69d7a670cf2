// CopyDone: the end of COPY data, from either side.
#pragma once

#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct CopyDone {
  static constexpr char kType = 'c';
  static Status decode(std::string_view body) { return MessageReader(body).finish(); }
  static void encode(OutputBuffer& out) { out.end_message(out.begin_message(kType)); }
};

}  // namespace indigo::wire
