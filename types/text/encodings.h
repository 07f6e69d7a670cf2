// Character encodings other than UTF-8: convert, convert_from, convert_to, and length in an encoding; and text as clients with
// another encoding have it. Those that ICU has tables for are converted; the others (MULE_INTERNAL, JOHAB, LATIN10, the 2004
// sets) answer 0A000.
// Thread safety: pure functions; a TextConverter has one user at a time.
#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "types/function/context.h"

namespace indigo::types {

// By PostgreSQL's numbers; "" and -1 when there is none.
std::string encoding_name(int32_t number);
int32_t encoding_number(Str name);

// Between UTF-8 and one other encoding.
class TextConverter {
 public:
  // Null: the encoding needs none (UTF8, SQL_ASCII). 22023 for an unknown name, 0A000 for one that is not converted.
  static Result<std::unique_ptr<TextConverter>> open(Str name);
  ~TextConverter();
  TextConverter(const TextConverter&) = delete;
  TextConverter& operator=(const TextConverter&) = delete;

  const char* name() const;
  // Both append. 22021 for bytes that are no text, 22P05 for characters that the other encoding does not have.
  Status to_utf8(Str bytes, std::string& out) const;
  Status from_utf8(Str text, std::string& out) const;
  // What the other encoding does not have becomes '?'.
  void from_utf8_or_mark(Str text, std::string& out) const;

 private:
  struct Implementation;
  explicit TextConverter(std::unique_ptr<Implementation> implementation);
  const std::unique_ptr<Implementation> implementation_;
};

Str convert_from(FuncContext& context, Str bytes, Str source);
Str convert_to(FuncContext& context, Str text, Str destination);
Str convert_between(FuncContext& context, Str bytes, Str source, Str destination);
// Letters without their marks, of the bytes as if they were of a single-byte encoding.
Str to_ascii_default(FuncContext& context, Str text);
Str to_ascii_named(FuncContext& context, Str text, Str name);
Str to_ascii_numbered(FuncContext& context, Str text, int32_t number);
int32_t length_in_encoding(FuncContext& context, Str bytes, Str name);

}  // namespace indigo::types
