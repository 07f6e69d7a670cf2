// String operations shared by text functions, type input and deparsing. Text is valid UTF-8; positions count characters.
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "types/function/context.h"

namespace indigo::types {

inline constexpr size_t kMaxTextBytes = 0x3fffffff;  // PostgreSQL's limit on a value, 1 GB

inline Str without_trailing_blanks(Str s) { return s.substr(0, s.find_last_not_of(' ') + 1); }

Str concatenate(FuncContext& context, Str a, Str b);
// `start` from 1; a length below zero is an error of its caller's.
Str substring(Str s, int64_t start, int64_t length);
Str substring_from(Str s, int64_t start);
// 1-based character position, 0 when absent.
int32_t position_of(Str haystack, Str needle);
std::string replace_all(Str s, Str from, Str to);

// SQL quoting.
bool is_quoted_keyword(std::string_view word);  // any but unreserved keywords
std::string quote_identifier(Str name);
std::string quote_literal(Str text);     // E'' when there is a backslash
std::string standard_literal(Str text);  // backslashes as they are: what is read with standard_conforming_strings on

// Binary to text. decode: fails in the context.
std::string encode_hex(Str bytes);
std::string encode_base64(Str bytes, bool break_lines);
// A value of type "char": the first byte; \ooo stands for a byte, an empty text for zero.
char char_from_text(Str text);
std::string encode_escape(Str bytes);
Str decode_hex(FuncContext& context, Str text);
Str decode_base64(FuncContext& context, Str text);
Str decode_escape(FuncContext& context, Str text);
void append_hex(Str bytes, std::string& out);

}  // namespace indigo::types
