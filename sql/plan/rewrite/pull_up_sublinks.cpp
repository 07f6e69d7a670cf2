// EXISTS, NOT EXISTS, IN and NOT IN among an inner join's conditions: semi and anti joins with the subquery. Comparisons with
// a correlated aggregate: joins with what unnest_scalar.cpp makes of it.
#include <algorithm>

#include "catalog/descriptor/class_order.h"
#include "sql/analyze/make.h"
#include "sql/plan/rewrite/correlation.h"
#include "sql/plan/rewrite/null_rows.h"
#include "sql/plan/rewrite/pull_up.h"
#include "sql/plan/rewrite/rewrite.h"

namespace indigo::sql::planning {
namespace {

using Form = SubLinkExpr::Form;

// The columns of the subquery, which the test has as runtime parameters, as Vars of its entry.
ExprPtr over_entry(const ExprPtr& e, int entry) {
  if (const auto* p = try_as<RuntimeParamExpr>(e)) {
    auto v = std::make_shared<VarExpr>();
    v->entry = entry;
    v->column = p->slot;
    v->type = p->type;
    return v;
  }
  if (e->kind == ExprKind::kSubLink) return e;
  return map_children(e, [&](const ExprPtr& c) { return over_entry(c, entry); });
}

class SublinkPullUp {
 public:
  SublinkPullUp(Level& level, FromNode& node) : level_(level), node_(node) {}

  Status run() {
    if (node_.children.empty() || !has_sublink(node_.conditions)) return {};
    ExprList kept;
    ExprList todo = std::move(node_.conditions);
    node_.conditions.clear();
    for (const ExprPtr& e : todo) {
      INDIGO_ASSIGN(const bool taken, condition(e, todo));
      if (!taken) kept.push_back(e);
    }
    node_.conditions.insert(node_.conditions.begin(), kept.begin(), kept.end());
    return {};
  }

 private:
  Result<bool> condition(const ExprPtr& e, std::span<const ExprPtr> all) {
    const auto* b = try_as<BoolExpr>(e);
    const bool negated = b && b->op == BoolExpr::Op::kNot;
    const auto* link = try_as<SubLinkExpr>(negated ? b->arguments[0] : e);
    if (!link) return unnest_scalar(level_, node_, e, all);
    if (link->form == Form::kExists) return exists(*link, negated);
    if (link->form == Form::kAny) {
      if (!negated && refers_to_level(*link->query, 1)) return correlated_any(*link);
      return negated ? not_in(*link) : any(*link);
    }
    return false;
  }

  FromNode& wrap(JoinType type, std::unique_ptr<FromNode> right) { return wrap_in_join(node_, type, std::move(right)); }

  // A subquery as a FROM item of its own.
  int add_entry(const std::shared_ptr<const Query>& query) {
    Entry entry;
    entry.kind = EntryKind::kSubquery;
    entry.alias = "ANY_subquery";
    entry.subquery = query;
    for (const TargetEntry& t : query->targets) {
      if (t.hidden) continue;
      entry.column_names.push_back(t.name);
      entry.column_types.push_back(t.expr->type);
    }
    level_.own_entries.push_back(std::move(entry));
    level_.entries.push_back(&level_.own_entries.back());
    return static_cast<int>(level_.entries.size()) - 1;
  }

  bool any_fits(const SubLinkExpr& link) const {
    return link.query->command == CommandKind::kSelect && !refers_to_level(*link.query, 1) &&
           refers_to_level(link.test, 0) && !contains_volatile(*link.test) && !has_sublink(link.test);
  }

  std::unique_ptr<FromNode> leaf(int entry) {
    auto out = std::make_unique<FromNode>();
    out->kind = FromNode::Kind::kLeaf;
    out->entry = entry;
    return out;
  }

  Result<bool> any(const SubLinkExpr& link) {
    if (!any_fits(link)) return false;
    const int entry = add_entry(link.query);
    FromNode& join = wrap(JoinType::kSemi, leaf(entry));
    flatten_and(over_entry(link.test, entry), join.conditions);
    return true;
  }

  // x = ANY (SELECT y ... WHERE outer ...) is asked for truth only: EXISTS (SELECT ... WHERE outer ... AND x = y).
  Result<bool> correlated_any(const SubLinkExpr& link) {
    const Query& q = *link.query;
    if (!exists_fits(q) || !q.where || q.distinct || !q.distinct_on.empty() || !q.ctes.empty()) return false;
    if (contains_volatile(*link.test) || has_sublink(link.test)) return false;
    ExprList columns;
    for (const TargetEntry& t : q.targets) {
      if (t.hidden) continue;
      if (contains_volatile(*t.expr)) return false;
      columns.push_back(t.expr);
    }
    SubLinkExpr exists_link = link;
    exists_link.form = Form::kExists;
    exists_link.test = nullptr;
    auto query = std::make_shared<Query>(q);
    query->where = make_and({q.where, inside(link.test, columns)});
    exists_link.query = std::move(query);
    return exists(exists_link, false);
  }

  // The test as the subquery sees it: the runtime parameters that stand for its columns are its own expressions.
  static ExprPtr inside(const ExprPtr& test, const ExprList& columns) {
    if (const auto* p = try_as<RuntimeParamExpr>(test)) return columns[static_cast<size_t>(p->slot)];
    if (levels_of(*test) >= 0 && test->kind != ExprKind::kAggregate) return with_levels(test, levels_of(*test) + 1);
    return map_children(test, [&](const ExprPtr& c) { return inside(c, columns); });
  }

  // x NOT IN (SELECT y): an anti join that knows about nulls. One plain equality only.
  Result<bool> not_in(const SubLinkExpr& link) {
    if (!any_fits(link)) return false;
    const auto* call = try_as<CallExpr>(link.test);
    if (!call || call->op == kInvalidOid || call->arguments.size() != 2 ||
        call->arguments[0]->type.oid != call->arguments[1]->type.oid ||
        call->arguments[1]->kind != ExprKind::kRuntimeParam) {
      return false;
    }
    const auto* op = level_.s.catalog().operator_by_oid(call->op);
    if (!op || !catalog::hashes_as_type(level_.s.catalog(), *op) || contains_volatile(*link.test)) return false;
    const int entry = add_entry(link.query);
    FromNode& join = wrap(JoinType::kAnti, leaf(entry));
    join.null_aware = true;
    join.conditions.push_back(over_entry(link.test, entry));
    return true;
  }

  static bool exists_fits(const Query& q) {
    return q.command == CommandKind::kSelect && q.from && !q.set_operation && !q.has_aggregates && !q.has_windows &&
           !q.has_set_functions && q.group_by.empty() && q.grouping_sets.empty() && !q.having && !q.limit &&
           !q.offset && q.row_locks.empty();
  }

  Result<bool> exists(const SubLinkExpr& link, bool negated) {
    std::shared_ptr<const Query> query = link.query;
    if (!query->ctes.empty()) {
      INDIGO_ASSIGN(const bool resolved, resolve_independent_ctes(level_.s, query));
      if (!resolved) return false;
    }
    if (!exists_fits(*query) || !query->where) return false;
    if (!refers_to_level(query->where, 1) || contains_volatile(*query->where)) return false;
    query = with_null_rows(query);
    auto rest = std::make_shared<Query>(*query);
    rest->targets.clear();
    rest->distinct = false;
    rest->distinct_on.clear();
    rest->order_by.clear();
    rest->where = nullptr;
    if (refers_to_level(*rest, 1)) return false;
    rest->where = query->where;
    const std::shared_ptr<const Query> adopted = adopt(level_, rest);
    auto right = std::make_unique<FromNode>();
    right->children.push_back(make_from_tree(adopted->from));
    // Conditions on the subquery alone stay inside; what both sides appear in joins them.
    ExprList before, after, joining;
    flatten_and(query->where, before);
    flatten_and(adopted->where, after);
    for (size_t i = 0; i < before.size(); i++) {
      (refers_to_level(before[i], 1) ? joining : right->conditions).push_back(after[i]);
    }
    FromNode& join = wrap(negated ? JoinType::kAnti : JoinType::kSemi, std::move(right));
    join.conditions = std::move(joining);
    return true;
  }

  Level& level_;
  FromNode& node_;
};

}  // namespace

FromNode& wrap_in_join(FromNode& list, JoinType type, std::unique_ptr<FromNode> right) {
  auto left = std::make_unique<FromNode>();
  if (list.children.size() == 1) {
    left = std::move(list.children[0]);
  } else {
    left->children = std::move(list.children);
  }
  auto join = std::make_unique<FromNode>();
  join->kind = FromNode::Kind::kJoin;
  join->type = type;
  join->children.push_back(std::move(left));
  join->children.push_back(std::move(right));
  list.children.clear();
  list.children.push_back(std::move(join));
  return *list.children.back();
}

Status pull_up_sublinks(Level& level, FromNode& node) { return SublinkPullUp(level, node).run(); }

}  // namespace indigo::sql::planning
