// What the operators and expressions of one execution share: the run's context, runtime slots, initplans, subplans,
// materialised CTEs, and the memory limit.
//
// Runtime slots carry values from an outer operator to an inner one. Each set gives the slot a new generation, so that an
// inner operator knows whether what it has built is still true. The slots after the plan's own are pseudo-slots, one for
// each CTE: their generation moves with the work table of a recursive union.
// Thread safety: none; belongs to one execution.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "catalog/descriptor/session_context.h"
#include "engine/exec/execution.h"
#include "engine/exec/operator.h"
#include "engine/exec/row_store.h"
#include "engine/exec/spill/row_spool.h"
#include "sql/plan.h"
#include "types/function/context.h"

namespace indigo::engine::exec {

class ForeignKeyQueue;
class StatementState;

// A CTE that is materialised on demand, or the work table of a recursive one.
struct CteState {
  OperatorPtr source;
  bool opened = false, finished = false;
  std::vector<int> slots;   // of the enclosing query, that the source reads
  uint64_t generation = 0;  // of the slots, when it was opened
  std::vector<Phys> columns;
  RowSpool rows;
  const RowSpool* work_table = nullptr;  // of the running recursive union
};

class QueryState {
 public:
  explicit QueryState(std::shared_ptr<const sql::PlannedStatement> statement);
  ~QueryState();

  const sql::PlannedStatement& statement() const { return *statement_; }

  // Begins a run.
  void begin(const ExecutionContext& context);
  // Ends it: closes subplans and CTEs.
  void end();

  const ExecutionContext& context() const { return *context_; }
  storage::Transaction& transaction() { return context_->transaction; }
  const storage::ReadView& view() const { return context_->view; }
  catalog::SessionContext& session() { return context_->session; }
  types::FuncContext& functions() { return *functions_; }
  const Datum& parameter(int i) {
    if (static_cast<size_t>(i) < context_->parameters.size()) [[likely]]
      return context_->parameters[static_cast<size_t>(i)];
    return missing_parameter(i);
  }
  uint64_t run() const { return run_; }

  // ---- runtime slots
  void set_slot(int slot, const Datum& value);  // copies strings
  // Runs the initplan that fills the slot, if it has not run yet. On failure the error is in functions().
  const Datum& slot(int slot);
  uint64_t generation(const std::vector<int>& slots) const;  // the newest of them
  uint64_t newest_generation() const { return generation_; }
  int cte_slot(int cte) const { return statement_->runtime_slots + cte; }
  bool is_initplan_slot(int slot) const { return slots_[static_cast<size_t>(slot)].initplan >= 0; }
  void touch_slot(int slot) { slots_[static_cast<size_t>(slot)].generation = ++generation_; }

  // ---- parts of the statement beside its root
  std::vector<OperatorPtr>& subplans() { return subplans_; }
  std::deque<CteState>& ctes() { return ctes_; }
  // Before a scan: forgets the rows that were made for other values of the enclosing query.
  void rescan_cte(int cte);
  // Makes row `row` of the CTE available; false at its end.
  Result<bool> fetch_cte(int cte, uint64_t row);

  // ---- limits
  // Lets others run and answers 57014 or 57P01 when the session must stop. Called at chunk boundaries.
  Status check();
  // 53200 when one operator holds more than the context allows, or when it holds much and the machine has no more.
  Status check_memory(uint64_t bytes);
  void note_memory(uint64_t bytes) {
    if (bytes > peak_memory_bytes_) peak_memory_bytes_ = bytes;
  }
  // The most that an operator has held in this run.
  uint64_t peak_memory_bytes() const { return peak_memory_bytes_; }
  // After a run that took much: the operators go, with their buffers.
  void forget_operators();
  // Sorts and hash tables in orders of users' own hold labels of what they saw: operators are not kept for the next execution.
  void keep_labels() { keeps_labels_ = true; }
  bool keeps_labels() const { return keeps_labels_; }

  // Volatile functions of users' own are called somewhere: they may change rows while the statement does.
  void note_routine() { runs_routines_ = true; }
  bool runs_routines() const { return runs_routines_; }
  // Functions of users' own are called somewhere, of whatever volatility.
  void note_call() { calls_routines_ = true; }
  bool calls_routines() const { return calls_routines_; }

  void add_affected(uint64_t rows) { affected_ += rows; }
  uint64_t affected() const { return affected_; }

  // Work of foreign keys and AFTER triggers that waits for the statement's end.
  ForeignKeyQueue& foreign_keys();
  Status finish_foreign_keys();
  // What its triggers share.
  StatementState& changes();

  // EXPLAIN ANALYZE: operators are timed, and their counters are found here; null otherwise.
  using Counters = std::unordered_map<const sql::Plan*, sql::PlanCounters*>;
  std::unique_ptr<Counters> analysis;

 private:
  [[gnu::cold]] const Datum& missing_parameter(int i);  // null, and 42704 in functions()

  struct Slot {
    Datum value;
    std::string bytes;
    uint64_t generation = 0;
    int initplan = -1;  // fills this slot when first needed
  };
  Status run_initplan(int initplan);

  std::shared_ptr<const sql::PlannedStatement> statement_;
  std::optional<ExecutionContext> context_;
  std::optional<types::FuncContext> functions_;
  Arena scratch_;
  std::vector<Slot> slots_;
  std::vector<uint64_t> initplan_run_;  // the run in which initplan i has been computed
  // The last one that could not be: it is not run again to find out the row that asked first.
  struct InitplanFailure {
    int initplan;
    uint64_t run;
    Error error;
  };
  std::optional<InitplanFailure> initplan_failure_;
  std::vector<OperatorPtr> subplans_;
  std::deque<CteState> ctes_;
  std::unique_ptr<ForeignKeyQueue> foreign_keys_;
  std::unique_ptr<StatementState> changes_;
  uint64_t generation_ = 0;
  uint64_t run_ = 0;
  uint64_t affected_ = 0;
  uint64_t peak_memory_bytes_ = 0;
  bool keeps_labels_ = false;
  bool runs_routines_ = false, calls_routines_ = false;
};

// Kernels put strings into the innermost scope's arena.
class ArenaScope {
 public:
  ArenaScope(QueryState& state, Arena& arena)
      : state_(state), functions_(state.functions()), arena_(arena), outer_(&functions_.arena()) {
    functions_.set_arena(&arena);
  }
  ~ArenaScope() {
    state_.note_memory(arena_.allocated_bytes());
    functions_.set_arena(outer_);
  }
  ArenaScope(const ArenaScope&) = delete;
  ArenaScope& operator=(const ArenaScope&) = delete;

 private:
  QueryState& state_;
  types::FuncContext& functions_;
  Arena& arena_;
  Arena* outer_;
};

// An array of arrays from equally shaped parts (ARRAY(SELECT array)).
Result<std::string> nest_arrays(Oid element, std::span<const Datum> parts);
// The array of a subquery's first column.
Result<std::string> array_value(QueryState& state, Operator& plan, const sql::Plan& shape);

// The value of a subquery used as an expression: pulls `plan` to its end as `form` wants it, and sets `slots`.
Status run_subquery(QueryState& state, Operator& plan, const sql::Plan& shape, sql::SubLinkExpr::Form form,
                    const std::vector<int>& slots);

}  // namespace indigo::engine::exec
