// Makes operators from plan nodes and compiled nodes from expressions, and notes for each operator which runtime slots
// its subtree reads and whether it is volatile.
//
// Extending it: a plan node is one file with a make_* function declared in operators.h; an expression is one file with
// a compile_* function declared in expression_nodes.h.
#pragma once

#include <vector>

#include "base/error.h"
#include "engine/exec/expression/expression.h"
#include "engine/exec/operator.h"
#include "engine/exec/query_state.h"
#include "engine/exec/stack_guard.h"

namespace indigo::engine::exec {

class Builder {
 public:
  explicit Builder(QueryState& state) : state_(state) {}

  QueryState& state() { return state_; }

  Result<OperatorPtr> build(const sql::PlanPtr& plan);

  // A null expression gives a null node.
  Result<NodePtr> compile(const sql::ExprPtr& expr);
  Result<ExpressionSet> compile_all(const sql::ExprList& exprs);
  Result<Condition> compile_condition(const sql::ExprPtr& expr);

  Phys phys_of(const types::TypeRef& type);
  std::vector<Phys> phys_of(const std::vector<sql::PlanColumn>& columns);

  // Order, equality and hash of a type; null when it has none. Domains are looked up by their base.
  const types::TypeOrder* order_of(const types::TypeRef& type);
  // Of the type's collation; null: C order. 42P22 when it is not known which.
  Result<const types::Collator*> collator_of(const types::TypeRef& type);
  types::TypeRef element_of(const types::TypeRef& array);

  // The expression being compiled runs a subquery (Node::runs_plan).
  void note_plan() { runs_plan_ = true; }
  // The operator being built reads this slot.
  void use_slot(int slot) { slots_.push_back(slot); }
  // How many uses have been noted; and the slots of those after `first`: what an operator keeps over rescans (a hash table)
  // stays true as long as these have the same values.
  size_t used_slots() const { return slots_.size(); }
  std::vector<int> slots_used_after(size_t first) const {
    return {slots_.begin() + static_cast<std::ptrdiff_t>(first), slots_.end()};
  }
  // Slots that the operator being built sets itself for its inputs.
  void own_slot(int slot) { owned_.push_back(slot); }

  // Checked beside the stack: what is built runs, and is destroyed, on smaller frames than these.
  static constexpr int kMaxDepth = 5000;

 private:
  Result<OperatorPtr> make(const sql::Plan& plan);
  Result<NodePtr> compile_node(const sql::ExprPtr& expr);
  bool is_guarded_level() const { return depth_ > 0 && depth_ % kStackGuardLevels == 0; }

  QueryState& state_;
  std::vector<int> slots_, owned_;
  bool volatile_ = false;
  bool calls_routine_ = false, runs_plan_ = false;  // of the expression being compiled: Node
  int depth_ = 0;
};

}  // namespace indigo::engine::exec
