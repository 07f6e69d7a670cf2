#include "sql/implication.h"

#include <algorithm>
#include <optional>

#include "types/function/registry.h"
#include "types/value/collator.h"

namespace indigo::sql {

namespace {

// expression op constant; strategy 1..5 is < <= = >= >, 6 is <>.
struct Comparison {
  ExprPtr expression;
  const ConstExpr* constant = nullptr;
  int strategy = 0;
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

bool comparison_follows(catalog::CatalogView& catalog, const ExprPtr& fact, const ExprPtr& conclusion) {
  const auto f = comparison(catalog, fact), c = comparison(catalog, conclusion);
  if (!f || !c || !equal(f->expression, c->expression) || f->constant->type.oid != c->constant->type.oid) return false;
  const types::TypeOrder* order = types::type_order(f->constant->type.oid);
  if (order == nullptr || order->compare == nullptr) return false;
  const int way =
      order->compare(f->constant->value.get(), c->constant->value.get(), catalog.collator(f->constant->type.collation));
  return follows(f->strategy, c->strategy, way);
}

bool is_strict_on(const ExprPtr& condition, const ExprPtr& x) {
  const auto* call = try_as<CallExpr>(condition);
  return call != nullptr && call->strict &&
         std::any_of(call->arguments.begin(), call->arguments.end(), [&](const ExprPtr& a) { return equal(a, x); });
}

bool fact_gives(catalog::CatalogView& catalog, const ExprPtr& fact, const ExprPtr& conclusion) {
  if (equal(fact, conclusion)) return true;
  if (const auto* b = try_as<BoolExpr>(fact); b != nullptr && b->op != BoolExpr::Op::kNot) {
    const auto gives = [&](const ExprPtr& part) { return fact_gives(catalog, part, conclusion); };
    return b->op == BoolExpr::Op::kAnd ? std::any_of(b->arguments.begin(), b->arguments.end(), gives)
                                       : std::all_of(b->arguments.begin(), b->arguments.end(), gives);
  }
  if (const auto* test = try_as<NullTestExpr>(conclusion); test != nullptr && !test->is_null) {
    return is_strict_on(fact, test->argument);
  }
  return comparison_follows(catalog, fact, conclusion);
}

}  // namespace

bool implies(catalog::CatalogView& catalog, const ExprList& facts, const ExprPtr& conclusion) {
  if (const auto* b = try_as<BoolExpr>(conclusion); b != nullptr && b->op != BoolExpr::Op::kNot) {
    const auto follow = [&](const ExprPtr& part) { return implies(catalog, facts, part); };
    if (b->op == BoolExpr::Op::kAnd) return std::all_of(b->arguments.begin(), b->arguments.end(), follow);
    if (std::any_of(b->arguments.begin(), b->arguments.end(), follow)) return true;
  }
  return std::any_of(facts.begin(), facts.end(),
                     [&](const ExprPtr& fact) { return fact_gives(catalog, fact, conclusion); });
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
