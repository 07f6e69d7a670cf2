// AND, OR, NOT, tests, DISTINCT FROM, CASE, COALESCE, NULLIF, GREATEST and LEAST, for one row.
#include <algorithm>

#include "engine/exec/scalar/scalar_compiler.h"
#include "types/function/registry.h"
#include "types/value/collator.h"

namespace indigo::engine::exec {
namespace {

using Operands = std::vector<ScalarOperand>;

class ScalarAndOrNode final : public ScalarNode {
 public:
  ScalarAndOrNode(bool is_and, Operands arguments) : is_and_(is_and), arguments_(std::move(arguments)) {}
  bool evaluate(ScalarRun& run, Datum& out) override {
    bool null = false;
    for (const ScalarOperand& argument : arguments_) {
      ScalarScratch scratch;
      const Datum* const value = argument.get(run, scratch.datum);
      if (value == nullptr) return false;
      if (value->null) {
        null = true;
      } else if (value->b != is_and_) {
        set_value(out, !is_and_);
        return true;
      }
    }
    if (null) {
      set_null(out, Phys::kBool);
    } else {
      set_value(out, is_and_);
    }
    return true;
  }

 private:
  const bool is_and_;
  const Operands arguments_;
};

class ScalarNotNode final : public ScalarNode {
 public:
  explicit ScalarNotNode(ScalarOperand argument) : argument_(std::move(argument)) {}
  bool evaluate(ScalarRun& run, Datum& out) override {
    ScalarScratch scratch;
    const Datum* const value = argument_.get(run, scratch.datum);
    if (value == nullptr) return false;
    if (value->null) {
      set_null(out, Phys::kBool);
    } else {
      set_value(out, !value->b);
    }
    return true;
  }

 private:
  const ScalarOperand argument_;
};

class ScalarNullTestNode final : public ScalarNode {
 public:
  ScalarNullTestNode(ScalarOperand argument, bool is_null) : argument_(std::move(argument)), is_null_(is_null) {}
  bool evaluate(ScalarRun& run, Datum& out) override {
    ScalarScratch scratch;
    const Datum* const value = argument_.get(run, scratch.datum);
    if (value == nullptr) return false;
    set_value(out, value->null == is_null_);
    return true;
  }

 private:
  const ScalarOperand argument_;
  const bool is_null_;
};

class ScalarBooleanTestNode final : public ScalarNode {
 public:
  using Test = sql::BooleanTestExpr::Test;
  ScalarBooleanTestNode(ScalarOperand argument, Test test) : argument_(std::move(argument)), test_(test) {}
  bool evaluate(ScalarRun& run, Datum& out) override {
    ScalarScratch scratch;
    const Datum* const value = argument_.get(run, scratch.datum);
    if (value == nullptr) return false;
    const bool null = value->null, v = !null && value->b;
    switch (test_) {
      case Test::kTrue: set_value(out, v); break;
      case Test::kNotTrue: set_value(out, !v); break;
      case Test::kFalse: set_value(out, !null && !v); break;
      case Test::kNotFalse: set_value(out, null || v); break;
      case Test::kUnknown: set_value(out, null); break;
      case Test::kNotUnknown: set_value(out, !null); break;
    }
    return true;
  }

 private:
  const ScalarOperand argument_;
  const Test test_;
};

class ScalarCaseNode final : public ScalarNode {
 public:
  ScalarCaseNode(Operands conditions, Operands results)
      : conditions_(std::move(conditions)), results_(std::move(results)) {}
  bool evaluate(ScalarRun& run, Datum& out) override {
    size_t taken = 0;
    for (; taken < conditions_.size(); taken++) {
      ScalarScratch scratch;
      const Datum* const holds = conditions_[taken].get(run, scratch.datum);
      if (holds == nullptr) return false;
      if (!holds->null && holds->b) break;
    }
    ScalarScratch scratch;
    const Datum* const value = results_[taken].get(run, scratch.datum);
    if (value == nullptr) return false;
    copy_scalar(out, *value);
    return true;
  }

 private:
  const Operands conditions_, results_;  // results_.back() is ELSE
};

class ScalarCoalesceNode final : public ScalarNode {
 public:
  explicit ScalarCoalesceNode(Operands arguments) : arguments_(std::move(arguments)) {}
  bool evaluate(ScalarRun& run, Datum& out) override {
    for (const ScalarOperand& argument : arguments_) {
      ScalarScratch scratch;
      const Datum* const value = argument.get(run, scratch.datum);
      if (value == nullptr) return false;
      copy_scalar(out, *value);
      if (!out.null) break;
    }
    return true;
  }

 private:
  const Operands arguments_;
};

// Two values, computed once, and the = between them.
class ScalarEqualityNode final : public ScalarNode {
 public:
  enum class Form : uint8_t { kNullIf, kDistinct, kNotDistinct };
  // `equal`: over the parameters 0 and 1.
  ScalarEqualityNode(Form form, ScalarOperand left, ScalarOperand right, ScalarOperand equal)
      : form_(form), left_(std::move(left)), right_(std::move(right)), equal_(std::move(equal)) {}
  bool evaluate(ScalarRun& run, Datum& out) override {
    ScalarScratch scratch;
    Datum values[2];
    const Datum* value = left_.get(run, scratch.datum);
    if (value == nullptr) return false;
    copy_scalar(values[0], *value);
    value = right_.get(run, scratch.datum);
    if (value == nullptr) return false;
    copy_scalar(values[1], *value);
    bool same = values[0].null && values[1].null && form_ != Form::kNullIf;
    if (!values[0].null && !values[1].null) {
      ScalarRun inner{values, run.functions, run.context};
      const Datum* const equal = equal_.get(inner, scratch.datum);
      if (equal == nullptr) return false;
      same = !equal->null && equal->b;
    }
    if (form_ != Form::kNullIf) {
      set_value(out, same == (form_ == Form::kNotDistinct));
    } else {
      copy_scalar(out, values[0]);
      out.null = out.null || same;
    }
    return true;
  }

 private:
  const Form form_;
  const ScalarOperand left_, right_, equal_;
};

class ScalarGreatestLeastNode final : public ScalarNode {
 public:
  ScalarGreatestLeastNode(bool greatest, const types::TypeOrder& order, Operands arguments)
      : greatest_(greatest), order_(order), arguments_(std::move(arguments)) {}
  bool evaluate(ScalarRun& run, Datum& out) override {
    set_null(out, Phys::kI64);
    for (const ScalarOperand& argument : arguments_) {
      ScalarScratch scratch;
      const Datum* const value = argument.get(run, scratch.datum);
      if (value == nullptr) return false;
      if (value->null) continue;
      if (!out.null) {
        const int c = order_.compare(*value, out, nullptr);
        if (greatest_ ? c <= 0 : c >= 0) continue;
      }
      copy_scalar(out, *value);
    }
    return true;
  }

 private:
  const bool greatest_;
  const types::TypeOrder& order_;
  const Operands arguments_;
};

ScalarPtr equality(ScalarCompiler& compiler, ScalarEqualityNode::Form form, const sql::Expr& equal) {
  if (equal.kind != sql::ExprKind::kCall) return nullptr;
  auto call = std::make_shared<sql::CallExpr>(sql::as<sql::CallExpr>(equal));
  if (call->arguments.size() != 2) return nullptr;
  ScalarOperand left = compiler.operand(call->arguments[0]), right = compiler.operand(call->arguments[1]);
  for (int i = 0; i < 2; i++) {
    auto parameter = std::make_shared<sql::ParamExpr>();
    parameter->index = i;
    parameter->type = call->arguments[static_cast<size_t>(i)]->type;
    call->arguments[static_cast<size_t>(i)] = std::move(parameter);
  }
  return std::make_unique<ScalarEqualityNode>(form, std::move(left), std::move(right), compiler.operand(call));
}

}  // namespace

ScalarPtr scalar_logic(ScalarCompiler& compiler, const sql::Expr& e) {
  using Kind = sql::ExprKind;
  switch (e.kind) {
    case Kind::kBool: {
      const auto& x = sql::as<sql::BoolExpr>(e);
      if (x.op == sql::BoolExpr::Op::kNot) return std::make_unique<ScalarNotNode>(compiler.operand(x.arguments[0]));
      return std::make_unique<ScalarAndOrNode>(x.op == sql::BoolExpr::Op::kAnd, compiler.operands(x.arguments));
    }
    case Kind::kNullTest: {
      const auto& x = sql::as<sql::NullTestExpr>(e);
      if (x.row) return nullptr;
      return std::make_unique<ScalarNullTestNode>(compiler.operand(x.argument), x.is_null);
    }
    case Kind::kBooleanTest: {
      const auto& x = sql::as<sql::BooleanTestExpr>(e);
      return std::make_unique<ScalarBooleanTestNode>(compiler.operand(x.argument), x.test);
    }
    case Kind::kDistinct: {
      const auto& x = sql::as<sql::DistinctExpr>(e);
      const auto form = x.negated ? ScalarEqualityNode::Form::kNotDistinct : ScalarEqualityNode::Form::kDistinct;
      return equality(compiler, form, *x.equal);
    }
    case Kind::kNullIf:
      return equality(compiler, ScalarEqualityNode::Form::kNullIf, *sql::as<sql::NullIfExpr>(e).equal);
    case Kind::kCase: {
      const auto& x = sql::as<sql::CaseExpr>(e);
      Operands conditions, results;
      for (const sql::CaseExpr::When& when : x.whens) {
        conditions.push_back(compiler.operand(when.condition));
        results.push_back(compiler.operand(when.result));
      }
      results.push_back(compiler.operand(x.otherwise));
      return std::make_unique<ScalarCaseNode>(std::move(conditions), std::move(results));
    }
    case Kind::kCoalesce:
      return std::make_unique<ScalarCoalesceNode>(compiler.operands(sql::as<sql::CoalesceExpr>(e).arguments));
    default: {
      const auto& x = sql::as<sql::GreatestLeastExpr>(e);
      const types::TypeOrder* const order = types::type_order(e.type.oid);
      const bool known =
          order != nullptr && order->compare != nullptr && compiler.catalog().orders_by_bytes(e.type.collation);
      if (!known) return nullptr;
      return std::make_unique<ScalarGreatestLeastNode>(x.greatest, *order, compiler.operands(x.arguments));
    }
  }
}

}  // namespace indigo::engine::exec
