// Character encodings other than UTF-8: convert, convert_from, convert_to, and length in an encoding. Single-byte encodings
// are converted (ICU has the tables); the others answer 0A000.
// Thread safety: pure functions.
#pragma once

#include "sql/func/context.h"

namespace indigo::sql {

Str convert_from(FuncContext& context, Str bytes, Str source);
Str convert_to(FuncContext& context, Str text, Str destination);
Str convert_between(FuncContext& context, Str bytes, Str source, Str destination);
int32_t length_in_encoding(FuncContext& context, Str bytes, Str name);

}  // namespace indigo::sql
