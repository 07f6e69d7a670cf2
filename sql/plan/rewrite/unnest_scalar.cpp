// Correlated subqueries that compute one aggregate: WHERE x < (SELECT avg(y) FROM t WHERE t.k = u.k) becomes a join with
// (SELECT k, avg(y) FROM t GROUP BY k), after Kim, and Neumann and Kemper ("Unnesting Arbitrary Queries", 2015).
#include <algorithm>

#include "sql/analyze/make.h"
#include "sql/plan/rewrite/correlation.h"
#include "sql/plan/rewrite/rewrite.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

// Null when its aggregates have no rows: then a row without a partner fails the condition as it does without a group.
bool is_null_without_rows(catalog::CatalogView& catalog, const ExprPtr& e) {
  if (const auto* a = try_as<AggregateExpr>(e)) {
    const auto info = catalog.function(a->function);
    return a->levels_up == 0 && info && info->name != "count" && info->name != "regr_count" && a->kind_of == 'n' &&
           info->schema == oid::kPgCatalogSchema;
  }
  if (const auto* call = try_as<CallExpr>(e)) {
    return call->strict && !call->returns_set &&
           std::any_of(call->arguments.begin(), call->arguments.end(),
                       [&](const ExprPtr& a) { return is_null_without_rows(catalog, a); });
  }
  if (const auto* r = try_as<RelabelExpr>(e)) return is_null_without_rows(catalog, r->argument);
  if (const auto* c = try_as<IoCastExpr>(e)) return is_null_without_rows(catalog, c->argument);
  return false;
}

const SubLinkExpr* only_sublink(const ExprPtr& e, int& count) {
  const SubLinkExpr* found = nullptr;
  if (const auto* link = try_as<SubLinkExpr>(e)) {
    count++;
    found = link;
  }
  for_each_child(*e, [&](const ExprPtr& c) {
    if (const SubLinkExpr* below = only_sublink(c, count)) found = below;
  });
  return found;
}

// The condition is not true where the subquery's value is null.
bool fails_for_null(const ExprPtr& e, const SubLinkExpr* link) {
  if (e.get() == link) return true;
  const auto below = [&](const ExprPtr& c) { return fails_for_null(c, link); };
  if (const auto* call = try_as<CallExpr>(e)) {
    return call->strict && std::any_of(call->arguments.begin(), call->arguments.end(), below);
  }
  if (const auto* r = try_as<RelabelExpr>(e)) return below(r->argument);
  return false;
}

ExprPtr replaced(const ExprPtr& e, const SubLinkExpr* link, const ExprPtr& value) {
  if (e.get() == link) return value;
  return map_children(e, [&](const ExprPtr& c) { return replaced(c, link, value); });
}

int add_grouped(Level& level, const std::shared_ptr<const Query>& query) {
  Entry entry;
  entry.kind = EntryKind::kSubquery;
  entry.alias = "grouped";
  entry.subquery = query;
  for (const TargetEntry& t : query->targets) {
    entry.column_names.push_back(t.name);
    entry.column_types.push_back(t.expr->type);
  }
  level.own_entries.push_back(std::move(entry));
  level.entries.push_back(&level.own_entries.back());
  return static_cast<int>(level.entries.size()) - 1;
}

}  // namespace

Result<bool> unnest_scalar(Level& level, FromNode& node, const ExprPtr& condition) {
  if (level.work.command != CommandKind::kSelect || !level.work.row_locks.empty() || contains_volatile(*condition))
    return false;
  int count = 0;
  const SubLinkExpr* link = only_sublink(condition, count);
  if (count != 1 || link->form != SubLinkExpr::Form::kScalar || !fails_for_null(condition, link)) return false;
  const Query& q = *link->query;
  if (!q.has_aggregates || q.targets.size() != 1 || q.distinct || !q.distinct_on.empty() ||
      !is_null_without_rows(level.s.catalog(), q.targets[0].expr))
    return false;
  auto correlation = correlation_of(level, link->query);
  if (!correlation || has_index_for(q, *correlation)) return false;
  const auto at_level = [](const Correlation::Equality& e) { return refers_to_level(e.outer, 0); };
  if (!std::all_of(correlation->equalities.begin(), correlation->equalities.end(), at_level)) return false;

  Query& grouped = *correlation->rest;
  const TargetEntry value = grouped.targets[0];
  grouped.targets.clear();
  for (const auto& e : correlation->equalities) {
    TargetEntry key;
    key.name = "key";
    key.expr = e.inner;
    grouped.targets.push_back(std::move(key));
    grouped.group_by.push_back(e.inner);
  }
  grouped.targets.push_back(value);
  const int entry = add_grouped(level, correlation->rest);
  auto leaf = std::make_unique<FromNode>();
  leaf->kind = FromNode::Kind::kLeaf;
  leaf->entry = entry;
  node.children.push_back(std::move(leaf));
  int column = 0;
  for (const auto& e : correlation->equalities) {
    auto call = std::make_shared<CallExpr>(as<CallExpr>(*e.call));
    const ExprPtr key = make_var(entry, column++, e.inner->type);
    call->arguments = e.outer_left ? ExprList{e.outer, key} : ExprList{key, e.outer};
    node.conditions.push_back(std::move(call));
  }
  node.conditions.push_back(replaced(condition, link, make_var(entry, column, value.expr->type)));
  return true;
}

}  // namespace indigo::sql::planning
