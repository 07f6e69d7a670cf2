// Text to parse trees: the one adapter around libpg_query. Verifies UTF-8, blanks comments, refuses absurd nesting
// (54001) before parsing, parses on a large stack, and maps libpg_query's messages to SQLSTATEs and 1-based positions.
// Thread safety: safe from any thread.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "sql/parse/string_syntax.h"
#include "sql/parse/tree_names.h"

namespace indigo::sql {

// SELECT ... INTO comes out as CreateTableAsStmt (is_select_into).
//
// All statements of one text. Owns the tree; the text must outlive nothing (it is copied where needed).
class ParsedText {
 public:
  struct Statement {
    const PgQuery__Node* node;
    int location;  // 0-based byte of the statement's begin in the text
    int length;    // bytes; the last may be 0: to the end
  };
  virtual ~ParsedText() = default;
  virtual const std::vector<Statement>& statements() const = 0;
};

// What is stored, and texts of our own, are read by the standard.
Result<std::shared_ptr<const ParsedText>> parse(std::string_view text, const StringSyntax& syntax = {});

}  // namespace indigo::sql
