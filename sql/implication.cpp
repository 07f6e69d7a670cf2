#include "sql/implication.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sql/analyze/make.h"
#include "sql/analyze/type/coerce.h"
#include "types/function/registry.h"
#include "types/oids.h"
#include "types/value/array_format.h"
#include "types/value/collator.h"

namespace indigo::sql {

namespace {

// expression op constant; strategy 1..5 is < <= = >= >, 6 is <>.
struct Comparison {
  ExprPtr expression;
  const ConstExpr* constant = nullptr;
  int strategy = 0;
  Oid collation = kInvalidOid;
};

std::optional<Comparison> comparison(catalog::CatalogView& catalog, const ExprPtr& e) {
  const auto* call = try_as<CallExpr>(e);
  if (call == nullptr || call->op == kInvalidOid || call->arguments.size() != 2) return std::nullopt;
  Comparison out;
  out.strategy = catalog.btree_strategy(call->op);
  if (out.strategy == 0) {
    const types::OperatorInfo* op = catalog.operator_by_oid(call->op);
    if (op == nullptr || op->negator == kInvalidOid || catalog.btree_strategy(op->negator) != 3) return std::nullopt;
    out.strategy = 6;
  }
  out.collation = call->collation;
  out.expression = call->arguments[0];
  out.constant = try_as<ConstExpr>(call->arguments[1]);
  if (out.constant == nullptr) {
    out.expression = call->arguments[1];
    out.constant = try_as<ConstExpr>(call->arguments[0]);
    if (out.strategy != 6) out.strategy = 6 - out.strategy;
  }
  if (out.constant == nullptr || out.constant->value.get().null) return std::nullopt;
  return out;
}

// order: of the fact's constant against the conclusion's.
bool follows(int fact, int conclusion, int order) {
  switch (fact) {
    case 1: return order <= 0 && (conclusion <= 2 || conclusion == 6);
    case 2: return conclusion == 2 ? order <= 0 : (conclusion == 1 || conclusion == 6) && order < 0;
    case 3:
      switch (conclusion) {
        case 1: return order < 0;
        case 2: return order <= 0;
        case 3: return order == 0;
        case 4: return order >= 0;
        case 5: return order > 0;
        default: return order != 0;
      }
    case 4: return conclusion == 4 ? order >= 0 : (conclusion == 5 || conclusion == 6) && order > 0;
    case 5: return order >= 0 && conclusion >= 4;
    default: return conclusion == 6 && order == 0;
  }
}

// Constants of one type, or of two whose operators are of one btree family and that are compared without any setting.
std::optional<int> order_between(catalog::CatalogView& catalog, const ConstExpr& a, const ConstExpr& b) {
  const Datum &x = a.value.get(), &y = b.value.get();
  if (a.type.oid == b.type.oid) {
    const types::TypeOrder* order = types::type_order(a.type.oid);
    if (order == nullptr || order->compare == nullptr) return std::nullopt;
    return order->compare(x, y, catalog.collator(a.type.collation));
  }
  const auto sign = [](const auto& l, const auto& r) { return l < r ? -1 : l > r ? 1 : 0; };
  const auto integer = [](const ConstExpr& c) -> std::optional<int64_t> {
    switch (c.type.oid) {
      case oid::kInt2: return c.value.get().i16;
      case oid::kInt4: return c.value.get().i32;
      case oid::kInt8: return c.value.get().i64;
      default: return std::nullopt;
    }
  };
  if (const auto l = integer(a), r = integer(b); l && r) return sign(*l, *r);
  const auto real = [](const ConstExpr& c) -> std::optional<double> {
    if (c.type.oid == oid::kFloat4) return static_cast<double>(c.value.get().f32);
    return c.type.oid == oid::kFloat8 ? std::optional(c.value.get().f64) : std::nullopt;
  };
  if (const auto l = real(a), r = real(b); l && r && !std::isnan(*l) && !std::isnan(*r)) return sign(*l, *r);
  return std::nullopt;
}

bool comparison_follows(catalog::CatalogView& catalog, const ExprPtr& fact, const ExprPtr& conclusion) {
  const auto f = comparison(catalog, fact), c = comparison(catalog, conclusion);
  if (!f || !c || f->collation != c->collation || !equal(f->expression, c->expression)) return false;
  const auto order = order_between(catalog, *f->constant, *c->constant);
  return order && follows(f->strategy, c->strategy, *order);
}

// A condition as what it is made of.
struct Parts {
  enum class Kind : uint8_t { kOne, kAll, kAny } kind = Kind::kOne;
  ExprList conditions;
};

// x op ANY | ALL (list), as a comparison for each element; longer lists stay whole, as in PostgreSQL.
constexpr size_t kMaxListed = 100;
std::optional<ExprList> compared_elements(catalog::CatalogView& catalog, const ArrayCompareExpr& e) {
  ExprList elements;
  if (const auto* list = try_as<ArrayExpr>(e.array); list != nullptr && !list->multidimensional) {
    elements = list->elements;
  } else if (const auto* constant = try_as<ConstExpr>(e.array); constant != nullptr && !constant->value.get().null) {
    const auto array = catalog.type(base_type(catalog, constant->type.oid));
    if (array == nullptr || array->element == kInvalidOid) return std::nullopt;
    const ArrayView view(constant->value.get().str);
    if (static_cast<size_t>(view.count()) > kMaxListed) return std::nullopt;
    for (int32_t i = 0; i < view.count(); i++)
      elements.push_back(make_const({array->element, -1, constant->type.collation}, view.element(i)));
  } else {
    return std::nullopt;
  }
  const auto function = catalog.function(e.function);
  if (elements.size() > kMaxListed || function == nullptr) return std::nullopt;
  ExprList out;
  for (const ExprPtr& element : elements) {
    auto call = std::make_shared<CallExpr>();
    call->type = e.type;
    call->function = e.function;
    call->op = e.op;
    call->form = CallExpr::Form::kOperator;
    call->collation = e.collation;
    call->strict = function->strict;
    call->volatility = function->volatility;
    call->arguments = {e.left, element};
    out.push_back(std::move(call));
  }
  return out;
}

Parts parts_of(catalog::CatalogView& catalog, const ExprPtr& e) {
  Parts out;
  if (const auto* b = try_as<BoolExpr>(e); b != nullptr && b->op != BoolExpr::Op::kNot) {
    out.kind = b->op == BoolExpr::Op::kAnd ? Parts::Kind::kAll : Parts::Kind::kAny;
    out.conditions = b->arguments;
  } else if (const auto* list = try_as<ArrayCompareExpr>(e)) {
    if (auto elements = compared_elements(catalog, *list)) {
      out.kind = list->any ? Parts::Kind::kAny : Parts::Kind::kAll;
      out.conditions = std::move(*elements);
    }
  }
  return out;
}

// Is `e` null (or false, where that is said to do) whenever x is null?
bool is_strict_on(catalog::CatalogView& catalog, const ExprPtr& e, const ExprPtr& x, bool or_false) {
  if (equal(e, x)) return true;
  switch (e->kind) {
    case ExprKind::kRelabel: return is_strict_on(catalog, as<RelabelExpr>(*e).argument, x, or_false);
    case ExprKind::kCollate: return is_strict_on(catalog, as<CollateExpr>(*e).argument, x, or_false);
    case ExprKind::kIoCast: return is_strict_on(catalog, as<IoCastExpr>(*e).argument, x, false);
    case ExprKind::kArrayCast: return is_strict_on(catalog, as<ArrayCastExpr>(*e).argument, x, false);
    case ExprKind::kCall: {
      const auto& call = as<CallExpr>(*e);
      return call.strict && !call.returns_set &&
             std::any_of(call.arguments.begin(), call.arguments.end(),
                         [&](const ExprPtr& a) { return is_strict_on(catalog, a, x, false); });
    }
    case ExprKind::kArrayCompare: {
      // An empty list answers without looking at x.
      const auto& list = as<ArrayCompareExpr>(*e);
      const auto function = catalog.function(list.function);
      if (function == nullptr || !function->strict || !is_strict_on(catalog, list.left, x, false)) return false;
      const auto elements = compared_elements(catalog, list);
      return (list.any && or_false) || (elements && !elements->empty());
    }
    default: return false;
  }
}

bool has_null_argument(const ExprPtr& e) {
  const auto* call = try_as<CallExpr>(e);
  return call != nullptr && call->strict &&
         std::any_of(call->arguments.begin(), call->arguments.end(), [](const ExprPtr& a) { return is_null_const(a); });
}

bool gives(catalog::CatalogView& catalog, const ExprPtr& fact, const ExprPtr& conclusion) {
  if (equal(fact, conclusion)) return true;
  const Parts f = parts_of(catalog, fact), c = parts_of(catalog, conclusion);
  const auto part_gives = [&](const ExprPtr& part) { return gives(catalog, part, conclusion); };
  const auto gives_part = [&](const ExprPtr& part) { return gives(catalog, fact, part); };
  using Kind = Parts::Kind;
  if (c.kind == Kind::kAll) return std::all_of(c.conditions.begin(), c.conditions.end(), gives_part);
  if (f.kind == Kind::kAny) return std::all_of(f.conditions.begin(), f.conditions.end(), part_gives);
  if (f.kind == Kind::kAll && std::any_of(f.conditions.begin(), f.conditions.end(), part_gives)) return true;
  if (c.kind == Kind::kAny && std::any_of(c.conditions.begin(), c.conditions.end(), gives_part)) return true;
  if (has_null_argument(fact)) return true;  // it is never true
  if (const auto* test = try_as<NullTestExpr>(conclusion); test != nullptr && !test->is_null && !test->row) {
    return is_strict_on(catalog, fact, test->argument, true);
  }
  return f.kind == Kind::kOne && c.kind == Kind::kOne && comparison_follows(catalog, fact, conclusion);
}

}  // namespace

bool implies(catalog::CatalogView& catalog, const ExprList& facts, const ExprPtr& conclusion) {
  const Parts c = parts_of(catalog, conclusion);
  const auto follow = [&](const ExprPtr& part) { return implies(catalog, facts, part); };
  if (c.kind == Parts::Kind::kAll) return std::all_of(c.conditions.begin(), c.conditions.end(), follow);
  // A part may follow from several facts together.
  if (c.kind == Parts::Kind::kAny && std::any_of(c.conditions.begin(), c.conditions.end(), follow)) return true;
  return std::any_of(facts.begin(), facts.end(), [&](const ExprPtr& fact) { return gives(catalog, fact, conclusion); });
}

namespace {

bool only_parameters(const ExprPtr& e) {
  if (e->kind == ExprKind::kParam || e->kind == ExprKind::kConst) return true;
  const auto* call = try_as<CallExpr>(e);
  if (call != nullptr && call->volatility == types::Volatility::kVolatile) return false;
  if (call == nullptr && e->kind != ExprKind::kRelabel && e->kind != ExprKind::kIoCast) return false;
  bool all = true;
  for_each_child(*e, [&](const ExprPtr& child) { all = all && only_parameters(child); });
  return all;
}

bool same_given(const ExprPtr& fact, const ExprPtr& conclusion, std::vector<Premise>& premises) {
  if (equal(fact, conclusion)) return true;
  if (const auto* constant = try_as<ConstExpr>(conclusion)) {
    if (constant->value.get().null || fact->type.oid != constant->type.oid || !only_parameters(fact)) return false;
    premises.push_back({fact, conclusion});
    return true;
  }
  const auto all_same = [&](const ExprList& a, const ExprList& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](const ExprPtr& x, const ExprPtr& y) { return same_given(x, y, premises); });
  };
  if (const auto* f = try_as<CallExpr>(fact), *c = try_as<CallExpr>(conclusion); f != nullptr && c != nullptr) {
    return f->function == c->function && f->collation == c->collation && all_same(f->arguments, c->arguments);
  }
  if (const auto* f = try_as<BoolExpr>(fact), *c = try_as<BoolExpr>(conclusion); f != nullptr && c != nullptr) {
    return f->op == c->op && all_same(f->arguments, c->arguments);
  }
  return false;
}

bool fact_gives_given(catalog::CatalogView& catalog, const ExprPtr& fact, const ExprPtr& conclusion,
                      std::vector<Premise>& premises) {
  if (const auto* b = try_as<BoolExpr>(fact); b != nullptr && b->op == BoolExpr::Op::kAnd) {
    return std::any_of(b->arguments.begin(), b->arguments.end(),
                       [&](const ExprPtr& part) { return fact_gives_given(catalog, part, conclusion, premises); });
  }
  const size_t before = premises.size();
  if (same_given(fact, conclusion, premises)) return true;
  premises.resize(before);
  return false;
}

}  // namespace

bool implies_given(catalog::CatalogView& catalog, const ExprList& facts, const ExprPtr& conclusion,
                   std::vector<Premise>& premises) {
  if (implies(catalog, facts, conclusion)) return true;
  if (const auto* b = try_as<BoolExpr>(conclusion); b != nullptr && b->op == BoolExpr::Op::kAnd) {
    return std::all_of(b->arguments.begin(), b->arguments.end(),
                       [&](const ExprPtr& part) { return implies_given(catalog, facts, part, premises); });
  }
  return std::any_of(facts.begin(), facts.end(),
                     [&](const ExprPtr& fact) { return fact_gives_given(catalog, fact, conclusion, premises); });
}

}  // namespace indigo::sql
