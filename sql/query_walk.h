// Walks over all expressions of queries, subqueries included.
// Thread safety: pure functions.
#pragma once

#include <functional>
#include <memory>

#include "sql/query.h"

namespace indigo::sql {

// Calls visit(node, depth) for `e` and everything below it, into the queries of sublinks; depth counts the queries entered
// (0: the level of `e`). visit returns false to skip what is below the node.
using ExprVisitor = std::function<bool(const Expr& node, int depth)>;
void visit_expressions(const ExprPtr& e, const ExprVisitor& visit, int depth = 0);
// The same for every expression of a query, whose own level has `depth`; subqueries in FROM and WITH are one deeper.
void visit_query(const Query& q, const ExprVisitor& visit, int depth = 0);

// Whether `wanted` is true of the query or of one within it: in FROM, WITH or an expression. Cheaper than visit_query.
bool any_query(const Query& q, const std::function<bool(const Query& query)>& wanted);
// Whether `wanted` is true of a table or view that the query, or one within it, reads or changes.
bool any_relation(const Query& q, const std::function<bool(const RelationInfo& relation)>& wanted);

// The conditions of row security on what the query reads (Entry::security_quals), which visit_query passes by.
void visit_policies(const Query& q, const ExprVisitor& visit);

// A copy of `q` whose expressions are map(expression, depth): depth 0 for the query itself, one more for each subquery in
// FROM, WITH and set operations (sublinks are the mapper's own business). `cte_levels` may adjust kCte entries' levels.
using ExprMapper = std::function<ExprPtr(const ExprPtr& e, int depth)>;
using CteLevelsMapper = std::function<void(int& levels_up, int depth)>;
std::shared_ptr<const Query> map_expressions(const std::shared_ptr<const Query>& q, const ExprMapper& map,
                                             const CteLevelsMapper& cte_levels, int depth = 0);

// Calls f on every expression slot of the query itself (not null), except join conditions and subqueries.
void for_each_own_expression(Query& q, const std::function<void(ExprPtr&)>& f);

// A copy of `q` with map applied to every expression as in map_expressions, and change(entry, depth) to every entry first;
// entries' subqueries are mapped after their entry has been changed, unless change has answered that they are as wanted.
using EntryMapper = std::function<bool(Entry& entry, int depth)>;
std::shared_ptr<const Query> map_query(const std::shared_ptr<const Query>& q, const ExprMapper& map,
                                       const EntryMapper& change, int depth = 0);

}  // namespace indigo::sql
