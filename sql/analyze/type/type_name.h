// Type names in SQL text to types: search path, SQL's own spellings (made by the grammar), modifiers, array brackets.
// Thread safety: part of one analysis.
#pragma once

#include "sql/analyze/analysis.h"
#include "sql/parse/tree_names.h"

namespace indigo::sql {

// 42704 when there is no such type. SETOF is refused. serial is no type: definitions handle it.
Result<TypeRef> resolve_type_name(Analysis& a, const PgQuery__TypeName* name);
// The same without an error for an unknown name: an invalid OID.
Result<TypeRef> find_type_name(Analysis& a, const PgQuery__TypeName* name);
// Text as in messages: "schema.name[]".
std::string type_name_text(const PgQuery__TypeName* name);

// COLLATE's name.
Result<Oid> resolve_collation(Analysis& a, const PgQuery__CollateClause* clause);

}  // namespace indigo::sql
