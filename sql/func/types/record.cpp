#include "sql/func/types/record.h"

#include "base/bytes.h"

namespace indigo::sql {

namespace {

constexpr size_t kFieldHeader = 14;
constexpr uint32_t kHasNames = 0x80000000u;

template <class T>
void append_raw(T value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

Datum field_value(const char* header) {
  Datum d = Datum::make_null(static_cast<Phys>(header[8]));
  if (header[9] != 0) return d;
  d.null = false;
  const uint32_t bytes = load_unaligned<uint32_t>(header + 10);
  if (d.phys == Phys::kStr) {
    d.str = Str(header + kFieldHeader, bytes);
  } else {
    std::memcpy(&d.block, header + kFieldHeader, bytes);
  }
  return d;
}

}  // namespace

std::string make_record(Oid type, std::span<const catalog::TypeRef> types, std::span<const Datum> values,
                        std::span<const std::string> names) {
  std::string out;
  append_raw(type, out);
  append_raw(static_cast<uint32_t>(values.size()) | (names.empty() ? 0 : kHasNames), out);
  for (size_t i = 0; i < values.size(); i++) {
    const Datum& v = values[i];
    append_raw(types[i].oid, out);
    append_raw(types[i].typmod, out);
    out.push_back(static_cast<char>(v.phys));
    out.push_back(v.null ? 1 : 0);
    if (v.null) {
      append_raw(uint32_t{0}, out);
    } else if (v.phys == Phys::kStr) {
      append_raw(static_cast<uint32_t>(v.str.size()), out);
      out.append(v.str);
    } else {
      append_raw(phys_bytes(v.phys), out);
      out.append(reinterpret_cast<const char*>(&v.block), phys_bytes(v.phys));
    }
  }
  for (const std::string& name : names) {
    append_raw(static_cast<uint32_t>(name.size()), out);
    out.append(name);
  }
  return out;
}

RecordFields read_record(Str image) {
  RecordFields fields;
  fields.type = load_unaligned<uint32_t>(image.data());
  const uint32_t header = load_unaligned<uint32_t>(image.data() + 4), count = header & ~kHasNames;
  const char* at = image.data() + 8;
  for (uint32_t i = 0; i < count; i++) {
    if (const Oid type = load_unaligned<uint32_t>(at); type != kInvalidOid) {
      fields.types.push_back({type, load_unaligned<int32_t>(at + 4), kInvalidOid});
      fields.values.push_back(field_value(at));
    }
    at += kFieldHeader + load_unaligned<uint32_t>(at + 10);
  }
  for (uint32_t i = 0; (header & kHasNames) != 0 && i < count; i++) {
    const uint32_t bytes = load_unaligned<uint32_t>(at);
    fields.names.emplace_back(at + 4, bytes);
    at += 4 + bytes;
  }
  return fields;
}

Datum record_field(Str image, size_t field) {
  // A column that its type has got since is null.
  const uint32_t count = load_unaligned<uint32_t>(image.data() + 4) & ~kHasNames;
  if (field >= count) return Datum::make_null(Phys::kI32);
  const char* at = image.data() + 8;
  for (size_t i = 0; i < field; i++) at += kFieldHeader + load_unaligned<uint32_t>(at + 10);
  return field_value(at);
}

}  // namespace indigo::sql
