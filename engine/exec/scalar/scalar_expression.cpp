#include "engine/exec/scalar/scalar_expression.h"

#include "base/sqlstate.h"
#include "engine/exec/scalar/scalar_compiler.h"
#include "types/function/phys_of.h"

namespace indigo::engine::exec {

namespace {

// Of an expression that is nested too deep to be evaluated.
class TooDeepNode final : public ScalarNode {
 public:
  bool evaluate(ScalarRun& run, Datum&) override {
    run.functions.fail(sqlstate::kStatementTooComplex, "stack depth limit exceeded");
    return false;
  }
};

}  // namespace

ScalarExpression::ScalarExpression(types::SessionContext& session, sql::ExprPtr expr)
    : expr_(std::move(expr)), session_(session), functions_(std::in_place, session) {
  ScalarCompiler compiler(session.catalog());
  root_ = compiler.operand(expr_);
  phys_ = compiler.phys_of(expr_->type);
  if (compiler.too_deep) {
    // The vectorized evaluation has a limit of its own, which is higher.
    ScalarCompiler whole(session.catalog());
    root_ = ScalarOperand::computed(scalar_vectorized(whole, expr_));
    compiler.needs_functions = compiler.needs_context = compiler.needs_fresh = true;
  }
  needs_functions_ = compiler.needs_functions;
  needs_context_ = compiler.needs_context;
  needs_fresh_ = compiler.needs_fresh;
  functions_->set_arena(&arena_);
}

void ScalarExpression::begin() {
  arena_.reset();
  if (!needs_fresh_) return;
  functions_.emplace(session_);
  functions_->set_arena(&arena_);
}

ScalarOperand ScalarCompiler::operand(const sql::ExprPtr& e) {
  using Kind = sql::ExprKind;
  switch (e->kind) {
    case Kind::kParam: return ScalarOperand::parameter(sql::as<sql::ParamExpr>(*e).index);
    case Kind::kConst: {
      Datum value = sql::as<sql::ConstExpr>(*e).value.get();
      value.phys = phys_of(e->type);
      return ScalarOperand::constant(value);
    }
    case Kind::kRelabel: return operand(sql::as<sql::RelabelExpr>(*e).argument);
    case Kind::kCollate: return operand(sql::as<sql::CollateExpr>(*e).argument);
    default: return ScalarOperand::computed(compile(e));
  }
}

std::vector<ScalarOperand> ScalarCompiler::operands(const sql::ExprList& list) {
  std::vector<ScalarOperand> out;
  out.reserve(list.size());
  for (const sql::ExprPtr& e : list) out.push_back(operand(e));
  return out;
}

Phys ScalarCompiler::phys_of(const types::TypeRef& type) { return types::phys_of(catalog_, type.oid); }

ScalarPtr ScalarCompiler::compile(const sql::ExprPtr& e) {
  using Kind = sql::ExprKind;
  if (depth_ >= kMaxDepth) {
    too_deep = true;
    return std::make_unique<TooDeepNode>();
  }
  depth_++;
  ScalarPtr node;
  switch (e->kind) {
    case Kind::kCall: node = scalar_call(*this, sql::as<sql::CallExpr>(*e)); break;
    case Kind::kIoCast: node = scalar_cast(*this, sql::as<sql::IoCastExpr>(*e)); break;
    case Kind::kSubscript: node = scalar_element(*this, sql::as<sql::SubscriptExpr>(*e)); break;
    case Kind::kBool:
    case Kind::kNullTest:
    case Kind::kBooleanTest:
    case Kind::kDistinct:
    case Kind::kCase:
    case Kind::kCoalesce:
    case Kind::kNullIf:
    case Kind::kGreatestLeast: node = scalar_logic(*this, *e); break;
    default: break;
  }
  depth_--;
  if (node == nullptr) node = scalar_vectorized(*this, e);
  return node;
}

}  // namespace indigo::engine::exec
