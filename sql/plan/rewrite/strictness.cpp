#include "sql/plan/rewrite/strictness.h"

namespace indigo::sql::planning {
namespace {

// top: the expression is true; otherwise: it is not null.
RelSet find_rels(const Level& level, const ExprPtr& e, bool top) {
  if (!e) return {};
  switch (e->kind) {
    case ExprKind::kVar: return level.rels_of(e);
    case ExprKind::kCall: {
      const auto& call = as<CallExpr>(*e);
      RelSet out;
      if (call.strict && !call.returns_set) {
        for (const ExprPtr& a : call.arguments) out |= find_rels(level, a, false);
      }
      return out;
    }
    case ExprKind::kBool: {
      const auto& b = as<BoolExpr>(*e);
      if (b.op == BoolExpr::Op::kNot) return find_rels(level, b.arguments[0], false);
      if (b.op == BoolExpr::Op::kAnd && top) {
        RelSet out;
        for (const ExprPtr& a : b.arguments) out |= find_rels(level, a, true);
        return out;
      }
      // OR, or AND that is only known not to be null: what all arguments have in common.
      RelSet out = find_rels(level, b.arguments[0], top);
      for (const ExprPtr& a : b.arguments) out = out & find_rels(level, a, top);
      return out;
    }
    case ExprKind::kArrayCompare: {
      const auto& c = as<ArrayCompareExpr>(*e);
      return c.any ? find_rels(level, c.left, false) : RelSet();
    }
    case ExprKind::kRelabel: return find_rels(level, as<RelabelExpr>(*e).argument, top);
    case ExprKind::kIoCast: return find_rels(level, as<IoCastExpr>(*e).argument, false);
    case ExprKind::kRowCast: return find_rels(level, as<RowCastExpr>(*e).argument, false);
    case ExprKind::kArrayCast: return find_rels(level, as<ArrayCastExpr>(*e).argument, false);
    case ExprKind::kCollate: return find_rels(level, as<CollateExpr>(*e).argument, top);
    case ExprKind::kNullTest: {
      const auto& t = as<NullTestExpr>(*e);
      return top && !t.is_null && !t.row ? find_rels(level, t.argument, false) : RelSet();
    }
    case ExprKind::kBooleanTest: {
      using T = BooleanTestExpr::Test;
      const auto& t = as<BooleanTestExpr>(*e);
      const bool rejects = t.test == T::kTrue || t.test == T::kFalse || t.test == T::kNotUnknown;
      return top && rejects ? find_rels(level, t.argument, false) : RelSet();
    }
    default: return {};
  }
}

void find_vars(const ExprPtr& e, bool top, VarSet& out) {
  switch (e->kind) {
    case ExprKind::kVar:
      if (as<VarExpr>(*e).levels_up == 0) out.add(as<VarExpr>(*e).entry, as<VarExpr>(*e).column);
      return;
    case ExprKind::kCall:
      if (as<CallExpr>(*e).strict && !as<CallExpr>(*e).returns_set) {
        for (const ExprPtr& a : as<CallExpr>(*e).arguments) find_vars(a, false, out);
      }
      return;
    case ExprKind::kBool: {
      const auto& b = as<BoolExpr>(*e);
      if (b.op == BoolExpr::Op::kNot || (b.op == BoolExpr::Op::kAnd && top)) {
        for (const ExprPtr& a : b.arguments) find_vars(a, b.op != BoolExpr::Op::kNot, out);
      }
      return;
    }
    case ExprKind::kArrayCompare:
      if (as<ArrayCompareExpr>(*e).any) find_vars(as<ArrayCompareExpr>(*e).left, false, out);
      return;
    case ExprKind::kRelabel: find_vars(as<RelabelExpr>(*e).argument, top, out); return;
    case ExprKind::kNullTest:
      if (top && !as<NullTestExpr>(*e).is_null && !as<NullTestExpr>(*e).row)
        find_vars(as<NullTestExpr>(*e).argument, false, out);
      return;
    default: return;
  }
}

}  // namespace

RelSet nonnullable_rels(const Level& level, const ExprPtr& condition) { return find_rels(level, condition, true); }

void nonnullable_vars(const ExprPtr& condition, VarSet& out) {
  if (condition) find_vars(condition, true, out);
}

bool is_null_preserving(const ExprPtr& e) {
  if (!e) return false;
  VarSet vars;
  find_vars(e, false, vars);
  return !vars.pairs().empty();
}

}  // namespace indigo::sql::planning
