// EmptyQueryResponse: the statement's text was empty.
#pragma once

#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct EmptyQueryResponse {
  static constexpr char kType = 'I';
  static Status decode(std::string_view body) { return MessageReader(body).finish(); }
  static void encode(OutputBuffer& out) { out.end_message(out.begin_message(kType)); }
};

}  // namespace indigo::wire
