#include "sql/plan/dump.h"

namespace indigo::sql {
namespace {

class Dumper {
 public:
  explicit Dumper(catalog::CatalogView& catalog) : catalog_(catalog) {}

  void node(const Plan& p, int indent) {
    out_.append(static_cast<size_t>(indent) * 2, ' ');
    describe(p);
    out_ += '\n';
    for (const PlanPtr& input : p.inputs) node(*input, indent + 1);
  }

  std::string take() { return std::move(out_); }

 private:
  std::string text(const ExprPtr& e) { return e ? dump_expression(catalog_, *e) : ""; }
  std::string list(const ExprList& all) {
    std::string s;
    for (const ExprPtr& e : all) s += (s.empty() ? "" : ", ") + text(e);
    return "[" + s + "]";
  }
  void part(const char* name, const ExprPtr& e) {
    if (e) out_ += std::string(" ") + name + " " + text(e);
  }
  void part(const char* name, const ExprList& all) {
    if (!all.empty()) out_ += std::string(" ") + name + " " + list(all);
  }
  std::string keys(const std::vector<SortKey>& all) {
    std::string s;
    for (const SortKey& k : all) {
      s += (s.empty() ? "" : ", ") + text(k.expr) + (k.descending ? " desc" : "");
      if (k.nulls_first != k.descending) s += k.nulls_first ? " nulls first" : " nulls last";
    }
    return "[" + s + "]";
  }

  void bounds(const KeyBounds& b) {
    ExprList single;
    for (size_t i = 0; i < b.equal.size(); i++) {
      if (!b.is_list(i)) single.push_back(b.equal[i]);
      if (i + 1 == b.equal.size() || b.is_list(i)) part("equal", single);
      if (!b.is_list(i)) continue;
      part("any", b.equal[i]);
      single.clear();
    }
    part(b.low_inclusive ? ">=" : ">", b.low);
    part(b.high_inclusive ? "<=" : "<", b.high);
    for (const KeyBounds& alternative : b.any_of) {
      out_ += " or(";
      bounds(alternative);
      out_ += " )";
    }
  }

  void scan(const ScanPlan& s) {
    out_ += " " + s.relation->name;
    if (!s.alias.empty() && s.alias != s.relation->name) out_ += " as " + s.alias;
    if (s.direction == storage::Direction::kBackward) out_ += " backward";
    if (s.point) out_ += " point";
    bounds(s.bounds);
    part("filter", s.filter);
    out_ += " columns(";
    for (size_t i = 0; i < s.scan_columns.size(); i++) {
      const int c = s.scan_columns[i];
      out_ += i ? "," : "";
      out_ += c == kRowKeyColumn ? "key" : c < 0 ? std::to_string(c) : s.relation->columns[static_cast<size_t>(c)].name;
    }
    out_ += ")";
  }

  void join(const char* name, const JoinPlan& j) {
    static constexpr const char* kTypes[] = {"inner", "left", "right", "full", "semi", "anti"};
    out_ += std::string(name) + " " + kTypes[static_cast<int>(j.type)];
    part("on", j.condition);
  }
  void join_tail(const JoinPlan& j) { part("->", j.projection); }

  void aggregate(const char* name, const AggregatePlan& a) {
    out_ += name;
    part("by", a.groups);
    out_ += " (";
    for (size_t i = 0; i < a.aggregates.size(); i++) {
      out_ += (i ? ", " : "") + dump_expression(catalog_, *a.aggregates[i]);
    }
    out_ += ")";
  }

  void assignments(const std::vector<Assignment>& all, const RelationInfo& r) {
    for (size_t i = 0; i < all.size(); i++) {
      out_ += (i ? ", " : " set ") + r.columns[static_cast<size_t>(all[i].column)].name + "=" + text(all[i].value);
    }
  }

  template <class P>
  void change(const char* name, const P& p) {
    out_ += std::string(name) + " " + p.relation->name;
    assignments(p.assignments, *p.relation);
    part("returning", p.returning);
  }
  template <class P>
  void claimed(const P& p) {
    out_ += " key " + std::to_string(p.key_column);
    part("recheck", p.recheck);
  }

  void describe(const Plan& p) {
    switch (p.kind) {
      case PlanKind::kResult: {
        const auto& r = static_cast<const ResultPlan&>(p);
        out_ += p.inputs.empty() ? "Result" : "Gate";
        part("if", r.condition);
        part("->", r.projection);
        return;
      }
      case PlanKind::kValues:
        out_ += "Values " + std::to_string(static_cast<const ValuesPlan&>(p).rows_of.size()) + " rows";
        return;
      case PlanKind::kTableScan: {
        const auto& s = static_cast<const TableScanPlan&>(p);
        out_ += s.current_of.empty() ? "Scan" : "Scan at " + s.current_of;
        return scan(s);
      }
      case PlanKind::kIndexScan: {
        const auto& s = static_cast<const IndexScanPlan&>(p);
        out_ += "IndexScan " + s.relation->indexes[static_cast<size_t>(s.index)].name + " of";
        return scan(s);
      }
      case PlanKind::kFunctionScan: {
        out_ += "FunctionScan";
        for (const auto& f : static_cast<const FunctionScanPlan&>(p).functions) out_ += " " + text(f.call);
        return;
      }
      case PlanKind::kSubqueryScan: out_ += "SubqueryScan"; return;
      case PlanKind::kCteScan: out_ += "CteScan " + std::to_string(static_cast<const CteScanPlan&>(p).cte); return;
      case PlanKind::kWorkTableScan:
        out_ += "WorkTableScan " + std::to_string(static_cast<const WorkTableScanPlan&>(p).cte);
        return;
      case PlanKind::kFilter: {
        const auto& f = static_cast<const FilterPlan&>(p);
        out_ += "Filter";
        return part("", f.condition);
      }
      case PlanKind::kProject: out_ += "Project"; return part("", static_cast<const ProjectPlan&>(p).projection);
      case PlanKind::kProjectSet:
        out_ += "ProjectSet";
        return part("", static_cast<const ProjectSetPlan&>(p).projection);
      case PlanKind::kNestedLoop: {
        const auto& j = static_cast<const NestedLoopPlan&>(p);
        join("NestedLoop", j);
        for (const auto& pass : j.passes) out_ += " [:" + std::to_string(pass.to) + " = " + text(pass.from) + "]";
        return join_tail(j);
      }
      case PlanKind::kHashJoin: {
        const auto& j = static_cast<const HashJoinPlan&>(p);
        join("HashJoin", j);
        out_ += " keys " + list(j.left_keys) + " = " + list(j.right_keys);
        if (j.null_aware_anti) out_ += " null-aware";
        return join_tail(j);
      }
      case PlanKind::kMergeJoin: {
        const auto& j = static_cast<const MergeJoinPlan&>(p);
        join("MergeJoin", j);
        out_ += " keys " + list(j.left_keys) + " = " + list(j.right_keys);
        return join_tail(j);
      }
      case PlanKind::kSort: {
        const auto& s = static_cast<const SortPlan&>(p);
        out_ += "Sort " + keys(s.keys);
        return part("limit", s.limit);
      }
      case PlanKind::kLimit: {
        const auto& l = static_cast<const LimitPlan&>(p);
        out_ += "Limit";
        part("", l.limit);
        part("offset", l.offset);
        if (l.with_ties) out_ += " with ties " + keys(l.ties);
        return;
      }
      case PlanKind::kHashAggregate: return aggregate("HashAggregate", static_cast<const HashAggregatePlan&>(p));
      case PlanKind::kSortedAggregate: return aggregate("Aggregate", static_cast<const SortedAggregatePlan&>(p));
      case PlanKind::kGroupingSets: return aggregate("GroupingSets", static_cast<const GroupingSetsPlan&>(p));
      case PlanKind::kWindow: {
        const auto& w = static_cast<const WindowPlan&>(p);
        out_ += "Window";
        part("partition", w.window.partition);
        if (!w.window.order.empty()) out_ += " order " + keys(w.window.order);
        for (const auto& c : w.calls) out_ += " " + dump_expression(catalog_, *c);
        return;
      }
      case PlanKind::kDistinct: {
        const auto& d = static_cast<const DistinctPlan&>(p);
        out_ += d.sorted ? "Distinct sorted" : "Distinct";
        return part("on", d.on);
      }
      case PlanKind::kAppend:
        out_ += static_cast<const AppendPlan&>(p).order.empty() ? "Append" : "MergeAppend";
        return;
      case PlanKind::kSetOperation: {
        const auto& s = static_cast<const SetOperationPlan&>(p);
        out_ += s.op == SetOperation::kIntersect ? "Intersect" : "Except";
        if (s.all) out_ += " all";
        return;
      }
      case PlanKind::kRecursiveUnion: out_ += "RecursiveUnion"; return;
      case PlanKind::kMaterialize:
        out_ += static_cast<const MaterializePlan&>(p).slots.empty() ? "Materialize" : "Memoize";
        return;
      case PlanKind::kLockRows: {
        const auto& l = static_cast<const LockRowsPlan&>(p);
        out_ += "LockRows";
        for (const auto& lock : l.locks) out_ += " " + lock.relation->name + " key " + std::to_string(lock.key_column);
        return part("recheck", l.recheck);
      }
      case PlanKind::kInsert: {
        const auto& c = static_cast<const InsertPlan&>(p);
        change("Insert", c);
        if (c.on_conflict) {
          out_ += c.on_conflict->update ? " on conflict update" : " on conflict nothing";
          assignments(c.on_conflict->assignments, *c.relation);
          part("where", c.on_conflict->where);
        }
        return;
      }
      case PlanKind::kUpdate: {
        const auto& c = static_cast<const UpdatePlan&>(p);
        change("Update", c);
        return claimed(c);
      }
      case PlanKind::kDelete: {
        const auto& c = static_cast<const DeletePlan&>(p);
        change("Delete", c);
        return claimed(c);
      }
      case PlanKind::kMerge: {
        const auto& c = static_cast<const MergePlan&>(p);
        change("Merge", c);
        return claimed(c);
      }
    }
  }

  catalog::CatalogView& catalog_;
  std::string out_;
};

}  // namespace

std::string dump_plan(catalog::CatalogView& catalog, const Plan& plan, int indent) {
  Dumper d(catalog);
  d.node(plan, indent);
  return d.take();
}

std::string dump_statement(catalog::CatalogView& catalog, const PlannedStatement& s) {
  std::string out = dump_plan(catalog, *s.root);
  std::vector<bool> initplan(s.subplans.size());
  for (const auto& init : s.initplans) {
    initplan[static_cast<size_t>(init.subplan)] = true;
    out += "initplan";
    for (const int slot : init.slots) out += " :" + std::to_string(slot);
    out += "\n" + dump_plan(catalog, *s.subplans[static_cast<size_t>(init.subplan)], 1);
  }
  for (size_t i = 0; i < s.subplans.size(); i++) {
    if (!initplan[i]) out += "subplan " + std::to_string(i) + "\n" + dump_plan(catalog, *s.subplans[i], 1);
  }
  for (size_t i = 0; i < s.ctes.size(); i++) {
    out += "cte " + std::to_string(i) + " " + s.ctes[i].name + "\n";
    if (s.ctes[i].plan) out += dump_plan(catalog, *s.ctes[i].plan, 1);
  }
  return out;
}

}  // namespace indigo::sql
