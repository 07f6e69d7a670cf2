// SQL values as JSON: to_json, to_jsonb and everything that builds documents.
// Failures (a value that jsonb cannot hold, nesting) go to the context.
// Thread safety: as the context.
#pragma once

#include <string>

#include "types/function/registry.h"
#include "types/json/jsonb.h"

namespace indigo::types {

// pretty: line feeds between the members of the outermost array or record.
void append_json(FuncContext& context, const TypeRef& type, const Datum& value, std::string& out, bool pretty = false);
std::string jsonb_of(FuncContext& context, const TypeRef& type, const Datum& value);

// A value as an object's key: its text. Arrays, composites and json are refused (22023).
bool json_key(FuncContext& context, const TypeRef& type, const Datum& value, std::string& out);

}  // namespace indigo::types
