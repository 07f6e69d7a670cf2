// An analyzed statement: what PostgreSQL calls a Query. Names are gone; entries (range table), target list, join tree,
// grouping, windows and set operations remain. Immutable once analysis has finished.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/descriptor/relation_info.h"
#include "sql/expr.h"
#include "storage/lock/lock_mode.h"

namespace indigo::sql {

using catalog::RelationInfo;

struct TargetEntry {
  ExprPtr expr;
  std::string name;
  bool hidden = false;             // only for ORDER BY, GROUP BY or row identity ("resjunk")
  Oid origin_table = kInvalidOid;  // for RowDescription
  int16_t origin_column = 0;
};

enum class EntryKind : uint8_t { kTable, kSubquery, kFunction, kValues, kCte, kJoin, kResult };

// A range-table entry.
//
// Decided by the analyzer:
//  1. kTable: column i is relation->columns[i], dropped ones included (their name is empty), so column = attnum - 1.
//  2. Names are resolved through joins: there are no kJoin entries, JoinNode::entry of a join is -1, and a merged USING
//     column is the Var of the side that has its value, or CoalesceExpr of both for full joins.
//  3. Views are kSubquery entries that hold the analyzed definition; `relation` is then the view (for EXPLAIN and names).
//  4. A target of INSERT, UPDATE, DELETE, MERGE is always entry 0; RETURNING, checks and generated columns refer to it so.
//  5. Set operation leaves are kSubquery entries outside `from`; the Vars of `targets` are those of the leftmost leaf's entry,
//     and have the operation's types.
//  6. Columns that a primary key in GROUP BY determines are appended to group_by.
struct Entry {
  // Out of line: many places copy and drop queries.
  Entry();
  Entry(const Entry& other);
  Entry(Entry&& other) noexcept;
  Entry& operator=(const Entry& other);
  Entry& operator=(Entry&& other) noexcept;
  ~Entry();

  EntryKind kind = EntryKind::kTable;
  std::string alias;
  bool alias_written = false;  // and printed, also where it is the relation's own name
  std::vector<std::string> column_names;
  std::vector<TypeRef> column_types;
  bool lateral = false;
  bool only = false;                             // kTable: without the tables that inherit from it
  bool names_columns = false;                    // the alias has a list of columns, which is printed then
  std::shared_ptr<const RelationInfo> relation;  // kTable (views are expanded to kSubquery by the analyzer)
  std::shared_ptr<const Query> subquery;         // kSubquery
  struct Function {
    ExprPtr call;
    int column_count = 1;  // columns it contributes
  };
  std::vector<Function> functions;  // kFunction; several: ROWS FROM
  bool with_ordinality = false;
  // kSubquery: of its conditions only leakproof ones may move into it, and it is not merged with the query around.
  bool security_barrier = false;
  std::vector<ExprList> values;     // kValues: rows
  int cte = -1, cte_levels_up = 0;  // kCte: index into Query::ctes of the query levels_up above
  bool cte_self_reference = false;  // inside the recursive term
  // kJoin: column i of the join; one Var, or COALESCE(left, right) for merged USING columns of full joins.
  ExprList join_columns;
  struct Sample {
    std::string method;
    double percent = 100;
    ExprPtr percent_expr, repeatable;
  };
  std::optional<Sample> sample;  // TABLESAMPLE
  // kTable: the conditions of row security on the rows that are read (sql/policy/apply.h), in their order, over entry 0 whatever
  // the entry's number is. Nothing that may leak is evaluated before them.
  ExprList security_quals;
  Oid policy_user = kInvalidOid;  // whose rights the subqueries of policies ask for; kInvalidOid: the current role's
  Oid used_as = kInvalidOid;      // whose rights count: a rule's owner; kInvalidOid: those of who uses the query
  bool granted = false;           // rows of a statement that asks for its privileges itself
};

enum class JoinType : uint8_t { kInner, kLeft, kRight, kFull, kSemi, kAnti };

struct JoinNode;
using JoinNodePtr = std::shared_ptr<const JoinNode>;
// FROM as a tree: leaves are entries.
struct JoinNode {
  int entry = -1;  // leaf: the entry; join: its kJoin entry or -1
  bool leaf = true;
  JoinType type = JoinType::kInner;
  JoinNodePtr left, right;
  ExprPtr condition;  // null: true
  // For printing only: the columns of USING or NATURAL, what each merges to, and USING's alias.
  std::vector<std::string> using_columns;
  ExprList merged;
  std::string using_alias;
  bool renames = false;  // an alias in or above this join's sides gives their columns other names
  bool written = false;  // as a join; else by a comma
  std::string alias;     // of the whole: nothing else shows from outside
  bool alias_has_columns = false;
  struct Shown {
    std::string name;
    ExprPtr value;
  };
  std::vector<Shown> shown;  // what `alias` shows
};

struct GroupingSet {
  std::vector<int> columns;
};  // indexes into group_by

// An element of GROUP BY with grouping sets, as it was written (deparse): columns, or elements in ROLLUP and its kin.
// GROUPING SETS in GROUPING SETS are one, and () stands at the top only if nothing else does.
struct GroupingItem {
  enum class Kind : uint8_t { kColumns, kEmpty, kRollup, kCube, kSets } kind = Kind::kColumns;
  std::vector<int> columns;  // indexes into group_by
  std::vector<GroupingItem> items;
};

struct FrameBound {
  enum class Kind : uint8_t { kUnboundedPreceding, kPreceding, kCurrentRow, kFollowing, kUnboundedFollowing } kind;
  ExprPtr offset;
};
struct Window {
  std::string name;
  ExprList partition;
  std::vector<SortKey> order;
  enum class Mode : uint8_t { kRange, kRows, kGroups } mode = Mode::kRange;
  FrameBound start{FrameBound::Kind::kUnboundedPreceding, nullptr}, end{FrameBound::Kind::kCurrentRow, nullptr};
  enum class Exclude : uint8_t { kNoOthers, kCurrentRow, kGroup, kTies } exclude = Exclude::kNoOthers;
  Oid in_range = kInvalidOid;  // RANGE with offsets: the function that compares with value -/+ offset
};

// SEARCH DEPTH | BREADTH FIRST BY ... SET sequence: a further column of a recursive CTE.
struct CteSearch {
  bool breadth = false;
  std::vector<int> columns;
  std::string sequence;
};
// CYCLE ... SET mark [TO value DEFAULT other] USING path: two further columns.
struct CteCycle {
  std::vector<int> columns;
  std::string mark, path;
  ExprPtr value, other;  // of the mark's type
  ExprPtr differs;       // (the mark's column, as Var 0 of entry 0) <> value
};

// With `search` or `cycle` the query is as it was written; the planner adds what computes their columns.
struct CommonTable {
  CommonTable();
  CommonTable(const CommonTable& other);
  CommonTable(CommonTable&& other) noexcept;
  CommonTable& operator=(const CommonTable& other);
  CommonTable& operator=(CommonTable&& other) noexcept;
  ~CommonTable();

  std::string name;
  std::shared_ptr<const Query> query;
  bool recursive = false;
  enum class Materialize : uint8_t { kDefault, kAlways, kNever } materialize = Materialize::kDefault;
  int references = 0;
  std::vector<std::string> column_aliases;  // as written behind the name
  std::optional<CteSearch> search;
  std::optional<CteCycle> cycle;
};

enum class SetOperation : uint8_t { kUnion, kIntersect, kExcept };

// The alias of what stands in a leaf of a set operation that sorts or counts before its columns get the operation's types.
constexpr const char* kConvertedLeaf = "*converted*";

struct SetNode;
using SetNodePtr = std::shared_ptr<const SetNode>;
struct SetNode {  // leaf: a kSubquery entry; otherwise an operation
  int entry = -1;
  SetOperation op = SetOperation::kUnion;
  bool all = false;
  SetNodePtr left, right;
  std::vector<TypeRef> types;  // leaves are coerced to these by their own target lists
};

struct RowLock {
  int entry;
  storage::RowLockMode mode;
  storage::LockWait wait = storage::LockWait::kWait;
};

enum class CommandKind : uint8_t { kSelect, kInsert, kUpdate, kDelete, kMerge };

struct Assignment {
  int column = 0;  // 0-based column of the target
  ExprPtr value;   // already coerced to the column's type
};

struct OnConflict {
  bool update = false;        // DO UPDATE, else DO NOTHING
  std::vector<Oid> arbiters;  // index oids; empty: any
  ExprList premises;          // over parameters: unless they hold, the arbiters do not fit (42P10)
  static constexpr const char* kNoArbiter =
      "there is no unique or exclusion constraint matching the ON CONFLICT specification";
  std::vector<Assignment> assignments;  // over the target's entry and the `excluded` entry
  ExprPtr where;
  int excluded_entry = -1;
};

// What a kept INSERT says of identity columns; for one that runs it is in its targets.
enum class Overriding : uint8_t { kNothing, kUserValue, kSystemValue };

struct MergeAction {
  enum class Match : uint8_t { kMatched, kNotMatched } match;
  ExprPtr condition;                    // null: true
  CommandKind command;                  // kInsert, kUpdate, kDelete; kSelect: DO NOTHING
  std::vector<Assignment> assignments;  // update: SET; insert: every column of the target, defaults filled in
  size_t named = 0;                     // insert: this many of them, the first, are the statement's own
  Overriding overriding = Overriding::kNothing;
};

// A condition of row security on a row that is written, or that an action meets.
struct RowCheck {
  enum class Kind : uint8_t {
    kInsert,       // the new row
    kUpdate,       // the new row
    kConflict,     // the row that ON CONFLICT DO UPDATE has met
    kMergeUpdate,  // the row that MERGE is about to update
    kMergeDelete
  } kind = Kind::kInsert;
  ExprPtr condition;   // over the target's entry
  std::string policy;  // a restrictive one's name; empty: the permissive ones together
  std::string table;   // that has the policy
};

struct Query {
  // Out of line, as Entry's.
  Query();
  Query(const Query& other);
  Query(Query&& other) noexcept;
  Query& operator=(const Query& other);
  Query& operator=(Query&& other) noexcept;
  ~Query();

  CommandKind command = CommandKind::kSelect;
  std::vector<Entry> entries;
  JoinNodePtr from;  // null: no FROM (one empty row)
  ExprPtr where;
  std::vector<TargetEntry> targets;  // SELECT's list (hidden entries last)
  ExprList group_by;
  std::vector<GroupingSet> grouping_sets;    // empty: plain GROUP BY
  std::vector<GroupingItem> grouping_items;  // the same as written
  bool grouping_distinct = false;            // GROUP BY DISTINCT
  std::vector<Oid> constraints;              // the primary keys that determine columns outside GROUP BY (decision 6)
  bool has_aggregates = false, has_windows = false, has_set_functions = false;
  ExprPtr having;
  std::vector<Window> windows;
  bool distinct = false;
  ExprList distinct_on;
  std::vector<SortKey> order_by;  // expressions equal some target's expression
  ExprPtr limit, offset;          // bigint; null: none
  bool with_ties = false;
  std::vector<RowLock> row_locks;
  std::vector<CommonTable> ctes;
  SetNodePtr set_operation;  // then `targets` are Vars of its columns

  // A view whose INSTEAD OF triggers take the rows of this kind of change (catalog::TriggerType; 0: not so). INSERT is as for
  // a table. UPDATE and DELETE are an INSERT, too: entry 1 is the view's rows, `targets` are their columns, then those of the
  // new rows (UPDATE), then what RETURNING reads of other entries; `assignments` stay as what the statement sets.
  int16_t instead_event = 0;

  // Changes. `target` is the changed table's entry. UPDATE and DELETE: from/where select the target's rows (joined with
  // FROM/USING entries); INSERT: the source is `targets` over from (VALUES, SELECT), one target for each assigned column.
  int target = -1;
  std::vector<int> insert_columns;  // INSERT: target column that each of `targets` goes into
  Overriding overriding = Overriding::kNothing;
  std::vector<Assignment>
      assignments;  // UPDATE: SET. INSERT: defaults of columns not in insert_columns (constants, nextval ...)
  std::vector<Assignment> generated;  // INSERT and UPDATE: stored generated columns, over the target's entry (new row)
  std::vector<ExprPtr> checks;        // CHECK constraints over the target's entry (new row)
  std::vector<std::string> check_names;
  // WITH CHECK OPTION of the views that the target was reached through: conditions over the target's entry (new row).
  std::vector<ExprPtr> view_checks;
  std::vector<std::string> view_check_names;
  std::vector<RowCheck> row_checks;
  // The views that the target was reached through, outermost first, and the target's column behind each of their columns
  // (-1: computed).
  struct TargetView {
    std::shared_ptr<const RelationInfo> relation;
    std::vector<int> columns;
    ExprPtr condition;  // of the rows that it shows, those below it included: part of `where`
  };
  std::vector<TargetView> target_views;
  std::string current_of;         // UPDATE, DELETE ... WHERE CURRENT OF this cursor; empty: not so
  int current_of_parameter = -1;  // what was named is a program's refcursor variable, the parameter of this number
  std::optional<OnConflict> on_conflict;
  std::vector<MergeAction> merge_actions;  // from: target joined with source on the condition
  std::vector<TargetEntry> returning;      // over the target's entry (new row; DELETE: old row) and the FROM entries
};

struct RewrittenStatement;  // sql/rule/rewritten.h

// What the statement is, for the layers above.
struct AnalyzedStatement {
  std::shared_ptr<const Query> query;                   // null: a utility statement
  std::shared_ptr<const RewrittenStatement> rewritten;  // what rules have made of it beside `query`; null: nothing
  std::vector<TypeRef> parameter_types;                 // $1.., then lifted literals' types are in lifted_types
  std::vector<TypeRef> lifted_types;                    // by lifted literal: the type that its context gave it
  std::vector<bool> lifted_used;  // false: this literal shaped the plan as a constant (part of the cache key)
};

}  // namespace indigo::sql
