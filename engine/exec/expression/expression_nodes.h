// The kinds of expression nodes, by the file that compiles them. Each compile_* takes compiled children from the Builder.
#pragma once

#include "engine/exec/builder.h"

namespace indigo::types {
struct KeyedSubscripts;
}

namespace indigo::engine::exec {

Result<NodePtr> compile_leaf(Builder& b, const sql::Expr& e);  // expression_leaf.cpp: columns, constants, parameters
Result<NodePtr> compile_call(Builder& b, const sql::CallExpr& e);  // expression_call.cpp
NodePtr compile_fast_call(QueryState& state, const sql::CallExpr& e,
                          std::vector<NodePtr>& arguments);  // expression_fast.cpp
Result<NodePtr> compile_logic(Builder& b,
                              const sql::Expr& e);  // expression_logic.cpp: AND OR NOT, tests, DISTINCT FROM
Result<NodePtr> compile_branch(Builder& b,
                               const sql::Expr& e);  // expression_branch.cpp: CASE, COALESCE, NULLIF, GREATEST
Result<NodePtr> compile_array(Builder& b,
                              const sql::Expr& e);  // expression_array.cpp: ANY/ALL, ARRAY[], subscripts, casts
Result<NodePtr> compile_subscript(Builder& b, const sql::SubscriptExpr& e);        // expression_subscript.cpp
Result<NodePtr> compile_fixed_subscript(Builder& b, const sql::SubscriptExpr& e);  // expression_fixed_array.cpp
Result<NodePtr> compile_keyed_subscript(Builder& b, const sql::SubscriptExpr& e,
                                        const types::KeyedSubscripts& keyed);  // expression_keyed.cpp
Result<NodePtr> compile_record(Builder& b, const sql::Expr& e);  // expression_record.cpp: ROW, fields, row comparison
Result<NodePtr> compile_cast(Builder& b, const sql::Expr& e);    // expression_cast.cpp: relabel, I/O casts, domains
Result<NodePtr> compile_session_value(Builder& b, const sql::SessionValueExpr& e);  // expression_session.cpp
// expression_subplan.cpp; column: which of the subquery's columns a single value is
Result<NodePtr> compile_subplan(Builder& b, const sql::SubPlanExpr& e, int column = 0);

// Sets invariant, uses_slots and is_volatile from the children's.
void inherit(Node& node, const std::vector<const Node*>& children);

// Wraps a node that reads no column and is not volatile: evaluated once for each run (or change of its slots).
NodePtr hoist(QueryState& state, NodePtr node);  // expression_leaf.cpp

}  // namespace indigo::engine::exec
