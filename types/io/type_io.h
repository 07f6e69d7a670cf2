// The text and binary forms of the built-in types: tables by type, joined by type_io.cpp, which also handles arrays,
// records, enums and domains through the catalog.
// Input and receive: on failure the context has the error and the result is null. The text and bytes may be anything.
// Thread safety: constants.
#pragma once

#include <span>

#include "types/function/registry.h"

namespace indigo::types {

struct TypeIo {
  Oid type;
  Datum (*input)(FuncContext& context, const TypeRef& type, Str text);
  void (*output)(FuncContext& context, const TypeRef& type, const Datum& value, std::string& out);
  Datum (*receive)(FuncContext& context, const TypeRef& type, Str bytes);
  void (*send)(FuncContext& context, const TypeRef& type, const Datum& value, std::string& out);
};

std::span<const TypeIo> number_types();
std::span<const TypeIo> string_types();
std::span<const TypeIo> datetime_types();
std::span<const TypeIo> json_types();
std::span<const TypeIo> catalog_types();  // reg*
std::span<const TypeIo> money_types();
std::span<const TypeIo> network_types();
std::span<const TypeIo> other_types();

const TypeIo* find_type_io(Oid type);  // null for arrays, records and user-defined types

// ---- the containers, in array_io.cpp
Datum array_input(FuncContext& context, const TypeRef& element, char delimiter, Str text);
void array_output(FuncContext& context, Str image, char delimiter, std::string& out);
Datum array_receive(FuncContext& context, const TypeRef& element, Str bytes);
void array_send(FuncContext& context, Str image, std::string& out);

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
