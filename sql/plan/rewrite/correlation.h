// Subqueries that depend on the query around them through equalities alone: `... WHERE inner = outer AND rest`. Without these
// conditions the subquery is independent; it can be computed once, for all values of `inner`.
// Thread safety: one planning, one thread.
#pragma once

#include <optional>
#include <span>

#include "sql/plan/level.h"

namespace indigo::sql::planning {

struct Correlation {
  struct Equality {
    ExprPtr call;          // as written
    ExprPtr outer, inner;  // its sides: over the query around (as that query sees it), over the subquery
    bool outer_left = true;
  };
  std::vector<Equality> equalities;
  std::shared_ptr<Query> rest;  // the subquery without them: depends on nothing
};

// Nothing: the subquery depends on the query around it in another way, or not at all, or is more than a plain
// SELECT ... FROM ... WHERE with perhaps aggregates.
std::optional<Correlation> correlation_of(Level& level, const std::shared_ptr<const Query>& query);

// Whether a tree of some table of the subquery begins with one of the columns that the equalities fix: then running the subquery
// for each row reads few rows.
bool has_index_for(const Query& query, const Correlation& correlation);

// A subquery somewhere in an expression of the level.
bool has_sublink(const ExprPtr& e);  // unnest_scalar.cpp
bool has_sublink(std::span<const ExprPtr> conditions);

// x op (SELECT aggregate ...) as a join with the aggregate for every value of the subquery's correlation, where that means the
// same and no index serves the subquery. Adds the subquery to the node's children and what joins it to its conditions.
// `known`: conditions that hold for the node's rows.
Result<bool> unnest_scalar(Level& level, FromNode& node, const ExprPtr& condition,
                           std::span<const ExprPtr> known);  // unnest_scalar.cpp
// The same for what merged subqueries have brought into the level's conditions, and for the targets of a query without groups.
Status unnest_rest(Level& level);  // unnest_scalar.cpp

// EXISTS (SELECT ... WHERE inner = outer) as outer = ANY (SELECT inner ...), which is answered from a hash table; null: it
// stays, as it does where an index serves it, unless `although_indexed`.
ExprPtr exists_as_any(Level& level, const SubLinkExpr& link, bool although_indexed = false);

}  // namespace indigo::sql::planning
