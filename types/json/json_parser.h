// Reads JSON text (RFC 8259) and tells a sink what it finds. Errors are PostgreSQL's: 22P02 with detail and context.
// Nesting is bounded by the stack (54001).
// Thread safety: a parser belongs to its caller.
#pragma once

#include <string>

#include "types/function/context.h"

namespace indigo::types {

class JsonSink {
 public:
  virtual ~JsonSink() = default;
  virtual void begin_object() = 0;
  virtual void end_object() = 0;
  virtual void begin_array() = 0;
  virtual void end_array() = 0;
  virtual void key(Str name) = 0;      // decoded
  virtual void string(Str value) = 0;  // decoded
  virtual void number(Str text) = 0;   // as written
  virtual void boolean(bool value) = 0;
  virtual void null() = 0;
};

// sink null: only checks the text. Strings are then not decoded, so that \u0000 passes, as PostgreSQL's json lets it.
// False: the context has the error.
bool parse_json(FuncContext& context, Str text, JsonSink* sink);

// A quoted string of valid JSON, decoded. False: \u0000 (22P05).
bool decode_json_string(FuncContext& context, Str quoted, std::string& out);

// Quotes and escapes.
void append_json_string(Str text, std::string& out);

}  // namespace indigo::types
