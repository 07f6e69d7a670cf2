#include "sql/explain/explain_plan.h"

#include <algorithm>

#include "sql/explain/node_describer.h"
#include "sql/explain/plan_text.h"

namespace indigo::sql {
namespace {

using Property = ExplainProperty;

class PlanExplainer {
 public:
  PlanExplainer(catalog::CatalogView& catalog, const PlannedStatement& statement, const ExplainOptions& options,
                const CountersOf& counters)
      : statement_(statement),
        options_(options),
        text_(catalog, statement, options.verbose),
        describer_(catalog, statement, options, counters, text_),
        shown_(statement.subplans.size()) {}

  Result<ExplainNode> statement() {
    ExplainNode root = node(*statement_.root, "");
    std::vector<ExplainNode> beside;
    for (const auto& init : statement_.initplans) {
      const auto index = static_cast<size_t>(init.subplan);
      if (shown_[index]) continue;
      shown_[index] = true;
      std::string slots;
      for (const int s : init.slots) slots += (slots.empty() ? "$" : ",$") + std::to_string(s);
      ExplainNode n = node(*statement_.subplans[index], "InitPlan");
      n.subplan_name = "InitPlan " + std::to_string(index + 1) + " (returns " + slots + ")";
      beside.push_back(std::move(n));
    }
    for (const auto& cte : statement_.ctes) {
      if (cte.plan == nullptr) continue;
      ExplainNode n = node(*cte.plan, "InitPlan");
      n.subplan_name = "CTE " + cte.name;
      beside.push_back(std::move(n));
    }
    root.children.insert(root.children.begin(), std::make_move_iterator(beside.begin()),
                         std::make_move_iterator(beside.end()));
    if (text_.error()) return *text_.error();
    return root;
  }

 private:
  // The node of p and of the Project and Filter nodes above it.
  ExplainNode node(const Plan& top, const char* relationship) {
    ExplainNode n;
    std::vector<const Plan*> chain;
    const Plan* p = &top;
    while (p->kind == PlanKind::kProject || p->kind == PlanKind::kFilter) {
      chain.push_back(p);
      p = p->inputs[0].get();
    }
    chain.push_back(p);
    n.relationship = relationship;
    n.startup_cost = std::max(top.startup_cost, p->startup_cost);
    n.total_cost = std::max(top.total_cost, p->total_cost);
    n.rows = std::max(1.0, top.rows);
    n.width = top.width;
    n.counters = describer_.counters(top);
    const ColumnTexts& columns = text_.outputs(top);
    if (options_.verbose && !columns.empty()) {
      std::vector<std::string> output;
      for (const ColumnText& c : columns) {
        const bool own = std::find(chain.begin(), chain.end(), c.owner) != chain.end();
        output.push_back(own ? c.text : PlanText::reference(c));
      }
      n.properties.push_back(Property::list("Output", std::move(output)));
    }
    describer_.describe(n, *p);
    for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
      if ((*at)->kind != PlanKind::kFilter) continue;
      const PlanCounters c = describer_.counters(**at);
      std::string text = having(**at, static_cast<const FilterPlan&>(**at).condition, p);
      NodeDescriber::add(n, "Filter", std::move(text));
      describer_.add_removed(n, "Filter", c.filtered, c);
    }
    std::vector<int> subplans;
    for (const Plan* part : chain) {
      for (const int s : text_.subplans_of(*part)) {
        if (std::find(subplans.begin(), subplans.end(), s) == subplans.end()) subplans.push_back(s);
      }
    }
    inputs(n, *p);
    for (const int s : subplans) {
      const auto index = static_cast<size_t>(s);
      if (shown_[index]) continue;
      shown_[index] = true;
      ExplainNode child = node(*statement_.subplans[index], "SubPlan");
      child.subplan_name = text_.subplan_name(s);
      n.children.push_back(std::move(child));
    }
    return n;
  }

  // What a filter reads of the node right below it is that node's own: no parentheses.
  std::string having(const Plan& filter, const ExprPtr& e, const Plan* below) {
    if (filter.inputs[0].get() == below && PlanText::is_scan(*below)) return text_.scan_text(*below, *e);
    ColumnTexts columns = text_.outputs(*filter.inputs[0]);
    for (ColumnText& c : columns) {
      if (c.owner == below) c.owner = nullptr;
    }
    return text_.text_over(filter, *e, &columns, nullptr);
  }

  void inputs(ExplainNode& n, const Plan& p) {
    const bool members = p.kind == PlanKind::kAppend;
    for (size_t i = 0; i < p.inputs.size(); i++) {
      const char* relationship = members ? "Member" : i == 0 ? "Outer" : "Inner";
      if (p.kind == PlanKind::kSubqueryScan) relationship = "Subquery";
      n.children.push_back(p.kind == PlanKind::kHashJoin && i == 1 ? hash(p) : node(*p.inputs[i], relationship));
    }
    if (p.kind != PlanKind::kNestedLoop || !options_.analyze) return;
    const auto& loop = static_cast<const NestedLoopPlan&>(p);
    if (describer_.counters(loop).switched_after > 0) n.children.push_back(hash(*loop.instead));
  }
  // The right side of a hash join.
  ExplainNode hash(const Plan& join) {
    const Plan& build = *join.inputs[1];
    ExplainNode n;
    n.type = n.title = "Hash";
    n.relationship = "Inner";
    n.startup_cost = n.total_cost = build.total_cost;
    n.rows = std::max(1.0, build.rows);
    n.width = build.width;
    n.counters = describer_.counters(build);
    n.counters.startup = n.counters.total;
    describer_.describe_hash(n, join);
    n.children.push_back(node(build, "Outer"));
    if (options_.verbose) n.properties.insert(n.properties.begin(), hash_output(build));
    return n;
  }
  Property hash_output(const Plan& build) {
    std::vector<std::string> output;
    for (const ColumnText& c : text_.outputs(build)) output.push_back(PlanText::reference(c));
    return Property::list("Output", std::move(output));
  }

  const PlannedStatement& statement_;
  const ExplainOptions& options_;
  PlanText text_;
  NodeDescriber describer_;
  std::vector<bool> shown_;  // by subplan
};

}  // namespace

Result<ExplainNode> explain_plan(catalog::CatalogView& catalog, const PlannedStatement& statement,
                                 const ExplainOptions& options, const CountersOf& counters) {
  return PlanExplainer(catalog, statement, options, counters).statement();
}

}  // namespace indigo::sql
