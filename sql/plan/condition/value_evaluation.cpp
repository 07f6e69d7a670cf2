#include "sql/plan/condition/value_evaluation.h"

#include "sql/plan/condition/column_selectivity.h"
#include "sql/plan/condition/distinct_values.h"
#include "sql/routine.h"
#include "types/function/registry.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::sql::planning {
namespace {

constexpr size_t kMaxListed = 40;

}  // namespace

std::optional<ExprList> listed_elements(const Level& level, const ExprPtr& list, size_t most) {
  const ExprPtr& array = stripped(list);
  if (const auto* written = try_as<ArrayExpr>(array)) {
    if (written->elements.size() > most) return std::nullopt;
    return written->elements;
  }
  const Datum* known = value_of(level, array);
  if (known == nullptr || known->null || known->phys != Phys::kStr) return std::nullopt;
  const ArrayView view(known->str);
  if (view.count() > static_cast<int32_t>(most)) return std::nullopt;
  ExprList out;
  for (int32_t i = 0; i < view.count(); i++) {
    auto element = std::make_shared<ConstExpr>();
    element->type = {view.element_type(), -1, array->type.collation};
    element->value = OwnedDatum(view.element(i));
    out.push_back(std::move(element));
  }
  return out;
}

ValueEvaluation::ValueEvaluation(Level& level, size_t count)
    : level_(level), context_(level.s.session), count_(static_cast<uint32_t>(count)) {
  context_.set_arena(&arena_);
}

void ValueEvaluation::bind(const ExprPtr& attribute, const std::vector<Datum>& values) {
  Vector& v = made_.emplace_back();
  Phys phys = types::physical_of(attribute->type.oid);
  for (const Datum& d : values) {
    if (!d.null) phys = d.phys;
  }
  v.init(phys, count_);
  for (uint32_t i = 0; i < count_; i++) {
    if (values[i].null) {
      v.set_null(i);
    } else {
      v.set_datum(i, values[i]);
    }
  }
  bindings_.push_back({attribute, &v});
}

const Vector* ValueEvaluation::run(const ExprPtr& e) {
  for (const Binding& b : bindings_) {
    if (equal(b.attribute, e)) return b.values;
  }
  switch (e->kind) {
    case ExprKind::kConst: return constant(as<ConstExpr>(*e).value.get());
    case ExprKind::kParam: {
      const auto index = static_cast<size_t>(as<ParamExpr>(*e).index);
      const auto known = level_.s.sample_parameters;
      return index < known.size() ? constant(known[index]) : nullptr;
    }
    case ExprKind::kRelabel: return run(as<RelabelExpr>(*e).argument);
    case ExprKind::kCall: return call(as<CallExpr>(*e));
    case ExprKind::kArrayCompare: return compare_list(as<ArrayCompareExpr>(*e));
    case ExprKind::kBool: return combine(as<BoolExpr>(*e));
    case ExprKind::kNullTest: return test_null(as<NullTestExpr>(*e));
    default: return nullptr;
  }
}

Vector& ValueEvaluation::fresh(const TypeRef& type) {
  Vector& v = made_.emplace_back();
  v.init(types::physical_of(type.oid), count_);
  return v;
}

const Vector* ValueEvaluation::constant(const Datum& d) {
  Vector& v = made_.emplace_back();
  v.set_constant(d);
  return &v;
}

const Vector* ValueEvaluation::call(const CallExpr& e) {
  // Operators that depend on settings (a time zone) say enough for an estimate.
  if (e.returns_set || e.volatility == types::Volatility::kVolatile ||
      (e.volatility != types::Volatility::kImmutable && e.op == kInvalidOid))
    return nullptr;
  std::vector<const Vector*> arguments;
  for (const ExprPtr& a : e.arguments) {
    const Vector* value = run(a);
    if (value == nullptr) return nullptr;
    arguments.push_back(value);
  }
  return apply(e.function, e.type, e.collation, e.variadic_array, e.arguments, arguments);
}

const Vector* ValueEvaluation::apply(Oid function, const TypeRef& type, Oid collation, bool variadic,
                                     const ExprList& of, const std::vector<const Vector*>& arguments) {
  const types::ScalarFunction* f = types::find_scalar(function);
  const auto known = level_.s.catalog().type(type.oid);
  if (f == nullptr || !known || known->kind != 'b' || is_routine(level_.s.catalog(), function)) return nullptr;
  types::CallInfo info;
  info.function = function;
  info.result = type;
  info.collation = collation;
  info.variadic_array = variadic;
  for (const ExprPtr& a : of) info.arguments.push_back(a->type);
  Vector& out = fresh(type);
  f->kernel(context_, info, arguments, Selection{nullptr, count_}, out);
  return context_.failed() ? nullptr : &out;
}

// x = ANY (list): true where some element says so, x <> ALL (list): where all do.
const Vector* ValueEvaluation::compare_list(const ArrayCompareExpr& e) {
  const auto elements = listed_elements(level_, e.array, kMaxListed);
  if (!elements || elements->empty()) return nullptr;
  const Vector* left = run(e.left);
  if (left == nullptr) return nullptr;
  const TypeRef boolean{oid::kBool, -1, kInvalidOid};
  Vector& out = fresh(boolean);
  for (uint32_t i = 0; i < count_; i++) out.set<bool>(i, !e.any);
  for (const ExprPtr& element : *elements) {
    const Vector* right = run(element);
    const Vector* one =
        right == nullptr ? nullptr : apply(e.function, boolean, e.collation, false, {e.left, element}, {left, right});
    if (one == nullptr) return nullptr;
    for (uint32_t i = 0; i < count_; i++) {
      const bool holds = !one->is_null(i) && one->get<bool>(i);
      if (holds == e.any) out.set<bool>(i, e.any);
    }
  }
  return &out;
}

// AND, OR and NOT of three values.
const Vector* ValueEvaluation::combine(const BoolExpr& e) {
  std::vector<const Vector*> arguments;
  for (const ExprPtr& a : e.arguments) {
    const Vector* value = run(a);
    if (value == nullptr || value->phys() != Phys::kBool) return nullptr;
    arguments.push_back(value);
  }
  Vector& out = fresh({oid::kBool, -1, kInvalidOid});
  const bool decides = e.op == BoolExpr::Op::kOr;  // an argument that is this decides
  for (uint32_t i = 0; i < count_; i++) {
    bool decided = false, unknown = false;
    for (const Vector* a : arguments) {
      const Datum d = a->datum(i);
      unknown |= d.null;
      decided |= !d.null && d.b == decides;
    }
    if (e.op == BoolExpr::Op::kNot) {
      decided = false;
      if (!unknown) out.set<bool>(i, !arguments[0]->datum(i).b);
    } else if (decided || !unknown) {
      out.set<bool>(i, decided ? decides : !decides);
    }
    if (unknown && !decided) out.set_null(i);
  }
  return &out;
}

const Vector* ValueEvaluation::test_null(const NullTestExpr& e) {
  const Vector* argument = run(e.argument);
  if (argument == nullptr) return nullptr;
  Vector& out = fresh({oid::kBool, -1, kInvalidOid});
  for (uint32_t i = 0; i < count_; i++) out.set<bool>(i, argument->datum(i).null == e.is_null);
  return &out;
}

}  // namespace indigo::sql::planning
