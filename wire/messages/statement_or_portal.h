// The body of Describe and Close: a kind, and a name, empty for the unnamed one.
#pragma once

#include <string>

#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct StatementOrPortal {
  char kind = 'S';  // 'S' prepared statement, 'P' portal
  std::string_view name;

 protected:
  // `message`: how an error names it.
  Status decode(std::string_view body, const char* message) {
    MessageReader reader(body);
    kind = static_cast<char>(reader.byte());
    name = reader.string();
    INDIGO_TRY(reader.finish());
    if (kind == 'S' || kind == 'P') return {};
    return Error(sqlstate::kProtocolViolation, "invalid " + std::string(message) + " message subtype " +
                                                   std::to_string(static_cast<unsigned char>(kind)));
  }
  void encode(OutputBuffer& out, char type) const {
    size_t length_at = out.begin_message(type);
    out.put_byte(kind);
    out.put_string(name);
    out.end_message(length_at);
  }
};

}  // namespace indigo::wire
