// XML Schema of tables, schemas and databases (SQL/XML, part 14: mappings of types and of their collections).
// Thread safety: one session.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/session/session_parts.h"
#include "types/type_info.h"

namespace indigo::engine::xml_mapping {

// How the caller wants it: the last three arguments of each mapping function.
struct Form {
  bool nulls = false;   // null columns are elements with xsi:nil, not left out
  bool forest = false;  // an element for each row, without one around them
  std::string space;    // the target namespace; empty: none
};

struct Columns {
  std::vector<types::TypeRef> types;
  std::vector<std::string> names;
};
struct TableName {
  std::string schema, table;  // both empty: of a query
};

std::string schema_begin(const Form& form);
inline constexpr std::string_view kSchemaEnd = "</xsd:schema>";
// The types of all columns, each once, with those below domains.
std::string types_text(SessionParts& session, const std::vector<Columns>& tables);
std::string table_schema(SessionParts& session, const Columns& columns, const TableName& name, const Form& form);
// What a schema's tables, and a database's schemas, are elements of.
std::string schema_element(SessionParts& session, const std::string& schema, const std::vector<std::string>& tables,
                           const Form& form);
std::string database_element(SessionParts& session, const std::vector<std::string>& schemas);

}  // namespace indigo::engine::xml_mapping
