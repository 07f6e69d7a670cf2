// One query level while it is planned: a mutable copy of its Query, its FROM tree, conditions, relations and paths.
// The concepts work on it one after the other; planner.cpp has the order.
//
// Invariants
//  1. After prepare.cpp no expression holds a Var of an outer level, a SubLink or a WholeRow: they have become RuntimeParams,
//     SubPlans and Rows.
//  2. Vars of this level have levels_up 0 and refer to `entries`; rel_of maps entries to relation numbers.
//  3. Clauses, Rels and Paths are owned by the level and live until its plan is made.
// Thread safety: one planning, one thread.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/fiber/long_work.h"
#include "sql/plan/condition/rel_set.h"
#include "sql/plan/path/path.h"
#include "sql/plan/planning_state.h"
#include "sql/query.h"

namespace indigo::sql::planning {

// FROM as a tree: a leaf, a list of items joined by inner joins with conditions (WHERE is the root's), or another join.
// Right joins have been turned into left joins.
struct FromNode {
  enum class Kind : uint8_t { kLeaf, kInner, kJoin } kind = Kind::kInner;
  int entry = -1;                                   // kLeaf
  JoinType type = JoinType::kInner;                 // kJoin: kLeft, kFull, kSemi, kAnti
  std::vector<std::unique_ptr<FromNode>> children;  // kJoin: left, right
  ExprList conditions;                              // conjuncts
  bool null_aware = false;                          // kAnti from NOT IN
};

// Sorted (entry, column) pairs: columns that are wanted from below.
class VarSet {
 public:
  void add(int entry, int column);
  void add_all(const VarSet& o);
  bool has(int entry, int column) const;
  // Adds the Vars of an expression.
  void add_vars(const ExprPtr& e);
  const std::vector<std::pair<int, int>>& pairs() const { return pairs_; }

 private:
  std::vector<std::pair<int, int>> pairs_;
};

// What each output column of a plan holds, in the terms of the level's expressions.
struct Layout {
  ExprList outputs;
};
struct Built {
  PlanPtr plan;
  Layout layout;
};

// A value that a subquery asks of an enclosing level: `from` (over that level) goes into the slot.
struct Request {
  ExprPtr from;
  int slot;
};

// A table that is read in the place of one above it: a partition, or a table that inherits. Its paths speak of the upper
// table's columns.
struct ScannedTable {
  std::shared_ptr<const RelationInfo> relation;
  std::vector<int> column_of;  // by column of the upper table: its own, -1 for dropped ones
  std::vector<int> upper_of;   // by own column: the upper table's, -1: only its own
  bool identical = true;       // the same columns in the same places
};

// What ANALYZE has found of several attributes of a table (CREATE STATISTICS), in the level's terms: its columns, then its
// expressions; null: one that the query cannot speak of.
struct KnownAttributes {
  const catalog::ExtendedStatistics* statistics;
  ExprList attributes;
};

// What is known of a partitioned table's key: which partitions can be left out when the values are known.
struct KeyPruning {
  std::shared_ptr<const RelationInfo> relation;
  IndexBounds bounds;
  std::vector<std::vector<size_t>> leaves;  // by partition: numbers of Rel::leaves
};

// A relation: a base one (FROM item) or a join of several.
struct Rel {
  RelSet set;
  double tuples = 0;  // base: before its restrictions
  double rows = 0;
  int width = 0;
  std::vector<Path*> paths;
  Path* cheapest = nullptr;  // unparameterised, by total cost

  // base
  int entry = -1;
  std::vector<const Clause*> restrictions;
  RelSet lateral;                 // relations that it refers to
  PlanPtr plan;                   // subqueries, functions, values, CTEs: planned already
  std::vector<Request> requests;  // what `plan` needs from other relations here
  std::vector<int> plan_columns;  // entry column of each of the plan's columns
  bool one_row = false;           // at most

  // base, a table
  const ScannedTable* table = nullptr;  // null: the entry's own relation
  bool has_leaves = false;              // it stands for these tables, not (only) for itself
  std::vector<const ScannedTable*> leaves;
  std::vector<KeyPruning> prunings;
  const ScannedTable* largest_leaf =
      nullptr;  // says what is known of the columns where the upper table has no statistics
  // Partitions by range of one column: it, and the numbers of the leaves in its order; empty: they have none.
  ExprPtr range_key;
  std::vector<size_t> range_order;
};

// An outer or semi join and what its order against others must respect (names as in PostgreSQL's SpecialJoinInfo).
struct SpecialJoin {
  JoinType type = JoinType::kLeft;
  RelSet min_left, min_right;  // must be joined first
  RelSet syn_left, syn_right;  // as written
  bool left_strict = false;    // the condition is false when the left side is null
  bool delays_upper = false;   // a condition above uses both sides
  bool null_aware = false;
  std::vector<const Clause*> conditions;
};

// Expressions that are known to be equal; also gives numbers to single sort expressions.
struct EquivalenceClass {
  struct Member {
    ExprPtr expr;
    RelSet rels;
  };
  std::vector<Member> members;
  ExprPtr constant;       // equal to a constant, parameter or runtime parameter
  bool equality = false;  // made from = clauses (otherwise: one sort expression)
  Oid op = kInvalidOid;   // the equality operator
  Oid function = kInvalidOid, collation = kInvalidOid;
  int merged_into = -1;
};

struct Level {
  Level(Statement& statement, Level* above) : s(statement), parent(above), depth(above ? above->depth + 1 : 0) {}
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

  Statement& s;
  Level* parent;
  int depth;
  std::shared_ptr<const Query> source;  // keeps what `entries` point into
  Query work;                           // without entries and from
  std::vector<const Entry*> entries;
  std::deque<Entry> own_entries;  // those that differ from the source's
  std::vector<std::shared_ptr<const Query>> kept;
  std::unique_ptr<FromNode> from;
  std::map<int, ExprList> security;  // by entry: the conditions of row security
  ExprList recheck;                  // conditions to check again on changed rows (recheck.h)

  // By key of ORDER BY, DISTINCT ON and GROUP BY that holds a subquery: the target that is the same expression; -1: none.
  std::vector<int> order_targets, distinct_targets, group_targets;

  // Values that subqueries being planned below ask of this level.
  std::vector<Request> requests;

  // Set by the owner: how many rows it will fetch (0: all), for choosing between startup and total cost.
  double tuple_fraction = 0;

  // What may make a path worth keeping: a cheap first row; by sort_id, the orders that the query asks for (path_choice.h).
  bool startup_matters = true;
  enum WantedOrder : uint8_t { kEitherWay = 1, kAscending = 2, kDescending = 4 };
  std::vector<uint8_t> wanted_orders;

  // ---- relations and conditions
  std::vector<int> rel_of;  // by entry; -1: not in FROM
  std::vector<int> entry_of;
  RelSet all_rels;
  std::deque<Rel> rels;       // base relations first, by number
  std::deque<Rel> leaf_rels;  // the tables below a base relation; they share its number
  std::deque<ScannedTable> leaf_tables;
  const Rel* leaf = nullptr;  // of leaf_rels, while ways into it are looked for: its columns are then its own table's
  std::deque<Clause> clauses;
  std::vector<const Clause*> join_clauses;  // mention several relations
  ExprList constant_conditions;             // of WHERE, mention none
  std::deque<SpecialJoin> special_joins;
  RelSet nullable;  // null-extended by some outer join
  std::vector<EquivalenceClass> classes;
  std::deque<Path> paths;
  mutable std::map<std::pair<int, const RelationInfo*>, std::vector<KnownAttributes>>
      known_attributes;                   // by entry and table, once somebody has asked
  bool ignores_known_attributes = false;  // conditions are taken as if they had nothing to do with each other
  std::optional<VarSet> read_columns;     // that are read of its relations, once somebody has asked
  Rel* final_rel = nullptr;

  // ---- while plan nodes are made
  std::vector<Request> nest_params;  // wanted by the inner side of a nested loop being built

  const Entry& entry(int i) const { return *entries[static_cast<size_t>(i)]; }
  Entry& own_entry(int i);  // a copy that may be changed
  Rel& base(int rel) { return rels[static_cast<size_t>(rel)]; }
  // Gives back the path that was made last.
  void drop_path(const Path* path) {
    if (&paths.back() == path) paths.pop_back();
  }
  Path* new_path(Path::Kind kind) {
    constexpr uint64_t kUnitsOfPath = 300;
    note_work(kUnitsOfPath);
    paths.emplace_back();
    paths.back().kind = kind;
    return &paths.back();
  }
  // Relations of the set whose columns do not come out of it: the inner sides of finished semi and anti joins.
  RelSet hidden_in(RelSet set) const;
  RelSet rels_of(const Expr& e) const;
  RelSet rels_of(const ExprPtr& e) const { return e ? rels_of(*e) : RelSet(); }
};

// Calls f(ExprPtr&) on every expression of the level: FROM's conditions, the work query's, its own entries'.
void for_each_expression(Level& level, const std::function<void(ExprPtr&)>& f);
// The same without FROM's conditions.
void for_each_expression_outside_from(Level& level, const std::function<void(ExprPtr&)>& f);

// FROM's tree for a join tree; the conjuncts of a condition.
std::unique_ptr<FromNode> make_from_tree(const JoinNodePtr& n);
void flatten_and(const ExprPtr& e, ExprList& out);
// The join tree with every entry number moved by `offset`.
JoinNodePtr shifted(const JoinNodePtr& n, int offset);

// ---- the steps, each in its own file
void load(Level& level, std::shared_ptr<const Query> query);  // level.cpp
// WITH items of `query`, which `level` will load, become subqueries or numbered CTEs of the statement.            ctes.cpp
Status resolve_ctes(Level& level, std::shared_ptr<const Query>& query);
// The same before it is known at which level `query` will be planned: false when an item's values may depend on that.
Result<bool> resolve_independent_ctes(Statement& s, std::shared_ptr<const Query>& query);
Status pull_up(Level& level);  // pull_up.cpp
Status prepare(Level& level);  // prepare.cpp
Result<ExprPtr> prepare_expression(Level& level, const ExprPtr& e);
void reduce_outer_joins(Level& level);       // outer_joins.cpp
Status distribute_conditions(Level& level);  // conditions.cpp
Status make_base_relations(Level& level);    // base_relations.cpp
Status search_joins(Level& level);           // join_search.cpp

// A plan of the whole level whose columns are its visible targets.
Result<PlanPtr> plan_level(Level& level, std::shared_ptr<const Query> query);
// The same for a query below `parent`.
Result<PlanPtr> plan_query(Statement& s, Level* parent, std::shared_ptr<const Query> query, double tuple_fraction);

// ---- plan nodes
Result<Built> build_path(Level& level, const Path& path, const VarSet& needed);  // build_path.cpp
Result<PlanPtr> finish_select(Level& level);                                     // finish.cpp
Result<PlanPtr> finish_change(Level& level);                                     // changes.cpp

}  // namespace indigo::sql::planning
