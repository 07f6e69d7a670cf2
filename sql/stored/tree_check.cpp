#include "sql/stored/tree_check.h"

#include <algorithm>
#include <utility>

#include "sql/query_walk.h"

namespace indigo::sql::stored {
namespace {

bool is_call_of_two(const ExprPtr& e) {
  const auto* call = try_as<CallExpr>(e);
  return call != nullptr && call->arguments.size() == 2;
}

size_t shown_targets(const Query& q) {
  return static_cast<size_t>(
      std::count_if(q.targets.begin(), q.targets.end(), [](const auto& t) { return !t.hidden; }));
}

class Checker {
 public:
  // `over_relation`: an expression outside of queries, whose subqueries may name its table's columns.
  explicit Checker(bool over_relation) : over_relation_(over_relation) {}

  bool expression(const ExprPtr& e) {
    bool good = true;
    visit_expressions(e, [&](const Expr& x, int depth) {
      good = good && (depth > 0 || node(x));
      return good && depth == 0;
    });
    return good;
  }

  bool query(const Query& q) {
    around_.push_back(&q);
    const bool good = own(q);
    around_.pop_back();
    return good;
  }

 private:
  template <class T>
  static bool within(int index, const std::vector<T>& list) {
    return index >= 0 && static_cast<size_t>(index) < list.size();
  }
  const Query* level(int up) const {
    return up >= 0 && static_cast<size_t>(up) < around_.size() ? around_[around_.size() - 1 - static_cast<size_t>(up)]
                                                               : nullptr;
  }
  const Entry* entry(int number, int up) const {
    const Query* q = level(up);
    return q != nullptr && within(number, q->entries) ? &q->entries[static_cast<size_t>(number)] : nullptr;
  }

  bool is_around(int levels_up) const { return over_relation_ && static_cast<size_t>(levels_up) == around_.size(); }

  bool node(const Expr& e) {
    switch (e.kind) {
      case ExprKind::kVar: {
        const auto& v = as<VarExpr>(e);
        if (is_around(v.levels_up)) return v.entry == 0 || v.entry == 1;
        const Entry* of = entry(v.entry, v.levels_up);
        return of != nullptr && v.column >= kTableOidColumn &&
               (v.column < 0 || within(v.column, of->column_types) || within(v.column, of->column_names));
      }
      case ExprKind::kWholeRow: {
        const auto& w = as<WholeRowExpr>(e);
        return is_around(w.levels_up) ? w.entry == 0 || w.entry == 1 : entry(w.entry, w.levels_up) != nullptr;
      }
      case ExprKind::kAggregate: return level(as<AggregateExpr>(e).levels_up) != nullptr;
      case ExprKind::kWindowCall:
        return !around_.empty() && within(as<WindowCallExpr>(e).window, around_.back()->windows);
      case ExprKind::kGrouping: {
        if (around_.empty()) return false;
        const auto& columns = as<GroupingExpr>(e).group_columns;
        return std::all_of(columns.begin(), columns.end(), [&](int c) { return within(c, around_.back()->group_by); });
      }
      case ExprKind::kSubLink: return query(*as<SubLinkExpr>(e).query);
      default: return true;
    }
  }

  bool join(const Query& q, const JoinNode& n) const {
    if (n.leaf) return within(n.entry, q.entries);
    return n.left != nullptr && n.right != nullptr && n.using_columns.size() == n.merged.size() && join(q, *n.left) &&
           join(q, *n.right);
  }
  bool set(const Query& q, const SetNode& n) const {
    if (n.entry >= 0) {
      return within(n.entry, q.entries) && q.entries[static_cast<size_t>(n.entry)].subquery != nullptr;
    }
    return n.left != nullptr && n.right != nullptr && set(q, *n.left) && set(q, *n.right);
  }
  static bool columns_of(const CommonTable& t, const std::vector<int>& columns) {
    const int shown = static_cast<int>(shown_targets(*t.query));
    return std::all_of(columns.begin(), columns.end(), [&](int c) { return c >= 0 && c < shown; });
  }

  bool source(const Entry& e) {
    switch (e.kind) {
      case EntryKind::kTable: return e.relation != nullptr;
      case EntryKind::kSubquery: return e.relation != nullptr || (e.subquery != nullptr && query(*e.subquery));
      case EntryKind::kFunction:
        return std::all_of(e.functions.begin(), e.functions.end(), [](const auto& f) { return f.call != nullptr; });
      case EntryKind::kCte: {
        const Query* q = level(e.cte_levels_up);
        return q != nullptr && within(e.cte, q->ctes);
      }
      case EntryKind::kValues:
        return std::all_of(e.values.begin(), e.values.end(),
                           [&](const ExprList& row) { return row.size() == e.column_types.size(); });
      default: return e.kind == EntryKind::kResult;
    }
  }

  static bool change(const Query& q) {
    if (q.command == CommandKind::kSelect) return true;
    if (!within(q.target, q.entries) || q.entries[static_cast<size_t>(q.target)].relation == nullptr) return false;
    const auto& columns = q.entries[static_cast<size_t>(q.target)].relation->columns;
    const auto set = [&](const std::vector<Assignment>& list) {
      return std::all_of(list.begin(), list.end(),
                         [&](const Assignment& a) { return within(a.column, columns) && a.value != nullptr; });
    };
    return q.insert_columns.size() == (q.command == CommandKind::kInsert ? q.targets.size() : 0) &&
           std::all_of(q.insert_columns.begin(), q.insert_columns.end(), [&](int c) { return within(c, columns); }) &&
           std::all_of(q.returning.begin(), q.returning.end(), [](const auto& t) { return t.expr != nullptr; }) &&
           set(q.assignments) && (!q.on_conflict || set(q.on_conflict->assignments)) &&
           std::all_of(q.merge_actions.begin(), q.merge_actions.end(), [&](const MergeAction& m) {
             return m.command <= CommandKind::kDelete && m.named <= m.assignments.size() && set(m.assignments);
           });
  }

  bool grouping_item(const Query& q, const GroupingItem& item) {
    return std::all_of(item.columns.begin(), item.columns.end(), [&](int c) { return within(c, q.group_by); }) &&
           std::all_of(item.items.begin(), item.items.end(),
                       [&](const GroupingItem& i) { return grouping_item(q, i); });
  }

  // What prints another part of its query is not within that part.
  static bool holds(const ExprPtr& e, ExprKind kind) {
    bool found = false;
    visit_expressions(e, [&](const Expr& x, int depth) {
      found = found || (depth == 0 && x.kind == kind);
      return !found && depth == 0;
    });
    return found;
  }
  static bool window(const Window& w) {
    const auto good = [](const ExprPtr& e) { return e != nullptr && !holds(e, ExprKind::kWindowCall); };
    const auto bound = [&](const FrameBound& b) {
      return b.kind == FrameBound::Kind::kPreceding || b.kind == FrameBound::Kind::kFollowing ? good(b.offset)
                                                                                              : b.offset == nullptr;
    };
    return std::all_of(w.partition.begin(), w.partition.end(), good) &&
           std::all_of(w.order.begin(), w.order.end(), [&](const SortKey& k) { return good(k.expr); }) &&
           bound(w.start) && bound(w.end);
  }

  bool own(const Query& q) {
    const auto all = [](const auto& list, const auto& test) { return std::all_of(list.begin(), list.end(), test); };
    const bool lists =
        all(q.targets, [](const TargetEntry& t) { return t.expr != nullptr; }) &&
        all(q.order_by, [](const SortKey& k) { return k.expr != nullptr; }) &&
        all(q.grouping_sets,
            [&](const GroupingSet& s) { return all(s.columns, [&](int c) { return within(c, q.group_by); }); }) &&
        all(q.group_by, [](const ExprPtr& e) { return e != nullptr && !holds(e, ExprKind::kGrouping); }) &&
        all(q.windows, [](const Window& w) { return window(w); }) &&
        all(q.grouping_items, [&](const GroupingItem& i) { return grouping_item(q, i); }) &&
        all(q.row_locks, [&](const RowLock& l) { return within(l.entry, q.entries); }) &&
        all(q.ctes, [](const CommonTable& t) { return t.query != nullptr; }) &&
        all(q.entries, [](const Entry& e) { return e.column_names.size() == e.column_types.size(); });
    if (!lists || !change(q) || (q.from != nullptr && !join(q, *q.from)) ||
        (q.set_operation != nullptr && !set(q, *q.set_operation))) {
      return false;
    }
    for (const CommonTable& t : q.ctes) {
      if (!query(*t.query) || (t.search && !columns_of(t, t.search->columns))) return false;
      if (t.cycle && (t.cycle->value == nullptr || t.cycle->other == nullptr || !columns_of(t, t.cycle->columns))) {
        return false;
      }
    }
    if (!all(q.entries, [&](const Entry& e) { return source(e); })) return false;
    bool good = true;
    visit_query(q, [&](const Expr& e, int depth) {  // those inside have been looked at
      good = good && (depth > 0 || node(e));
      return good && depth == 0;
    });
    return good && (q.from == nullptr || merged(*q.from));
  }
  bool merged(const JoinNode& n) {
    if (n.leaf) return true;
    return std::all_of(n.merged.begin(), n.merged.end(), [&](const ExprPtr& e) { return expression(e); }) &&
           std::all_of(n.shown.begin(), n.shown.end(),
                       [&](const JoinNode::Shown& s) { return s.value != nullptr && expression(s.value); }) &&
           merged(*n.left) && merged(*n.right);
  }

  std::vector<const Query*> around_;  // outermost first
  const bool over_relation_;
};

}  // namespace

bool sound(const Expr& e) {
  switch (e.kind) {
    case ExprKind::kCall: {
      const auto& call = as<CallExpr>(e);
      const auto there = [&](int argument) { return argument >= 0 && std::cmp_less(argument, call.arguments.size()); };
      if (!std::all_of(call.given.begin(), call.given.end(), there) ||
          std::cmp_greater(call.positional, call.given.size()))
        return false;
      if (call.form == CallExpr::Form::kOperator) return call.arguments.size() == 1 || call.arguments.size() == 2;
      return !call.arguments.empty() || call.form == CallExpr::Form::kFunction ||
             call.form == CallExpr::Form::kSqlSyntax;
    }
    case ExprKind::kBool: {
      const auto& b = as<BoolExpr>(e);
      return b.op == BoolExpr::Op::kNot ? b.arguments.size() == 1 : !b.arguments.empty();
    }
    case ExprKind::kCase: return !as<CaseExpr>(e).whens.empty();
    case ExprKind::kNullIf: return is_call_of_two(as<NullIfExpr>(e).equal);
    case ExprKind::kRow:
      return as<RowExpr>(e).fields.size() == as<RowExpr>(e).names.size() || as<RowExpr>(e).names.empty();
    case ExprKind::kRowCompare: {
      const auto& r = as<RowCompareExpr>(e);
      return r.strategy >= 1 && r.strategy <= 6 && !r.left.empty() && r.left.size() == r.right.size() &&
             r.less_functions.size() <= r.left.size() && r.equal_functions.size() <= r.left.size();
    }
    case ExprKind::kField: return as<FieldExpr>(e).field >= 0;
    case ExprKind::kSubLink: return as<SubLinkExpr>(e).query != nullptr;
    case ExprKind::kVar: return as<VarExpr>(e).levels_up >= 0;
    case ExprKind::kParam: return as<ParamExpr>(e).index >= 0;
    case ExprKind::kRuntimeParam: return as<RuntimeParamExpr>(e).slot >= 0;
    default: return true;
  }
}

bool consistent(const ExprPtr& e) { return e != nullptr && Checker(true).expression(e); }
bool consistent(const Query& q) { return Checker(false).query(q); }

}  // namespace indigo::sql::stored
