#include "sql/explain/plan_text.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "catalog/tables/system_columns.h"
#include "types/text/strings.h"

namespace indigo::sql {
namespace {

const ScanPlan* scan_of(const Plan& p) {
  if (p.kind == PlanKind::kTableScan) return &static_cast<const TableScanPlan&>(p);
  if (p.kind == PlanKind::kIndexScan) return &static_cast<const IndexScanPlan&>(p);
  return nullptr;
}

const JoinPlan* join_of(const Plan& p) {
  switch (p.kind) {
    case PlanKind::kNestedLoop: return &static_cast<const NestedLoopPlan&>(p);
    case PlanKind::kHashJoin: return &static_cast<const HashJoinPlan&>(p);
    case PlanKind::kMergeJoin: return &static_cast<const MergeJoinPlan&>(p);
    default: return nullptr;
  }
}

const AggregatePlan* aggregate_of(const Plan& p) {
  switch (p.kind) {
    case PlanKind::kHashAggregate: return &static_cast<const HashAggregatePlan&>(p);
    case PlanKind::kSortedAggregate: return &static_cast<const SortedAggregatePlan&>(p);
    case PlanKind::kGroupingSets: return &static_cast<const GroupingSetsPlan&>(p);
    default: return nullptr;
  }
}

const ChangePlan* change_of(const Plan& p) {
  switch (p.kind) {
    case PlanKind::kInsert: return &static_cast<const InsertPlan&>(p);
    case PlanKind::kUpdate: return &static_cast<const UpdatePlan&>(p);
    case PlanKind::kDelete: return &static_cast<const DeletePlan&>(p);
    case PlanKind::kMerge: return &static_cast<const MergePlan&>(p);
    default: return nullptr;
  }
}

// The scan that finds the rows an UPDATE, DELETE or MERGE changes.
const Plan* target_scan(const Plan& p, Oid relation) {
  if (const ScanPlan* s = scan_of(p); s != nullptr && s->relation->oid == relation) {
    if (std::find(s->scan_columns.begin(), s->scan_columns.end(), kRowKeyColumn) != s->scan_columns.end()) return &p;
  }
  for (const PlanPtr& input : p.inputs) {
    if (const Plan* found = target_scan(*input, relation)) return found;
  }
  return nullptr;
}

}  // namespace

std::string PlanText::sort_direction(const SortKey& key) const {
  if (ordered_by_class(catalog_, key) != nullptr) {
    return " USING " + operator_name(key.less) +
           (key.nulls_first == key.descending ? ""
            : key.nulls_first                 ? " NULLS FIRST"
                                              : " NULLS LAST");
  }
  if (key.descending) return key.nulls_first ? " DESC" : " DESC NULLS LAST";
  return key.nulls_first ? " NULLS FIRST" : "";
}

PlanText::PlanText(catalog::CatalogView& catalog, const PlannedStatement& statement, bool verbose)
    : catalog_(catalog), verbose_(verbose) {
  options_.always_qualify = false;
  options_.one_line = true;
  options_.nodes = this;
  name_relations(*statement.root);
  for (const auto& cte : statement.ctes) {
    if (cte.plan) name_relations(*cte.plan);
  }
  for (const PlanPtr& subplan : statement.subplans) name_relations(*subplan);
  for (size_t i = 0; i < alternatives_.size(); i++) {
    const Plan& other = *alternatives_[i];  // it may have more
    name_relations(other);
  }
  qualify_ |= verbose || aliases_.size() > 1;
}

void PlanText::name(const Plan& plan, const std::string& wanted) {
  const int count = names_[wanted]++;
  aliases_[&plan] = count == 0 ? wanted : wanted + "_" + std::to_string(count);
}

void PlanText::name_relations(const Plan& p) {
  const auto either = [](const std::string& alias, const std::string& name) { return alias.empty() ? name : alias; };
  if (aliases_.contains(&p)) return;
  if (const ScanPlan* s = scan_of(p)) name(p, either(s->alias, s->relation->name));
  switch (p.kind) {
    case PlanKind::kInsert: {
      const auto& insert = static_cast<const InsertPlan&>(p);
      name(p, insert.relation->name);
      qualify_ |= insert.on_conflict && insert.on_conflict->update;  // there is `excluded` beside it
      break;
    }
    case PlanKind::kValues: name(p, either(static_cast<const ValuesPlan&>(p).alias, "*VALUES*")); break;
    case PlanKind::kFunctionScan: name(p, static_cast<const FunctionScanPlan&>(p).alias); break;
    case PlanKind::kSubqueryScan: name(p, static_cast<const SubqueryScanPlan&>(p).alias); break;
    case PlanKind::kCteScan: name(p, static_cast<const CteScanPlan&>(p).alias); break;
    case PlanKind::kWorkTableScan: name(p, static_cast<const WorkTableScanPlan&>(p).alias); break;
    case PlanKind::kNestedLoop:
      if (const auto& instead = static_cast<const NestedLoopPlan&>(p).instead)
        alternatives_.push_back(instead->inputs[1].get());
      break;
    default: break;
  }
  for (const PlanPtr& input : p.inputs) name_relations(*input);
}

bool PlanText::is_scan(const Plan& p) {
  return scan_of(p) != nullptr || p.kind == PlanKind::kValues || p.kind == PlanKind::kFunctionScan ||
         p.kind == PlanKind::kCteScan || p.kind == PlanKind::kWorkTableScan;
}

std::string PlanText::scan_text(const Plan& scan, const Expr& e) {
  outputs(scan);
  const ColumnTexts own = scan_columns(scan, verbose_);
  return text_over(scan, e, &own, nullptr);
}

std::string PlanText::column(const Plan& scan, const std::string& name, bool qualify) {
  return (qualify ? types::quote_identifier(alias(scan)) + "." : "") + types::quote_identifier(name);
}

const ColumnTexts& PlanText::outputs(const Plan& plan) {
  const auto at = outputs_.find(&plan);
  if (at != outputs_.end()) return at->second;
  return outputs_.emplace(&plan, compute(plan)).first->second;
}

std::string PlanText::text(const Plan& plan, const Expr& e) {
  const ColumnTexts* left = plan.inputs.empty() ? nullptr : &outputs(*plan.inputs[0]);
  const ColumnTexts* right = plan.inputs.size() < 2 ? nullptr : &outputs(*plan.inputs[1]);
  return text_over(plan, e, left, right);
}

std::string PlanText::text_over(const Plan& plan, const Expr& e, const ColumnTexts* left, const ColumnTexts* right) {
  const Plan* outer_plan = plan_;
  const ColumnTexts* outer[2] = {frame_[0], frame_[1]};
  plan_ = &plan;
  frame_[0] = left;
  frame_[1] = right;
  std::string out = expression(e);
  plan_ = outer_plan;
  frame_[0] = outer[0];
  frame_[1] = outer[1];
  return out;
}

ColumnTexts PlanText::project(const Plan& plan, const ExprList& list, const ColumnTexts* left,
                              const ColumnTexts* right) {
  ColumnTexts out;
  for (const ExprPtr& e : list) {
    const auto* column = try_as<ColumnExpr>(e);
    const ColumnTexts* side = column == nullptr ? nullptr : column->input == 0 ? left : right;
    if (side != nullptr && static_cast<size_t>(column->column) < side->size()) {
      out.push_back((*side)[static_cast<size_t>(column->column)]);
    } else {
      out.push_back({text_over(plan, *e, left, right), &plan});
    }
  }
  return out;
}

ColumnTexts PlanText::target_columns(const Plan& change, const ChangePlan& p) {
  const Plan* named = change.kind == PlanKind::kInsert ? &change : target_scan(*change.inputs[0], p.relation->oid);
  ColumnTexts out;
  for (const auto& c : p.relation->columns) {
    const std::string name = types::quote_identifier(c.name);
    out.push_back(
        {named == nullptr ? types::quote_identifier(p.relation->name) + "." + name : column(*named, c.name), nullptr});
  }
  return out;
}

ColumnTexts PlanText::scan_columns(const Plan& scan, bool qualify) {
  ColumnTexts out;
  if (const ScanPlan* s = scan_of(scan)) {
    for (const int c : s->scan_columns) {
      const auto* system = catalog::find_system_column(c);
      const std::string name = c >= 0              ? s->relation->columns[static_cast<size_t>(c)].name
                               : system != nullptr ? std::string(system->name)
                                                   : "ctid";
      out.push_back({column(scan, name, qualify), nullptr});
    }
  } else {
    for (const PlanColumn& c : scan.columns) out.push_back({column(scan, c.name, qualify), nullptr});
  }
  return out;
}

ColumnTexts PlanText::compute(const Plan& p) {
  ColumnTexts out;
  if (scan_of(p) != nullptr) return scan_columns(p, qualify_);
  if (const JoinPlan* j = join_of(p)) {
    const ColumnTexts& left = outputs(*p.inputs[0]);
    if (p.kind == PlanKind::kNestedLoop) {
      for (const auto& pass : static_cast<const NestedLoopPlan&>(p).passes) {
        slots_[pass.to] = text_over(p, *pass.from, &left, nullptr);
      }
    }
    const ColumnTexts& right = outputs(*p.inputs[1]);
    if (!j->projection.empty()) return project(p, j->projection, &left, &right);
    out = left;
    if (j->type != JoinType::kSemi && j->type != JoinType::kAnti) out.insert(out.end(), right.begin(), right.end());
    return out;
  }
  const ColumnTexts* input = p.inputs.empty() ? nullptr : &outputs(*p.inputs[0]);
  if (const AggregatePlan* a = aggregate_of(p)) {
    out = project(p, a->groups, input, nullptr);
    for (const auto& call : a->aggregates) out.push_back({text_over(p, *call, input, nullptr), &p});
    if (p.kind == PlanKind::kGroupingSets) {
      for (const auto& columns : static_cast<const GroupingSetsPlan&>(p).groupings) {
        std::string keys;
        for (const int c : columns) keys += (keys.empty() ? "" : ", ") + reference(out[static_cast<size_t>(c)]);
        out.push_back({"GROUPING(" + keys + ")", &p});
      }
    }
    return out;
  }
  if (const ChangePlan* c = change_of(p)) {
    const ColumnTexts target = target_columns(p, *c);
    for (const Assignment& a : c->assignments) {
      if (a.value != nullptr) text_over(p, *a.value, input, &target);  // for its subqueries
    }
    return project(p, c->returning, input, &target);
  }
  switch (p.kind) {
    case PlanKind::kValues:
      for (const ExprList& row : static_cast<const ValuesPlan&>(p).rows_of) {
        for (const ExprPtr& e : row) text_over(p, *e, nullptr, nullptr);
      }
      [[fallthrough]];
    case PlanKind::kFunctionScan:
    case PlanKind::kCteScan:
    case PlanKind::kWorkTableScan: return scan_columns(p, qualify_);
    case PlanKind::kResult: {
      const auto& r = static_cast<const ResultPlan&>(p);
      if (!r.projection.empty() || input == nullptr) return project(p, r.projection, input, nullptr);
      return *input;
    }
    case PlanKind::kProject: return project(p, static_cast<const ProjectPlan&>(p).projection, input, nullptr);
    case PlanKind::kProjectSet: return project(p, static_cast<const ProjectSetPlan&>(p).projection, input, nullptr);
    case PlanKind::kWindow: {
      out = *input;
      for (const auto& call : static_cast<const WindowPlan&>(p).calls) {
        out.push_back({text_over(p, *call, input, nullptr), &p});
      }
      return out;
    }
    default: break;
  }
  for (const PlanPtr& other : p.inputs) outputs(*other);
  if (input != nullptr) out = *input;
  return out;
}

std::string PlanText::operator_name(Oid op) const {
  const auto* o = catalog_.operator_by_oid(op);
  return o != nullptr ? o->name : "=";
}

std::string PlanText::subplan_name(int subplan) const { return "SubPlan " + std::to_string(subplan + 1); }

std::string PlanText::slot(int slot) const {
  const auto at = slots_.find(slot);
  return at != slots_.end() ? at->second : "$" + std::to_string(slot);
}

std::string PlanText::expression(const Expr& e, bool implicit) const {
  auto text = deparse(catalog_, e, options_, implicit);
  if (text.ok()) return *std::move(text);
  if (!error_) error_ = *text.take_error();
  return {};
}

std::string PlanText::lost(const char* what, Oid number) const {
  if (!error_)
    error_.emplace(sqlstate::kInternalError,
                   std::string("cache lookup failed for ") + what + " " + std::to_string(number));
  return {};
}

std::string PlanText::list(const ExprList& all) const {
  std::string out;
  for (const ExprPtr& e : all) out += (out.empty() ? "" : ", ") + expression(*e, true);
  return out;
}

std::string PlanText::keys(const std::vector<SortKey>& all) const {
  std::string out;
  for (const SortKey& k : all) {
    out += (out.empty() ? "" : ", ") + expression(ordered(k)) + sort_direction(k);
  }
  return out;
}

bool PlanText::print(const Expr& e, std::string& out) const {
  const auto function = [&](Oid oid) {
    const auto f = catalog_.function(oid);
    return f != nullptr ? types::quote_identifier(f->name) : lost("function", oid);
  };
  switch (e.kind) {
    case ExprKind::kColumn: {
      const auto& c = as<ColumnExpr>(e);
      const ColumnTexts* side = c.input == 0 || c.input == 1 ? frame_[c.input] : nullptr;
      const bool known = side != nullptr && static_cast<size_t>(c.column) < side->size();
      out += known ? reference((*side)[static_cast<size_t>(c.column)]) : lost("column", static_cast<Oid>(c.column));
      return true;
    }
    case ExprKind::kRuntimeParam: out += slot(as<RuntimeParamExpr>(e).slot); return true;
    case ExprKind::kSubPlan: {
      const auto& s = as<SubPlanExpr>(e);
      for (const auto& pass : s.passes) slots_[pass.to] = expression(*pass.from);
      if (plan_ != nullptr) subplans_[plan_].insert(s.subplan);
      if (s.form == SubLinkExpr::Form::kExists && s.test != nullptr) {
        std::string other = expression(*as<BooleanTestExpr>(*s.test).argument);
        if (other.starts_with("(")) other = other.substr(1, other.size() - 2);
        out += "(alternatives: " + subplan_name(s.subplan) + " or " + other + ")";
        return true;
      }
      out += std::string(s.hashed ? "(hashed " : "(") + subplan_name(s.subplan) + ")";
      return true;
    }
    case ExprKind::kAggregate: {
      const auto& a = as<AggregateExpr>(e);
      out += function(a.function) + "(";
      if (a.kind_of != 'n') {
        out += list(a.direct) + ") WITHIN GROUP (ORDER BY " + keys(a.order) + ")";
      } else {
        out += (a.distinct ? "DISTINCT " : "") + (a.star ? std::string("*") : list(a.arguments));
        if (!a.order.empty() && !a.distinct) out += " ORDER BY " + keys(a.order);
        out += ")";
      }
      if (a.filter != nullptr) out += " FILTER (WHERE " + expression(*a.filter) + ")";
      return true;
    }
    case ExprKind::kWindowCall: {
      const auto& w = as<WindowCallExpr>(e);
      out += function(w.function) + "(" + (w.star ? "*" : list(w.arguments)) + ")";
      if (w.filter != nullptr) out += " FILTER (WHERE " + expression(*w.filter) + ")";
      out += " OVER (?)";
      return true;
    }
    default: return false;
  }
}

}  // namespace indigo::sql
