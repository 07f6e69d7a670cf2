// CopyInResponse, CopyOutResponse and CopyBothResponse: COPY data follows, from the client, to it, or both. From the server.
#pragma once

#include "wire/messages/format_codes.h"
#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct CopyResponse {
  static constexpr char kIn = 'G';
  static constexpr char kOut = 'H';
  static constexpr char kBoth = 'W';
  Format format = Format::kText;  // of the whole and of each column
  uint16_t columns = 0;

  Status decode(std::string_view body) {
    MessageReader reader(body);
    format = reader.byte() == 0 ? Format::kText : Format::kBinary;
    columns = static_cast<uint16_t>(reader.int16());
    for (int i = 0; i < columns && !reader.failed(); i++) reader.int16();
    return reader.finish();
  }
  void encode(char type, OutputBuffer& out) const {
    size_t length_at = out.begin_message(type);
    out.put_byte(static_cast<char>(format));
    out.put_int16(static_cast<int16_t>(columns));
    for (int i = 0; i < columns; i++) out.put_int16(static_cast<int16_t>(format));
    out.end_message(length_at);
  }
};

}  // namespace indigo::wire
