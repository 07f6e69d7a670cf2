// Small readers of libpg_query's protobuf-c structs. Lists come as a count and a pointer; an absent string is "".
// Thread safety: pure functions.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sql/parse/parse_tree.h"
#include "sql/parse/tree_names.h"

namespace indigo::sql {

inline NodeList nodes(size_t count, PgQuery__Node* const* items) { return {items, count}; }

inline bool absent(const PgQuery__Node* n) { return n == nullptr || n->node_case == PG_QUERY__NODE__NODE__NOT_SET; }
inline bool is(const PgQuery__Node* n, PgQuery__Node__NodeCase kind) { return n != nullptr && n->node_case == kind; }

// The value of a String node, "" for anything else.
inline std::string_view string_of(const PgQuery__Node* n) {
  return is(n, PG_QUERY__NODE__NODE_STRING) ? std::string_view(n->string->sval) : std::string_view();
}
inline bool has_text(const char* s) { return s != nullptr && *s != '\0'; }

// A qualified name: schema (empty when not written) and the object's own name. Three parts: the first is the database.
struct QualifiedName {
  std::string_view database, schema, name;
  bool valid = true;  // false: more than three parts
};
QualifiedName qualified_name(NodeList parts);
// Parts joined with dots, as in PostgreSQL's messages.
std::string name_list_text(NodeList parts);
std::vector<std::string> strings_of(NodeList parts);

// 0-based byte location of an expression node's own token, -1 when it has none.
int location_of(const PgQuery__Node* n);

// Calls `visit` for every message below `root` (itself included), parents first; visit returns false to skip the children.
void walk_tree(const ProtobufCMessage* root, const std::function<bool(const ProtobufCMessage*)>& visit);

// Structural equality of two messages, locations ignored.
bool equal_trees(const ProtobufCMessage* a, const ProtobufCMessage* b);

}  // namespace indigo::sql
