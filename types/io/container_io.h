// Text and binary forms of arrays, composite values and enums. See types/type_io.h for the conventions.
#pragma once

#include "base/fiber/long_work.h"
#include "types/function/limits.h"
#include "types/io/type_definition.h"

namespace indigo::types {

// `text` between quotes; quotes and backslashes within it have themselves (arrays: a backslash) before them.
void append_quoted(Str text, bool by_backslash, std::string& out);

// The text of a part, of which up to twice as much is appended to `out`: quotes double what they quote, so that nested values
// grow exponentially. False: the context has an error, now or already.
inline bool check_part(FuncContext& context, Str part, const std::string& out) {
  note_work(part.size() * 2);
  constexpr size_t kLongBytes = 64 << 10;
  if (part.size() > kLongBytes && interrupted(context)) return false;
  return !context.failed() && check_text_bytes(context, out.size() + part.size());
}

Datum record_input(FuncContext& context, Oid type, Str text);
void record_output(FuncContext& context, Str image, std::string& out);
Datum record_receive(FuncContext& context, Oid type, Str bytes);
void record_send(FuncContext& context, Str image, std::string& out);

Datum enum_input(FuncContext& context, const TypeInfo& type, Str label);
// False: the running transaction has added the label, and the context has the error (55P04).
bool check_committed_label(FuncContext& context, const TypeInfo& type, Oid label);
void enum_output(const TypeInfo& type, Oid label, std::string& out);

}  // namespace indigo::types
