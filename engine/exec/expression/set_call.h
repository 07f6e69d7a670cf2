// A call of a set-returning function in FROM or in a select list: opened for one list of argument values, then read row by
// row. A function that returns no set gives one row.
// Thread safety: none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/exec/builder.h"
#include "engine/exec/scalar/scalar_expression.h"

namespace indigo::engine::exec {

class SetCall {
 public:
  // `columns`: the types of the columns that the call contributes, as planned. `as_value`: a composite row is one of them
  // (a select list), not all of them (FROM).
  static Result<std::unique_ptr<SetCall>> make(Builder& b, const sql::ExprPtr& call,
                                               std::vector<types::TypeRef> columns, bool as_value);

  bool is_volatile() const { return arguments_.is_volatile() || call_volatile_; }
  // The arguments, evaluated by the owner of the rows.
  ExpressionSet& arguments() { return arguments_; }
  // Starts with the arguments' values of one row.
  Status open(QueryState& state, uint32_t row);
  // Whether there is a current row; reads ahead up to `capacity` rows when the buffer is empty.
  Result<bool> available(QueryState& state, uint32_t capacity);
  uint32_t buffered() const { return count_ - at_; }
  // Moves `n` buffered rows to `to`[first..], columns from `column` on; strings are copied to `arena`.
  void take(uint32_t n, std::vector<Vector>& to, size_t column, uint32_t first, Arena& arena);
  size_t column_count() const { return columns_.size(); }
  // Nothing more will be asked for: files, programs and cursors that the rows come from are let go.
  void close() {
    producer_ = nullptr;
    done_ = true;
    at_ = count_ = 0;
  }

 private:
  ExpressionSet arguments_;
  const types::SetFunction* function_ = nullptr;  // null: a scalar expression, arguments_[0]
  types::CallInfo info_;
  // The call's value is a composite one (always one image for each row), and its fields are the columns. A value of another
  // shape than the columns' is an error.
  bool expands_ = false;
  bool named_ = false;  // of a composite type, not record
  bool strict_ = false, call_volatile_ = false;
  // Fills row `at` of the buffer from a composite value; null: a row of nulls.
  Status expand(QueryState& state, uint32_t at, const Datum& value);
  // Of a record: its fields as the column definition list wants them, where a function in SQL may return other types.
  Status prepare_assignments(QueryState& state, Str image);
  Status assign(QueryState& state, uint32_t at, Str image);

  std::vector<types::TypeRef> types_;  // of the columns
  std::vector<Phys> columns_;          // their kinds
  // A function of several columns asked for one composite value: their types; empty otherwise.
  std::vector<types::TypeRef> fields_;
  Oid record_type_ = kInvalidOid;
  std::vector<Phys> produced_;  // what the function fills: columns_, the kinds of fields_, or one image
  std::unique_ptr<types::SetProducer> producer_;
  std::vector<Datum> values_;
  std::vector<std::string> bytes_;
  std::vector<Vector> buffer_;
  std::vector<Vector> images_;  // of the rows to expand
  std::vector<Datum> row_;
  bool assigns_ = false;                                        // a function in SQL that returns records
  std::vector<std::unique_ptr<ScalarExpression>> assignments_;  // by column, of the first row's fields; null: as it is
  std::optional<std::string> first_row_;                        // all rows of one call have the shape of the first
  Arena arena_;
  uint32_t at_ = 0, count_ = 0;
  bool done_ = true;
};

}  // namespace indigo::engine::exec
