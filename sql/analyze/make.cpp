#include "sql/analyze/make.h"

#include "sql/query_walk.h"
#include "types/function/registry.h"
#include "types/oids.h"

namespace indigo::sql {

ExprPtr make_const(const TypeRef& type, const Datum& value, int location) {
  auto e = std::make_shared<ConstExpr>();
  e->type = type;
  e->value = OwnedDatum(value);
  e->location = location;
  return e;
}

ExprPtr make_null(catalog::CatalogView& catalog, const TypeRef& type, int location) {
  auto info = catalog.type(type.oid);
  return make_const(type, Datum::make_null(info ? info->phys : Phys::kStr), location);
}

ExprPtr make_bool(bool value, int location) {
  return make_const({oid::kBool, -1, kInvalidOid}, Datum::of(value), location);
}
ExprPtr make_int4(int32_t value, int location) {
  return make_const({oid::kInt4, -1, kInvalidOid}, Datum::of(value), location);
}
ExprPtr make_unknown(std::string_view text, int location) {
  return make_const({oid::kUnknown, -1, kInvalidOid}, Datum::of(Str(text)), location);
}
ExprPtr make_unknown_null(int location) {
  return make_const({oid::kUnknown, -1, kInvalidOid}, Datum::make_null(Phys::kStr), location);
}

namespace {

ExprPtr make_bool_expr(BoolExpr::Op op, ExprList list, int location) {
  auto e = std::make_shared<BoolExpr>();
  e->op = op;
  e->type.oid = oid::kBool;
  e->arguments = std::move(list);
  e->location = location;
  return e;
}

}  // namespace

ExprPtr make_and(ExprList list, int location) {
  if (list.empty()) return make_bool(true, location);
  if (list.size() == 1) return list[0];
  return make_bool_expr(BoolExpr::Op::kAnd, std::move(list), location);
}
ExprPtr make_or(ExprList list, int location) {
  if (list.empty()) return make_bool(false, location);
  if (list.size() == 1) return list[0];
  return make_bool_expr(BoolExpr::Op::kOr, std::move(list), location);
}
ExprPtr make_not(ExprPtr e, int location) { return make_bool_expr(BoolExpr::Op::kNot, {std::move(e)}, location); }

ExprPtr make_var(int entry, int column, const TypeRef& type, int levels_up, int location) {
  auto v = std::make_shared<VarExpr>();
  v->entry = entry;
  v->column = column;
  v->levels_up = levels_up;
  v->type = type;
  v->location = location;
  return v;
}

ExprPtr make_relabel(ExprPtr e, const TypeRef& type, bool implicit, int location) {
  auto r = std::make_shared<RelabelExpr>();
  r->argument = std::move(e);
  r->type = type;
  if (r->type.collation != kInvalidOid && r->argument->type.collation != kInvalidOid)
    r->type.collation = r->argument->type.collation;
  r->implicit = implicit;
  r->location = location;
  return r;
}

ExprPtr make_null_test(ExprPtr e, bool is_null, int location) {
  auto t = std::make_shared<NullTestExpr>();
  t->argument = std::move(e);
  t->is_null = is_null;
  t->type.oid = oid::kBool;
  t->location = location;
  return t;
}

int expr_location(const ExprPtr& e) {
  int at = e->location;
  switch (e->kind) {
    case ExprKind::kVar:
    case ExprKind::kConst:
    case ExprKind::kParam:
    case ExprKind::kCase:
    case ExprKind::kCoalesce:
    case ExprKind::kGreatestLeast:
    case ExprKind::kArray:
    case ExprKind::kRow:
    case ExprKind::kAggregate:
    case ExprKind::kWindowCall:
    case ExprKind::kGrouping:
    case ExprKind::kSessionValue: return at;
    case ExprKind::kCollate: return expr_location(as<CollateExpr>(*e).argument);
    default: break;
  }
  for_each_child(*e, [&](const ExprPtr& c) {
    const int inner = expr_location(c);
    if (inner >= 0 && (at < 0 || inner < at)) at = inner;
  });
  return at;
}

const ConstExpr* unknown_literal(const ExprPtr& e) {
  const auto* c = try_as<ConstExpr>(e);
  return c && c->type.oid == oid::kUnknown && !c->value.get().null ? c : nullptr;
}

bool is_null_const(const ExprPtr& e) {
  const auto* c = try_as<ConstExpr>(e);
  return c && c->value.get().null;
}

TypeRef type_with_collation(catalog::CatalogView& catalog, TypeRef type) {
  if (type.collation == kInvalidOid && type.oid != kInvalidOid) {
    switch (type.oid) {  // the common ones without a look-up
      case oid::kText:
      case oid::kVarchar:
      case oid::kBpchar: type.collation = oid::kDefaultCollation; break;
      case oid::kBool:
      case oid::kInt2:
      case oid::kInt4:
      case oid::kInt8:
      case oid::kNumeric:
      case oid::kFloat8:
      case oid::kUnknown: break;
      default:
        if (auto info = catalog.type(type.oid)) type.collation = info->collation;
    }
  }
  return type;
}

namespace {

// Moves what belongs to level `depth` or above, seen from inside `depth` nested subqueries, up by `levels`.
class LevelRaiser {
 public:
  explicit LevelRaiser(int levels) : levels_(levels) {}

  ExprPtr expr(const ExprPtr& e, int depth) {
    if (!e) return e;
    switch (e->kind) {
      case ExprKind::kVar: return raised<VarExpr>(e, depth);
      case ExprKind::kWholeRow: return raised<WholeRowExpr>(e, depth);
      case ExprKind::kAggregate:
        if (as<AggregateExpr>(*e).levels_up >= depth) return raised<AggregateExpr>(below(e, depth), depth);
        return below(e, depth);
      case ExprKind::kSubLink: {
        auto copy = std::make_shared<SubLinkExpr>(as<SubLinkExpr>(*e));
        copy->test = expr(copy->test, depth);
        copy->query = map_query(copy->query, depth);
        return copy;
      }
      default: return below(e, depth);
    }
  }

 private:
  template <class N>
  ExprPtr raised(const ExprPtr& e, int depth) {
    if (as<N>(*e).levels_up < depth) return e;
    auto copy = std::make_shared<N>(as<N>(*e));
    copy->levels_up += levels_;
    return copy;
  }
  ExprPtr below(const ExprPtr& e, int depth) {
    return map_children(e, [&](const ExprPtr& c) { return expr(c, depth); });
  }
  std::shared_ptr<const Query> map_query(const std::shared_ptr<const Query>& q, int depth) {
    return map_expressions(
        q, [&](const ExprPtr& e, int inner) { return expr(e, depth + 1 + inner); },
        [&](int& cte_levels, int inner) {
          if (cte_levels >= depth + 1 + inner) cte_levels += levels_;
        });
  }

  int levels_;
};

}  // namespace

ExprPtr raise_levels(const ExprPtr& e, int levels) {
  if (levels == 0 || !e) return e;
  if (const auto* v = try_as<VarExpr>(e)) {
    return make_var(v->entry, v->column, v->type, v->levels_up + levels, v->location);
  }
  return LevelRaiser(levels).expr(e, 0);
}

bool returns_set(const ExprPtr& e) {
  if (!e) return false;
  if (const auto* call = try_as<CallExpr>(e); call && call->returns_set) return true;
  bool found = false;
  for_each_child(*e, [&](const ExprPtr& c) { found = found || returns_set(c); });
  return found;
}

bool contains_vars(const ExprPtr& e) {
  bool found = false;
  visit_expressions(e, [&](const Expr& x, int depth) {
    if (x.kind == ExprKind::kVar) found = found || as<VarExpr>(x).levels_up == depth;
    if (x.kind == ExprKind::kWholeRow) found = found || as<WholeRowExpr>(x).levels_up == depth;
    return !found;
  });
  return found;
}

}  // namespace indigo::sql
