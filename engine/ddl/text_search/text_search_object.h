// Objects of text search by name: configurations, dictionaries, parsers and templates, which DROP, COMMENT, RENAME, SET SCHEMA and
// OWNER TO treat alike.
// Thread safety: as the DdlContext.
#pragma once

#include "engine/ddl/drop/dependency.h"
#include "engine/ddl/object_lookup.h"
#include "sql/parse/parse_tree.h"
#include "types/textsearch/session.h"

namespace indigo::engine::ddl {

struct TextSearchType {
  types::TextSearchKind kind;
  Oid table;
  int name, schema, owner;  // columns; owner -1: it has none, and belongs to superusers
  std::string_view words;   // "text search dictionary"
  std::string_view unique;  // the constraint that two of one name would violate
};
// Null: another kind of object.
const TextSearchType* text_search_type(PgQuery__ObjectType type);
const TextSearchType* text_search_type(Oid class_id);
const TextSearchType& text_search_type(types::TextSearchKind kind);

types::TextSearchSession& text_search(DdlContext& c);

// 3F000, 42704.
Result<Oid> existing_text_search(DdlContext& c, const TextSearchType& type, NodeList name);
// The same for its owner; with missing_ok nothing, after a notice.
Result<std::optional<Address>> find_own_text_search(DdlContext& c, const TextSearchType& type, NodeList name,
                                                    bool missing_ok, Right right = Right::kOwner);
// 2BP01 for what the database system needs.
Result<std::optional<Address>> find_dropped_text_search(DdlContext& c, const TextSearchType& type, NodeList name,
                                                        bool missing_ok);
Status rename_text_search(DdlContext& c, const TextSearchType& type, NodeList name, std::string_view to);
Status move_text_search(DdlContext& c, const TextSearchType& type, NodeList name, std::string_view new_schema);
Status change_text_search_owner(DdlContext& c, const TextSearchType& type, NodeList name, Oid owner);
Status remove_text_search(DdlContext& c, const Address& address);
// "text search dictionary d"
std::string text_search_text(DdlContext& c, const Address& address);

// Where a new object of that name goes, and its name.
struct NewTextSearchName {
  Oid schema = kInvalidOid;
  std::string name;
};
Result<NewTextSearchName> new_text_search_name(DdlContext& c, NodeList name);
// Writes the row and what belongs to every new object; 23505 when its name is taken.
Status insert_text_search(DdlContext& c, const TextSearchType& type, const RowValues& row, Oid oid, Oid schema);

Status execute_create_text_search_parser(DdlContext& c, const PgQuery__DefineStmt& s);
Status execute_create_text_search_template(DdlContext& c, const PgQuery__DefineStmt& s);
Status execute_create_text_search_dictionary(DdlContext& c, const PgQuery__DefineStmt& s);
Status execute_alter_text_search_dictionary(DdlContext& c, const PgQuery__AlterTSDictionaryStmt& s);
Status execute_create_text_search_configuration(DdlContext& c, const PgQuery__DefineStmt& s);
Status execute_alter_text_search_configuration(DdlContext& c, const PgQuery__AlterTSConfigurationStmt& s);

}  // namespace indigo::engine::ddl
