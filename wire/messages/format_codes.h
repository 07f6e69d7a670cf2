// A list of format codes as Bind and the COPY responses carry it: 0 text, 1 binary.
#pragma once

#include <span>
#include <vector>

#include "engine/row_sink.h"
#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

using engine::Format;

// Answers false at a code that is neither; `bad` is then that code.
inline bool decode_formats(MessageReader& reader, std::vector<Format>& formats, int16_t& bad) {
  auto count = static_cast<uint16_t>(reader.int16());
  formats.clear();
  bool good = true;
  for (int i = 0; i < count && !reader.failed(); i++) {
    int16_t code = reader.int16();
    if (code != 0 && code != 1 && good) {
      good = false;
      bad = code;
    }
    formats.push_back(code == 1 ? Format::kBinary : Format::kText);
  }
  return good;
}

inline void encode_formats(OutputBuffer& out, std::span<const Format> formats) {
  out.put_int16(static_cast<int16_t>(formats.size()));
  for (Format format : formats) out.put_int16(static_cast<int16_t>(format));
}

}  // namespace indigo::wire
