// Correlated subqueries that compute one aggregate: WHERE x < (SELECT avg(y) FROM t WHERE t.k = u.k) becomes a join with
// (SELECT k, avg(y) FROM t GROUP BY k), after Kim, and Neumann and Kemper ("Unnesting Arbitrary Queries", 2015).
#include <algorithm>

#include "sql/analyze/make.h"
#include "sql/plan/rewrite/correlation.h"
#include "sql/plan/rewrite/pull_up.h"
#include "sql/plan/rewrite/rewrite.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

// Null when its aggregates have no rows: then a row without a partner fails the condition as it does without a group.
bool is_null_without_rows(catalog::CatalogView& catalog, const ExprPtr& e) {
  if (const auto* a = try_as<AggregateExpr>(e)) {
    const auto info = catalog.function(a->function);
    return a->levels_up == 0 && info && info->name != "count" && info->name != "regr_count" && a->kind_of == 'n' &&
           info->oid < oid::kFirstUserOid;
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

// What is known of an aggregate over no rows: null, or 0 for the counts.
bool is_count(catalog::CatalogView& catalog, const AggregateExpr& a) {
  const auto info = catalog.function(a.function);
  return info && info->oid < oid::kFirstUserOid && (info->name == "count" || info->name == "regr_count");
}
bool known_without_rows(catalog::CatalogView& catalog, const ExprPtr& e) {
  if (const auto* a = try_as<AggregateExpr>(e)) {
    const auto info = catalog.function(a->function);
    return a->levels_up == 0 && a->kind_of == 'n' && info && info->oid < oid::kFirstUserOid;
  }
  if (e->kind == ExprKind::kSubLink || e->kind == ExprKind::kGrouping) return false;
  bool known = true;
  for_each_child(*e, [&](const ExprPtr& c) { known = known && known_without_rows(catalog, c); });
  return known;
}

void find_sublinks(const ExprPtr& e, std::vector<const SubLinkExpr*>& out) {
  if (const auto* link = try_as<SubLinkExpr>(e)) {
    out.push_back(link);
    return;
  }
  for_each_child(*e, [&](const ExprPtr& c) { find_sublinks(c, out); });
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

// The subquery of one aggregate expression, as groups for all values of its correlation.
class GroupedSubquery {
 public:
  // `known`: conditions that hold for the rows around it.
  GroupedSubquery(Level& level, const SubLinkExpr& link, std::span<const ExprPtr> known)
      : level_(level), link_(link), known_(known) {}

  // False: not a subquery of this kind, or running it for each row is better.
  bool fits() {
    if (link_.form != SubLinkExpr::Form::kScalar) return false;
    const Query& q = *link_.query;
    if (!q.has_aggregates || q.targets.size() != 1 || q.distinct || !q.distinct_on.empty() ||
        contains_volatile(*q.targets[0].expr))
      return false;
    correlation_ = correlation_of(level_, link_.query);
    if (!correlation_ || has_index_for(q, *correlation_)) return false;
    const auto at_level = [](const Correlation::Equality& e) { return refers_to_level(e.outer, 0); };
    return std::all_of(correlation_->equalities.begin(), correlation_->equalities.end(), at_level);
  }
  const ExprPtr& target() const { return link_.query->targets[0].expr; }

  // Puts the groups beside the level's entries; `values` are computed for each, after the keys.
  std::unique_ptr<FromNode> add(const ExprList& values) {
    Query& grouped = *correlation_->rest;
    grouped.targets.clear();
    for (const auto& e : correlation_->equalities) {
      add_target(grouped, "key", e.inner);
      grouped.group_by.push_back(e.inner);
      if (ExprPtr only = only_key(e)) grouped.where = grouped.where ? make_and({grouped.where, only}) : only;
    }
    for (const ExprPtr& v : values) add_target(grouped, "value", v);
    Entry entry;
    entry.kind = EntryKind::kSubquery;
    entry.alias = "grouped";
    entry.subquery = correlation_->rest;
    for (const TargetEntry& t : grouped.targets) {
      entry.column_names.push_back(t.name);
      entry.column_types.push_back(t.expr->type);
    }
    level_.own_entries.push_back(std::move(entry));
    level_.entries.push_back(&level_.own_entries.back());
    entry_ = static_cast<int>(level_.entries.size()) - 1;
    auto leaf = std::make_unique<FromNode>();
    leaf->kind = FromNode::Kind::kLeaf;
    leaf->entry = entry_;
    return leaf;
  }
  // After add: what joins the groups, and their values.
  void join_on(ExprList& conditions) const {
    int column = 0;
    for (const auto& e : correlation_->equalities) {
      auto call = std::make_shared<CallExpr>(as<CallExpr>(*e.call));
      const ExprPtr key = make_var(entry_, column++, e.inner->type);
      call->arguments = e.outer_left ? ExprList{e.outer, key} : ExprList{key, e.outer};
      conditions.push_back(std::move(call));
    }
  }
  ExprPtr value(size_t i, const types::TypeRef& type) const {
    return make_var(entry_, static_cast<int>(correlation_->equalities.size() + i), type);
  }

 private:
  // inner = constant, when outer = constant is known: no other group is wanted.
  ExprPtr only_key(const Correlation::Equality& e) const {
    const auto& equality = as<CallExpr>(*e.call);
    for (const ExprPtr& k : known_) {
      const auto* call = try_as<CallExpr>(k);
      if (!call || call->op != equality.op || call->collation != equality.collation) continue;
      for (const size_t side : {0, 1}) {
        const ExprPtr& value = call->arguments[1 - side];
        const bool constant = value->kind == ExprKind::kConst || value->kind == ExprKind::kParam;
        if (!constant || !equal(call->arguments[side], e.outer)) continue;
        auto out = std::make_shared<CallExpr>(equality);
        out->arguments = {e.inner, value};
        return out;
      }
    }
    return nullptr;
  }
  static void add_target(Query& query, const char* name, const ExprPtr& e) {
    TargetEntry t;
    t.name = name;
    t.expr = e;
    query.targets.push_back(std::move(t));
  }

  Level& level_;
  const SubLinkExpr& link_;
  std::span<const ExprPtr> known_;
  std::optional<Correlation> correlation_;
  int entry_ = -1;
};

// The subquery's value where the condition, or the target, needs one for rows without a group too: an outer join with its
// aggregates. The subquery's expression over them is computed above, so that it sees null and 0 where there is no group.
class OuterJoined {
 public:
  OuterJoined(Level& level, FromNode& node, GroupedSubquery& grouped) : level_(level), node_(node), grouped_(grouped) {}

  ExprPtr run() {
    collect(grouped_.target());
    FromNode& join = wrap_in_join(node_, JoinType::kLeft, grouped_.add(aggregates_));
    grouped_.join_on(join.conditions);
    return above(grouped_.target());
  }

 private:
  void collect(const ExprPtr& e) {
    if (e->kind == ExprKind::kAggregate) return aggregates_.push_back(e);
    for_each_child(*e, [&](const ExprPtr& c) { collect(c); });
  }
  ExprPtr above(const ExprPtr& e) {
    const auto* a = try_as<AggregateExpr>(e);
    if (a == nullptr) return map_children(e, [&](const ExprPtr& c) { return above(c); });
    ExprPtr value = grouped_.value(next_++, e->type);
    if (!is_count(level_.s.catalog(), *a)) return value;
    auto out = std::make_shared<CoalesceExpr>();
    out->type = e->type;
    out->arguments = {std::move(value), make_const(e->type, Datum::of(int64_t{0}))};
    return out;
  }

  Level& level_;
  FromNode& node_;
  GroupedSubquery& grouped_;
  ExprList aggregates_;
  size_t next_ = 0;
};

bool may_unnest(const Level& level) {
  return level.work.command == CommandKind::kSelect && level.work.row_locks.empty();
}

void unnest_targets(Level& level) {
  const Query& q = level.work;
  // Grouped queries compute targets from groups; with a LIMIT few of them are computed.
  if (q.has_aggregates || !q.group_by.empty() || !q.grouping_sets.empty() || q.having || q.has_windows ||
      q.has_set_functions || q.limit || q.distinct || !q.distinct_on.empty())
    return;
  for (TargetEntry& t : level.work.targets) {
    if (!t.expr || !has_sublink(t.expr) || contains_volatile(*t.expr)) continue;
    std::vector<const SubLinkExpr*> links;
    find_sublinks(t.expr, links);
    const ExprPtr whole = t.expr;  // owns the links
    for (const SubLinkExpr* link : links) {
      GroupedSubquery grouped(level, *link, level.from->conditions);
      if (!grouped.fits() || !known_without_rows(level.s.catalog(), grouped.target())) continue;
      t.expr = replaced(t.expr, link, OuterJoined(level, *level.from, grouped).run());
    }
  }
}

}  // namespace

bool has_sublink(const ExprPtr& e) {
  switch (e->kind) {
    case ExprKind::kSubLink: return true;
    case ExprKind::kVar:
    case ExprKind::kConst:
    case ExprKind::kParam: return false;
    default: break;
  }
  bool found = false;
  for_each_child(*e, [&](const ExprPtr& c) { found = found || has_sublink(c); });
  return found;
}

bool has_sublink(std::span<const ExprPtr> conditions) {
  return std::any_of(conditions.begin(), conditions.end(), [](const ExprPtr& e) { return has_sublink(e); });
}

Result<bool> unnest_scalar(Level& level, FromNode& node, const ExprPtr& condition, std::span<const ExprPtr> known) {
  if (!may_unnest(level) || !has_sublink(condition) || contains_volatile(*condition)) return false;
  std::vector<const SubLinkExpr*> links;
  find_sublinks(condition, links);
  ExprPtr left = condition;
  for (const SubLinkExpr* link : links) {
    GroupedSubquery grouped(level, *link, known);
    if (!grouped.fits()) continue;
    ExprPtr value;
    if (fails_for_null(condition, link) && is_null_without_rows(level.s.catalog(), grouped.target())) {
      node.children.push_back(grouped.add({grouped.target()}));
      grouped.join_on(node.conditions);
      value = grouped.value(0, grouped.target()->type);
    } else if (known_without_rows(level.s.catalog(), grouped.target())) {
      value = OuterJoined(level, node, grouped).run();
    } else {
      continue;
    }
    left = replaced(left, link, value);
  }
  if (left == condition) return false;
  node.conditions.push_back(std::move(left));
  return true;
}

Status unnest_rest(Level& level) {
  if (!may_unnest(level) || level.from->children.empty()) return {};
  FromNode& list = *level.from;
  if (!has_sublink(list.conditions)) {
    unnest_targets(level);
    return {};
  }
  ExprList todo = std::move(list.conditions), kept;
  list.conditions.clear();
  for (const ExprPtr& e : todo) {
    INDIGO_ASSIGN(const bool taken, unnest_scalar(level, list, e, todo));
    if (!taken) kept.push_back(e);
  }
  list.conditions.insert(list.conditions.begin(), kept.begin(), kept.end());
  unnest_targets(level);
  return {};
}

}  // namespace indigo::sql::planning
