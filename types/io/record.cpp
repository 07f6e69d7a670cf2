#include "types/io/record.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/fiber/stack_exhausted.h"
#include "types/io/sound_image.h"
#include "types/oids.h"

namespace indigo::types {

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

std::string make_record(Oid type, std::span<const TypeRef> types, std::span<const Datum> values,
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

std::shared_ptr<const RowShape> fields_relation(CatalogContext& catalog, Oid type) {
  const auto info = type == oid::kRecord ? nullptr : catalog.type(type);
  return info == nullptr || info->relation == kInvalidOid ? nullptr : catalog.row_shape(info->relation);
}

RecordFields read_record(Str image) {
  require_stack();  // records nest, and whoever reads one may go on to its fields
  RecordFields fields;
  fields.type = load_unaligned<uint32_t>(image.data());
  const uint32_t header = load_unaligned<uint32_t>(image.data() + 4), count = header & ~kHasNames;
  const char* at = image.data() + 8;
  std::vector<uint32_t> dropped;  // which have names, too
  for (uint32_t i = 0; i < count; i++) {
    if (const Oid type = load_unaligned<uint32_t>(at); type == kInvalidOid) {
      dropped.push_back(i);
    } else {
      fields.types.push_back({type, load_unaligned<int32_t>(at + 4), kInvalidOid});
      fields.values.push_back(field_value(at));
    }
    at += kFieldHeader + load_unaligned<uint32_t>(at + 10);
  }
  for (uint32_t i = 0; (header & kHasNames) != 0 && i < count; i++) {
    const uint32_t bytes = load_unaligned<uint32_t>(at);
    if (!std::binary_search(dropped.begin(), dropped.end(), i)) fields.names.emplace_back(at + 4, bytes);
    at += 4 + bytes;
  }
  return fields;
}

RecordFields live_fields(CatalogContext& catalog, Str image) {
  require_stack();
  const Oid type = load_unaligned<uint32_t>(image.data());
  const auto relation = fields_relation(catalog, type);
  if (relation == nullptr) return read_record(image);
  const uint32_t count = load_unaligned<uint32_t>(image.data() + 4) & ~kHasNames;
  RecordFields fields;
  fields.type = type;
  const char* at = image.data() + 8;
  for (size_t i = 0; i < relation->columns.size(); i++) {
    const auto& column = relation->columns[i];
    const bool there = i < count;
    if (!column.dropped) {
      fields.types.push_back(column.type);
      const Datum null = Datum::make_null(relation->layout.phys(i));
      const Datum value = there ? field_value(at) : null;
      fields.values.push_back(value.phys == null.phys ? value : null);
    }
    if (there) at += kFieldHeader + load_unaligned<uint32_t>(at + 10);
  }
  return fields;
}

RecordFields numbered_fields(CatalogContext& catalog, Str image) {
  require_stack();
  RecordFields fields;
  fields.type = record_type(image);
  const auto relation = fields_relation(catalog, fields.type);
  const size_t has = field_count(image), count = relation != nullptr ? relation->columns.size() : has;
  const char* at = image.data() + 8;
  for (size_t i = 0; i < count; i++) {
    const bool dropped = relation != nullptr && relation->columns[i].dropped;
    types::TypeRef type{};
    Datum value = Datum::make_null(relation != nullptr ? relation->layout.phys(i) : Phys::kI32);
    if (i < has) {
      type = {load_unaligned<uint32_t>(at), load_unaligned<int32_t>(at + 4), kInvalidOid};
      if (!dropped) value = field_value(at);
      at += kFieldHeader + load_unaligned<uint32_t>(at + 10);
    }
    if (relation != nullptr && !dropped) {
      // As the type says now; what is stored differently, or not at all, is null.
      type = relation->columns[i].type;
      if (value.phys != relation->layout.phys(i)) value = Datum::make_null(relation->layout.phys(i));
    }
    fields.types.push_back(dropped ? types::TypeRef{} : type);
    fields.values.push_back(value);
  }
  return fields;
}

bool is_record_image(Str bytes) {
  if (bytes.size() < 8 || record_type(bytes) < oid::kFirstUserOid) return false;
  const auto header = load_unaligned<uint32_t>(bytes.data() + 4);
  if ((header & kHasNames) != 0) return false;
  size_t at = 8;
  for (uint32_t i = 0; i < header; i++) {
    if (bytes.size() - at < kFieldHeader) return false;
    const auto phys = static_cast<uint8_t>(bytes[at + 8]);
    const bool null = bytes[at + 9] != 0;
    const auto length = load_unaligned<uint32_t>(bytes.data() + at + 10);
    if (phys > static_cast<uint8_t>(Phys::kStr) || bytes.size() - at - kFieldHeader < length) return false;
    if (!null && static_cast<Phys>(phys) != Phys::kStr && length != phys_bytes(static_cast<Phys>(phys))) return false;
    if (!null && !is_sound(load_unaligned<uint32_t>(bytes.data() + at), field_value(bytes.data() + at))) return false;
    at += kFieldHeader + length;
  }
  return at == bytes.size();
}

Oid record_type(Str image) { return load_unaligned<uint32_t>(image.data()); }
size_t field_count(Str image) { return load_unaligned<uint32_t>(image.data() + 4) & ~kHasNames; }

std::optional<Datum> field_at(Str image, size_t field, types::TypeRef& type) {
  if (field >= field_count(image)) return std::nullopt;
  const char* at = image.data() + 8;
  for (size_t i = 0; i < field; i++) at += kFieldHeader + load_unaligned<uint32_t>(at + 10);
  type = {load_unaligned<uint32_t>(at), load_unaligned<int32_t>(at + 4), kInvalidOid};
  return field_value(at);
}

}  // namespace indigo::types
