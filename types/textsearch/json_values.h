// The values in a JSON document that are worth searching: strings, and by wish numbers, booleans and keys.
// Thread safety: as the context.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "types/json/jsonb.h"

namespace indigo::types {

// Bits.
using JsonValueKinds = uint8_t;
inline constexpr JsonValueKinds kJsonStrings = 1, kJsonNumbers = 2, kJsonBooleans = 4, kJsonKeys = 8;

// Of "all", "string", ["string", "numeric"] and so on; none: the context has 22023.
std::optional<JsonValueKinds> read_json_value_kinds(FuncContext& context, JsonbView flags);

using JsonValueVisitor = std::function<void(Str value)>;
void visit_json_values(FuncContext& context, JsonbView document, JsonValueKinds kinds, const JsonValueVisitor& visit);
void visit_json_values(FuncContext& context, JsonText document, JsonValueKinds kinds, const JsonValueVisitor& visit);

}  // namespace indigo::types
