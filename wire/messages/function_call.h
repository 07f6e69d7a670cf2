// FunctionCall: a function by its OID. From the client.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wire/messages/format_codes.h"
#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct FunctionCall {
  static constexpr char kType = 'F';
  Oid function = kInvalidOid;
  std::vector<Format> argument_formats;
  std::vector<std::optional<std::string_view>> arguments;
  Format result_format = Format::kText;

  Status decode(std::string_view body) {
    MessageReader reader(body);
    function = static_cast<Oid>(reader.int32());
    int16_t bad = 0;
    bool good = decode_formats(reader, argument_formats, bad);
    auto count = static_cast<uint16_t>(reader.int16());
    arguments.clear();
    for (int i = 0; i < count && !reader.failed(); i++) {
      int32_t length = reader.int32();
      if (length == -1) {
        arguments.emplace_back();
      } else if (length < 0) {
        reader.fail("insufficient data left in message");
      } else {
        arguments.emplace_back(reader.bytes(static_cast<size_t>(length)));
      }
    }
    int16_t code = reader.int16();
    INDIGO_TRY(reader.finish());
    if (code != 0 && code != 1) {
      good = false;
      bad = code;
    }
    if (!good) return Error(sqlstate::kInvalidParameterValue, "unsupported format code: " + std::to_string(bad));
    result_format = static_cast<Format>(code);
    return {};
  }
  void encode(OutputBuffer& out) const {
    size_t length_at = out.begin_message(kType);
    out.put_int32(static_cast<int32_t>(function));
    encode_formats(out, argument_formats);
    out.put_int16(static_cast<int16_t>(arguments.size()));
    for (const auto& argument : arguments) {
      out.put_int32(argument ? static_cast<int32_t>(argument->size()) : -1);
      if (argument) out.put_bytes(*argument);
    }
    out.put_int16(static_cast<int16_t>(result_format));
    out.end_message(length_at);
  }
};

}  // namespace indigo::wire
