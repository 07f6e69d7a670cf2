// A statement that a program runs inside the statement that called it: prepared with the program's variables, planned once,
// run many times within the session's transaction.
//
// Invariants:
// 1. A run of a program that may change data begins a new command and, under READ COMMITTED, takes a new snapshot; one that
//    may not reads with the view of the statement that called the program.
// 2. Operators are kept for the next run; a run inside a run of the same statement has operators of its own.
// Thread safety: none; belongs to a session.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/exec/execution.h"
#include "engine/statement/prepared.h"
#include "sql/analyze/variables.h"
#include "sql/parse/tree_names.h"
#include "types/value/vector.h"

namespace indigo::engine {

class SessionParts;

namespace programs {

class NestedStatement {
 public:
  explicit NestedStatement(std::shared_ptr<const ParsedStatement> parsed) : parsed_(std::move(parsed)) {}
  ~NestedStatement();

  // Analyzes and plans, again when the catalog has changed. `for_cursor`: WHERE CURRENT OF may name what is opened with it.
  Status prepare(SessionParts& session, bool for_cursor = false);
  // What PostgreSQL ends the planning of a constant with that cannot be computed: here the plan leaves it to its run. Of plans
  // that only compute.
  Status check_constants(SessionParts& session) const;
  const Prepared& prepared() const { return *prepared_; }
  const PreparedPtr& shared_prepared() const { return prepared_; }
  const PgQuery__Node* node() const { return parsed_->node; }
  const ParsedStatement& parsed() const { return *parsed_; }
  // What it is of an expression: the text of that alone. It outlives this.
  void set_shown_text(std::string_view text) { shown_text_ = text; }
  // Of DO: whether it may end the transaction.
  void set_may_commit(bool may_commit) { may_commit_ = may_commit; }
  bool is_utility() const { return prepared_->is_utility(); }
  // Whether it gives rows: a SELECT, or a change with RETURNING.
  bool returns_rows() const { return prepared_->text_shape != nullptr; }

  // The columns of a plan's rows.
  struct Columns {
    PreparedPtr of;
    std::vector<sql::TypeRef> types;  // text in unknown's place
    std::vector<std::string> names;
    uint64_t shape = 0;  // as records', by routine.h's shape_of
  };
  // Of a plan as it is prepared now.
  const std::shared_ptr<const Columns>& columns(SessionParts& session);
  // Of the rows of a utility statement that has run or runs; null: it has none.
  const ResultShape* utility_shape() const { return utility_shape_.get(); }

  // What becomes of a chunk; false: no more rows are wanted.
  using Rows = std::function<Result<bool>(const Chunk& chunk)>;
  struct Outcome {
    uint64_t rows = 0;                       // returned, or changed
    std::shared_ptr<const Columns> columns;  // of the rows of a plan
    std::string tag;                         // of a utility statement
  };
  // `most`: no more rows than this are computed (0: all). `may_change`: false in functions that are not volatile.
  Result<Outcome> run(SessionParts& session, std::span<const Datum> parameters, bool may_change, uint64_t most,
                      const Rows& rows);

 private:
  Result<Outcome> run_plan(SessionParts& session, std::span<const Datum> parameters, bool may_change, uint64_t most,
                           const Rows& rows);
  Result<Outcome> run_utility(SessionParts& session, std::span<const Datum> parameters, bool may_change,
                              const Rows& rows);
  std::unique_ptr<Execution> take_execution(SessionParts& session, uint64_t catalog_version);
  void return_execution(std::unique_ptr<Execution> execution, const sql::PlannedStatement* of,
                        uint64_t catalog_version);

  std::shared_ptr<const ParsedStatement> parsed_;
  PreparedPtr prepared_;
  std::shared_ptr<const ResultShape> utility_shape_;
  std::shared_ptr<const Columns> columns_;
  std::vector<std::unique_ptr<Execution>> idle_;
  const sql::PlannedStatement* idle_plan_ = nullptr;  // that they run
  bool may_commit_ = false;
  std::string_view shown_text_;  // empty: the statement's own
  uint64_t idle_version_ = 0;    // of the catalog that they were compiled in
};

// A text of one or more statements, each to be prepared with these variables.
Result<std::vector<std::shared_ptr<const ParsedStatement>>> parse_statements(
    std::string_view text, const std::shared_ptr<const sql::VariableScope>& variables);

}  // namespace programs
}  // namespace indigo::engine
