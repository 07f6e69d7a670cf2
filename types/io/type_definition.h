// The definition of each built-in type: one row in a table of its family's file (types/function/families.h). Parsing,
// row and key formats, sorting, hashing, the protocol and the fuzzer of values read it. Its name, OIDs and what else pg_type
// says come from PostgreSQL's row (types/generated); arrays are made of their elements' definitions, and records, enums and
// domains through the catalog (type_io.cpp).
// Input and receive: on failure the context has the error and the result is null. The text and bytes may be anything.
// Thread safety: constants.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/sqlstate.h"
#include "types/function/registry.h"
#include "types/io/type_orders.h"
#include "types/value/key_form.h"

namespace indigo::types {

// What value[key] is of a type whose values are maps of texts (hstore). `values` are images of the type.
struct KeyedSubscripts {
  std::string_view name;  // of the type, in messages
  // Nothing: the key is not there, or its value is null.
  std::optional<Str> (*fetch)(Str value, Str key);
  // The value with this one under the key; of a null value (nothing) one with this key alone.
  std::string (*assign)(std::optional<Str> value, Str key, std::optional<Str> element);
};

struct TypeDefinition {
  Oid type;
  Datum (*input)(FuncContext& context, const TypeRef& type, Str text);
  void (*output)(FuncContext& context, const TypeRef& type, const Datum& value, std::string& out);
  Datum (*receive)(FuncContext& context, const TypeRef& type, Str bytes);
  void (*send)(FuncContext& context, const TypeRef& type, const Datum& value, std::string& out);
  Phys phys = Phys::kStr;
  const TypeOrder* order = nullptr;  // comparison, equality and hash (io/type_orders.h); null: the type has none
  KeyForm key = KeyForm::kNone;
  const KeyedSubscripts* subscripts = nullptr;  // null: the type has none of this kind
  // Of an extension's type: its modifier out of what stands in parentheses behind its name. Null: it has none.
  Result<int32_t> (*modifier)(std::span<const std::string> arguments) = nullptr;
};

const TypeDefinition* type_definition(Oid type);  // null for arrays, records and user-defined types
std::span<const TypeDefinition* const> type_definitions();

// ---- the containers, in array_io.cpp
Datum array_input(FuncContext& context, const TypeRef& element, char delimiter, Str text);
void array_output(FuncContext& context, Str image, char delimiter, std::string& out);
Datum array_receive(FuncContext& context, const TypeRef& element, Str bytes);
// element: the declared type, which may be a domain that the image does not know of.
void array_send(FuncContext& context, Oid element, Str image, std::string& out);

// ---- binary helpers: network byte order
template <class U>
void send_integer(U value, std::string& out) {
  if constexpr (sizeof(U) > 1) value = big_endian(value);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
// Fails unless `bytes` is exactly one U.
template <class U>
bool receive_integer(FuncContext& context, Str bytes, U& value) {
  if (bytes.size() != sizeof(U)) {
    context.fail(bytes.size() < sizeof(U)
                     ? Error(sqlstate::kProtocolViolation, "insufficient data left in message")
                     : Error(sqlstate::kInvalidBinaryRepresentation, "incorrect binary data format"));
    return false;
  }
  value = load_unaligned<U>(bytes.data());
  if constexpr (sizeof(U) > 1) value = big_endian(value);
  return true;
}

// Fails with 22021 unless `text` is UTF-8 without NUL.
bool check_encoding(FuncContext& context, Str text);

}  // namespace indigo::types
