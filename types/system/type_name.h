// Types' names as SQL writes them, both ways.
// Thread safety: reads one session's catalog view.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "types/function/registry.h"

namespace indigo::types {

// As format_type: "character varying(10)", "integer[]", a name qualified when search_path does not find it.
// Unknown OIDs give "???". A modifier of -1 is not the same as none: PostgreSQL then says bpchar and "bit", whose SQL
// names would mean length 1.
std::string format_type(CatalogContext& catalog, Oid type, std::optional<int32_t> typmod = std::nullopt);
inline std::string format_type(FuncContext& context, Oid type, std::optional<int32_t> typmod = std::nullopt) {
  return format_type(context.session().catalog(), type, typmod);
}

// "timestamp(3) with time zone", "myschema.mytype[]", "numeric(10, 2)". Fails with 42704 or 42601.
Result<TypeRef> parse_type_name(FuncContext& context, Str text);

// "a"."B".c -> parts, lower case unless quoted. Fails with 42602 "invalid name syntax".
Result<std::vector<std::string>> parse_qualified_name(Str text);

}  // namespace indigo::types
