#include "sql/plan/rewrite/correlation.h"

#include <algorithm>

#include "catalog/catalog.h"
#include "catalog/descriptor/class_order.h"
#include "sql/analyze/make.h"
#include "sql/plan/condition/clauses.h"
#include "sql/plan/rewrite/rewrite.h"
#include "types/oids.h"
#include "types/value/collator.h"

namespace indigo::sql::planning {
namespace {

bool holds_sublink(const ExprPtr& e) {
  if (e->kind == ExprKind::kSubLink) return true;
  bool found = false;
  for_each_child(*e, [&](const ExprPtr& c) { found = found || holds_sublink(c); });
  return found;
}

bool is_plain(const Query& q) {
  return q.command == CommandKind::kSelect && q.from && q.where && !q.set_operation && !q.has_windows &&
         !q.has_set_functions && q.group_by.empty() && q.grouping_sets.empty() && !q.having && !q.limit && !q.offset &&
         q.row_locks.empty() && q.ctes.empty();
}

// inner = outer, by an equality that groups and hash tables work with.
bool equality_of(Level& level, const ExprPtr& e, Correlation::Equality& out) {
  const auto* call = try_as<CallExpr>(e);
  if (!call || call->op == kInvalidOid || call->arguments.size() != 2 || holds_sublink(e) || contains_volatile(*e))
    return false;
  const ExprPtr &left = call->arguments[0], &right = call->arguments[1];
  const auto* op = level.s.catalog().operator_by_oid(call->op);
  if (!op || !op->can_merge || left->type.oid != right->type.oid) return false;
  if (!catalog::hashes_as_type(level.s.catalog(), *op)) return false;
  const types::Collator* collator = level.s.catalog().collator(call->collation);
  if (!compared_under_own_collation(level.s.catalog(), *call) || (collator && !collator->deterministic())) return false;
  const auto only = [](const ExprPtr& a, int mine, int other) {
    return refers_to_level(a, mine) && !refers_to_level(a, other);
  };
  out.outer_left = only(left, 1, 0);
  const ExprPtr &outer = out.outer_left ? left : right, &inner = out.outer_left ? right : left;
  if (!only(outer, 1, 0) || !only(inner, 0, 1)) return false;
  out.call = e;
  out.outer = raise_levels(outer, -1);
  out.inner = inner;
  return true;
}

}  // namespace

std::optional<Correlation> correlation_of(Level& level, const std::shared_ptr<const Query>& query) {
  if (!is_plain(*query) || !refers_to_level(query->where, 1)) return std::nullopt;
  Correlation out;
  ExprList all, rest;
  flatten_and(query->where, all);
  for (const ExprPtr& e : all) {
    if (!refers_to_level(e, 1)) {
      rest.push_back(e);
      continue;
    }
    Correlation::Equality equality;
    if (!equality_of(level, e, equality)) return std::nullopt;
    out.equalities.push_back(std::move(equality));
  }
  out.rest = std::make_shared<Query>(*query);
  out.rest->where = rest.empty() ? nullptr : make_and(std::move(rest));
  out.rest->order_by.clear();
  if (is_correlated(*out.rest)) return std::nullopt;
  return out;
}

bool has_index_for(const Query& query, const Correlation& correlation) {
  const auto fixed = [&](int entry, int16_t column) {
    return column > 0 && std::any_of(correlation.equalities.begin(), correlation.equalities.end(), [&](const auto& e) {
             const auto* v = try_as<VarExpr>(e.inner);
             return v && v->entry == entry && v->column == column - 1;
           });
  };
  for (size_t i = 0; i < query.entries.size(); i++) {
    const Entry& entry = query.entries[i];
    if (entry.kind != EntryKind::kTable) continue;
    const auto number = static_cast<int>(i);
    if (!entry.relation->key_columns.empty() && fixed(number, entry.relation->key_columns[0])) return true;
    for (const auto& index : entry.relation->indexes) {
      if (index.valid && index.predicate.empty() && fixed(number, index.columns[0].column)) return true;
    }
  }
  return false;
}

ExprPtr exists_as_any(Level& level, const SubLinkExpr& link, bool although_indexed) {
  if (link.query->has_aggregates || link.query->distinct || !link.query->distinct_on.empty()) return nullptr;
  if (link.query->where && contains_volatile(*link.query->where)) return nullptr;
  const auto correlation = correlation_of(level, link.query);
  if (!correlation || (!although_indexed && has_index_for(*link.query, *correlation))) return nullptr;
  auto any = std::make_shared<SubLinkExpr>();
  any->form = SubLinkExpr::Form::kAny;
  any->type.oid = oid::kBool;
  any->location = link.location;
  correlation->rest->targets.clear();
  ExprList test;
  for (const auto& e : correlation->equalities) {
    auto column = std::make_shared<RuntimeParamExpr>();
    column->slot = static_cast<int>(test.size());
    column->type = e.inner->type;
    auto call = std::make_shared<CallExpr>(as<CallExpr>(*e.call));
    call->arguments = e.outer_left ? ExprList{e.outer, column} : ExprList{column, e.outer};
    test.push_back(std::move(call));
    TargetEntry target;
    target.name = "key";
    target.expr = e.inner;
    correlation->rest->targets.push_back(std::move(target));
  }
  any->query = correlation->rest;
  any->test = make_and(std::move(test));
  // ANY is null where EXISTS is false.
  auto is_true = std::make_shared<BooleanTestExpr>();
  is_true->type.oid = oid::kBool;
  is_true->argument = any;
  return is_true;
}

}  // namespace indigo::sql::planning
