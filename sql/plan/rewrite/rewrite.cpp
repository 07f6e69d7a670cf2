#include "sql/plan/rewrite/rewrite.h"

#include "sql/query_walk.h"

namespace indigo::sql::planning {

int levels_of(const Expr& e) {
  switch (e.kind) {
    case ExprKind::kVar: return as<VarExpr>(e).levels_up;
    case ExprKind::kAggregate: return as<AggregateExpr>(e).levels_up;
    case ExprKind::kWholeRow: return as<WholeRowExpr>(e).levels_up;
    default: return -1;
  }
}

namespace {

template <class N>
ExprPtr copy_with_levels(const N& n, int levels_up) {
  auto copy = std::make_shared<N>(n);
  copy->levels_up = levels_up;
  return copy;
}

}  // namespace

ExprPtr with_levels(const ExprPtr& e, int levels_up) {
  switch (e->kind) {
    case ExprKind::kVar: return copy_with_levels(as<VarExpr>(*e), levels_up);
    case ExprKind::kAggregate: return copy_with_levels(as<AggregateExpr>(*e), levels_up);
    case ExprKind::kWholeRow: return copy_with_levels(as<WholeRowExpr>(*e), levels_up);
    default: return e;
  }
}

int entry_of(const Expr& e) {
  if (e.kind == ExprKind::kVar) return as<VarExpr>(e).entry;
  return e.kind == ExprKind::kWholeRow ? as<WholeRowExpr>(e).entry : -1;
}

ExprPtr map_levels(const ExprPtr& e, const LevelMapper& map, int depth) {
  if (!e) return e;
  ExprPtr out = map_children(e, [&](const ExprPtr& c) { return map_levels(c, map, depth); });
  if (levels_of(*out) >= 0) {
    ExprPtr mapped = map(out, depth);
    return mapped ? mapped : out;
  }
  if (const auto* link = try_as<SubLinkExpr>(out)) {
    auto copy = std::make_shared<SubLinkExpr>(*link);
    copy->query = map_levels(link->query, map, depth + 1);
    return copy;
  }
  return out;
}

std::shared_ptr<const Query> map_levels(const std::shared_ptr<const Query>& q, const LevelMapper& map, int depth) {
  return map_query(
      q, [&](const ExprPtr& e, int d) { return map_levels(e, map, d); }, nullptr, depth);
}

ExprPtr raised(const ExprPtr& e, int levels) {
  if (levels == 0) return e;
  return map_levels(e, [&](const ExprPtr& n, int depth) {
    const int up = levels_of(*n);
    return up >= depth ? with_levels(n, up + levels) : nullptr;
  });
}

std::shared_ptr<const Query> raised(const std::shared_ptr<const Query>& q, int levels) {
  if (levels == 0) return q;
  const LevelMapper map = [&](const ExprPtr& n, int depth) {
    const int up = levels_of(*n);
    return up > depth ? with_levels(n, up + levels) : nullptr;
  };
  return map_levels(q, map, 0);
}

bool refers_to_level(const ExprPtr& e, int levels) {
  bool found = false;
  visit_expressions(e, [&](const Expr& n, int depth) {
    found = found || levels_of(n) == depth + levels;
    return !found;
  });
  return found;
}

bool refers_to_level(const Query& q, int levels) {
  bool found = false;
  visit_query(q, [&](const Expr& n, int depth) {
    found = found || levels_of(n) == depth + levels;
    return !found;
  });
  return found;
}

bool is_correlated(const Query& q) {
  bool found = false;
  visit_query(q, [&](const Expr& n, int depth) {
    found = found || levels_of(n) > depth;
    return !found;
  });
  return found;
}

}  // namespace indigo::sql::planning
