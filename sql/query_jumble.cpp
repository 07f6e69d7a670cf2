#include "sql/query_jumble.h"

#include <algorithm>

#include "base/fiber/stack.h"

namespace indigo::sql {

namespace {

class Jumble {
 public:
  void query(const Query& q);
  Jumbled done() const { return {number_ == 0 ? 1 : number_, parameters_}; }

 private:
  void add(uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) number_ = (number_ ^ ((value >> shift) & 0xff)) * kPrime;
  }
  void add(const std::string& text) {
    for (const char c : text) number_ = (number_ ^ static_cast<unsigned char>(c)) * kPrime;
    add(text.size());
  }
  template <class... Values>
  void add_all(Values... values) {
    (add(static_cast<uint64_t>(values)), ...);
  }
  void oids(const std::vector<Oid>& list) {
    for (const Oid oid : list) add(oid);
  }

  void expr(const ExprPtr& e);
  void own_of(const Expr& e);
  void list(const ExprList& expressions) {
    add(expressions.size());
    for (const ExprPtr& e : expressions) expr(e);
  }
  void keys(const std::vector<SortKey>& order);
  void targets(const std::vector<TargetEntry>& list);
  void assignments(const std::vector<Assignment>& list, size_t count);
  void entry(const Entry& e);
  void join(const JoinNode& node);
  void set_operation(const SetNode& node);
  void groups(const Query& q);
  void windows(const Query& q);
  void distinct(const Query& q);
  void conflict(const OnConflict& c);
  void action(const MergeAction& a);
  void change(const Query& q);

  static constexpr uint64_t kPrime = 1099511628211u;  // of FNV-1a
  uint64_t number_ = 14695981039346656037u;
  int parameters_ = 0;
};

void Jumble::expr(const ExprPtr& e) {
  if (e == nullptr) return add(0);
  add_all(1, e->kind, e->type.oid);
  own_of(*e);
  size_t children = 0;
  for_each_child(*e, [&](const ExprPtr& child) {
    expr(child);
    children++;
  });
  add(children);
}

// What a node has beside its kind, its type and its children.
void Jumble::own_of(const Expr& e) {
  switch (e.kind) {
    case ExprKind::kVar: {
      const auto& var = static_cast<const VarExpr&>(e);
      return add_all(var.entry, var.column, var.levels_up);
    }
    case ExprKind::kParam: {
      const auto& param = static_cast<const ParamExpr&>(e);
      parameters_ = std::max(parameters_, param.index + 1);
      return add_all(param.index);
    }
    case ExprKind::kRuntimeParam: return add_all(static_cast<const RuntimeParamExpr&>(e).slot);
    case ExprKind::kCall: {
      const auto& call = static_cast<const CallExpr&>(e);
      return add_all(call.function, call.variadic_array);
    }
    case ExprKind::kBool: return add_all(static_cast<const BoolExpr&>(e).op);
    case ExprKind::kCase: return add_all(static_cast<const CaseExpr&>(e).simple);
    case ExprKind::kGreatestLeast: return add_all(static_cast<const GreatestLeastExpr&>(e).greatest);
    case ExprKind::kNullTest: return add_all(static_cast<const NullTestExpr&>(e).is_null);
    case ExprKind::kBooleanTest: return add_all(static_cast<const BooleanTestExpr&>(e).test);
    case ExprKind::kDistinct: return add_all(static_cast<const DistinctExpr&>(e).negated);
    case ExprKind::kArrayCompare: {
      const auto& compare = static_cast<const ArrayCompareExpr&>(e);
      return add_all(compare.function, compare.any);
    }
    case ExprKind::kRowCompare: return add_all(static_cast<const RowCompareExpr&>(e).strategy);
    case ExprKind::kField: return add_all(static_cast<const FieldExpr&>(e).field);
    case ExprKind::kSubscript:
      for (const auto& index : static_cast<const SubscriptExpr&>(e).indexes) add_all(index.slice);
      return;
    case ExprKind::kCollate: return add_all(e.type.collation);
    case ExprKind::kAggregate: {
      const auto& aggregate = static_cast<const AggregateExpr&>(e);
      for (const SortKey& key : aggregate.order) add_all(key.descending, key.nulls_first, key.less);
      return add_all(aggregate.function, aggregate.arguments.size(), aggregate.direct.size(), aggregate.distinct,
                     aggregate.star, aggregate.filter != nullptr, aggregate.levels_up);
    }
    case ExprKind::kWindowCall: {
      const auto& call = static_cast<const WindowCallExpr&>(e);
      return add_all(call.function, call.star, call.filter != nullptr, call.window);
    }
    case ExprKind::kGrouping:
      for (const int column : static_cast<const GroupingExpr&>(e).group_columns) add_all(column);
      return;
    case ExprKind::kSubLink: {
      const auto& link = static_cast<const SubLinkExpr&>(e);
      add_all(link.form);
      return query(*link.query);
    }
    case ExprKind::kSessionValue: return add_all(static_cast<const SessionValueExpr&>(e).which);
    case ExprKind::kWholeRow: {
      const auto& row = static_cast<const WholeRowExpr&>(e);
      return add_all(row.entry, row.levels_up);
    }
    default: return;
  }
}

void Jumble::keys(const std::vector<SortKey>& order) {
  add(order.size());
  for (const SortKey& key : order) {
    expr(key.expr);
    add_all(key.descending, key.nulls_first, key.less);
  }
}

void Jumble::targets(const std::vector<TargetEntry>& list) {
  add(list.size());
  for (const TargetEntry& target : list) {
    expr(target.expr);
    add_all(target.hidden);
  }
}

void Jumble::assignments(const std::vector<Assignment>& list, size_t count) {
  add(count);
  for (size_t i = 0; i < count; i++) {
    add_all(list[i].column);
    expr(list[i].value);
  }
}

// A view is a table.
void Jumble::entry(const Entry& e) {
  add_all(e.kind, e.lateral);
  if (e.relation != nullptr) {
    add_all(e.relation->oid, e.only);
  } else if (e.subquery != nullptr) {
    query(*e.subquery);
  }
  for (const Entry::Function& function : e.functions) expr(function.call);
  add_all(e.with_ordinality);
  for (const ExprList& row : e.values) list(row);
  add_all(e.cte, e.cte_levels_up);
  if (e.sample) {
    add(e.sample->method);
    expr(e.sample->percent_expr);
    expr(e.sample->repeatable);
  }
}

void Jumble::join(const JoinNode& node) {
  add_all(node.leaf, node.entry);
  if (node.leaf) return;
  add_all(node.type);
  join(*node.left);
  join(*node.right);
  expr(node.condition);
}

void Jumble::set_operation(const SetNode& node) {
  add_all(node.entry);
  if (node.entry >= 0) return;
  add_all(node.op, node.all);
  set_operation(*node.left);
  set_operation(*node.right);
}

void Jumble::groups(const Query& q) {
  list(q.group_by);
  add_all(q.grouping_sets.size(), q.grouping_distinct);
  for (const GroupingSet& set : q.grouping_sets) {
    add(set.columns.size());
    for (const int column : set.columns) add_all(column);
  }
  expr(q.having);
}

void Jumble::windows(const Query& q) {
  for (const Window& w : q.windows) {
    list(w.partition);
    keys(w.order);
    add_all(w.mode, w.start.kind, w.end.kind, w.exclude);
    expr(w.start.offset);
    expr(w.end.offset);
  }
}

// DISTINCT is DISTINCT ON of all columns.
void Jumble::distinct(const Query& q) {
  if (!q.distinct_on.empty() || !q.distinct) return list(q.distinct_on);
  ExprList all;
  for (const TargetEntry& target : q.targets) {
    if (!target.hidden) all.push_back(target.expr);
  }
  list(all);
}

void Jumble::conflict(const OnConflict& c) {
  add_all(c.update);
  oids(c.arbiters);
  assignments(c.assignments, c.assignments.size());
  expr(c.where);
}

void Jumble::action(const MergeAction& a) {
  add_all(a.match, a.command, a.overriding);
  expr(a.condition);
  assignments(a.assignments, a.command == CommandKind::kInsert ? a.named : a.assignments.size());
}

void Jumble::change(const Query& q) {
  add_all(q.target, q.overriding);
  for (const int column : q.insert_columns) add_all(column);
  if (q.command == CommandKind::kUpdate) assignments(q.assignments, q.assignments.size());
  for (const auto& view : q.target_views) add(view.relation->oid);
  add(q.current_of);
  if (q.on_conflict) conflict(*q.on_conflict);
  for (const MergeAction& a : q.merge_actions) action(a);
  targets(q.returning);
}

void Jumble::query(const Query& q) {
  if (!check_stack_depth().ok()) return;
  add_all(q.command, q.entries.size());
  for (const CommonTable& table : q.ctes) {
    add(table.name);
    add_all(table.materialize, table.recursive);
    query(*table.query);
  }
  for (const Entry& e : q.entries) entry(e);
  if (q.from != nullptr) join(*q.from);
  expr(q.where);
  targets(q.targets);
  groups(q);
  windows(q);
  distinct(q);
  keys(q.order_by);
  expr(q.limit);
  expr(q.offset);
  add_all(q.with_ties);
  for (const RowLock& lock : q.row_locks) add_all(lock.entry, lock.mode, lock.wait);
  if (q.set_operation != nullptr) set_operation(*q.set_operation);
  if (q.target >= 0) change(q);
}

}  // namespace

Jumbled jumble(const Query& query) {
  Jumble out;
  out.query(query);
  return out.done();
}

}  // namespace indigo::sql
