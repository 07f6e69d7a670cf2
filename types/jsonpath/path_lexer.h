// Tokens of jsonpath text.
// Thread safety: a lexer belongs to its caller.
#pragma once

#include <string>

#include "types/function/context.h"

namespace indigo::types {

struct PathToken {
  enum class Kind : uint8_t { kEnd, kSymbol, kName, kString, kVariable, kInteger, kNumber };
  Kind kind = Kind::kEnd;
  std::string text;     // decoded; a symbol's characters
  Str source;           // as written, for errors
  bool keyword = true;  // a name without escapes may be a keyword
};

class PathLexer {
 public:
  PathLexer(FuncContext& context, Str text) : context_(context), in_(text) {}
  // False: the context has the error.
  bool next(PathToken& token);

 private:
  bool fail(const std::string& message, Str near);
  bool comment();
  bool number(PathToken& token);
  bool quoted(std::string& out);
  bool name(std::string& out, bool& escaped);
  bool escape(std::string& out);
  bool unicode(std::string& out);
  bool hex_unit(uint32_t& unit);

  FuncContext& context_;
  Str in_;
  size_t at_ = 0;
  size_t escapes_begin_ = 0, escapes_end_ = 0;  // the last run of \u escapes, which errors show whole
};

}  // namespace indigo::types
