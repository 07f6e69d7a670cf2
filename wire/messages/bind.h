// Bind: a portal from a prepared statement and parameter values. From the client.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wire/messages/format_codes.h"
#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct Bind {
  static constexpr char kType = 'B';
  std::string_view portal, statement;
  std::vector<Format> parameter_formats;  // none: all text; one: for all
  std::vector<std::optional<std::string_view>> values;
  std::vector<Format> result_formats;  // as above

  Status decode(std::string_view body) {
    MessageReader reader(body);
    portal = reader.string();
    statement = reader.string();
    int16_t bad = 0;
    bool good = decode_formats(reader, parameter_formats, bad);
    auto count = static_cast<uint16_t>(reader.int16());
    values.clear();
    for (int i = 0; i < count && !reader.failed(); i++) {
      int32_t length = reader.int32();
      if (length == -1) {
        values.emplace_back();
      } else if (length < 0) {
        reader.fail("insufficient data left in message");
      } else {
        values.emplace_back(reader.bytes(static_cast<size_t>(length)));
      }
    }
    if (!decode_formats(reader, result_formats, bad)) good = false;
    INDIGO_TRY(reader.finish());
    if (!good) return Error(sqlstate::kInvalidParameterValue, "unsupported format code: " + std::to_string(bad));
    if (parameter_formats.size() > 1 && parameter_formats.size() != values.size()) {
      return Error(sqlstate::kProtocolViolation, "bind message has " + std::to_string(parameter_formats.size()) +
                                                     " parameter formats but " + std::to_string(values.size()) +
                                                     " parameters");
    }
    return {};
  }
  void encode(OutputBuffer& out) const {
    size_t length_at = out.begin_message(kType);
    out.put_string(portal);
    out.put_string(statement);
    encode_formats(out, parameter_formats);
    out.put_int16(static_cast<int16_t>(values.size()));
    for (const auto& value : values) {
      out.put_int32(value ? static_cast<int32_t>(value->size()) : -1);
      if (value) out.put_bytes(*value);
    }
    encode_formats(out, result_formats);
    out.end_message(length_at);
  }
};

}  // namespace indigo::wire
