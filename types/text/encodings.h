// Character encodings other than UTF-8: convert, convert_from, convert_to, and length in an encoding. Single-byte encodings
// are converted (ICU has the tables); the others answer 0A000.
// Thread safety: pure functions.
#pragma once

#include "types/function/context.h"

namespace indigo::types {

// By PostgreSQL's numbers; "" and -1 when there is none.
std::string encoding_name(int32_t number);
int32_t encoding_number(Str name);

Str convert_from(FuncContext& context, Str bytes, Str source);
Str convert_to(FuncContext& context, Str text, Str destination);
Str convert_between(FuncContext& context, Str bytes, Str source, Str destination);
// Letters without their marks, of the bytes as if they were of a single-byte encoding.
Str to_ascii_default(FuncContext& context, Str text);
Str to_ascii_named(FuncContext& context, Str text, Str name);
Str to_ascii_numbered(FuncContext& context, Str text, int32_t number);
int32_t length_in_encoding(FuncContext& context, Str bytes, Str name);

}  // namespace indigo::types
