// Paths: ways to produce the rows of a set of relations, with their costs, before plan nodes are made of the best one.
// Paths live as long as their Level. Rows are per execution; a parameterised path's are per rescan.
// Thread safety: one planning, one thread.
#pragma once

#include <vector>

#include "sql/plan.h"
#include "sql/plan/condition/rel_set.h"

namespace indigo::sql::planning {

// A condition that must hold: a conjunct of WHERE, ON or HAVING, or one derived from an equivalence class.
struct Clause {
  ExprPtr expr;
  RelSet rels;              // that it mentions
  RelSet required;          // that must be joined before it can be evaluated (rels, and outer joins below its level)
  bool pushed_down = true;  // false: part of an outer join's own condition
  RelSet outer_join;        // pushed_down == false: the null-extended side of that join
  // Binary operator with disjoint sides: what each side mentions.
  bool can_join = false;  // both sides have relations, disjoint
  ExprPtr left, right;
  RelSet left_rels, right_rels;
  Oid op = kInvalidOid;
  bool hashable = false, mergeable = false;  // an equality that hash and merge joins can use (same types)
  bool null_safe = false;                    // IS NOT DISTINCT FROM
  int eq_class = -1;                         // derived from this class ...
  ExprPtr left_of, right_of;                 // ... equating these members
  // Row security: conditions of one relation are evaluated in this order; `policy`: one of a policy.
  int security = 0;
  bool policy = false;
  // Clauses of single relations that follow from this one and are counted in their sizes (or_clauses.h).
  mutable std::vector<const Clause*> implied;
  mutable double selectivity = -1;
  mutable double cost = -1;
};

// Whether it is asked of the rows that a join of this type gives, and not of the pairs that it compares: of a join that keeps
// or drops rows for what it does not find.
inline bool is_filter(const Clause& c, JoinType type) {
  return c.pushed_down && (type == JoinType::kLeft || type == JoinType::kFull || type == JoinType::kAnti);
}

// One column of an order. `id` numbers expressions that are known to be equal (Level::sort_id).
struct PathKey {
  int id = 0;
  bool descending = false, nulls_first = false;
  friend bool operator==(const PathKey&, const PathKey&) = default;
};

struct Rel;

struct IndexBounds : KeyBounds {
  std::vector<const Clause*> exact;  // clauses that the bounds imply: not evaluated again
};

struct Path {
  enum class Kind : uint8_t {
    kScan,
    kAppend,
    kPrebuilt,
    kNestedLoop,
    kHashJoin,
    kMergeJoin,
    kSort,
    kMaterialize,
    kUnique,
    kUnion
  };
  Kind kind = Kind::kScan;
  RelSet rels, outer;  // outer: relations that must supply parameters
  double rows = 0, startup = 0, total = 0;
  std::vector<PathKey> keys;
  const Rel* rel = nullptr;

  // kScan
  int index = -1;  // into relation->indexes; -1: the table's own tree
  IndexBounds bounds;
  std::vector<InvertedCondition> inverted;  // of an inverted index: what bounds.equal are compared with
  bool nearest = false;                     // IndexScanPlan::nearest
  storage::Direction direction = storage::Direction::kForward;
  bool point = false;

  // kAppend: one path for each of the tables that rel->leaves names by number. kUnion: scans of one table, whose rows are united.
  std::vector<Path*> parts;
  std::vector<size_t> leaves;

  // joins: left and right; others: left
  Path* left = nullptr;
  Path* right = nullptr;
  JoinType type = JoinType::kInner;
  std::vector<const Clause*> join_clauses;  // the join's condition, without the keys
  std::vector<const Clause*> filters;       // evaluated on joined (null-extended) rows; kScan: on the scan's
  std::vector<const Clause*> key_clauses;   // hash and merge joins
  bool null_aware_anti = false;
  std::vector<SortKey> sort;  // kSort: over Vars; kMergeJoin: directions; kAppend: the parts are merged by them
  ExprList unique;            // kUnique: distinct over these
};

}  // namespace indigo::sql::planning
