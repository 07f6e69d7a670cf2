// ReadyForQuery: 'I' idle, 'T' in a transaction block, 'E' in a failed one. From the server.
#pragma once

#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct ReadyForQuery {
  static constexpr char kType = 'Z';
  char transaction_status = 'I';

  Status decode(std::string_view body) {
    MessageReader reader(body);
    transaction_status = static_cast<char>(reader.byte());
    return reader.finish();
  }
  void encode(OutputBuffer& out) const {
    char* at = out.reserve(6);
    at[0] = kType;
    store_unaligned(at + 1, big_endian(uint32_t{5}));
    at[5] = transaction_status;
    out.advance(6);
  }
};

}  // namespace indigo::wire
