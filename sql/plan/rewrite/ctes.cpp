// WITH queries: inlined where PostgreSQL inlines them (one reference, not recursive, nothing volatile, not MATERIALIZED), planned
// once and shared otherwise. One that refers to an enclosing query is read again whenever the values that it asks for change:
// its scans depend on the same runtime slots.
#include <algorithm>
#include <set>
#include <utility>

#include "base/sqlstate.h"
#include "sql/analyze/make.h"
#include "sql/plan/interrupt.h"
#include "sql/plan/level.h"
#include "sql/plan/path/build_path.h"
#include "sql/plan/path/cost.h"
#include "sql/plan/rewrite/rewrite.h"
#include "sql/plan/rewrite/search_cycle.h"
#include "sql/query_walk.h"

namespace indigo::sql::planning {
namespace {

class CteResolver {
 public:
  // `owner` will load the query; null when that is not known yet and nothing depends on it.
  CteResolver(Statement& s, Level* owner) : s_(s), owner_(owner) {}

  Status run(std::shared_ptr<const Query>& query) {
    const size_t count = query->ctes.size();
    inlined_.resize(count);
    correlated_.resize(count);
    numbers_.resize(count, -1);
    auto copy = std::make_shared<Query>(*query);
    for (size_t i = 0; i < count; i++) {
      INDIGO_TRY(check_interrupt());
      // References to the items before this one first.
      std::shared_ptr<const Query> cte = replaced(copy->ctes[i].query, 1);
      const CommonTable& item = copy->ctes[i];
      if (cte->command == CommandKind::kSelect && item.references == 0 && !item.recursive) continue;  // never read
      if (may_inline(item, *cte)) {
        inlined_[i] = cte;
        correlated_[i] = is_correlated(*cte);
        continue;
      }
      INDIGO_TRY(share(i, item, cte));
    }
    copy->ctes.clear();
    query = replaced(copy, 0);
    return {};
  }

  static bool may_inline(const CommonTable& item, const Query& q) {
    if (item.recursive || q.command != CommandKind::kSelect || item.materialize == CommonTable::Materialize::kAlways)
      return false;
    if (!q.row_locks.empty()) return false;
    if (is_correlated(q)) return true;  // has no single result to share
    if (item.materialize == CommonTable::Materialize::kDefault && item.references > 1) return false;
    bool has_volatile = false;
    visit_query(q, [&](const Expr& e, int) {
      if (e.kind == ExprKind::kCall && as<CallExpr>(e).volatility == types::Volatility::kVolatile) has_volatile = true;
      return !has_volatile;
    });
    return !has_volatile;
  }

 private:
  Status share(size_t i, const CommonTable& item, const std::shared_ptr<const Query>& cte) {
    Level* const parent = is_correlated(*cte) ? owner_ : nullptr;
    const int number = static_cast<int>(s_.out->ctes.size());
    numbers_[i] = number;
    s_.out->ctes.emplace_back();
    s_.out->ctes.back().name = item.name;
    s_.out->ctes.back().changes_data = cte->command != CommandKind::kSelect;
    s_.cte_rows.push_back(100);
    s_.cte_varies_with.emplace_back();
    const int outer_depth = std::exchange(s_.request_depth, INT32_MAX);
    std::set<int> outer_varying = std::exchange(s_.varying_ctes, {});
    auto planned = item.recursive ? recursive(parent, number, item, cte) : plan_query(s_, parent, cte, 0);
    std::set<int>& varies_with = s_.cte_varies_with[static_cast<size_t>(number)];
    varies_with = std::exchange(s_.varying_ctes, std::move(outer_varying));
    varies_with.erase(varies_with.lower_bound(number), varies_with.end());  // its own matter
    const bool asks = parent != nullptr && s_.request_depth <= parent->depth;
    if (asks || !varies_with.empty()) varies_with.insert(number);
    s_.request_depth = asks ? std::min(outer_depth, s_.request_depth) : outer_depth;
    INDIGO_ASSIGN(const PlanPtr plan, std::move(planned));
    s_.cte_rows[static_cast<size_t>(number)] = plan->rows;
    s_.out->ctes[static_cast<size_t>(number)].plan = plan;
    return {};
  }

  // term UNION [ALL] recursive term
  Result<PlanPtr> recursive(Level* parent, int number, const CommonTable& item,
                            const std::shared_ptr<const Query>& cte) {
    // References to itself are at its own level's CTEs, one level up and deeper.
    std::shared_ptr<const Query> q = with_search_and_cycle(item, replaced(cte, 1));
    Level around(s_, parent);  // of the terms
    if (!q->ctes.empty()) INDIGO_TRY(CteResolver(s_, parent != nullptr ? &around : nullptr).run(q));
    const SetNode& root = *q->set_operation;
    auto planned = [&](const SetNodePtr& n) {
      if (!n->left) {
        return plan_query(s_, parent != nullptr ? &around : nullptr, q->entries[static_cast<size_t>(n->entry)].subquery,
                          0);
      }
      auto part = std::make_shared<Query>(*q);
      part->set_operation = n;
      name_result(*part, leftmost(root), leftmost(*n));
      return plan_query(s_, parent, part, 0);
    };
    INDIGO_ASSIGN(PlanPtr first, planned(root.left));
    s_.cte_rows[static_cast<size_t>(number)] = first->rows;
    INDIGO_ASSIGN(PlanPtr again, planned(root.right));
    auto plan = std::make_shared<RecursiveUnionPlan>();
    plan->inputs = {first, again};
    plan->columns = first->columns;
    for (size_t c = 0; c < root.types.size() && c < plan->columns.size(); c++) plan->columns[c].type = root.types[c];
    plan->cte = number;
    plan->all = root.all;
    plan->startup_cost = first->startup_cost;
    plan->total_cost = first->total_cost + 10 * again->total_cost;
    plan->rows = first->rows + 10 * again->rows;
    return PlanPtr(plan);
  }

  static int leftmost(const SetNode& n) { return n.left ? leftmost(*n.left) : n.entry; }

  // The targets of a set operation are columns of its first query.
  static void name_result(Query& q, int from, int to) {
    for (TargetEntry& t : q.targets) {
      const auto* v = try_as<VarExpr>(t.expr);
      if (v != nullptr && v->levels_up == 0 && v->entry == from) t.expr = make_var(to, v->column, v->type);
    }
  }

  // Entries that refer to this query's CTEs (`start` levels above `q`) become subqueries, or get the statement's number.
  std::shared_ptr<const Query> replaced(const std::shared_ptr<const Query>& q, int start) {
    const auto change = [&](Entry& entry, int depth) {
      if (entry.kind != EntryKind::kCte || entry.cte_levels_up != depth) return false;
      const auto i = static_cast<size_t>(entry.cte);
      if (inlined_[i]) {
        entry.kind = EntryKind::kSubquery;
        entry.subquery = correlated_[i] ? raised(inlined_[i], entry.cte_levels_up) : inlined_[i];
        entry.cte = -1;
        return true;  // the items before it stand in it already: a chain of items is not walked again for each of them
      }
      if (numbers_[i] >= 0) {
        entry.cte = numbers_[i];
        entry.cte_levels_up = -1;
      }
      return false;
    };
    std::function<ExprPtr(const ExprPtr&, int)> map = [&](const ExprPtr& e, int depth) -> ExprPtr {
      ExprPtr out = map_children(e, [&](const ExprPtr& c) { return map(c, depth); });
      if (const auto* link = try_as<SubLinkExpr>(out)) {
        auto copy = std::make_shared<SubLinkExpr>(*link);
        copy->query = map_query(link->query, map, change, depth + 1);
        return copy;
      }
      return out;
    };
    return map_query(q, map, change, start);
  }

  Statement& s_;
  Level* owner_;
  std::vector<std::shared_ptr<const Query>> inlined_;
  std::vector<bool> correlated_;  // of those inlined
  std::vector<int> numbers_;
};

}  // namespace

Status resolve_ctes(Level& level, std::shared_ptr<const Query>& query) {
  if (query->ctes.empty()) return {};
  return CteResolver(level.s, &level).run(query);
}

Result<bool> resolve_independent_ctes(Statement& s, std::shared_ptr<const Query>& query) {
  bool correlated = false, shared = false;
  for (const CommonTable& item : query->ctes) {
    correlated |= is_correlated(*item.query);
    shared |= !CteResolver::may_inline(item, *item.query);
  }
  if (correlated && shared) return false;
  INDIGO_TRY(CteResolver(s, nullptr).run(query));
  return true;
}

}  // namespace indigo::sql::planning
