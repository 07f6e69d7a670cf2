// A pass over the text before libpg_query sees it. libpg_query has no stack check of its own and is slow on nested comments:
//  - nested comments are flattened (their inner delimiters become blanks), and line comments become blanks (libpg_query does
//    not let a string literal continue after one); byte offsets stay as they are, character positions may not;
//  - chains of more than kMaxLinks operators, or set operations and joins, are refused with 54001. A chain inside brackets
//    counts on top of the chain around it, so the count bounds the depth of the parse tree.
// Thread safety: pure function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "sql/parse/string_syntax.h"

namespace indigo::sql {

inline constexpr int kMaxLinks = 10000;

struct EscapedString {
  int begin;     // 0-based byte of its quote
  char escaped;  // what stands behind its first backslash
};

struct LiteralPlace {
  size_t begin, end;  // 0-based bytes: of its first quote, behind its last
};

// What is noted on the way, where asked for.
struct PreScanNotes {
  std::vector<std::string>* long_names = nullptr;  // longer than a name can be, as between the quotes or in lower case
  std::vector<EscapedString>* escaped_strings = nullptr;  // of '...' whose backslashes are escapes
  std::vector<LiteralPlace>* unicode_literals = nullptr;  // U&'...' and U&"..."
};

// The text to parse, as long as `text`.
Result<std::string> pre_scan(std::string_view text, const StringSyntax& syntax = {}, const PreScanNotes& notes = {});

// The same names of a text, most of which have none.
std::vector<std::string> long_names(std::string_view text, const StringSyntax& syntax = {});

}  // namespace indigo::sql
