#include "sql/plan/rewrite/pull_up.h"

#include <algorithm>

#include "base/fiber/stack.h"
#include "sql/plan/finish/finish.h"
#include "sql/plan/interrupt.h"
#include "sql/plan/rewrite/correlation.h"
#include "sql/plan/rewrite/null_rows.h"
#include "sql/plan/rewrite/rewrite.h"
#include "sql/plan/rewrite/sampling.h"
#include "sql/plan/rewrite/strictness.h"
#include "sql/query_walk.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

bool is_simple(const Query& q) {
  if (q.command != CommandKind::kSelect || q.set_operation || q.has_aggregates || q.has_windows ||
      q.has_set_functions || !q.group_by.empty() || !q.grouping_sets.empty() || q.having || !q.order_by.empty() ||
      q.limit || q.offset || q.distinct || !q.distinct_on.empty() || !q.row_locks.empty() || !q.ctes.empty()) {
    return false;
  }
  return std::none_of(q.targets.begin(), q.targets.end(),
                      [](const TargetEntry& t) { return contains_volatile(*t.expr); });
}

// Every column is null where the subquery's rows are missing: it may stand on the null-extended side of an outer join.
bool nulls_with_its_rows(const Query& q) {
  return std::all_of(q.targets.begin(), q.targets.end(), [](const TargetEntry& t) {
    return t.hidden || (is_null_preserving(t.expr) && !refers_to_level(t.expr, 1));
  });
}

// GROUPING SETS null a column, not what it is computed from, nor another that shows the same.
bool are_different_columns(const Query& q) {
  return std::all_of(q.targets.begin(), q.targets.end(), [&](const TargetEntry& t) {
    if (t.hidden) return true;
    return t.expr->kind == ExprKind::kVar && std::none_of(q.targets.begin(), q.targets.end(), [&](const auto& other) {
             return &other != &t && !other.hidden && equal(*other.expr, *t.expr);
           });
  });
}

bool is_lateral(const ExprPtr& e) { return e && refers_to_level(e, 1); }

// Whether a condition below `n` looks at the query around in a place where it may not be moved out: at or under an outer join.
bool has_bound_lateral(const JoinNodePtr& n, bool bound) {
  if (!n || n->leaf) return false;
  bound |= n->type != JoinType::kInner;
  return (bound && is_lateral(n->condition)) || has_bound_lateral(n->left, bound) || has_bound_lateral(n->right, bound);
}

bool has_leaf(const FromNode& n, int entry) {
  if (n.kind == FromNode::Kind::kLeaf) return n.entry == entry;
  return std::ranges::any_of(n.children, [&](const auto& child) { return has_leaf(*child, entry); });
}

// Whether a subquery's condition looks at nothing of the query around but what `join` joins (null: at nothing).
bool looks_within(const ExprPtr& e, const FromNode* join) {
  if (!e) return true;
  bool within = true;
  visit_expressions(e, [&](const Expr& n, int depth) {
    if (levels_of(n) != depth + 1) return within;
    const int entry = entry_of(n);
    within = within && join != nullptr && entry >= 0 && has_leaf(*join, entry);
    return within;
  });
  return within;
}

class PullUp {
 public:
  explicit PullUp(Level& level) : level_(level) {}

  Status node(FromNode& n, bool nullable) {
    INDIGO_TRY(check_stack_depth());
    if (n.kind == FromNode::Kind::kLeaf) return {};
    if (n.kind == FromNode::Kind::kJoin) return join(n, nullable);
    INDIGO_TRY(pull_up_sublinks(level_, n));
    for (size_t i = 0; i < n.children.size();) {
      FromNode& child = *n.children[i];
      if (child.kind == FromNode::Kind::kLeaf) {
        INDIGO_ASSIGN(const bool merged, merge(child, nullable, true));
        if (!merged) {
          i++;
          continue;
        }
      }
      if (child.kind == FromNode::Kind::kInner) {
        // One list; its conditions may hold sublinks in turn.
        auto inner = std::move(n.children[i]);
        n.children.erase(n.children.begin() + static_cast<std::ptrdiff_t>(i));
        n.children.insert(n.children.begin() + static_cast<std::ptrdiff_t>(i),
                          std::make_move_iterator(inner->children.begin()),
                          std::make_move_iterator(inner->children.end()));
        n.conditions.insert(n.conditions.end(), inner->conditions.begin(), inner->conditions.end());
        if (!inner->conditions.empty()) {
          const FromNode* first = n.children.empty() ? nullptr : n.children[0].get();
          INDIGO_TRY(pull_up_sublinks(level_, n));
          if (!n.children.empty() && n.children[0].get() != first) i = 0;  // the list has become one side of a join
        }
        continue;
      }
      INDIGO_TRY(node(child, nullable));
      i++;
    }
    return {};
  }

 private:
  Status join(FromNode& n, bool nullable) {
    // NOT IN must compare columns of its sides, not what a constant column has become.
    const bool nulls_left = nullable || n.type == JoinType::kFull || n.null_aware;
    const bool nulls_right = nullable || n.type == JoinType::kFull || n.type == JoinType::kLeft || n.null_aware;
    for (size_t side = 0; side < 2; side++) {
      FromNode& child = *n.children[side];
      const bool nulls = side == 0 ? nulls_left : nulls_right;
      if (child.kind == FromNode::Kind::kLeaf) {
        INDIGO_ASSIGN(const bool merged,
                      merge(child, nulls, false, n.type == JoinType::kLeft && side == 1 ? &n : nullptr));
        if (!merged) continue;
      }
      INDIGO_TRY(node(child, nulls));
    }
    return {};
  }

  // A leaf that is a simple subquery becomes the subquery's own FROM and WHERE. Where its rows may be missing, conditions on
  // what stands outside go to those of `outer`, the outer join whose nullable side it is; it stays where they look beyond that
  // join, or there is none.
  Result<bool> merge(FromNode& leaf, bool nullable, bool may_be_empty, FromNode* outer = nullptr) {
    const int number = leaf.entry;
    const Entry& entry = level_.entry(number);
    if (entry.kind == EntryKind::kTable && entry.sample) return take_sample(leaf);
    if (entry.kind != EntryKind::kSubquery || !entry.subquery || entry.security_barrier) return false;
    std::shared_ptr<const Query> query = entry.subquery;
    if (!query->ctes.empty()) {
      INDIGO_ASSIGN(const bool resolved, resolve_independent_ctes(level_.s, query));
      if (!resolved) return false;
      level_.own_entry(number).subquery = query;
    }
    if (!is_simple(*query) || (nullable && !nulls_with_its_rows(*query))) return false;
    if (!query->from && !may_be_empty) return false;
    if (!level_.work.grouping_sets.empty() && !are_different_columns(*query)) return false;
    if (has_bound_lateral(query->from, nullable) || (nullable && !looks_within(query->where, outer))) return false;
    if (std::any_of(query->targets.begin(), query->targets.end(),
                    [](const TargetEntry& t) { return !t.hidden && has_set_function(t.expr); })) {
      return false;
    }
    INDIGO_TRY(check_interrupt());
    query = with_null_rows(query);
    if (entry.relation) level_.s.depend(entry.relation, storage::TableLockMode::kAccessShare);
    const size_t first_new = level_.entries.size();
    const std::shared_ptr<const Query> adopted = adopt(level_, query);
    FromNode replacement;
    replacement.kind = FromNode::Kind::kInner;
    if (adopted->from) replacement.children.push_back(make_from_tree(adopted->from));
    ExprList before, after;
    flatten_and(query->where, before);
    flatten_and(adopted->where, after);
    for (size_t i = 0; i < after.size(); i++) {
      const bool outside = nullable && is_lateral(before[i]);
      (outside ? outer->conditions : replacement.conditions).push_back(after[i]);
    }
    leaf = std::move(replacement);
    substitute(number, *adopted);
    // FOR UPDATE of a subquery locks what it reads.
    std::vector<RowLock> locks;
    for (const RowLock& lock : level_.work.row_locks) {
      if (lock.entry != number) {
        locks.push_back(lock);
        continue;
      }
      for (size_t i = first_new; i < level_.entries.size(); i++) {
        RowLock inner = lock;
        inner.entry = static_cast<int>(i);
        locks.push_back(inner);
      }
    }
    level_.work.row_locks = std::move(locks);
    return true;
  }

  // A sampled table becomes the table under the sample's condition.
  Result<bool> take_sample(FromNode& leaf) {
    INDIGO_ASSIGN(const ExprPtr condition, sample_condition(level_, leaf.entry));
    level_.own_entry(leaf.entry).sample.reset();
    if (!condition) return false;
    FromNode under;
    under.kind = FromNode::Kind::kInner;
    under.conditions.push_back(condition);
    under.children.push_back(std::make_unique<FromNode>(std::move(leaf)));
    leaf = std::move(under);
    return true;
  }

  // The subquery's expressions in the place of its columns, everywhere in the level.
  void substitute(int number, const Query& q) {
    ExprList columns;
    for (const TargetEntry& t : q.targets) {
      if (!t.hidden) columns.push_back(t.expr);
    }
    const LevelMapper map = [&](const ExprPtr& n, int depth) -> ExprPtr {
      if (levels_of(*n) != depth) return nullptr;
      if (const auto* v = try_as<VarExpr>(n); v && v->entry == number && v->column >= 0) {
        return raised(columns[static_cast<size_t>(v->column)], depth);
      }
      if (const auto* w = try_as<WholeRowExpr>(n); w && w->entry == number) {
        auto row = std::make_shared<RowExpr>();
        row->type = w->type;
        for (const ExprPtr& c : columns) row->fields.push_back(raised(c, depth));
        row->names = level_.entry(number).column_names;
        return row;
      }
      return nullptr;
    };
    for_each_expression(level_, [&](ExprPtr& e) { e = map_levels(e, map); });
    for (size_t i = 0; i < level_.entries.size(); i++) {
      const Entry& entry = level_.entry(static_cast<int>(i));
      if (entry.kind != EntryKind::kSubquery || !entry.lateral || static_cast<int>(i) == number) continue;
      if (!refers_to_level(*entry.subquery, 1)) continue;
      Entry& own = level_.own_entry(static_cast<int>(i));
      own.subquery = map_levels(own.subquery, map, 1);
    }
  }

  Level& level_;
};

}  // namespace

std::shared_ptr<const Query> adopt(Level& level, const std::shared_ptr<const Query>& query) {
  const int offset = static_cast<int>(level.entries.size());
  const LevelMapper map = [&](const ExprPtr& n, int depth) -> ExprPtr {
    const int up = levels_of(*n);
    if (up > depth) return with_levels(n, up - 1);
    if (up < depth) return nullptr;
    if (const auto* v = try_as<VarExpr>(n)) {
      auto copy = std::make_shared<VarExpr>(*v);
      copy->entry += offset;
      return copy;
    }
    if (const auto* w = try_as<WholeRowExpr>(n)) {
      auto copy = std::make_shared<WholeRowExpr>(*w);
      copy->entry += offset;
      return copy;
    }
    return nullptr;
  };
  std::shared_ptr<const Query> mapped = map_levels(query, map);
  auto out = std::make_shared<Query>(*mapped);
  for (Entry& e : out->entries) {
    level.own_entries.push_back(std::move(e));
    level.entries.push_back(&level.own_entries.back());
  }
  out->entries.clear();
  out->from = shifted(out->from, offset);
  return out;
}

Status pull_up(Level& level) {
  if (level.work.set_operation) return {};
  INDIGO_TRY(PullUp(level).node(*level.from, false));
  return unnest_rest(level);
}

}  // namespace indigo::sql::planning
