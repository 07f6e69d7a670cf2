// The kinds of objects that have a name, by their system tables: what PostgreSQL calls them, and which columns name them.
// Thread safety: constants, and one session.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"

namespace indigo::engine {

class SessionParts;

// A name of its own, in no schema.
struct PlainKind {
  Oid table;
  int name;
  std::string_view words;  // "access method"
};
const PlainKind* plain_kind(Oid table);
const PlainKind* plain_kind(std::string_view words);

// A name in a schema, found along search_path.
struct SchemaKind {
  Oid table;
  int name, schema;
  std::string_view words;
  int same = -1;  // names are apart when this column differs (an operator family's access method)
};
const SchemaKind* schema_kind(Oid table);
const SchemaKind* schema_kind(std::string_view words);

// kInvalidOid: no object of that name in that schema. `same` is the value of SchemaKind::same.
Oid object_in_schema(SessionParts& session, const SchemaKind& kind, Oid schema, std::string_view name, Oid same);
// Along search_path, without the temporary schema: nobody looks there for such objects.
Oid object_in_path(SessionParts& session, const SchemaKind& kind, std::string_view name, Oid same);
// Whether the bare name finds that object; nothing: there is none.
std::optional<bool> is_found_by_name(SessionParts& session, const SchemaKind& kind, Oid object);

// What pg_identify_object() calls an object that does not exist; empty: no class of objects.
std::string_view class_words(Oid table, int32_t sub);

}  // namespace indigo::engine
