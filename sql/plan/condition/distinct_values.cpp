#include "sql/plan/condition/distinct_values.h"

#include <algorithm>
#include <cmath>

#include "catalog/descriptor/relation_info.h"
#include "sql/plan/condition/known_attributes.h"
#include "sql/plan/condition/selectivity.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

constexpr double kDefaultDistinct = 200;

// What the planning of a subquery or a WITH query has noted of its column; 0: nothing.
double output_distinct(const Level& level, const VarExpr& v) {
  if (v.column < 0 || static_cast<size_t>(v.entry) >= level.rel_of.size()) return 0;
  const int rel = level.rel_of[static_cast<size_t>(v.entry)];
  if (rel < 0) return 0;
  PlanPtr plan = level.rels[static_cast<size_t>(rel)].plan;
  if (plan && plan->kind == PlanKind::kCteScan) {
    plan = level.s.out->ctes[static_cast<size_t>(static_cast<const CteScanPlan&>(*plan).cte)].plan;
  }
  const auto at = level.s.distinct_outputs.find(plan);
  const auto column = static_cast<size_t>(v.column);
  return at == level.s.distinct_outputs.end() || column >= at->second.size() ? 0 : at->second[column];
}

// Of `distinct` values that `tuples` rows have, those that some `rows` of them have.
double drawn(double distinct, double tuples, double rows) {
  if (rows >= tuples || distinct <= 1) return std::min(distinct, rows);
  return std::max(1.0, distinct * (1 - std::pow(1 - rows / tuples, tuples / distinct)));
}

}  // namespace

const ExprPtr& stripped(const ExprPtr& e) {
  const ExprPtr* at = &e;
  while (const auto* r = try_as<RelabelExpr>(*at)) at = &r->argument;
  return *at;
}

double tuples_of(const Level& level, const VarExpr& v) {
  const int rel = static_cast<size_t>(v.entry) < level.rel_of.size() ? level.rel_of[static_cast<size_t>(v.entry)] : -1;
  if (level.leaf != nullptr && level.leaf->entry == v.entry) return level.leaf->tuples;
  return rel < 0 ? 1000 : std::max(1.0, level.rels[static_cast<size_t>(rel)].tuples);
}

// A unique column by itself.
bool is_unique(const Level& level, const VarExpr& v) {
  const Entry& entry = level.entry(v.entry);
  if (entry.kind != EntryKind::kTable || v.column < 0) return false;
  for (const auto& index : entry.relation->indexes) {
    if (index.unique && index.valid && index.columns.size() == 1 && index.columns[0].column == v.column + 1 &&
        index.predicate.empty())
      return true;
  }
  return false;
}

namespace {

// As column statistics say it.
double distinct_of(const catalog::ColumnStatistics& known, double tuples) {
  return known.distinct > 0 ? std::min<double>(known.distinct, tuples) : std::max(1.0, -known.distinct * tuples);
}

}  // namespace

double var_distinct(const Level& level, const VarExpr& v) {
  const double tuples = tuples_of(level, v);
  if (is_unique(level, v)) return tuples;
  if (v.column == kCtidColumn || v.column == kRowKeyColumn) return tuples;
  if (v.column == kTableOidColumn) return 1;
  const auto& entry = level.entry(v.entry);
  if (const auto* known = column_statistics(level, v); known != nullptr && known->distinct != 0)
    return distinct_of(*known, tuples);
  if (v.type.oid == oid::kBool) return 2;
  if (entry.kind == EntryKind::kValues) return tuples;
  if (const double known = output_distinct(level, v); known > 0) return std::min(known, tuples);
  return std::min(tuples, kDefaultDistinct);
}

double distinct_values(Level& level, const ExprPtr& e, double rows) {
  const ExprPtr& at = stripped(e);
  if (const auto* v = try_as<VarExpr>(at)) return std::max(1.0, std::min(rows, var_distinct(level, *v)));
  if (at->kind == ExprKind::kConst || at->kind == ExprKind::kParam || at->kind == ExprKind::kRuntimeParam) return 1;
  if (const auto* known = expression_statistics(level, at); known != nullptr && known->distinct != 0) {
    const Rel& rel = level.leaf != nullptr ? *level.leaf : level.rels[static_cast<size_t>(level.rels_of(at).first())];
    return std::max(1.0, std::min(rows, distinct_of(*known, std::max(1.0, rel.tuples))));
  }
  if (at->type.oid == oid::kBool) return 2;
  // An expression has at most as many values as its columns' combinations.
  VarSet vars;
  vars.add_vars(at);
  double n = 1;
  for (const auto& [entry, column] : vars.pairs()) {
    VarExpr v;
    v.entry = entry;
    v.column = column;
    if (column >= 0) v.type = level.entry(entry).column_types[static_cast<size_t>(column)];
    n *= var_distinct(level, v);
  }
  if (vars.pairs().empty()) n = kDefaultDistinct;
  return std::max(1.0, std::min(rows, n));
}

namespace {

// What groups by an expression is the expression, where something is known of it, and its columns otherwise.
void add_grouping(Level& level, const ExprPtr& e, ExprList& out) {
  const ExprPtr& at = stripped(e);
  const auto add = [&](const ExprPtr& x) {
    if (std::none_of(out.begin(), out.end(), [&](const ExprPtr& o) { return equal(o, x); })) out.push_back(x);
  };
  if (at->kind == ExprKind::kVar || expression_statistics(level, at) != nullptr) return add(at);
  VarSet vars;
  vars.add_vars(at);
  for (const auto& [entry, column] : vars.pairs()) {
    auto v = std::make_shared<VarExpr>();
    v->entry = entry;
    v->column = column;
    if (column >= 0) v->type = level.entry(entry).column_types[static_cast<size_t>(column)];
    add(v);
  }
}

}  // namespace

double group_count(Level& level, const ExprList& groups, double rows) {
  // Columns of one relation have at most as many combinations as it has rows; usually far fewer than their product.
  struct OfRelation {
    RelSet rel;
    ExprList attributes;
  };
  std::vector<OfRelation> relations;
  double n = 1;
  for (const ExprPtr& e : groups) {
    const RelSet rels = level.rels_of(e);
    if (rels.count() != 1) {
      n *= std::min(distinct_values(level, e, 1e300), rows);
      continue;
    }
    auto at = std::find_if(relations.begin(), relations.end(), [&](const OfRelation& r) { return r.rel == rels; });
    if (at == relations.end()) at = relations.insert(relations.end(), OfRelation{rels, {}});
    if (stripped(e)->type.oid == oid::kBool && stripped(e)->kind != ExprKind::kVar &&
        expression_statistics(level, stripped(e)) == nullptr) {
      n *= 2;
    } else {
      add_grouping(level, e, at->attributes);
    }
  }
  for (OfRelation& r : relations) {
    const Rel& rel = level.rels[static_cast<size_t>(r.rel.first())];
    const double tuples = std::max(1.0, rel.tuples);
    double product = 1, most = 1;
    int parts = 0;
    const auto count = [&](double values) {
      product *= values;
      most = std::max(most, values);
      parts++;
    };
    while (const auto known = known_combinations(level, r.attributes)) count(*known);
    for (const ExprPtr& e : r.attributes) count(distinct_values(level, e, 1e300));
    double values = std::min(product, tuples);
    if (parts > 1) values = std::min(values, std::max(most, tuples / 10));
    n *= drawn(values, tuples, rel.rows);
  }
  return std::max(1.0, std::min(n, rows));
}

void note_distinct_outputs(Level& level, const PlanPtr& plan, const ExprList& outputs) {
  if (!plan || plan->rows < 2) return;
  std::vector<double>& out = level.s.distinct_outputs[plan];
  out.clear();
  for (const ExprPtr& e : outputs)
    out.push_back(e->kind == ExprKind::kAggregate ? 0 : distinct_values(level, e, plan->rows));
  // One column that groups the rows is different in each of them.
  if (level.work.grouping_sets.empty() && level.work.group_by.size() == 1) {
    for (size_t i = 0; i < outputs.size(); i++) {
      if (equal(outputs[i], level.work.group_by[0])) out[i] = plan->rows;
    }
  }
}

}  // namespace indigo::sql::planning
