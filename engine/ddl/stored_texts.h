// Expressions and queries are stored as text with qualified names: when an object gets another name, the texts that name it
// are edited. Who they are is what pg_depend says.
#pragma once

#include <functional>

#include "engine/ddl/drop/dependency.h"

namespace indigo::engine::ddl {

// `query`: a view's, not an expression. Answers the new text.
using TextEdit = std::function<Result<std::string>(std::string_view text, bool query)>;

// Defaults, generated columns, checks, views, keys and predicates of indexes, and defaults of domains that depend on
// `referenced` (sub 0: or on one of its columns).
Status edit_dependent_texts(DdlContext& c, const Address& referenced, const TextEdit& edit);

// Type schema.name (and its array) is to be called otherwise. Before the rows of the catalog change.
Status rename_type_in_dependents(DdlContext& c, Oid type, std::string_view new_schema, std::string_view new_name);

// Column `number` of the relation in the query of a view: the query reads the same column under its new name, and its own
// output keeps the old one. Analyzed over the catalog as it is before the change. 0A000 for USING and NATURAL joins on it.
Result<std::string> rename_column_in_query(DdlContext& c, std::string_view text, Oid relation, int16_t number,
                                           std::string_view from, std::string_view to);

}  // namespace indigo::engine::ddl
