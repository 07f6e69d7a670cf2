// The items of FROM as relations: sizes, and for anything but tables their plans.
#include "sql/plan/path/base_relations.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "catalog/descriptor/foreign_source.h"
#include "sql/analyze/make.h"
#include "sql/plan/condition/selectivity.h"
#include "sql/plan/path/access_paths.h"
#include "sql/plan/path/append_paths.h"
#include "sql/plan/path/build_path.h"
#include "sql/plan/path/cost.h"
#include "sql/plan/path/foreign_paths.h"
#include "sql/plan/path/path_choice.h"
#include "sql/plan/resolve.h"
#include "sql/plan/rewrite/push_down.h"
#include "sql/plan/rewrite/run_condition.h"
#include "sql/plan/rewrite/unused_outputs.h"
#include "sql/routine.h"
#include "storage/table.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

Status number_leaves(Level& level, const FromNode& n) {
  if (n.kind == FromNode::Kind::kLeaf) {
    if (level.entry_of.size() == static_cast<size_t>(kMaxRels)) {
      return Error(sqlstate::kStatementTooComplex,
                   "too many relations in one FROM clause (maximum " + std::to_string(kMaxRels) + ")");
    }
    const int rel = static_cast<int>(level.entry_of.size());
    level.rel_of[static_cast<size_t>(n.entry)] = rel;
    level.entry_of.push_back(n.entry);
    level.rels.emplace_back();
    level.rels.back().set = RelSet::one(rel);
    level.rels.back().entry = n.entry;
    level.all_rels |= RelSet::one(rel);
    return {};
  }
  for (const auto& c : n.children) {
    INDIGO_TRY(number_leaves(level, *c));
  }
  return {};
}

void name_columns(Plan& plan, const Entry& entry) {
  for (size_t i = 0; i < entry.column_types.size(); i++) {
    plan.columns.push_back({entry.column_names[i], entry.column_types[i]});
  }
}

double table_rows(const RelationInfo& relation) {
  if (relation.table) {
    return std::max<double>(1, static_cast<double>(relation.table->rows()));
  }
  return std::max(1.0, relation.reltuples);
}

// Rows that a set-returning function is expected to answer.
double function_rows(Level& level, const ExprPtr& e) {
  const auto* call = try_as<CallExpr>(e);
  if (!call || !call->returns_set) return 1;
  const auto info = level.s.catalog().function(call->function);
  const auto integer = [](const ExprPtr& a, double& out) {
    const auto* c = try_as<ConstExpr>(a);
    if (!c || c->value.get().null) return false;
    const Datum& d = c->value.get();
    if (d.phys == Phys::kI32)
      out = d.i32;
    else if (d.phys == Phys::kI64)
      out = static_cast<double>(d.i64);
    else
      return false;
    return true;
  };
  if (info && info->name == "generate_series" && call->arguments.size() >= 2) {
    double from, to, step = 1;
    if (integer(call->arguments[0], from) && integer(call->arguments[1], to) &&
        (call->arguments.size() < 3 || integer(call->arguments[2], step)) && step != 0) {
      return std::max(1.0, (to - from) / step + 1);
    }
    return 1000;
  }
  if (info && info->name == "unnest" && !call->arguments.empty()) {
    if (const auto* array = try_as<ArrayExpr>(call->arguments[0]))
      return std::max<double>(1, static_cast<double>(array->elements.size()));
    return 10;
  }
  if (info && info->rows > 0 && is_routine(level.s.catalog(), call->function)) return static_cast<double>(info->rows);
  return 100;
}

class Maker {
 public:
  Maker(Level& level, Rel& rel) : level_(level), rel_(rel), entry_(level.entry(rel.entry)) {}

  Status run() {
    switch (entry_.kind) {
      case EntryKind::kTable: return table();
      case EntryKind::kSubquery: return subquery();
      case EntryKind::kFunction: return function();
      case EntryKind::kValues: return values();
      case EntryKind::kCte: return cte();
      case EntryKind::kResult: return result();
      case EntryKind::kJoin: break;
    }
    return Error(sqlstate::kInternalError, "planner: a join entry in FROM");
  }

 private:
  Status table() {
    if (has_leaves(entry_)) {
      rel_.tuples = 0;  // they add up
      INDIGO_TRY(leaf_paths(level_, rel_));
      rel_.one_row = is_point(rel_);
      return {};
    }
    INDIGO_TRY(catalog::check_reachable(*entry_.relation));
    if (entry_.relation->is_foreign()) {
      level_.s.depend(entry_.relation, storage::TableLockMode::kAccessShare);
      return foreign_paths(level_, rel_);
    }
    if (!entry_.relation->table) {
      return Error(sqlstate::kFeatureNotSupported,
                   "relation \"" + entry_.relation->name + "\" cannot be read by a query");
    }
    level_.s.depend(entry_.relation, storage::TableLockMode::kAccessShare);
    rel_.tuples = table_rows(*entry_.relation);
    size();
    INDIGO_TRY(table_paths(level_, rel_));
    rel_.one_row = is_point(rel_);
    if (!rel_.one_row) level_.s.size(*entry_.relation, rel_.tuples);
    return {};
  }

  void size() { rel_.rows = std::max(1.0, rel_.tuples * clauses_selectivity(level_, rel_.restrictions)); }

  Status subquery() {
    std::shared_ptr<const Query> query = push_conditions(level_, rel_, entry_.subquery);
    query = without_unused_outputs(level_, rel_, std::move(query));
    note_run_conditions(level_, rel_, query);
    if (entry_.relation) level_.s.depend(entry_.relation, storage::TableLockMode::kAccessShare);
    std::vector<Request> outer = std::move(level_.requests);
    level_.requests.clear();
    const bool only = level_.rels.size() == 1 && rel_.restrictions.empty() && takes_first_rows();
    auto plan = plan_query(level_.s, &level_, query, only ? level_.tuple_fraction : 0);
    rel_.requests = std::move(level_.requests);
    level_.requests = std::move(outer);
    if (!plan.ok()) return plan.take_error();
    rel_.plan = *plan;
    for (const Request& r : rel_.requests) rel_.lateral |= level_.rels_of(r.from);
    rel_.one_row = query->command == CommandKind::kSelect && !query->set_operation && query->has_aggregates &&
                   query->group_by.empty() && query->grouping_sets.empty() && !query->has_set_functions;
    return prebuilt(rel_.plan->rows);
  }

  // Whether a few of the level's rows need but a few of those that FROM has.
  bool takes_first_rows() const {
    const Query& q = level_.work;
    return !q.has_aggregates && q.group_by.empty() && q.grouping_sets.empty() && !q.has_windows && !q.distinct &&
           q.distinct_on.empty() && q.order_by.empty();
  }

  // Columns of other FROM items inside functions and VALUES become runtime parameters.
  ExprPtr parameterised(const ExprPtr& e) {
    if (const auto* v = try_as<VarExpr>(e)) {
      rel_.lateral |= level_.rels_of(e);
      for (const Request& r : rel_.requests) {
        if (equal(r.from, e)) return param(r.slot, v->type);
      }
      rel_.requests.push_back({e, level_.s.new_slot(v->type)});
      return param(rel_.requests.back().slot, v->type);
    }
    return map_children(e, [&](const ExprPtr& c) { return parameterised(c); });
  }

  static ExprPtr param(int slot, const TypeRef& type) {
    auto p = std::make_shared<RuntimeParamExpr>();
    p->slot = slot;
    p->type = type;
    return p;
  }

  Status function() {
    auto plan = std::make_shared<FunctionScanPlan>();
    plan->alias = entry_.alias;
    double rows = 0;
    for (const auto& f : entry_.functions) {
      Entry::Function own = f;
      own.call = parameterised(f.call);
      rows = std::max(rows, function_rows(level_, f.call));
      plan->functions.push_back(std::move(own));
    }
    plan->with_ordinality = entry_.with_ordinality;
    name_columns(*plan, entry_);
    plan->rows = rows;
    plan->total_cost = rows * kRowCost;
    rel_.plan = plan;
    rel_.one_row = entry_.functions.size() == 1 && try_as<CallExpr>(entry_.functions[0].call) &&
                   !as<CallExpr>(*entry_.functions[0].call).returns_set;
    return prebuilt(rows);
  }

  Status values() {
    auto plan = std::make_shared<ValuesPlan>();
    plan->alias = entry_.alias;
    for (const ExprList& row : entry_.values) {
      ExprList own;
      for (const ExprPtr& e : row) own.push_back(parameterised(e));
      plan->rows_of.push_back(std::move(own));
    }
    name_columns(*plan, entry_);
    plan->rows = static_cast<double>(entry_.values.size());
    plan->total_cost = plan->rows * kRowCost;
    rel_.plan = plan;
    rel_.one_row = entry_.values.size() == 1;
    return prebuilt(plan->rows);
  }

  Status cte() {
    const auto number = static_cast<size_t>(entry_.cte);
    Statement& s = level_.s;
    const double rows = s.cte_rows[number];
    if (entry_.cte_self_reference) {
      s.varying_ctes.insert(entry_.cte);
      auto plan = std::make_shared<WorkTableScanPlan>();
      plan->cte = entry_.cte;
      plan->alias = entry_.alias;
      name_columns(*plan, entry_);
      plan->rows = rows * 10;
      rel_.plan = plan;
    } else {
      s.varying_ctes.insert(s.cte_varies_with[number].begin(), s.cte_varies_with[number].end());
      auto plan = std::make_shared<CteScanPlan>();
      plan->cte = entry_.cte;
      plan->alias = entry_.alias;
      name_columns(*plan, entry_);
      plan->rows = rows;
      rel_.plan = plan;
    }
    const_cast<Plan&>(*rel_.plan).total_cost = rel_.plan->rows * kRowCost;
    return prebuilt(rel_.plan->rows);
  }

  Status result() {
    auto plan = std::make_shared<ResultPlan>();
    plan->rows = 1;
    rel_.plan = plan;
    rel_.one_row = true;
    return prebuilt(1);
  }

  Status prebuilt(double rows) {
    rel_.tuples = std::max(1.0, rows);
    size();
    for (size_t i = 0; i < rel_.plan->columns.size(); i++) rel_.plan_columns.push_back(static_cast<int>(i));
    Path* p = level_.new_path(Path::Kind::kPrebuilt);
    p->rels = rel_.set;
    p->rel = &rel_;
    p->outer = rel_.lateral;
    p->rows = rel_.rows;
    p->startup = rel_.plan->startup_cost;
    p->total = rel_.plan->total_cost + rel_.tuples * clauses_cost(level_, rel_.restrictions);
    add_path(level_, rel_, p);
    return {};
  }

  Level& level_;
  Rel& rel_;
  const Entry& entry_;
};

}  // namespace

Status number_relations(Level& level) {
  level.rel_of.assign(level.entries.size(), -1);
  return number_leaves(level, *level.from);
}

// Ways into tables by columns of other relations are estimated by these relations' sizes, too: all sizes come first.
Status make_base_relations(Level& level) {
  const auto is_table = [&](const Rel& rel) { return level.entry(rel.entry).kind == EntryKind::kTable; };
  for (Rel& rel : level.rels) {
    if (is_table(rel)) rel.tuples = table_rows(*level.entry(rel.entry).relation);
  }
  for (const bool tables : {false, true}) {
    for (Rel& rel : level.rels) {
      if (is_table(rel) == tables) INDIGO_TRY(Maker(level, rel).run());
    }
  }
  return {};
}

}  // namespace indigo::sql::planning
