#include "sql/plan/rewrite/fold.h"

#include <algorithm>

#include "base/fiber/stack_exhausted.h"
#include "base/raised_error.h"
#include "catalog/descriptor/session_context.h"
#include "sql/analyze/expression/inlined.h"
#include "sql/analyze/make.h"
#include "sql/routine.h"
#include "types/function/registry.h"
#include "types/oids.h"
#include "types/value/vector.h"

namespace indigo::sql::planning {
namespace {

// Plans live long in caches: a longer value is computed by each execution instead.
constexpr uint32_t kFoldedBytesMax = 64 << 10;

const Datum* constant(const ExprPtr& e) {
  const auto* c = try_as<ConstExpr>(e);
  return c ? &c->value.get() : nullptr;
}

// Is there a call in it that PostgreSQL computes while it plans, whatever becomes of the rest? Here it has failed, or its
// arguments are literals lifted out of the text.
bool has_computable_call(const ExprPtr& e) {
  bool found = false;
  for_each_child(*e, [&](const ExprPtr& c) { found = found || has_computable_call(c); });
  if (found || e->kind != ExprKind::kCall) return found;
  const auto& call = as<CallExpr>(*e);
  if (call.returns_set || call.volatility != types::Volatility::kImmutable) return false;
  return std::all_of(call.arguments.begin(), call.arguments.end(),
                     [](const ExprPtr& a) { return a->kind == ExprKind::kConst || a->kind == ExprKind::kParam; });
}

// b = true is b, b = false is NOT b: as PostgreSQL has it, indexes over rows for which a column is true are found either way.
ExprPtr fold_boolean_equality(catalog::SessionContext& session, const CallExpr& call) {
  constexpr Oid kEquals = 91, kDiffers = 85;  // of booleans
  if (call.op != kEquals && call.op != kDiffers) return nullptr;
  for (size_t i = 0; i < 2; i++) {
    const Datum* d = constant(call.arguments[i]);
    if (d == nullptr || d->null) continue;
    const ExprPtr& other = call.arguments[1 - i];
    return d->b == (call.op == kEquals) ? other : negate(session, other);
  }
  return nullptr;
}

ExprPtr fold_call(catalog::SessionContext& session, const ExprPtr& e, FoldRoutines routines) {
  const auto& call = as<CallExpr>(*e);
  if (call.returns_set || call.volatility == types::Volatility::kVolatile) return e;
  bool all = true, null = false;
  for (const ExprPtr& a : call.arguments) {
    const Datum* d = constant(a);
    null = null || (d && d->null);
    all = all && d != nullptr;
  }
  if (null && call.strict && std::none_of(call.arguments.begin(), call.arguments.end(), has_computable_call)) {
    return make_null(session.catalog(), e->type, e->location);
  }
  if (!all) {
    const ExprPtr same = fold_boolean_equality(session, call);
    return same != nullptr ? same : e;
  }
  if (call.volatility != types::Volatility::kImmutable) return e;
  const bool routine = is_routine(session.catalog(), call.function);
  if (routine && routines == FoldRoutines::kLeave) return e;
  std::unique_ptr<Error> failure;
  ExprPtr value = evaluate_call(session, call, &failure);
  if (routine && failure != nullptr) throw RaisedError(std::move(*failure));
  if (!value) return e;
  const Datum* d = constant(value);
  return d && !d->null && d->phys == Phys::kStr && d->str.size() > kFoldedBytesMax ? e : value;
}

ExprPtr fold_bool(catalog::SessionContext& session, const ExprPtr& e) {
  const auto& b = as<BoolExpr>(*e);
  if (b.op == BoolExpr::Op::kNot) {
    const ExprPtr& a = b.arguments[0];
    if (const Datum* d = constant(a)) return d->null ? a : make_bool(!d->b, e->location);
    return negate(session, a);
  }
  const bool is_and = b.op == BoolExpr::Op::kAnd;
  ExprList out;
  bool changed = false, null = false;
  for (const ExprPtr& a : b.arguments) {
    if (const Datum* d = constant(a)) {
      if (!d->null && d->b != is_and) return a;  // false AND ..., true OR ...
      null = null || d->null;
      changed = true;
      continue;
    }
    if (const auto* inner = try_as<BoolExpr>(a); inner && inner->op == b.op) {
      out.insert(out.end(), inner->arguments.begin(), inner->arguments.end());
      changed = true;
      continue;
    }
    out.push_back(a);
  }
  if (!changed) return e;
  if (null) out.push_back(make_null(session.catalog(), e->type, e->location));
  return is_and ? make_and(std::move(out), e->location) : make_or(std::move(out), e->location);
}

ExprPtr fold_case(const ExprPtr& e) {
  const auto& c = as<CaseExpr>(*e);
  auto out = std::make_shared<CaseExpr>(c);
  out->whens.clear();
  for (const auto& when : c.whens) {
    if (const Datum* d = constant(when.condition)) {
      if (d->null || !d->b) continue;
      if (out->whens.empty()) return when.result;
      out->otherwise = when.result;
      return out;
    }
    out->whens.push_back(when);
  }
  if (out->whens.empty()) return c.otherwise;
  return out->whens.size() == c.whens.size() ? e : ExprPtr(out);
}

ExprPtr fold_coalesce(const ExprPtr& e) {
  const auto& c = as<CoalesceExpr>(*e);
  ExprList out;
  for (const ExprPtr& a : c.arguments) {
    const Datum* d = constant(a);
    if (d && d->null && (out.size() + 1 < c.arguments.size())) continue;
    out.push_back(a);
    if (d && !d->null) break;
  }
  if (out.empty()) return c.arguments.back();
  if (out.size() == 1) return out[0];
  if (out.size() == c.arguments.size()) return e;
  // Nulls that were kept behind other arguments only because they are last do no harm.
  auto copy = std::make_shared<CoalesceExpr>(c);
  copy->arguments = std::move(out);
  return copy;
}

// Of two constants.
ExprPtr fold_null_if(catalog::SessionContext& session, const ExprPtr& e) {
  const auto& equal = as<CallExpr>(*as<NullIfExpr>(*e).equal);
  const ExprPtr &value = equal.arguments[0], &other = equal.arguments[1];
  if (!constant(value) || !constant(other)) return e;
  if (constant(value)->null || constant(other)->null) return value;
  if (equal.volatility != types::Volatility::kImmutable || is_routine(session.catalog(), equal.function)) return e;
  const ExprPtr same = evaluate_call(session, equal);
  if (!same) return e;
  return is_true(same) ? make_null(session.catalog(), e->type, e->location) : value;
}

ExprPtr fold_case_children(const CaseExpr& c, const ExprPtr& e, const std::function<ExprPtr(const ExprPtr&)>& map) {
  auto out = std::make_shared<CaseExpr>(c);
  out->whens.clear();
  out->otherwise = nullptr;
  bool changed = false;
  for (const auto& when : c.whens) {
    const ExprPtr condition = map(when.condition);
    if (is_false_or_null(condition)) {
      changed = true;
      continue;
    }
    ExprPtr result = map(when.result);
    if (is_true(condition)) {
      out->otherwise = std::move(result);
      break;
    }
    changed = changed || condition != when.condition || result != when.result;
    out->whens.push_back({condition, std::move(result)});
  }
  if (out->otherwise == nullptr) {
    out->otherwise = map(c.otherwise);
    changed = changed || out->otherwise != c.otherwise;
  } else {
    changed = true;
  }
  return changed ? ExprPtr(out) : e;
}

// Of AND, OR and COALESCE: as far as the one that decides.
template <class T, class Decides>
ExprPtr fold_list_children(const T& n, const ExprPtr& e, const std::function<ExprPtr(const ExprPtr&)>& map,
                           Decides decides) {
  auto out = std::make_shared<T>(n);
  out->arguments.clear();
  bool changed = false;
  for (const ExprPtr& a : n.arguments) {
    out->arguments.push_back(map(a));
    changed = changed || out->arguments.back() != a;
    if (decides(out->arguments.back())) break;
  }
  return changed || out->arguments.size() != n.arguments.size() ? ExprPtr(out) : e;
}

ExprPtr relabeled(const ExprPtr& e, const ExprPtr& argument) {
  const auto* c = try_as<ConstExpr>(argument);
  if (!c) return e;
  auto copy = std::make_shared<ConstExpr>(*c);
  copy->type = e->type;
  return copy;
}

}  // namespace

bool is_true(const ExprPtr& e) {
  const Datum* d = constant(e);
  return d && !d->null && d->b;
}

bool is_false_or_null(const ExprPtr& e) {
  const Datum* d = constant(e);
  return d && (d->null || !d->b);
}

ExprPtr evaluate_call(catalog::SessionContext& session, const CallExpr& call, std::unique_ptr<Error>* failure) {
  const types::ScalarFunction* f = types::find_scalar(call.function);
  if (f == nullptr) return nullptr;
  // Privileges are asked for when the statement runs: a function that not everybody may call waits until then.
  catalog::CatalogView& catalog = session.catalog();
  if (call.function >= oid::kFirstUserOid && !catalog.is_superuser(catalog.user()) &&
      !everybody_may_execute(catalog, call.function)) {
    return nullptr;
  }
  types::FuncContext context(session);
  Arena arena;
  context.set_arena(&arena);
  types::CallInfo info;
  info.function = call.function;
  info.result = call.type;
  info.collation = call.collation;
  info.variadic_array = call.variadic_array;
  std::vector<Vector> values(call.arguments.size());
  std::vector<const Vector*> pointers;
  for (size_t i = 0; i < values.size(); i++) {
    info.arguments.push_back(call.arguments[i]->type);
    values[i].set_constant(as<ConstExpr>(*call.arguments[i]).value.get());
    pointers.push_back(&values[i]);
  }
  const auto type = session.catalog().type(call.type.oid);
  if (!type || type->kind == 'p') return nullptr;
  Vector out(type->phys, 1);
  f->kernel(context, info, pointers, Selection{nullptr, 1}, out);
  if (context.failed()) {
    if (failure != nullptr) *failure = context.take_error();
    return nullptr;
  }
  return make_const(call.type, out.datum(0), call.location);
}

Status folding_failure(catalog::SessionContext& session, const ExprPtr& e) {
  Status status;
  for_each_child(*e, [&](const ExprPtr& c) {
    if (status.ok() && c != nullptr) status = folding_failure(session, c);
  });
  if (!status.ok() || e->kind != ExprKind::kCall) return status;
  const auto& call = as<CallExpr>(*e);
  if (call.returns_set || call.volatility != types::Volatility::kImmutable || call.arguments.empty()) return status;
  if (is_routine(session.catalog(), call.function)) return status;
  for (const ExprPtr& a : call.arguments)
    if (a->kind != ExprKind::kConst) return status;
  std::unique_ptr<Error> failure;
  evaluate_call(session, call, &failure);
  if (failure != nullptr) return std::move(*failure);
  return status;
}

ExprPtr negate(catalog::SessionContext& session, const ExprPtr& e) {
  if (const auto* b = try_as<BoolExpr>(e)) {
    if (b->op == BoolExpr::Op::kNot) return b->arguments[0];
    ExprList out;
    for (const ExprPtr& a : b->arguments) out.push_back(negate(session, a));
    return b->op == BoolExpr::Op::kAnd ? make_or(std::move(out), e->location) : make_and(std::move(out), e->location);
  }
  if (const auto* call = try_as<CallExpr>(e); call && call->op != kInvalidOid) {
    const types::OperatorInfo* op = session.catalog().operator_by_oid(call->op);
    const types::OperatorInfo* negator =
        op && op->negator != kInvalidOid ? session.catalog().operator_by_oid(op->negator) : nullptr;
    if (negator && types::find_scalar(negator->function)) {
      auto out = std::make_shared<CallExpr>(*call);
      out->op = negator->oid;
      out->function = negator->function;
      return out;
    }
  }
  if (const auto* test = try_as<NullTestExpr>(e); test && !test->row) {
    auto out = std::make_shared<NullTestExpr>(*test);
    out->is_null = !test->is_null;
    return out;
  }
  if (const auto* test = try_as<BooleanTestExpr>(e)) {
    using T = BooleanTestExpr::Test;
    auto out = std::make_shared<BooleanTestExpr>(*test);
    switch (test->test) {
      case T::kTrue: out->test = T::kNotTrue; break;
      case T::kNotTrue: out->test = T::kTrue; break;
      case T::kFalse: out->test = T::kNotFalse; break;
      case T::kNotFalse: out->test = T::kFalse; break;
      case T::kUnknown: out->test = T::kNotUnknown; break;
      case T::kNotUnknown: out->test = T::kUnknown; break;
    }
    return out;
  }
  if (const auto* c = try_as<ConstExpr>(e)) return c->value.get().null ? e : make_bool(!c->value.get().b, e->location);
  return make_not(e, e->location);
}

ExprPtr fold_children(const ExprPtr& e, const std::function<ExprPtr(const ExprPtr&)>& map) {
  require_stack();
  switch (e->kind) {
    case ExprKind::kCase: return fold_case_children(as<CaseExpr>(*e), e, map);
    case ExprKind::kCoalesce:
      return fold_list_children(as<CoalesceExpr>(*e), e, map, [](const ExprPtr& a) {
        const Datum* d = constant(a);
        return d != nullptr && !d->null;
      });
    case ExprKind::kBool: {
      const auto& b = as<BoolExpr>(*e);
      if (b.op == BoolExpr::Op::kNot) break;
      return fold_list_children(b, e, map, [&](const ExprPtr& a) {
        const Datum* d = constant(a);
        return d != nullptr && !d->null && d->b == (b.op == BoolExpr::Op::kOr);
      });
    }
    default: break;
  }
  return map_children(e, map);
}

ExprPtr fold_node(catalog::SessionContext& session, const ExprPtr& e, FoldRoutines routines) {
  switch (e->kind) {
    case ExprKind::kCall: return fold_call(session, e, routines);
    case ExprKind::kBool: return fold_bool(session, e);
    case ExprKind::kCase: return fold_case(e);
    case ExprKind::kCoalesce: return fold_coalesce(e);
    case ExprKind::kNullIf: return fold_null_if(session, e);
    case ExprKind::kRelabel: return relabeled(e, as<RelabelExpr>(*e).argument);
    case ExprKind::kNullTest: {
      const auto& test = as<NullTestExpr>(*e);
      const Datum* d = constant(test.argument);
      return d && !test.row ? make_bool(d->null == test.is_null, e->location) : e;
    }
    case ExprKind::kBooleanTest: {
      const auto& test = as<BooleanTestExpr>(*e);
      const Datum* d = constant(test.argument);
      if (!d) return e;
      using T = BooleanTestExpr::Test;
      switch (test.test) {
        case T::kTrue: return make_bool(!d->null && d->b, e->location);
        case T::kNotTrue: return make_bool(d->null || !d->b, e->location);
        case T::kFalse: return make_bool(!d->null && !d->b, e->location);
        case T::kNotFalse: return make_bool(d->null || d->b, e->location);
        case T::kUnknown: return make_bool(d->null, e->location);
        case T::kNotUnknown: return make_bool(!d->null, e->location);
      }
      return e;
    }
    case ExprKind::kField: {
      const auto& field = as<FieldExpr>(*e);
      const auto* row = try_as<RowExpr>(field.argument);
      return row && static_cast<size_t>(field.field) < row->fields.size() ? row->fields[field.field] : e;
    }
    default: return e;
  }
}

ExprPtr fold(catalog::SessionContext& session, const ExprPtr& e, FoldRoutines routines) {
  if (!e || e->kind == ExprKind::kVar || e->kind == ExprKind::kConst || e->kind == ExprKind::kParam) return e;
  return fold_node(session, fold_children(e, [&](const ExprPtr& c) { return fold(session, c, routines); }), routines);
}

}  // namespace indigo::sql::planning
