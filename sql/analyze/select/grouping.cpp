// GROUP BY with grouping sets, GROUPING(), and the rule that every column outside aggregates is grouped.
#include <algorithm>
#include <set>

#include "catalog/tables/system_columns.h"
#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/expression/function_call.h"
#include "sql/analyze/expression/overloads.h"
#include "sql/analyze/from/names.h"
#include "sql/analyze/make.h"
#include "sql/analyze/select/clauses.h"
#include "sql/analyze/select/sorting.h"
#include "sql/parse/node.h"
#include "types/function/limits.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

using Sets = std::vector<std::vector<int>>;
constexpr size_t kMaxSets = 4096;

class GroupReader {
 public:
  explicit GroupReader(Scope& scope) : scope_(scope) {}

  Status run(NodeList list, bool distinct) {
    Sets all{{}};
    std::vector<GroupingItem> items;
    for (const PgQuery__Node* n : list) has_sets_ = has_sets_ || is(n, PG_QUERY__NODE__NODE_GROUPING_SET);
    for (const PgQuery__Node* n : list) {
      GroupingItem written;
      INDIGO_ASSIGN(const Sets sets, item(n, written));
      if (written.kind != GroupingItem::Kind::kEmpty) items.push_back(std::move(written));
      if (all.size() * sets.size() > kMaxSets) return too_many();
      Sets product;
      for (const auto& left : all) {
        for (const auto& right : sets) {
          std::vector<int> both = left;
          for (const int c : right) {
            if (std::find(both.begin(), both.end(), c) == both.end()) both.push_back(c);
          }
          product.push_back(std::move(both));
        }
      }
      all = std::move(product);
    }
    if (!has_sets_) return {};
    if (distinct) {
      std::set<std::vector<int>> seen;
      std::erase_if(all, [&](std::vector<int> s) {
        std::sort(s.begin(), s.end());
        return !seen.insert(s).second;
      });
    }
    for (auto& set : all) scope_.query->grouping_sets.push_back({std::move(set)});
    if (items.empty()) items.push_back({GroupingItem::Kind::kEmpty, {}, {}});
    scope_.query->grouping_items = std::move(items);
    scope_.query->grouping_distinct = distinct;
    return {};
  }

 private:
  Error too_many() const {
    return scope_.error(sqlstate::kStatementTooComplex, "too many grouping sets present (maximum 4096)");
  }

  Result<int> column(const PgQuery__Node* node) {
    ExprList& group = scope_.query->group_by;
    INDIGO_ASSIGN(ExprPtr e, target_for(scope_, node, Clause::kGroupBy, false));
    const int target = has_sets_ ? target_of(e) : -1;
    for (size_t i = 0; i < group.size(); i++) {
      if (!equal(group[i], e)) continue;
      if (target < 0 || targets_[i] < 0 || target == targets_[i]) return static_cast<int>(i);
      // Another output of the same value is a column of its own, null where its set has it not.
      e = make_relabel(e, e->type, true);
      scope_.query->targets[static_cast<size_t>(target)].expr = e;
    }
    INDIGO_TRY(sort_operators(scope_.a, e->type.oid, false, true, location_of(node)));
    INDIGO_TRY(require_collation(scope_.a, e));
    group.push_back(std::move(e));
    targets_.push_back(target);
    return static_cast<int>(group.size() - 1);
  }
  // The output whose very expression this is; -1: none.
  int target_of(const ExprPtr& e) const {
    const auto& targets = scope_.query->targets;
    for (size_t i = 0; i < targets.size(); i++)
      if (targets[i].expr == e) return static_cast<int>(i);
    return -1;
  }

  // An element as one set: an expression, or a parenthesised list of them.
  Result<std::vector<int>> simple(const PgQuery__Node* node) {
    std::vector<int> out;
    const bool list = is(node, PG_QUERY__NODE__NODE_ROW_EXPR) &&
                      node->row_expr->row_format == PG_QUERY__COERCION_FORM__COERCE_IMPLICIT_CAST;
    if (!list) {
      INDIGO_ASSIGN(const int c, column(node));
      out.push_back(c);
      return out;
    }
    for (const PgQuery__Node* n : nodes(node->row_expr->n_args, node->row_expr->args)) {
      INDIGO_ASSIGN(const std::vector<int> part, simple(n));
      out.insert(out.end(), part.begin(), part.end());
    }
    return out;
  }

  // The sets of an element, and what it says.
  Result<Sets> item(const PgQuery__Node* node, GroupingItem& written) {
    using Kind = GroupingItem::Kind;
    if (!is(node, PG_QUERY__NODE__NODE_GROUPING_SET)) {
      INDIGO_ASSIGN(std::vector<int> set, simple(node));
      written.columns = set;
      return Sets{std::move(set)};
    }
    const auto parts_of = [&](NodeList list) -> Result<Sets> {
      Sets parts;
      for (const PgQuery__Node* n : list) {
        INDIGO_ASSIGN(std::vector<int> s, simple(n));
        written.items.push_back({Kind::kColumns, s, {}});
        parts.push_back(std::move(s));
      }
      return parts;
    };
    const PgQuery__GroupingSet& g = *node->grouping_set;
    const NodeList content = nodes(g.n_content, g.content);
    Sets out;
    switch (g.kind) {
      case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_EMPTY:
        written.kind = Kind::kEmpty;
        out.emplace_back();
        return out;
      case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_SETS:
        written.kind = Kind::kSets;
        for (const PgQuery__Node* n : content) {
          GroupingItem inner;
          INDIGO_ASSIGN(Sets part, item(n, inner));
          if (inner.kind == Kind::kSets) {
            std::move(inner.items.begin(), inner.items.end(), std::back_inserter(written.items));
          } else {
            written.items.push_back(std::move(inner));
          }
          for (auto& s : part) out.push_back(std::move(s));
        }
        return out;
      case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_ROLLUP: {
        written.kind = Kind::kRollup;
        INDIGO_ASSIGN(const Sets parts, parts_of(content));
        for (size_t take = parts.size() + 1; take-- > 0;) out.push_back(joined(parts, (size_t{1} << take) - 1));
        return out;
      }
      case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_CUBE: {
        if (content.size() > 12) {
          return scope_.error(sqlstate::kTooManyColumns, "CUBE is limited to 12 elements", g.location);
        }
        written.kind = Kind::kCube;
        INDIGO_ASSIGN(const Sets parts, parts_of(content));
        for (size_t mask = size_t{1} << parts.size(); mask-- > 0;) out.push_back(joined(parts, mask));
        return out;
      }
      default:
        return scope_.error(sqlstate::kFeatureNotSupported, "this kind of grouping set is not supported", g.location);
    }
  }

  static std::vector<int> joined(const Sets& parts, size_t mask) {
    std::vector<int> out;
    for (size_t i = 0; i < parts.size(); i++) {
      if (mask >> i & 1) out.insert(out.end(), parts[i].begin(), parts[i].end());
    }
    return out;
  }

  Scope& scope_;
  bool has_sets_ = false;
  std::vector<int> targets_;  // the output that each grouping expression was found as, or -1
};

bool has_subquery(const Expr& e) {
  bool found = e.kind == ExprKind::kSubLink;
  for_each_child(e, [&](const ExprPtr& c) { found = found || has_subquery(*c); });
  return found;
}

// Looks for columns that are neither grouped nor aggregated.
class UngroupedFinder {
 public:
  explicit UngroupedFinder(Scope& scope) : scope_(scope), query_(*scope.query) {
    for (const ExprPtr& e : query_.group_by) {
      if (e->kind != ExprKind::kVar) has_other_ = true;
    }
  }

  Status check(const ExprPtr& e) { return expr(e, 0); }

 private:
  Status expr(const ExprPtr& e, int depth) {
    if (!e) return {};
    INDIGO_TRY(check_stack_depth());
    if (const auto* aggregate = try_as<AggregateExpr>(e)) {
      if (aggregate->levels_up == depth) {
        // Only direct arguments are evaluated once per group.
        for (const ExprPtr& direct : aggregate->direct) {
          INDIGO_TRY(expr(direct, depth));
        }
        return {};
      }
      if (aggregate->levels_up > depth) return {};
    }
    if (e->kind == ExprKind::kGrouping || e->kind == ExprKind::kConst) return {};
    if (depth == 0 && has_other_) {
      for (const ExprPtr& group : query_.group_by) {
        if (group == e || (equal(group, e) && !has_subquery(*group))) return {};
      }
    }
    if (const auto* v = try_as<VarExpr>(e)) return variable(*v, depth);
    if (const auto* whole = try_as<WholeRowExpr>(e)) return whole_row_reference(*whole, depth);
    Status status;
    for_each_child(*e, [&](const ExprPtr& c) {
      if (status.ok()) status = expr(c, depth);
    });
    if (const auto* link = try_as<SubLinkExpr>(e); link && status.ok()) status = query(*link->query, depth + 1);
    return status;
  }

  // Every expression of a subquery that can refer to this level.
  Status query(const Query& q, int depth);

  Status variable(const VarExpr& v, int depth) {
    if (v.levels_up != depth) return {};
    for (const ExprPtr& group : query_.group_by) {
      const auto* g = try_as<VarExpr>(group);
      if (g && g->entry == v.entry && g->column == v.column) return {};
    }
    if (v.column >= 0 && determined(v)) return {};
    return refuse(v.entry, v.column, depth, v.location);
  }

  Status whole_row_reference(const WholeRowExpr& w, int depth) {
    if (w.levels_up != depth) return {};
    const Entry* entry = entry_of(scope_, w.entry, 0);
    for (size_t i = 0; entry && i < entry->column_names.size(); i++) {
      if (entry->column_names[i].empty()) continue;
      VarExpr v;
      v.entry = w.entry;
      v.column = static_cast<int>(i);
      v.levels_up = depth;
      v.type = entry->column_types[i];
      v.location = w.location;
      INDIGO_TRY(variable(v, depth));
    }
    return {};
  }

  // A table whose whole primary key is grouped determines its other columns.
  bool determined(const VarExpr& v) {
    const Entry* entry = entry_of(scope_, v.entry, 0);
    if (!entry || entry->kind != EntryKind::kTable) return false;
    for (const auto& constraint : entry->relation->constraints) {
      if (constraint.kind != 'p' || constraint.deferrable) continue;
      const bool whole = std::all_of(constraint.columns.begin(), constraint.columns.end(),
                                     [&](int16_t column) { return is_grouped(v.entry, column - 1); });
      if (!whole) continue;
      keep_as_written();
      for (GroupingSet& set : query_.grouping_sets) set.columns.push_back(static_cast<int>(query_.group_by.size()));
      query_.group_by.push_back(make_var(v.entry, v.column, v.type));
      auto& used = query_.constraints;
      if (std::find(used.begin(), used.end(), constraint.oid) == used.end()) used.push_back(constraint.oid);
      return true;
    }
    return false;
  }

  // The list is about to get what nobody wrote: grouping_items, which plain lists do without, has what was.
  void keep_as_written() {
    if (!query_.grouping_sets.empty() || !query_.grouping_items.empty()) return;
    for (size_t i = 0; i < query_.group_by.size(); i++) {
      query_.grouping_items.push_back({GroupingItem::Kind::kColumns, {static_cast<int>(i)}, {}});
    }
  }

  // By every grouping set, if there are any.
  bool is_grouped(int entry, int column) const {
    for (size_t i = 0; i < query_.group_by.size(); i++) {
      const auto* g = try_as<VarExpr>(query_.group_by[i]);
      if (g == nullptr || g->entry != entry || g->column != column) continue;
      return std::all_of(query_.grouping_sets.begin(), query_.grouping_sets.end(), [&](const GroupingSet& set) {
        return std::find(set.columns.begin(), set.columns.end(), static_cast<int>(i)) != set.columns.end();
      });
    }
    return false;
  }

  Error refuse(int entry_number, int column, int depth, int location) {
    const Entry* entry = entry_of(scope_, entry_number, 0);
    std::string name = "?";
    if (entry && column >= 0 && static_cast<size_t>(column) < entry->column_names.size())
      name = entry->column_names[column];
    if (const auto* system = catalog::find_system_column(column)) name = system->name;
    name = "\"" + (entry ? entry->alias : std::string()) + "." + name + "\"";
    if (depth > 0) {
      return scope_.error(sqlstate::kGroupingError, "subquery uses ungrouped column " + name + " from outer query",
                          location);
    }
    return scope_.error(sqlstate::kGroupingError,
                        "column " + name + " must appear in the GROUP BY clause or be used in an aggregate function",
                        location);
  }

  Scope& scope_;
  Query& query_;
  bool has_other_ = false;
};

Status join_conditions(const JoinNodePtr& n, const std::function<Status(const ExprPtr&)>& check) {
  if (!n || n->leaf) return {};
  INDIGO_TRY(check(n->condition));
  INDIGO_TRY(join_conditions(n->left, check));
  return join_conditions(n->right, check);
}

Status UngroupedFinder::query(const Query& q, int depth) {
  INDIGO_TRY(check_stack_depth());
  for (const TargetEntry& t : q.targets) {
    INDIGO_TRY(expr(t.expr, depth));
  }
  for (const ExprPtr& e : q.group_by) {
    INDIGO_TRY(expr(e, depth));
  }
  INDIGO_TRY(expr(q.where, depth));
  INDIGO_TRY(expr(q.having, depth));
  INDIGO_TRY(expr(q.limit, depth));
  INDIGO_TRY(expr(q.offset, depth));
  INDIGO_TRY(join_conditions(q.from, [&](const ExprPtr& e) { return expr(e, depth); }));
  for (const Entry& entry : q.entries) {
    for (const auto& f : entry.functions) {
      INDIGO_TRY(expr(f.call, depth));
    }
    for (const ExprList& row : entry.values) {
      for (const ExprPtr& e : row) {
        INDIGO_TRY(expr(e, depth));
      }
    }
    if (entry.subquery) {
      INDIGO_TRY(query(*entry.subquery, depth + 1));
    }
  }
  for (const CommonTable& cte : q.ctes) {
    if (cte.query) {
      INDIGO_TRY(query(*cte.query, depth + 1));
    }
  }
  return {};
}

// Whole expressions that were written again become those of GROUP BY: the planner takes two subqueries for two.
ExprPtr shared(const ExprPtr& e, const ExprList& grouped) {
  for (const ExprPtr& g : grouped) {
    if (equal(g, e)) return g;
  }
  return e;
}

void share_subqueries(Query& q) {
  ExprList grouped;
  for (const ExprPtr& g : q.group_by) {
    if (has_subquery(*g)) grouped.push_back(g);
  }
  if (grouped.empty()) return;
  for (TargetEntry& t : q.targets) t.expr = shared(t.expr, grouped);
  for (SortKey& k : q.order_by) k.expr = shared(k.expr, grouped);
}

// GROUPING's arguments are known as soon as GROUP BY is.
Status settle_groupings(Scope& scope) {
  for (auto& [call, arguments] : scope.groupings) {
    std::vector<int> columns;
    for (const ExprPtr& e : arguments) {
      const ExprList& group = scope.query->group_by;
      const auto found = std::find_if(group.begin(), group.end(), [&](const ExprPtr& g) { return equal(g, e); });
      if (found == group.end()) {
        return scope.error(sqlstate::kGroupingError,
                           "arguments to GROUPING must be grouping expressions of the associated query level",
                           expr_location(e));
      }
      columns.push_back(static_cast<int>(found - group.begin()));
    }
    call->group_columns = std::move(columns);
  }
  return {};
}

// Until GROUP BY is known: calls with the same arguments are equal, and no others are.
int provisional_column(const Scope& scope, const ExprList& arguments) {
  const auto same = std::find_if(scope.groupings.begin(), scope.groupings.end(), [&](const auto& other) {
    return std::ranges::equal(other.second, arguments, [](const ExprPtr& a, const ExprPtr& b) { return equal(a, b); });
  });
  return -1 - static_cast<int>(same - scope.groupings.begin());
}

}  // namespace

Status transform_group_by(Scope& scope, NodeList list, bool distinct) { return GroupReader(scope).run(list, distinct); }

Result<ExprPtr> transform_grouping_func(Scope& scope, const PgQuery__Node& node) {
  const PgQuery__GroupingFunc& g = *node.grouping_func;
  if (g.n_args > 31) {
    return scope.error(types::kTooManyArguments, "GROUPING must have fewer than 32 arguments", g.location);
  }
  INDIGO_TRY(check_aggregate_allowed(scope, true, g.location));
  auto out = std::make_shared<GroupingExpr>();
  out->type.oid = oid::kInt4;
  out->location = g.location;
  INDIGO_ASSIGN(ExprList arguments, transform_list(scope, nodes(g.n_args, g.args)));
  out->group_columns.push_back(provisional_column(scope, arguments));
  scope.groupings.emplace_back(out, std::move(arguments));
  return ExprPtr(out);
}

Status check_grouping(Scope& scope) {
  Query& q = *scope.query;
  INDIGO_TRY(settle_groupings(scope));
  if (!q.has_aggregates && q.group_by.empty() && q.grouping_sets.empty() && !q.having) return {};
  // Grouping by an expression over aggregates or windows was refused where it stood.
  UngroupedFinder finder(scope);
  share_subqueries(q);
  for (const TargetEntry& t : q.targets) {
    INDIGO_TRY(finder.check(t.expr));
  }
  INDIGO_TRY(finder.check(q.having));
  for (const Window& w : q.windows) {
    for (const ExprPtr& e : w.partition) {
      INDIGO_TRY(finder.check(e));
    }
    for (const SortKey& key : w.order) {
      INDIGO_TRY(finder.check(key.expr));
    }
  }
  const bool recursive = std::any_of(q.entries.begin(), q.entries.end(),
                                     [](const Entry& e) { return e.kind == EntryKind::kCte && e.cte_self_reference; });
  if (q.has_aggregates && recursive) {
    return scope.error(sqlstate::kInvalidRecursion,
                       "aggregate functions are not allowed in a recursive query's recursive term",
                       scope.aggregate_location);
  }
  return {};
}

}  // namespace indigo::sql
