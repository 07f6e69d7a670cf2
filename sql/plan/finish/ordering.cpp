#include "sql/plan/finish/ordering.h"

#include <algorithm>

#include "sql/analyze/type/coerce.h"
#include "sql/plan/condition/equivalence.h"

namespace indigo::sql::planning {

bool is_never_null(const Level& level, const ExprPtr& e) {
  const auto* v = try_as<VarExpr>(e);
  if (!v || v->column < 0) return false;
  const Entry& entry = level.entry(v->entry);
  return entry.kind == EntryKind::kTable && entry.relation->columns[static_cast<size_t>(v->column)].not_null &&
         !level.nullable.overlaps(level.rels_of(e));
}

namespace {

bool is_fixed(const ExprPtr& e) {
  return e->kind == ExprKind::kConst || e->kind == ExprKind::kParam || e->kind == ExprKind::kRuntimeParam;
}

}  // namespace

std::vector<PathKey> path_keys(Level& level, const std::vector<SortKey>& keys, bool& plain) {
  std::vector<PathKey> out;
  plain = true;
  for (const SortKey& k : keys) {
    if (is_fixed(k.expr)) continue;
    PathKey p;
    p.id = sort_id(level, k.expr);
    p.descending = k.descending;
    p.nulls_first = is_never_null(level, k.expr) ? k.descending : k.nulls_first;
    if (is_constant_id(level, p.id)) continue;
    if (std::any_of(out.begin(), out.end(), [&](const PathKey& o) { return o.id == p.id; })) continue;
    if (k.less != kInvalidOid) {
      int strategy = level.s.catalog().btree_strategy(k.less);
      if (strategy == 0 && k.expr->kind == ExprKind::kCollate)
        strategy = level.s.catalog().strategy_in_class(k.expr->type.collation, k.less);
      if (strategy != (k.descending ? 5 : 1)) plain = false;
    }
    out.push_back(p);
  }
  return out;
}

size_t common_prefix(const std::vector<PathKey>& order, const std::vector<PathKey>& wanted) {
  size_t i = 0;
  while (i < order.size() && i < wanted.size() && order[i] == wanted[i]) i++;
  return i;
}

bool groups_together(Level& level, const std::vector<PathKey>& order, const ExprList& expressions) {
  std::vector<int> wanted;
  for (const ExprPtr& e : expressions) {
    if (is_fixed(e)) continue;
    const int id = sort_id(level, e);
    if (!is_constant_id(level, id) && std::find(wanted.begin(), wanted.end(), id) == wanted.end()) wanted.push_back(id);
  }
  if (order.size() < wanted.size()) return false;
  return std::all_of(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(wanted.size()),
                     [&](const PathKey& k) { return std::find(wanted.begin(), wanted.end(), k.id) != wanted.end(); });
}

std::vector<SortKey> ascending(Level& level, const ExprList& expressions) {
  std::vector<SortKey> out;
  for (const ExprPtr& e : expressions) {
    SortKey k;
    k.expr = e;
    k.less = level.s.catalog().btree_operator(e->type.oid, 1);
    out.push_back(std::move(k));
  }
  return out;
}

namespace {

// Of arrays and ranges what they are of.
bool has_hash(catalog::CatalogView& catalog, Oid type) {
  type = base_type(catalog, type);
  const auto info = catalog.type(type);
  if (info != nullptr && info->is_array()) return has_hash(catalog, info->element);
  if (info != nullptr && info->kind == 'r') return has_hash(catalog, info->range_subtype);
  const auto* equals = catalog.operator_by_oid(catalog.btree_operator(type, 3));
  return equals == nullptr || equals->can_hash;
}

}  // namespace

bool grouped_by_order(Level& level, const ExprList& expressions) {
  catalog::CatalogView& catalog = level.s.catalog();
  const auto ordered = [&](const ExprPtr& e) { return catalog.btree_operator(e->type.oid, 1) != kInvalidOid; };
  return std::all_of(expressions.begin(), expressions.end(), ordered) &&
         std::any_of(expressions.begin(), expressions.end(),
                     [&](const ExprPtr& e) { return !has_hash(catalog, e->type.oid); });
}

}  // namespace indigo::sql::planning
