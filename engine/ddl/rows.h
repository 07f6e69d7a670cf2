// Rows of the system tables for new relations, columns and types.
#pragma once

#include "catalog/tables/sequence.h"
#include "engine/ddl/object_lookup.h"

namespace indigo::engine::ddl {

struct NewRelation {
  Oid oid = kInvalidOid;
  std::string name;
  Oid schema = kInvalidOid;
  RelationKind kind = RelationKind::kTable;
  char persistence = 'p';
  Oid owner = kInvalidOid;
  Oid row_type = kInvalidOid;
  Oid access_method = kInvalidOid;
  Oid filenode = kInvalidOid;
  Oid tablespace = kInvalidOid;
  int16_t column_count = 0;
  std::vector<std::string> options;  // reloptions
};

// 42P07 when the name is taken meanwhile.
Status insert_class(DdlContext& c, const NewRelation& r);
// Changes some columns of an existing row: reads it, lets `change` edit, writes it.
Status update_row(DdlContext& c, Oid table, std::initializer_list<Datum> key,
                  const std::function<void(RowValues&)>& change);
inline Status update_class(DdlContext& c, Oid oid, const std::function<void(RowValues&)>& change) {
  return update_row(c, pg_class::kOid, {Datum::of_oid(oid)}, change);
}

struct NewColumn {
  std::string name;
  TypeRef type;
  int dimensions = 0;
  bool not_null = false, has_default = false;
  char identity = 0, generated = 0;
  bool is_local = true;
  int inherit_count = 0;
  std::vector<std::string> options;  // attoptions, "name=value"
};
Status insert_attribute(DdlContext& c, Oid relation, int16_t number, const NewColumn& column);
Status update_attribute(DdlContext& c, Oid relation, int16_t number, const std::function<void(RowValues&)>& change);
// 42701 for a column that has a system column's name.
Status check_column_name(std::string_view name);
// The system columns of a table (ctid, xmin ...).
Status insert_system_attributes(DdlContext& c, Oid relation);

// pg_type rows of a relation's row type and its array: their OIDs.
struct RowType {
  Oid type = kInvalidOid, array = kInvalidOid;
};
Result<RowType> insert_row_type(DdlContext& c, std::string_view name, Oid schema, Oid relation, Oid owner,
                                bool with_array = true);

struct NewType {
  Oid oid = kInvalidOid;
  std::string name;
  Oid schema = kInvalidOid, owner = kInvalidOid;
  int16_t length = -1;
  bool by_value = false;
  char kind = 'b', category = 'U', alignment = 'i', storage = 'x';
  Oid relation = kInvalidOid, element = kInvalidOid, array = kInvalidOid;
  std::string_view input = "record_in", output = "record_out", receive = "record_recv",
                   send = "record_send";  // proname
  std::string_view modifier_in, modifier_out, subscript, analyze;
  bool not_null = false;
  Oid base = kInvalidOid;
  int32_t typmod = -1;
  int32_t dimensions = 0;
  Oid collation = kInvalidOid;
  std::optional<std::string> default_expr;  // a tree
  std::string default_text;                 // what it says now
};
Status insert_type(DdlContext& c, const NewType& t);
// The array type of `element` under a free name (_name): its OID. `oid` was chosen before.
Status insert_array_type(DdlContext& c, Oid oid, std::string_view element_name, Oid schema, Oid owner, Oid element,
                         char element_alignment, Oid element_collation = kInvalidOid);

// pg_attrdef. Answers its OID.
Result<Oid> insert_default(DdlContext& c, Oid relation, int16_t column, std::string_view sql);
Status insert_sequence_row(DdlContext& c, Oid relation, Oid type, const catalog::SequenceOptions& o);

// A name that no relation, constraint or type of the schema has: "table_column_suffix", numbered when taken, cut to 63.
std::string choose_relation_name(DdlContext& c, std::string_view first, std::string_view second,
                                 std::string_view suffix, Oid schema, std::span<const std::string> also_taken = {});
std::string choose_constraint_name(DdlContext& c, std::string_view first, std::string_view second,
                                   std::string_view suffix, Oid schema, std::span<const std::string> also_taken = {});

}  // namespace indigo::engine::ddl
