// Describe a prepared statement or a portal. From the client.
#pragma once

#include <string>

#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct Describe {
  static constexpr char kType = 'D';
  char kind = 'S';  // 'S' prepared statement, 'P' portal
  std::string_view name;

  Status decode(std::string_view body) {
    MessageReader reader(body);
    kind = static_cast<char>(reader.byte());
    name = reader.string();
    INDIGO_TRY(reader.finish());
    if (kind != 'S' && kind != 'P') {
      return Error(sqlstate::kProtocolViolation,
                   "invalid DESCRIBE message subtype " + std::to_string(static_cast<unsigned char>(kind)));
    }
    return {};
  }
  void encode(OutputBuffer& out) const {
    size_t length_at = out.begin_message(kType);
    out.put_byte(kind);
    out.put_string(name);
    out.end_message(length_at);
  }
};

}  // namespace indigo::wire
