// UNION, INTERSECT, EXCEPT: each leaf planned by itself, combined by Append, Distinct and SetOperation.
#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "sql/analyze/make.h"
#include "sql/plan/finish/finish.h"
#include "sql/plan/finish/ordered_union.h"
#include "sql/plan/path/build_path.h"
#include "sql/plan/path/cost.h"
#include "sql/plan/resolve.h"

namespace indigo::sql::planning {
namespace {

class SetPlanner {
 public:
  explicit SetPlanner(Level& level) : level_(level) {}

  Result<PlanPtr> plan(const SetNode& n, double fraction) {
    INDIGO_TRY(check_stack_depth());
    if (!n.left) return leaf(n, fraction);
    if (n.op == SetOperation::kUnion) return set_union(n, fraction);
    INDIGO_ASSIGN(PlanPtr left, plan(*n.left, 0));
    INDIGO_ASSIGN(PlanPtr right, plan(*n.right, 0));
    auto out = make_above<SetOperationPlan>(left);
    out->inputs = {left, right};
    out->op = n.op;
    out->all = n.all;
    type_columns(*out, n);
    out->startup_cost = left->total_cost + right->total_cost + (left->rows + right->rows) * kHashRowCost;
    out->total_cost = out->startup_cost + left->rows * kRowCost / 2;
    out->rows = std::max(1.0, left->rows / 2);
    return PlanPtr(out);
  }

 private:
  Result<PlanPtr> leaf(const SetNode& n, double fraction) {
    return plan_query(level_.s, &level_, level_.entry(n.entry).subquery, fraction);
  }

  static void type_columns(Plan& plan, const SetNode& n) {
    for (size_t i = 0; i < plan.columns.size() && i < n.types.size(); i++) plan.columns[i].type = n.types[i];
  }

  // Each column has at most the values that it has in all the inputs.
  void note_distinct(const PlanPtr& plan, const std::vector<PlanPtr>& inputs) {
    std::vector<double> sum(plan->columns.size());
    for (const PlanPtr& input : inputs) {
      const auto known = level_.s.distinct_outputs.find(input);
      for (size_t i = 0; i < sum.size(); i++) {
        const bool has = known != level_.s.distinct_outputs.end() && i < known->second.size() && known->second[i] > 0;
        sum[i] += has ? known->second[i] : input->rows;
      }
    }
    level_.s.distinct_outputs[plan] = std::move(sum);
  }

  // UNIONs of UNIONs are one list; a UNION without ALL above makes ALL below superfluous.
  Status branches(const SetNode& n, bool all, double fraction, std::vector<PlanPtr>& out) {
    INDIGO_TRY(check_stack_depth());
    for (const SetNodePtr& side : {n.left, n.right}) {
      if (side->left && side->op == SetOperation::kUnion && (side->all || !all)) {
        INDIGO_TRY(branches(*side, all, fraction, out));
      } else {
        INDIGO_ASSIGN(PlanPtr p, plan(*side, fraction));
        out.push_back(std::move(p));
      }
    }
    return {};
  }

  Result<PlanPtr> set_union(const SetNode& n, double fraction) {
    auto append = std::make_shared<AppendPlan>();
    INDIGO_TRY(branches(n, n.all, n.all ? fraction : 0, append->inputs));
    append->columns = append->inputs[0]->columns;
    type_columns(*append, n);
    append->startup_cost = append->inputs[0]->startup_cost;
    for (const PlanPtr& p : append->inputs) {
      append->rows += p->rows;
      append->total_cost += p->total_cost;
    }
    append->total_cost += append->rows * kRowCost / 2;
    if (n.all) {
      note_distinct(append, append->inputs);
      return PlanPtr(append);
    }
    auto distinct = make_above<DistinctPlan>(PlanPtr(append));
    for (size_t i = 0; i < distinct->columns.size(); i++) {
      distinct->on.push_back(make_column(0, static_cast<int>(i), distinct->columns[i].type));
    }
    distinct->total_cost += append->rows * kHashRowCost;
    note_distinct(distinct, append->inputs);
    return PlanPtr(distinct);
  }

  Level& level_;
};

int leftmost(const SetNode& n) { return n.left ? leftmost(*n.left) : n.entry; }

}  // namespace

Result<Stage> plan_set_operation(Level& level) {
  const SetNode& root = *level.work.set_operation;
  Stage out;
  INDIGO_ASSIGN(const bool ordered, plan_ordered_union(level, out));
  if (ordered) return out;
  const bool all = !level.work.order_by.empty();
  INDIGO_ASSIGN(out.built.plan, SetPlanner(level).plan(root, all ? 0 : limit_rows(level)));
  // The operation's columns are Vars of the leftmost leaf.
  const int entry = leftmost(root);
  for (size_t i = 0; i < out.built.plan->columns.size(); i++) {
    out.built.layout.outputs.push_back(make_var(entry, static_cast<int>(i), out.built.plan->columns[i].type));
  }
  return out;
}

}  // namespace indigo::sql::planning
