// A plan: the operators that the executor instantiates. Immutable, shared between sessions.
//
// Every node produces columns 0..n-1 (`columns`). Expressions in a node refer to its input's columns by
// ColumnExpr{input, column}; scans' filters refer to the scan's own output columns (input 0).
// `projection`, where present, computes the node's output from (input columns) after filtering; empty means the input
// columns pass through unchanged (joins: left columns, then right columns; semi and anti joins: left columns).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "catalog/descriptor/relation_info.h"
#include "sql/expr.h"
#include "sql/query.h"
#include "storage/key_range.h"
#include "storage/lock/lock_mode.h"

namespace indigo::sql {

enum class PlanKind : uint8_t {
  kResult,  // one row, no input
  kValues,
  kTableScan,  // whole table or a range of its key
  kIndexScan,  // through a secondary index
  kFunctionScan,
  kSubqueryScan,   // child's columns renamed/filtered
  kCteScan,        // reads a CommonTable's materialised rows
  kWorkTableScan,  // the recursive term's self-reference
  kFilter,
  kProject,
  kProjectSet,  // set-returning functions in the select list
  kNestedLoop,
  kHashJoin,
  kMergeJoin,
  kSort,  // with limit: top-N
  kLimit,
  kHashAggregate,
  kSortedAggregate,  // input sorted by the group columns; also plain (no groups)
  kGroupingSets,
  kWindow,
  kDistinct,      // hash or sorted
  kAppend,        // UNION ALL
  kSetOperation,  // INTERSECT, EXCEPT [ALL] by hashing
  kRecursiveUnion,
  kMaterialize,
  kLockRows,
  kInsert,
  kUpdate,
  kDelete,
  kMerge,
};

struct PlanColumn {
  std::string name;
  TypeRef type;
};

struct Plan;
using PlanPtr = std::shared_ptr<const Plan>;

struct Plan {
  PlanKind kind;
  std::vector<PlanColumn> columns;
  std::vector<PlanPtr> inputs;
  double startup_cost = 0, total_cost = 0, rows = 0;
  int width = 0;
  virtual ~Plan() = default;

 protected:
  explicit Plan(PlanKind k) : kind(k) {}
};
template <PlanKind K>
struct PlanOf : Plan {
  static constexpr PlanKind kKind = K;
  PlanOf() : Plan(K) {}
};

// One row; with an input (and no projection) a gate: all of the input's rows when the condition, which reads no column, is
// true.
struct ResultPlan : PlanOf<PlanKind::kResult> {
  ExprPtr condition;
  ExprList projection;
};
struct ValuesPlan : PlanOf<PlanKind::kValues> {
  std::vector<ExprList> rows_of;
  std::string alias;
};

// Bounds of an index's (or the primary key's) columns: equalities of the first ones; then a range of the next column, or
// alternatives that go on from there, whose union is read. What is read comes in key order and without duplicates.
// The values' types may differ from the columns': the executor finds their place (types/function/value_place.h).
struct KeyBounds {
  ExprList equal;      // values of the first columns; no column references
  uint32_t lists = 0;  // bit i: equal[i] is an array, and the column equals one of its elements
  uint32_t nulls = 0;  // bit i: the column is null (equal[i] is a null constant)
  ExprPtr low, high;   // bounds of the next column; null: unbounded
  bool low_inclusive = true, high_inclusive = true;
  std::vector<KeyBounds> any_of;  // bounds of the columns from equal.size() on

  bool is_list(size_t i) const { return (lists >> i & 1) != 0; }
  bool is_null(size_t i) const { return (nulls >> i & 1) != 0; }
  bool whole() const { return equal.empty() && !low && !high && any_of.empty(); }
  // Only equalities with one value each.
  bool plain() const { return lists == 0 && nulls == 0 && !low && !high && any_of.empty(); }
};
// More ranges than this are not made of one combination of lists: a = ANY (x) AND b = ANY (y) then reads what x gives.
// Bounds stand for the whole condition only where the planner can tell that this does not happen.
inline constexpr size_t kMaxKeyCombinations = 16384;
// Calls f on every value of the bounds.
void for_each_value(const KeyBounds& bounds, const std::function<void(const ExprPtr&)>& f);
// The bounds with every value replaced by map(value).
KeyBounds map_values(const KeyBounds& bounds, const std::function<ExprPtr(const ExprPtr&)>& map);

// Output column i of a table scan is column scan_columns[i] of the table (0-based; negative: SystemColumn);
// kRowKeyColumn gives the row's storage key as bytea, for UPDATE, DELETE and row locks.
inline constexpr int kRowKeyColumn = -100;

struct ScanPlan {
  std::shared_ptr<const RelationInfo> relation;
  std::vector<int> scan_columns;
  KeyBounds bounds;
  ExprPtr filter;  // over the scan's columns
  storage::Direction direction = storage::Direction::kForward;
  bool point = false;  // bounds give at most one row
  std::string alias;   // for EXPLAIN
};
struct TableScanPlan : PlanOf<PlanKind::kTableScan>, ScanPlan {
  std::string current_of;  // only the row that this cursor stands on; empty: not so
  int current_of_parameter =
      -1;  // the execution's parameter with the cursor's name, which `current_of` is a variable of then
};
struct InvertedCondition {
  int column = 0;        // of the index, from 0
  int strategy = 0;      // of its operator class
  Oid op = kInvalidOid;  // column OP value
};
struct IndexScanPlan : PlanOf<PlanKind::kIndexScan>, ScanPlan {
  int index = 0;  // into relation->indexes
  // An inverted index's: `bounds.equal` has the conditions' values, and here is what each is compared with. The filter has the
  // conditions themselves, too.
  std::vector<InvertedCondition> inverted;
  // The one condition is an order: rows come by the distance of the column from the value, nearly, and all of them. `wanted`: how
  // many somebody will read; 0: it is not known.
  bool nearest = false;
  double wanted = 0;
};

struct FunctionScanPlan : PlanOf<PlanKind::kFunctionScan> {
  std::vector<Entry::Function> functions;
  bool with_ordinality = false;
  ExprPtr filter;
  std::string alias;
};
struct SubqueryScanPlan : PlanOf<PlanKind::kSubqueryScan> {
  ExprPtr filter;
  std::string alias;
};
struct CteScanPlan : PlanOf<PlanKind::kCteScan> {
  int cte = 0;
  ExprPtr filter;
  std::string alias;
};  // into PlannedStatement::ctes
struct WorkTableScanPlan : PlanOf<PlanKind::kWorkTableScan> {
  int cte = 0;
  ExprPtr filter;
  std::string alias;
};
struct FilterPlan : PlanOf<PlanKind::kFilter> {
  ExprPtr condition;
};
struct ProjectPlan : PlanOf<PlanKind::kProject> {
  ExprList projection;
};
struct ProjectSetPlan : PlanOf<PlanKind::kProjectSet> {
  ExprList projection;
};

// Joins: inputs[0] left (outer), inputs[1] right (inner). kRight is never planned for nested loops (sides are swapped).
struct JoinPlan {
  JoinType type = JoinType::kInner;
  ExprPtr condition;    // residual, over both inputs (for outer joins part of the join condition)
  ExprList projection;  // over both inputs; empty: pass through
};
struct HashJoinPlan;
struct NestedLoopPlan : PlanOf<PlanKind::kNestedLoop>, JoinPlan {
  // Before each rescan of the right input runtime slot `to` gets `from` of the left row: index look-ups by join key.
  std::vector<SubPlanExpr::Pass> passes;
  // Null: none. The same rows in the same order by hashing, for the left rows that are left when those so far have cost more than
  // `patience`: they, or the right rows that they met, are far more than was expected. `instead` has the same left input.
  std::shared_ptr<const HashJoinPlan> instead;
  double patience = 0, left_row_cost = 0,
         right_row_cost = 0;  // a right row beyond those that a left one is expected to meet
};
// Builds on the right input. Inner, semi and anti joins, and left joins without a residual condition, keep the left rows' order
// (the planner relies on it); nested loops always do.
struct HashJoinPlan : PlanOf<PlanKind::kHashJoin>, JoinPlan {
  ExprList left_keys, right_keys;  // same types pairwise, each over input 0 of its own side
  std::vector<bool> null_safe;     // IS NOT DISTINCT FROM keys; empty: none
  bool null_aware_anti = false;    // NOT IN
};
struct MergeJoinPlan : PlanOf<PlanKind::kMergeJoin>, JoinPlan {
  ExprList left_keys, right_keys;
  std::vector<SortKey> order;  // directions of the keys (expr unused)
};

struct SortPlan : PlanOf<PlanKind::kSort> {
  std::vector<SortKey> keys;
  int presorted = 0;      // leading keys the input is already sorted by (incremental sort)
  ExprPtr limit, offset;  // top-N when the limit above is known to be usable here; null otherwise
};
struct LimitPlan : PlanOf<PlanKind::kLimit> {
  ExprPtr limit, offset;
  bool with_ties = false;
  std::vector<SortKey> ties;
};

// Output: group columns, then one column for each aggregate.
struct AggregatePlan {
  ExprList groups;
  std::vector<std::shared_ptr<const AggregateExpr>> aggregates;  // arguments over the input's columns
};
struct HashAggregatePlan : PlanOf<PlanKind::kHashAggregate>, AggregatePlan {};
struct SortedAggregatePlan : PlanOf<PlanKind::kSortedAggregate>, AggregatePlan {};
// Output: group columns (null where not in the set), aggregates, then one int4 bitmap for each GROUPING() call.
struct GroupingSetsPlan : PlanOf<PlanKind::kGroupingSets>, AggregatePlan {
  std::vector<GroupingSet> sets;
  std::vector<std::vector<int>> groupings;
};
// Output: the input's columns, then one column for each call. Input sorted by partition, then order.
struct WindowPlan : PlanOf<PlanKind::kWindow> {
  Window window;
  std::vector<std::shared_ptr<const WindowCallExpr>> calls;
  // Over the output's columns: true for the first rows of a partition, if any, and for no row after one for which it is not. Only
  // those rows are wanted. Null: all.
  ExprPtr run_condition;
};
struct DistinctPlan : PlanOf<PlanKind::kDistinct> {
  ExprList on;
  bool sorted = false;
};  // on: keys; keeps the first row of each
// Which inputs of an Append over a partitioned table may hold rows, as far as values that are known when it is opened say.
// `inputs[p]`: those of the table's partition p (by position in RelationInfo::children); an input that some pruning leaves
// out is not read.
struct PartitionPruning {
  std::shared_ptr<const RelationInfo> relation;
  KeyBounds bounds;  // of the partition key
  std::vector<std::vector<int>> inputs;
  size_t concerned = 0;  // inputs of all partitions: that the pruning decides about
};
struct AppendPlan : PlanOf<PlanKind::kAppend> {
  std::vector<PartitionPruning> prunings;
  // Merge Append: each input is in this order over its columns, and so is what comes out. Empty: the inputs one after the
  // other. Only types that have byte keys (merges_by_key in sql/plan/path/append_paths.h).
  std::vector<SortKey> order;
};
struct SetOperationPlan : PlanOf<PlanKind::kSetOperation> {
  SetOperation op = SetOperation::kIntersect;
  bool all = false;
};
struct RecursiveUnionPlan : PlanOf<PlanKind::kRecursiveUnion> {
  int cte = 0;
  bool all = true;
};
// Keeps its input's rows for those who read them again: while nothing that the input depends on has changed, or (Memoize) by the
// values of these runtime slots, which are all that it depends on.
struct MaterializePlan : PlanOf<PlanKind::kMaterialize> {
  std::vector<int> slots;
};

// Row locks: the input carries the row key of each locked table; re-checks `recheck` on a changed row under READ COMMITTED.
struct LockRowsPlan : PlanOf<PlanKind::kLockRows> {
  struct Lock {
    std::shared_ptr<const RelationInfo> relation;
    int key_column = 0;  // input column with the row key
    storage::RowLockMode mode;
    storage::LockWait wait;
    // Input columns that come from this table: (input column, table column), refreshed from the locked version.
    std::vector<std::pair<int, int>> refresh;
    // A table with others below it: the row's own table, by the OID in `table_column`.
    int table_column = -1;
    std::vector<Lock> tables;
  };
  std::vector<Lock> locks;
  ExprPtr recheck;  // the scans' and joins' conditions over the input's columns; null: none
};

// Changes. In `assignments`, `generated`, `checks`, `returning` of a change plan:
//   input 0 = the source row (inputs[0]'s columns), input 1 = the target's row: the new row, all columns of the relation
//   (by table column); for UPDATE's assignments and for DELETE's returning it is the old (newest claimed) row.
struct ChangePlan {
  std::shared_ptr<const RelationInfo> relation;
  std::vector<Assignment> assignments;
  std::vector<Assignment> generated;
  std::vector<int> named_columns;  // that the statement itself gives values to: what its user knows of a failing row
  ExprList checks;
  std::vector<std::string> check_names;
  std::vector<RowCheck> row_checks;  // of row security
  ExprList view_checks;              // WITH CHECK OPTION
  std::vector<std::string> view_check_names;
  ExprList returning;  // empty: none; `columns` describe them
  // System columns of the new row that `returning` reads: in its input 1, behind the table's columns.
  std::vector<int> returned_system_columns;
  // The partitioned table that the statement names: a new row goes where its key says. Null: it stays in `relation`.
  std::shared_ptr<const RelationInfo> root;
};
// UPDATE, DELETE and MERGE of a table with others below it: one change for each table that the source reads, with expressions
// over that table's own rows and no inputs; the input's column `table_column` has the OID of the row's table.
template <class P>
struct DispatchedChange {
  bool dispatched = false;
  int table_column = -1;
  std::vector<std::shared_ptr<const P>> tables;
};
struct InsertPlan : PlanOf<PlanKind::kInsert>, ChangePlan {  // assignments cover every column that is not null
  std::optional<OnConflict>
      on_conflict;  // its expressions: input 0 = excluded row (by table column), input 1 = existing row
  // INSTEAD OF triggers of a view take the rows of this kind of change (Query::instead_event); UPDATE and DELETE: the input's
  // first columns are the view's old row.
  int16_t instead_event = 0;
};
struct UpdatePlan : PlanOf<PlanKind::kUpdate>, ChangePlan, DispatchedChange<UpdatePlan> {
  int key_column = 0;  // input column with the target's row key
  // READ COMMITTED after a wait: `recheck` is evaluated with the newest target row in input 1 and the other tables'
  // columns in input 0; input 0's columns that come from the target are refreshed first: (input column, table column).
  ExprPtr recheck;
  std::vector<std::pair<int, int>> refresh;
};
struct DeletePlan : PlanOf<PlanKind::kDelete>, ChangePlan, DispatchedChange<DeletePlan> {
  int key_column = 0;
  ExprPtr recheck;
  std::vector<std::pair<int, int>> refresh;
};
struct MergePlan : PlanOf<PlanKind::kMerge>, ChangePlan, DispatchedChange<MergePlan> {
  int key_column = 0;                        // null key: not matched
  std::shared_ptr<const MergePlan> inserts;  // dispatched: rows without a match, into `relation` itself
  std::vector<MergeAction> actions;
  ExprPtr recheck;
  std::vector<std::pair<int, int>> refresh;
};

// A whole statement.
struct PlannedStatement {
  PlanPtr root;
  std::vector<PlanPtr> subplans;
  struct InitPlan {
    int subplan;
    std::vector<int> slots;
    SubLinkExpr::Form form;
  };  // uncorrelated, run once when first needed
  std::vector<InitPlan> initplans;
  struct CtePlan {
    PlanPtr plan;
    std::string name;
    bool changes_data = false;
  };
  std::vector<CtePlan> ctes;  // materialised on demand; data-modifying ones always run to the end
  int runtime_slots = 0;
  std::vector<TypeRef> runtime_types;
  std::vector<TypeRef> parameter_types;  // $n, then lifted literals
  CommandKind command = CommandKind::kSelect;
  std::vector<TargetEntry> targets;  // names and origins of the visible result columns (expr unused); empty: no rows
  bool read_only = true;             // changes and locks nothing
  // Planned for a cursor: where the root, after `targets`, has the row keys of tables that WHERE CURRENT OF may change.
  struct CursorTable {
    int column;                  // with the key
    int table_column;            // with the table that the row is of; -1: it is of the only one
    std::vector<Oid> relations;  // that rows may be of; without locks, one that is scanned twice stands here twice
  };
  std::vector<CursorTable> cursor_tables;
  size_t cursor_columns = 0;  // of the root that they take
  bool locks_rows = false;    // some FOR UPDATE or its kin, in whatever subquery
  // What must still be true when the plan runs: relations with the table lock each needs.
  struct Dependency {
    std::shared_ptr<const RelationInfo> relation;
    storage::TableLockMode lock;
    double planned_rows = -1;  // of a table whose size the plan depends on (sql/plan/outgrown.h)
  };
  std::vector<Dependency> relations;
  // Of `relations` the first so many are locked before any run; the others are read as inputs of `lock_prunings` alone, and
  // locked when those leave such an input (sql/partition/lock_pruning.h).
  size_t always_locked = 0;
  struct LockPruning {
    std::shared_ptr<const AppendPlan> append;
    std::vector<std::vector<uint32_t>> dependencies;  // by input: into `relations`
  };
  std::vector<LockPruning> lock_prunings;
  uint64_t catalog_version = 0;
};

}  // namespace indigo::sql
