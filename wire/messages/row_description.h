// RowDescription: names and types of a result's columns. From the server.
#pragma once

#include <vector>

#include "base/ids.h"
#include "wire/messages/format_codes.h"
#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct RowDescription {
  static constexpr char kType = 'T';
  struct Column {
    std::string_view name;
    Oid table = kInvalidOid;
    int16_t column = 0;
    Oid type = kInvalidOid;
    int16_t type_length = -1;
    int32_t modifier = -1;
    Format format = Format::kText;
  };

  static void encode(const engine::ResultShape& shape, OutputBuffer& out) {
    size_t length_at = out.begin_message(kType);
    out.put_int16(static_cast<int16_t>(shape.columns.size()));
    for (size_t i = 0; i < shape.columns.size(); i++) {
      const engine::ResultColumn& column = shape.columns[i];
      out.put_string(column.name);
      out.put_int32(static_cast<int32_t>(column.table));
      out.put_int16(column.column);
      out.put_int32(static_cast<int32_t>(column.type.oid));
      out.put_int16(column.type_length);
      out.put_int32(column.type.typmod);
      out.put_int16(static_cast<int16_t>(i < shape.formats.size() ? shape.formats[i] : Format::kText));
    }
    out.end_message(length_at);
  }
  static Status decode(std::string_view body, std::vector<Column>& columns) {
    MessageReader reader(body);
    int count = reader.int16();
    columns.clear();
    for (int i = 0; i < count && !reader.failed(); i++) {
      Column column;
      column.name = reader.string();
      column.table = static_cast<Oid>(reader.int32());
      column.column = reader.int16();
      column.type = static_cast<Oid>(reader.int32());
      column.type_length = reader.int16();
      column.modifier = reader.int32();
      column.format = static_cast<Format>(reader.int16());
      columns.push_back(column);
    }
    return reader.finish();
  }
};

}  // namespace indigo::wire
