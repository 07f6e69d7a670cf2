#include "sql/plan/resolve.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "sql/analyze/make.h"

namespace indigo::sql::planning {

ExprPtr make_column(int input, int column, const TypeRef& type, int location) {
  auto e = std::make_shared<ColumnExpr>();
  e->input = input;
  e->column = column;
  e->type = type;
  e->location = location;
  return e;
}

Resolver::Resolver(const Layout& left, const Layout* right) : layouts_{&left, right} {
  for (const Layout* l : layouts_) {
    if (!l) continue;
    for (const ExprPtr& e : l->outputs) complex_ = complex_ || (e && e->kind != ExprKind::kVar);
  }
}

ExprPtr Resolver::find(const ExprPtr& e) const {
  if (e->kind == ExprKind::kAggregate) {  // of equal volatile ones each is its own
    for (int input = 0; input < 2 && layouts_[input]; input++) {
      const ExprList& outputs = layouts_[input]->outputs;
      const auto at = std::find(outputs.begin(), outputs.end(), e);
      if (at != outputs.end()) return make_column(input, static_cast<int>(at - outputs.begin()), e->type, e->location);
    }
  }
  for (int input = 0; input < 2; input++) {
    if (!layouts_[input]) continue;
    const ExprList& outputs = layouts_[input]->outputs;
    for (size_t i = 0; i < outputs.size(); i++) {
      const ExprPtr& o = outputs[i];
      if (!o || o->kind != e->kind) continue;
      bool same;
      if (e->kind == ExprKind::kVar) {
        const auto &a = as<VarExpr>(*e), &b = as<VarExpr>(*o);
        same = a.entry == b.entry && a.column == b.column;
      } else {
        same = equal(o, e);
      }
      if (same) return make_column(input, static_cast<int>(i), e->type, e->location);
    }
  }
  return nullptr;
}

ExprPtr Resolver::map(const ExprPtr& e) {
  switch (e->kind) {
    case ExprKind::kConst:
    case ExprKind::kParam:
    case ExprKind::kRuntimeParam:
    case ExprKind::kColumn: return e;
    case ExprKind::kVar: {
      ExprPtr found = find(e);
      if (!found) missing_ = e;
      return found ? found : e;
    }
    default: break;
  }
  if (complex_) {
    if (ExprPtr found = find(e)) return found;
  }
  if (e->kind == ExprKind::kAggregate || e->kind == ExprKind::kWindowCall || e->kind == ExprKind::kGrouping) {
    missing_ = e;
    return e;
  }
  return map_children(e, [&](const ExprPtr& c) { return map(c); });
}

Result<ExprPtr> Resolver::operator()(const ExprPtr& e) {
  if (!e) return ExprPtr();
  missing_ = nullptr;
  ExprPtr out = map(e);
  if (missing_) {
    std::string what = "an expression";
    const auto* v = try_as<VarExpr>(missing_);
    if (v && v->column < 0) {  // of a row that is being made
      return Error(sqlstate::kFeatureNotSupported, "cannot retrieve a system column in this context");
    }
    if (v) what = "column " + std::to_string(v->column) + " of entry " + std::to_string(v->entry);
    return Error(sqlstate::kInternalError, "planner: " + what + " is not in the input");
  }
  return out;
}

Result<ExprList> Resolver::list(const ExprList& all) {
  ExprList out;
  out.reserve(all.size());
  for (const ExprPtr& e : all) {
    INDIGO_ASSIGN(ExprPtr r, (*this)(e));
    out.push_back(std::move(r));
  }
  return out;
}

Result<std::vector<SortKey>> Resolver::keys(const std::vector<SortKey>& all) {
  std::vector<SortKey> out = all;
  for (SortKey& k : out) {
    INDIGO_ASSIGN(k.expr, (*this)(k.expr));
  }
  return out;
}

Result<ExprPtr> resolve_all(Resolver& resolver, const ExprList& conditions) {
  if (conditions.empty()) return ExprPtr();
  INDIGO_ASSIGN(ExprList list, resolver.list(conditions));
  return make_and(std::move(list));
}

}  // namespace indigo::sql::planning
