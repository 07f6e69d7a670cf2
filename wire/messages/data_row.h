// DataRow: one row's values. From the server. Rows of a query are encoded by wire/session/row_encoder.h instead.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct DataRow {
  static constexpr char kType = 'D';

  static void encode(std::span<const std::optional<std::string_view>> values, OutputBuffer& out) {
    size_t length_at = out.begin_message(kType);
    out.put_int16(static_cast<int16_t>(values.size()));
    for (const auto& value : values) {
      out.put_int32(value ? static_cast<int32_t>(value->size()) : -1);
      if (value) out.put_bytes(*value);
    }
    out.end_message(length_at);
  }
  static Status decode(std::string_view body, std::vector<std::optional<std::string_view>>& values) {
    MessageReader reader(body);
    auto count = static_cast<uint16_t>(reader.int16());
    values.clear();
    for (int i = 0; i < count && !reader.failed(); i++) {
      int32_t length = reader.int32();
      if (length < 0) {
        values.emplace_back();
      } else {
        values.emplace_back(reader.bytes(static_cast<size_t>(length)));
      }
    }
    return reader.finish();
  }
};

}  // namespace indigo::wire
