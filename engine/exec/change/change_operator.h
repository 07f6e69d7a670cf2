// What INSERT, UPDATE and DELETE have in common as operators: they take their input chunk by chunk, change rows, count them
// when they are the statement itself, and hand out what RETURNING asks for.
// An error reaches the caller after the rows that were changed before it: RETURNING has evaluated them by then, as in
// PostgreSQL. Thread safety: one session's.
#pragma once

#include <memory>
#include <utility>

#include "engine/exec/expression/expression.h"
#include "engine/exec/operator.h"
#include "engine/exec/query_state.h"

namespace indigo::engine::exec {

class ChangeOperator : public Operator {
 public:
  Status open(Open mode) final;
  void close() final { input_->close(); }
  Result<Chunk*> next(uint32_t) final;

 protected:
  ChangeOperator(QueryState& state, const sql::Plan& plan, ExpressionSet returning, OperatorPtr input)
      : state_(state),
        returning_(std::move(returning)),
        input_(std::move(input)),
        counts_(state.statement().root.get() == &plan) {}

  // Changes the rows of `source`, which may become a chunk with the rows as they were read again; answers those that it
  // changed. What stopped it is in `error`.
  virtual Selection change(const Chunk*& source, std::unique_ptr<Error>& error) = 0;
  // Rows are taken one by one: what one row's functions do, the next one's conditions see.
  virtual bool one_by_one() const { return false; }
  // Before the rows are looked for. An error: the table takes no such change.
  virtual Status announce() { return {}; }
  // The table's rows for RETURNING, which sees them as input 1 beside the source.
  virtual const Chunk& changed_rows(Selection changed) = 0;

  QueryState& state_;

 private:
  ExpressionSet returning_;
  OperatorPtr input_;
  const bool counts_;
  Chunk out_;
  Arena arena_;  // of one input chunk
  std::unique_ptr<Error> error_;
};

}  // namespace indigo::engine::exec
