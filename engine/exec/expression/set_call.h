// A call of a set-returning function in FROM or in a select list: opened for one list of argument values, then read row by
// row. A function that returns no set gives one row.
// Thread safety: none.
#pragma once

#include <memory>
#include <vector>

#include "engine/exec/builder.h"

namespace indigo::engine::exec {

class SetCall {
 public:
  // `columns`: how many columns the call contributes; their kinds by plan column. `as_value`: a composite row is one of them
  // (a select list), not all of them (FROM).
  static Result<std::unique_ptr<SetCall>> make(Builder& b, const sql::ExprPtr& call, std::vector<Phys> columns,
                                               bool as_value);

  bool is_volatile() const { return arguments_.is_volatile() || call_volatile_; }
  // The arguments, evaluated by whoever owns the rows.
  ExpressionSet& arguments() { return arguments_; }
  // Starts with the arguments' values of one row.
  Status open(QueryState& state, uint32_t row);
  // Whether there is a current row; reads ahead up to `capacity` rows when the buffer is empty.
  Result<bool> available(QueryState& state, uint32_t capacity);
  uint32_t buffered() const { return count_ - at_; }
  // Moves `n` buffered rows to `to`[first..], columns from `column` on; strings are copied to `arena`.
  void take(uint32_t n, std::vector<Vector>& to, size_t column, uint32_t first, Arena& arena);
  size_t column_count() const { return columns_.size(); }

 private:
  ExpressionSet arguments_;
  const sql::SetFunction* function_ = nullptr;  // null: a scalar expression, arguments_[0]
  sql::CallInfo info_;
  bool expands_ = false;  // a scalar expression's composite value gives its fields
  bool strict_ = false, call_volatile_ = false;
  std::vector<Phys> columns_;
  // A function of several columns asked for one composite value: their types; empty otherwise.
  std::vector<sql::TypeRef> fields_;
  Oid record_type_ = kInvalidOid;
  std::vector<Phys> produced_;  // what the function fills: columns_, or the kinds of fields_
  std::unique_ptr<sql::SetProducer> producer_;
  std::vector<Datum> values_;
  std::vector<std::string> bytes_;
  std::vector<Vector> buffer_;
  Arena arena_;
  uint32_t at_ = 0, count_ = 0;
  bool done_ = true;
};

}  // namespace indigo::engine::exec
