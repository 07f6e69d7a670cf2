#include "sql/plan/level.h"

#include <algorithm>

#include "base/fiber/long_work.h"
#include "sql/plan/rewrite/correlation.h"
#include "sql/query_walk.h"

namespace indigo::sql::planning {

void flatten_and(const ExprPtr& e, ExprList& out) {
  constexpr uint64_t kUnitsOfConjunct = 10;
  if (!e) return;
  if (const auto* b = try_as<BoolExpr>(e); b && b->op == BoolExpr::Op::kAnd) {
    for (const ExprPtr& a : b->arguments) flatten_and(a, out);
    return;
  }
  note_work(kUnitsOfConjunct);
  out.push_back(e);
}

std::unique_ptr<FromNode> make_from_tree(const JoinNodePtr& n) {
  auto out = std::make_unique<FromNode>();
  if (n->leaf) {
    out->kind = FromNode::Kind::kLeaf;
    out->entry = n->entry;
    return out;
  }
  auto left = make_from_tree(n->left), right = make_from_tree(n->right);
  flatten_and(n->condition, out->conditions);
  JoinType type = n->type;
  if (type == JoinType::kRight) {
    std::swap(left, right);
    type = JoinType::kLeft;
  }
  if (type != JoinType::kInner) out->kind = FromNode::Kind::kJoin;
  out->type = type;
  // Inner joins of inner joins are one list.
  const auto add = [&](std::unique_ptr<FromNode> side) {
    if (out->kind == FromNode::Kind::kInner && side->kind == FromNode::Kind::kInner) {
      for (auto& c : side->children) out->children.push_back(std::move(c));
      for (auto& c : side->conditions) out->conditions.push_back(std::move(c));
    } else {
      out->children.push_back(std::move(side));
    }
  };
  add(std::move(left));
  add(std::move(right));
  return out;
}

JoinNodePtr shifted(const JoinNodePtr& n, int offset) {
  if (!n || offset == 0) return n;
  auto copy = std::make_shared<JoinNode>(*n);
  if (n->leaf) {
    copy->entry += offset;
  } else {
    copy->left = shifted(n->left, offset);
    copy->right = shifted(n->right, offset);
  }
  return copy;
}

namespace {

// Everything but entries and FROM.
void copy_own(const Query& q, Query& out) {
  out.command = q.command;
  out.instead_event = q.instead_event;
  out.targets = q.targets;
  out.group_by = q.group_by;
  out.grouping_sets = q.grouping_sets;
  out.has_aggregates = q.has_aggregates;
  out.has_windows = q.has_windows;
  out.has_set_functions = q.has_set_functions;
  out.having = q.having;
  out.windows = q.windows;
  out.distinct = q.distinct;
  out.distinct_on = q.distinct_on;
  out.order_by = q.order_by;
  out.limit = q.limit;
  out.offset = q.offset;
  out.with_ties = q.with_ties;
  out.row_locks = q.row_locks;
  out.set_operation = q.set_operation;
  out.target = q.target;
  out.insert_columns = q.insert_columns;
  out.assignments = q.assignments;
  out.generated = q.generated;
  out.checks = q.checks;
  out.check_names = q.check_names;
  out.row_checks = q.row_checks;
  out.view_checks = q.view_checks;
  out.view_check_names = q.view_check_names;
  out.current_of = q.current_of;
  out.current_of_parameter = q.current_of_parameter;
  out.on_conflict = q.on_conflict;
  out.merge_actions = q.merge_actions;
  out.returning = q.returning;
}

void visit_tree(FromNode& n, const std::function<void(ExprPtr&)>& f) {
  for (ExprPtr& e : n.conditions) f(e);
  for (auto& c : n.children) visit_tree(*c, f);
}

}  // namespace

namespace {

// The target that is the same expression with a subquery in it; -1: none.
int same_target(const Query& q, const ExprPtr& e) {
  if (e->kind == ExprKind::kVar || !has_sublink(e)) return -1;
  for (size_t i = 0; i < q.targets.size(); i++) {
    if (equal(q.targets[i].expr, e)) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

void load(Level& level, std::shared_ptr<const Query> query) {
  for (const SortKey& k : query->order_by) level.order_targets.push_back(same_target(*query, k.expr));
  for (const ExprPtr& e : query->distinct_on) level.distinct_targets.push_back(same_target(*query, e));
  for (const ExprPtr& e : query->group_by) level.group_targets.push_back(same_target(*query, e));
  copy_own(*query, level.work);
  for (const Entry& e : query->entries) level.entries.push_back(&e);
  level.from = std::make_unique<FromNode>();
  if (query->from) {
    auto tree = make_from_tree(query->from);
    if (tree->kind == FromNode::Kind::kInner) {
      level.from = std::move(tree);
    } else {
      level.from->children.push_back(std::move(tree));
    }
  }
  flatten_and(query->where, level.from->conditions);
  level.source = std::move(query);
}

Entry& Level::own_entry(int i) {
  const Entry* at = entries[static_cast<size_t>(i)];
  for (Entry& e : own_entries) {
    if (&e == at) return e;
  }
  own_entries.push_back(*at);
  entries[static_cast<size_t>(i)] = &own_entries.back();
  return own_entries.back();
}

RelSet Level::rels_of(const Expr& e) const {
  if (e.kind == ExprKind::kVar) {
    const auto& v = as<VarExpr>(e);
    if (v.levels_up != 0 || static_cast<size_t>(v.entry) >= rel_of.size()) return {};
    const int rel = rel_of[static_cast<size_t>(v.entry)];
    return rel < 0 ? RelSet() : RelSet::one(rel);
  }
  RelSet out;
  for_each_child(e, [&](const ExprPtr& c) { out |= rels_of(*c); });
  return out;
}

RelSet Level::hidden_in(RelSet set) const {
  RelSet out;
  for (const SpecialJoin& j : special_joins) {
    const bool drops = j.type == JoinType::kSemi || j.type == JoinType::kAnti;
    if (drops && set.contains(j.syn_right) && set != j.syn_right) out |= j.syn_right;
  }
  return out;
}

void for_each_expression(Level& level, const std::function<void(ExprPtr&)>& f) {
  visit_tree(*level.from, f);
  for_each_expression_outside_from(level, f);
}

void for_each_expression_outside_from(Level& level, const std::function<void(ExprPtr&)>& f) {
  for (ExprPtr& e : level.recheck) f(e);
  for_each_own_expression(level.work, f);
  for (size_t i = 0; i < level.entries.size(); i++) {
    const Entry& e = *level.entries[i];
    if (e.functions.empty() && e.values.empty() && !e.sample) continue;
    Entry& own = level.own_entry(static_cast<int>(i));
    for (auto& function : own.functions) f(function.call);
    for (ExprList& row : own.values) {
      for (ExprPtr& cell : row) f(cell);
    }
    if (own.sample) {
      if (own.sample->percent_expr) f(own.sample->percent_expr);
      if (own.sample->repeatable) f(own.sample->repeatable);
    }
  }
}

// ---- VarSet

void VarSet::add(int entry, int column) {
  const std::pair<int, int> p{entry, column};
  const auto at = std::lower_bound(pairs_.begin(), pairs_.end(), p);
  if (at == pairs_.end() || *at != p) pairs_.insert(at, p);
}

void VarSet::add_all(const VarSet& o) {
  for (const auto& [entry, column] : o.pairs_) add(entry, column);
}

bool VarSet::has(int entry, int column) const {
  return std::binary_search(pairs_.begin(), pairs_.end(), std::pair<int, int>{entry, column});
}

void VarSet::add_vars(const ExprPtr& e) {
  if (!e) return;
  if (const auto* v = try_as<VarExpr>(e)) {
    if (v->levels_up == 0) add(v->entry, v->column);
    return;
  }
  for_each_child(*e, [&](const ExprPtr& c) { add_vars(c); });
}

size_t Statement::dependency_of(Oid relation) {
  constexpr size_t kFew = 16;
  const auto& all = out->relations;
  if (all.size() <= kFew) {
    return static_cast<size_t>(
        std::find_if(all.begin(), all.end(), [&](const auto& d) { return d.relation->oid == relation; }) - all.begin());
  }
  for (size_t i = dependencies_.size(); i < all.size(); i++) dependencies_.emplace(all[i].relation->oid, i);
  const auto found = dependencies_.find(relation);
  return found == dependencies_.end() ? all.size() : found->second;
}

void Statement::size(const RelationInfo& relation, double rows) {
  auto& all = out->relations;
  if (const size_t at = dependency_of(relation.oid); at < all.size()) all[at].planned_rows = rows;
}

void Statement::depend(const std::shared_ptr<const RelationInfo>& relation, storage::TableLockMode lock) {
  auto& all = out->relations;
  const size_t at = dependency_of(relation->oid);
  if (at == all.size()) {
    all.push_back({.relation = relation, .lock = lock});
  } else {
    all[at].lock = std::max(all[at].lock, lock);
  }
}

}  // namespace indigo::sql::planning
