#include "sql/policy/target_reads.h"

#include <algorithm>

#include "catalog/descriptor/trigger_info.h"
#include "sql/query_walk.h"

namespace indigo::sql {

bool is_conjunct_of(const Expr& e, const ExprPtr& condition) {
  if (condition == nullptr) return false;
  if (&e == condition.get()) return true;
  const auto* both = try_as<BoolExpr>(condition);
  return both != nullptr && both->op == BoolExpr::Op::kAnd &&
         std::any_of(both->arguments.begin(), both->arguments.end(),
                     [&](const ExprPtr& part) { return is_conjunct_of(e, part); });
}

TargetReads target_reads(const Query& q, const ExprPtr& condition) {
  TargetReads out;
  const auto add = [&](int column) {
    if (std::find(out.columns.begin(), out.columns.end(), column) == out.columns.end()) out.columns.push_back(column);
  };
  Query own = q;
  own.checks.clear();
  own.view_checks.clear();
  own.row_checks.clear();
  own.generated.clear();
  own.target_views.clear();
  const bool old_rows = q.instead_event == catalog::kTriggerUpdate || q.instead_event == catalog::kTriggerDelete;
  if (old_rows) own.targets.clear();  // whole rows, for the triggers alone
  if (q.command == CommandKind::kInsert && !old_rows) own.assignments.clear();
  const auto is_target = [&](int entry) {
    return entry == q.target || (old_rows && entry == 1) || (q.on_conflict && entry == q.on_conflict->excluded_entry);
  };
  visit_query(own, [&](const Expr& e, int depth) {
    if (is_conjunct_of(e, condition)) return false;
    if (const auto* row = e.kind == ExprKind::kWholeRow ? &as<WholeRowExpr>(e) : nullptr;
        row != nullptr && row->levels_up == depth && is_target(row->entry)) {
      const Entry& target = q.entries[static_cast<size_t>(row->entry)];
      for (const types::ColumnInfo& c : target.relation->columns) {
        if (!c.dropped) add(c.number - 1);
      }
    }
    if (e.kind != ExprKind::kVar) return true;
    const auto& v = as<VarExpr>(e);
    if (v.levels_up != depth || !is_target(v.entry)) return true;
    if (v.column >= 0) {
      add(v.column);
    } else {
      out.system_column = true;
    }
    return true;
  });
  return out;
}

}  // namespace indigo::sql
