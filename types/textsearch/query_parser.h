// Reads the texts of queries: tsquery's own syntax, with operators and parentheses, and that of web searches, in which nothing is
// an error. Words go to the caller, who makes of each what he likes, but one operand.
// Thread safety: as the context.
#pragma once

#include <functional>

#include "types/textsearch/query_builder.h"

namespace indigo::types {

// Adds an operand to `query`. False: the context has an error.
using QueryWordReader = std::function<bool(QueryBuilder& query, Str word, uint8_t weights, bool prefix)>;

// False: the context has an error.
bool parse_query(FuncContext& context, Str text, const QueryWordReader& word, QueryBuilder& query);
bool parse_web_query(FuncContext& context, Str text, const QueryWordReader& word, QueryBuilder& query);

}  // namespace indigo::types
