#include "sql/expr.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include <absl/container/inlined_vector.h>

#include "base/fiber/long_work.h"
#include "base/fiber/stack_exhausted.h"
#include "base/raised_error.h"
#include "base/sqlstate.h"
#include "sql/query.h"
#include "sql/stored/stored_tree.h"

namespace indigo::sql {
namespace {

using Visit = const std::function<void(const ExprPtr&)>&;
using Map = const std::function<ExprPtr(const ExprPtr&)>&;

// One description of each node's children serves visiting and mapping: `children` calls `f` on every member that holds a
// child expression, null ones included. N is const or not.
template <class N, class F>
void children(N& node, F&& f);

template <class List, class F>
void each(List& list, F&& f) {
  for (auto& e : list) f(e);
}

template <class N, class F>
void children(N& n, F&& f) {
  using T = std::remove_const_t<N>;
  if constexpr (std::is_same_v<T, CallExpr> || std::is_same_v<T, BoolExpr> || std::is_same_v<T, CoalesceExpr> ||
                std::is_same_v<T, GreatestLeastExpr>) {
    each(n.arguments, f);
  } else if constexpr (std::is_same_v<T, CaseExpr>) {
    for (auto& when : n.whens) {
      f(when.condition);
      f(when.result);
    }
    f(n.otherwise);
  } else if constexpr (std::is_same_v<T, NullIfExpr>) {
    f(n.equal);
  } else if constexpr (std::is_same_v<T, NullTestExpr> || std::is_same_v<T, BooleanTestExpr> ||
                       std::is_same_v<T, RelabelExpr> || std::is_same_v<T, IoCastExpr> ||
                       std::is_same_v<T, RowCastExpr> || std::is_same_v<T, CollateExpr> ||
                       std::is_same_v<T, FieldExpr>) {
    f(n.argument);
  } else if constexpr (std::is_same_v<T, DistinctExpr>) {
    f(n.left);
    f(n.right);
    f(n.equal);
  } else if constexpr (std::is_same_v<T, ArrayCompareExpr>) {
    f(n.left);
    f(n.array);
  } else if constexpr (std::is_same_v<T, ArrayExpr>) {
    each(n.elements, f);
  } else if constexpr (std::is_same_v<T, RowExpr>) {
    each(n.fields, f);
  } else if constexpr (std::is_same_v<T, RowCompareExpr>) {
    each(n.left, f);
    each(n.right, f);
  } else if constexpr (std::is_same_v<T, SubscriptExpr>) {
    f(n.container);
    for (auto& index : n.indexes) {
      f(index.lower);
      f(index.upper);
    }
    f(n.assign);
  } else if constexpr (std::is_same_v<T, ArrayCastExpr> || std::is_same_v<T, DomainCastExpr>) {
    f(n.argument);  // `element` and `checks` are over their own input, not this one's
  } else if constexpr (std::is_same_v<T, AggregateExpr>) {
    each(n.arguments, f);
    each(n.direct, f);
    for (auto& key : n.order) f(key.expr);
    f(n.filter);
  } else if constexpr (std::is_same_v<T, WindowCallExpr>) {
    each(n.arguments, f);
    f(n.filter);
  } else if constexpr (std::is_same_v<T, SubLinkExpr>) {
    f(n.test);
  } else if constexpr (std::is_same_v<T, SubPlanExpr>) {
    f(n.test);
    for (auto& pass : n.passes) f(pass.from);
  }
}

// Calls f with the node as its own type.
template <class F>
auto dispatch(const Expr& e, F&& f) {
  switch (e.kind) {
    case ExprKind::kVar: return f(as<VarExpr>(e));
    case ExprKind::kColumn: return f(as<ColumnExpr>(e));
    case ExprKind::kConst: return f(as<ConstExpr>(e));
    case ExprKind::kParam: return f(as<ParamExpr>(e));
    case ExprKind::kRuntimeParam: return f(as<RuntimeParamExpr>(e));
    case ExprKind::kCall: return f(as<CallExpr>(e));
    case ExprKind::kBool: return f(as<BoolExpr>(e));
    case ExprKind::kCase: return f(as<CaseExpr>(e));
    case ExprKind::kCoalesce: return f(as<CoalesceExpr>(e));
    case ExprKind::kGreatestLeast: return f(as<GreatestLeastExpr>(e));
    case ExprKind::kNullIf: return f(as<NullIfExpr>(e));
    case ExprKind::kNullTest: return f(as<NullTestExpr>(e));
    case ExprKind::kBooleanTest: return f(as<BooleanTestExpr>(e));
    case ExprKind::kDistinct: return f(as<DistinctExpr>(e));
    case ExprKind::kArrayCompare: return f(as<ArrayCompareExpr>(e));
    case ExprKind::kArray: return f(as<ArrayExpr>(e));
    case ExprKind::kRow: return f(as<RowExpr>(e));
    case ExprKind::kRowCompare: return f(as<RowCompareExpr>(e));
    case ExprKind::kField: return f(as<FieldExpr>(e));
    case ExprKind::kSubscript: return f(as<SubscriptExpr>(e));
    case ExprKind::kRelabel: return f(as<RelabelExpr>(e));
    case ExprKind::kIoCast: return f(as<IoCastExpr>(e));
    case ExprKind::kRowCast: return f(as<RowCastExpr>(e));
    case ExprKind::kArrayCast: return f(as<ArrayCastExpr>(e));
    case ExprKind::kDomainCast: return f(as<DomainCastExpr>(e));
    case ExprKind::kCollate: return f(as<CollateExpr>(e));
    case ExprKind::kAggregate: return f(as<AggregateExpr>(e));
    case ExprKind::kWindowCall: return f(as<WindowCallExpr>(e));
    case ExprKind::kGrouping: return f(as<GroupingExpr>(e));
    case ExprKind::kSubLink: return f(as<SubLinkExpr>(e));
    case ExprKind::kSubPlan: return f(as<SubPlanExpr>(e));
    case ExprKind::kDefault: return f(as<DefaultExpr>(e));
    case ExprKind::kSessionValue: return f(as<SessionValueExpr>(e));
    case ExprKind::kWholeRow: return f(as<WholeRowExpr>(e));
  }
  __builtin_unreachable();
}

// ---- equality of what is not a child
bool same_value(const Datum& a, const Datum& b) {
  if (a.null != b.null || a.phys != b.phys) return false;
  if (a.null) return true;
  switch (a.phys) {
    case Phys::kBool: return a.b == b.b;
    case Phys::kI16: return a.i16 == b.i16;
    case Phys::kI32: return a.i32 == b.i32;
    case Phys::kI64: return a.i64 == b.i64;
    case Phys::kF32: return std::memcmp(&a.f32, &b.f32, sizeof a.f32) == 0;
    case Phys::kF64: return std::memcmp(&a.f64, &b.f64, sizeof a.f64) == 0;
    case Phys::kB16: return a.block.words[0] == b.block.words[0] && a.block.words[1] == b.block.words[1];
    case Phys::kStr: return a.str == b.str;
  }
  return false;
}

template <class N>
bool same_own(const N&, const N&) {
  return true;
}
bool same_own(const VarExpr& a, const VarExpr& b) {
  return a.entry == b.entry && a.column == b.column && a.levels_up == b.levels_up;
}
bool same_own(const CollateExpr& a, const CollateExpr& b) { return a.type.collation == b.type.collation; }
bool same_own(const ColumnExpr& a, const ColumnExpr& b) { return a.input == b.input && a.column == b.column; }
bool same_own(const ConstExpr& a, const ConstExpr& b) { return same_value(a.value.get(), b.value.get()); }
bool same_own(const ParamExpr& a, const ParamExpr& b) { return a.index == b.index; }
bool same_own(const RuntimeParamExpr& a, const RuntimeParamExpr& b) { return a.slot == b.slot; }
bool same_own(const CallExpr& a, const CallExpr& b) {
  return a.function == b.function && a.collation == b.collation && a.variadic_array == b.variadic_array;
}
bool same_own(const BoolExpr& a, const BoolExpr& b) { return a.op == b.op; }
bool same_own(const GreatestLeastExpr& a, const GreatestLeastExpr& b) { return a.greatest == b.greatest; }
bool same_own(const NullTestExpr& a, const NullTestExpr& b) { return a.is_null == b.is_null && a.row == b.row; }
bool same_own(const BooleanTestExpr& a, const BooleanTestExpr& b) { return a.test == b.test; }
bool same_own(const DistinctExpr& a, const DistinctExpr& b) { return a.negated == b.negated; }
bool same_own(const ArrayCompareExpr& a, const ArrayCompareExpr& b) {
  return a.op == b.op && a.any == b.any && a.collation == b.collation;
}
bool same_own(const ArrayExpr& a, const ArrayExpr& b) { return a.multidimensional == b.multidimensional; }
bool same_own(const RowCompareExpr& a, const RowCompareExpr& b) {
  return a.strategy == b.strategy && a.less_functions == b.less_functions && a.equal_functions == b.equal_functions;
}
bool same_own(const FieldExpr& a, const FieldExpr& b) { return a.field == b.field; }
bool same_own(const SubscriptExpr& a, const SubscriptExpr& b) {
  for (size_t i = 0; i < a.indexes.size() && i < b.indexes.size(); i++) {
    if (a.indexes[i].slice != b.indexes[i].slice) return false;
  }
  return a.indexes.size() == b.indexes.size();
}
bool same_own(const ArrayCastExpr& a, const ArrayCastExpr& b) { return equal(a.element, b.element); }
bool same_own(const AggregateExpr& a, const AggregateExpr& b) {
  if (a.function != b.function || a.distinct != b.distinct || a.star != b.star || a.levels_up != b.levels_up ||
      a.order.size() != b.order.size() || a.arguments.size() != b.arguments.size()) {
    return false;
  }
  for (size_t i = 0; i < a.order.size(); i++) {
    if (a.order[i].descending != b.order[i].descending || a.order[i].nulls_first != b.order[i].nulls_first)
      return false;
  }
  return true;
}
bool same_own(const WindowCallExpr& a, const WindowCallExpr& b) {
  return a.function == b.function && a.window == b.window && a.star == b.star;
}
bool same_own(const GroupingExpr& a, const GroupingExpr& b) { return a.group_columns == b.group_columns; }
// Queries that were analyzed apart: the same when the catalog would keep them as the same.
bool same_query(const std::shared_ptr<const Query>& a, const std::shared_ptr<const Query>& b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || a->entries.size() != b->entries.size() || a->targets.size() != b->targets.size())
    return false;
  const auto left = store_tree(a), right = store_tree(b);
  return left.ok() && right.ok() && *left == *right;
}
bool same_own(const SubLinkExpr& a, const SubLinkExpr& b) { return a.form == b.form && same_query(a.query, b.query); }
bool same_own(const SubPlanExpr& a, const SubPlanExpr& b) {
  return a.form == b.form && a.subplan == b.subplan && a.columns == b.columns;
}
bool same_own(const SessionValueExpr& a, const SessionValueExpr& b) { return a.which == b.which; }
bool same_own(const WholeRowExpr& a, const WholeRowExpr& b) { return a.entry == b.entry && a.levels_up == b.levels_up; }

constexpr size_t kUsualChildren = 4;

absl::InlinedVector<const ExprPtr*, kUsualChildren> child_list(const Expr& e) {
  absl::InlinedVector<const ExprPtr*, kUsualChildren> list;
  dispatch(e, [&](const auto& n) { children(n, [&](const ExprPtr& c) { list.push_back(&c); }); });
  return list;
}

bool volatile_query(const Query& q);

bool volatile_list(const ExprList& list) {
  return std::any_of(list.begin(), list.end(), [](const ExprPtr& e) { return e && contains_volatile(*e); });
}
bool volatile_expr(const ExprPtr& e) { return e && contains_volatile(*e); }
bool volatile_from(const JoinNodePtr& n) {
  return n && !n->leaf && (volatile_expr(n->condition) || volatile_from(n->left) || volatile_from(n->right));
}

bool volatile_query(const Query& q) {
  if (q.command != CommandKind::kSelect) return true;
  for (const TargetEntry& t : q.targets) {
    if (volatile_expr(t.expr)) return true;
  }
  for (const Entry& entry : q.entries) {
    if (entry.subquery && volatile_query(*entry.subquery)) return true;
    for (const auto& f : entry.functions) {
      // A set-returning function in FROM is no reason by itself.
      if (const auto* call = try_as<CallExpr>(f.call)) {
        if (call->volatility == types::Volatility::kVolatile || volatile_list(call->arguments)) return true;
      } else if (volatile_expr(f.call)) {
        return true;
      }
    }
    for (const ExprList& row : entry.values) {
      if (volatile_list(row)) return true;
    }
  }
  for (const CommonTable& cte : q.ctes) {
    if (cte.query && volatile_query(*cte.query)) return true;
  }
  return volatile_expr(q.where) || volatile_expr(q.having) || volatile_expr(q.limit) || volatile_expr(q.offset) ||
         volatile_list(q.group_by) || volatile_from(q.from);
}

// Most expressions are columns and constants.
bool has_no_children(const Expr& e) {
  return e.kind == ExprKind::kVar || e.kind == ExprKind::kColumn || e.kind == ExprKind::kConst ||
         e.kind == ExprKind::kParam || e.kind == ExprKind::kRuntimeParam;
}

}  // namespace

void raise_unexpected_kind(ExprKind found, ExprKind expected) {
  throw RaisedError(Error(sqlstate::kInternalError, "an expression of kind " + std::to_string(static_cast<int>(found)) +
                                                        " where one of kind " +
                                                        std::to_string(static_cast<int>(expected)) + " was expected"));
}

// Planning is made of these walks: here it looks whether it is to stop.
constexpr uint64_t kUnitsOfChild = 10;

void for_each_child(const Expr& e, Visit visit) {
  if (has_no_children(e)) return;
  require_stack();  // what visits and maps is recursive, and as deep as users nest
  dispatch(e, [&](const auto& n) {
    children(n, [&](const ExprPtr& c) {
      note_work(kUnitsOfChild);
      if (c) visit(c);
    });
  });
}

ExprPtr map_children(const ExprPtr& e, Map map) {
  if (has_no_children(*e)) return e;
  require_stack();
  return dispatch(*e, [&](const auto& n) -> ExprPtr {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(n)>, NullIfExpr>) {
      const ExprPtr equal = map_children(n.equal, map);  // its arguments; itself it stays what it is
      if (equal == n.equal) return e;
      auto copy = std::make_shared<NullIfExpr>(n);
      copy->equal = equal;
      return copy;
    }
    absl::InlinedVector<ExprPtr, kUsualChildren> mapped;
    bool changed = false;
    children(n, [&](const ExprPtr& c) {
      note_work(kUnitsOfChild);
      mapped.push_back(c ? map(c) : nullptr);
      changed = changed || mapped.back() != c;
    });
    if (!changed) return e;
    auto copy = std::make_shared<std::remove_cvref_t<decltype(n)>>(n);
    size_t i = 0;
    children(*copy, [&](ExprPtr& c) { c = std::move(mapped[i++]); });
    return copy;
  });
}

bool equal(const Expr& a, const Expr& b) {
  constexpr uint64_t kUnitsOfComparison = 10;
  if (&a == &b) return true;
  require_stack();
  note_work(kUnitsOfComparison);
  if (a.kind != b.kind || a.type.oid != b.type.oid || a.type.typmod != b.type.typmod) return false;
  const bool same = dispatch(a, [&](const auto& n) { return same_own(n, static_cast<decltype(n)>(b)); });
  if (!same || has_no_children(a)) return same;
  const auto left = child_list(a), right = child_list(b);
  if (left.size() != right.size()) return false;
  for (size_t i = 0; i < left.size(); i++) {
    if (!*left[i] != !*right[i]) return false;
    if (*left[i] && !equal(**left[i], **right[i])) return false;
  }
  return true;
}

bool contains_volatile(const Expr& e) {
  if (e.kind == ExprKind::kCall) {
    const auto& call = as<CallExpr>(e);
    if (call.volatility == types::Volatility::kVolatile || call.returns_set) return true;
  }
  if (e.kind == ExprKind::kSubLink && volatile_query(*as<SubLinkExpr>(e).query)) return true;
  bool found = false;
  for_each_child(e, [&](const ExprPtr& c) { found = found || contains_volatile(*c); });
  return found;
}

}  // namespace indigo::sql
