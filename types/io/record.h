// The bytes of a composite value.
//
//   uint32  its type: record (2249) or a composite type
//   uint32  number of fields
//            (its highest bit: the fields' names follow them, as uint32 length and bytes each)
//   then for each field: uint32 type, int32 modifier, uint8 physical kind, uint8 null, uint32 bytes, the bytes
//
// A composite value has a field for every column of its type; one whose column is dropped is null and has type 0.
// Everything is unaligned. Thread safety: a view borrows the image.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "types/function/catalog_context.h"
#include "types/type_info.h"
#include "types/value/datum.h"

namespace indigo::types {

// Names are for record only (a composite type's are its relation's): one for each field, or none, which means f1, f2 ...
std::string make_record(Oid type, std::span<const TypeRef> types, std::span<const Datum> values,
                        std::span<const std::string> names = {});

// The relation whose columns are the fields of a composite type; null for record and all other types.
std::shared_ptr<const RowShape> fields_relation(CatalogContext& catalog, Oid type);

struct RecordFields {
  Oid type = kInvalidOid;
  std::vector<TypeRef> types;
  std::vector<Datum> values;  // strings borrow from the image
  std::vector<Str> names;     // empty when the image has none
};
// The fields that the value has, without those that were dropped when it was made.
RecordFields read_record(Str image);
// The fields that the value's type has now: without those dropped since, with a null for each one added since.
RecordFields live_fields(CatalogContext& catalog, Str image);
// A field for each column that the value's type has now, dropped ones counted (type 0, null); a record's are its own. What a
// query may make of it: types/io/record_shape.h.
RecordFields numbered_fields(CatalogContext& catalog, Str image);

// ---- parts of an image
// Whether these bytes, which a client may have chosen, can be read as a composite value of a user's type: whole to the last byte,
// its fields sound (types/io/sound_image.h).
bool is_record_image(Str bytes);
Oid record_type(Str image);
size_t field_count(Str image);
// By number, dropped ones counted, with its type; nothing where the value has no such field.
std::optional<Datum> field_at(Str image, size_t field, TypeRef& type);

}  // namespace indigo::types
