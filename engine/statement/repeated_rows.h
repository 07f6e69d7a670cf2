// The rows of INSERT ... VALUES (...), (...), ... that differ in their literals only: the statement is parsed, analyzed and
// planned for one row of each shape, and its rows are data. So a statement of ten thousand rows costs as much to prepare as
// one of two, and all of them share one plan, however many rows they have.
//
// A row's shape is its text with the literals' classes in their places. A literal NULL that is a whole value has the class of
// the other rows' literals in its column: its parameter is null.
// Like the literal scanner, this only has to be right when it folds; what it is unsure of is left whole. The caller must check
// in the plan that the literals stayed parameters of the rows (repeating_values).
// Thread safety: none; one session reuses it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/exec/row_parameters.h"
#include "engine/statement/literal_scanner.h"

namespace indigo::engine {

struct FoldedText {
  // The statement with one row for each shape (two at least), and its literals.
  std::string text;
  ScannedText scanned;
  // By row of `text`: its literals are first_literal[i] and those that follow, up to first_literal[i + 1].
  std::vector<uint32_t> first_literal;

  struct Row {
    uint32_t like;           // a row of `text`
    uint32_t first_literal;  // of the whole statement's
    uint32_t nulls;          // into null_literals
  };
  std::vector<Row> rows;
  // Which of a row's literals are NULL and have none in the text; the first list is empty.
  std::vector<std::vector<bool>> null_literals;
};

// False: left whole. `scanned` is what scan_literals found in `text`.
bool fold_rows(std::string_view text, const ScannedText& scanned, FoldedText& out);

// The rows of the plan's INSERT, when it has `rows` of them, each with no subquery in it; otherwise null.
const sql::ValuesPlan* repeating_values(const sql::PlannedStatement& plan, size_t rows);

}  // namespace indigo::engine
