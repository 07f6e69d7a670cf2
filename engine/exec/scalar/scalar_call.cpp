// Calls, casts through text, elements of arrays, and what only the vectorized evaluation knows, for one row.
#include <algorithm>
#include <array>
#include <charconv>

#include "base/sqlstate.h"
#include "engine/exec/expression/call_kernel.h"
#include "engine/exec/expression/standalone_expression.h"
#include "engine/exec/scalar/scalar_compiler.h"
#include "types/function/registry.h"
#include "types/oids.h"
#include "types/value/array_format.h"
#include "types/value/vector.h"

namespace indigo::engine::exec {
namespace {

using Operands = std::vector<ScalarOperand>;

// Through the kernel of types/, on vectors of one row.
class ScalarKernelNode final : public ScalarNode {
 public:
  ScalarKernelNode(types::ScalarKernel kernel, types::CallInfo call, Phys phys, Operands arguments,
                   std::vector<Phys> physes)
      : kernel_(kernel),
        call_(std::move(call)),
        phys_(phys),
        arguments_(std::move(arguments)),
        physes_(std::move(physes)),
        values_(arguments_.size()) {
    for (const Vector& v : values_) pointers_.push_back(&v);
  }
  bool evaluate(ScalarRun& run, Datum& out) override {
    for (size_t i = 0; i < arguments_.size(); i++) {
      Datum scratch;
      const Datum* const value = arguments_[i].get(run, scratch);
      if (value == nullptr) return false;
      if (value->null) {
        values_[i].set_constant(Datum::make_null(physes_[i]));
      } else {
        values_[i].set_constant(*value);
      }
    }
    out_.init(phys_, 1);
    kernel_(run.functions, call_, pointers_, Selection{nullptr, 1}, out_);
    if (run.functions.failed()) return false;
    out = out_.datum(0);
    return true;
  }

 private:
  const types::ScalarKernel kernel_;
  const types::CallInfo call_;
  const Phys phys_;
  const Operands arguments_;
  const std::vector<Phys> physes_;
  std::vector<Vector> values_;
  std::vector<const Vector*> pointers_;
  Vector out_;
};

// A user's function.
class ScalarRoutineNode final : public ScalarNode {
 public:
  ScalarRoutineNode(types::CallInfo call, bool strict, Phys phys, Operands arguments, std::vector<Phys> physes)
      : call_(std::move(call)),
        strict_(strict),
        phys_(phys),
        arguments_(std::move(arguments)),
        physes_(std::move(physes)) {}
  bool evaluate(ScalarRun& run, Datum& out) override {
    constexpr size_t kFew = 8;
    Datum few[kFew];
    std::vector<Datum> many;
    if (arguments_.size() > kFew) many.resize(arguments_.size());
    const std::span<Datum> values(arguments_.size() > kFew ? many.data() : few, arguments_.size());
    bool null = false;
    for (size_t i = 0; i < arguments_.size(); i++) {
      Datum scratch;
      const Datum* const value = arguments_[i].get(run, scratch);
      if (value == nullptr) return false;
      values[i] = *value;
      if (value->null) values[i].phys = physes_[i];
      null = null || value->null;
    }
    if (null && strict_) {
      set_null(out, phys_);
      return true;
    }
    Arena& arena = run.functions.arena();
    Result<OwnedDatum> result = run.functions.session().call_routine(call_, values);
    if (!result.ok()) {
      run.functions.fail(std::move(*result.take_error()));
      return false;
    }
    out = result->get();
    if (out.null) {
      set_null(out, phys_);
    } else if (out.phys == Phys::kStr) {
      out.str = arena.copy(out.str);
    }
    return true;
  }

 private:
  const types::CallInfo call_;
  const bool strict_;
  const Phys phys_;
  const Operands arguments_;
  const std::vector<Phys> physes_;
};

class ScalarIoCastNode final : public ScalarNode {
 public:
  ScalarIoCastNode(ScalarOperand argument, types::TypeRef from, types::TypeRef to, Phys phys)
      : argument_(std::move(argument)), from_(from), to_(to), phys_(phys) {}
  bool evaluate(ScalarRun& run, Datum& out) override {
    Datum scratch;
    const Datum* const value = argument_.get(run, scratch);
    if (value == nullptr) return false;
    if (value->null) {
      set_null(out, phys_);
      return true;
    }
    text_.clear();
    types::type_output(run.functions, from_, *value, text_);
    out = types::type_input(run.functions, to_, run.functions.arena().copy(text_));
    return !run.functions.failed();
  }

 private:
  const ScalarOperand argument_;
  const types::TypeRef from_, to_;
  const Phys phys_;
  std::string text_;
};

// An integer as text.
template <class T>
class ScalarIntegerTextNode final : public ScalarNode {
 public:
  explicit ScalarIntegerTextNode(ScalarOperand argument) : argument_(std::move(argument)) {}
  bool evaluate(ScalarRun& run, Datum& out) override {
    Datum scratch;
    const Datum* const value = argument_.get(run, scratch);
    if (value == nullptr) return false;
    if (value->null) {
      set_null(out, Phys::kStr);
      return true;
    }
    constexpr size_t kDigits = 24;
    char* const to = run.functions.arena().allocate_array<char>(kDigits);
    const auto end = std::to_chars(to, to + kDigits, scalar_value<T>(*value)).ptr;
    set_value(out, Str(to, static_cast<size_t>(end - to)));
    return true;
  }

 private:
  const ScalarOperand argument_;
};

// An element of an array. Slices and assignments to parts are the vectorized evaluation's.
constexpr size_t kMaxDimensions = 6;

class ScalarElementNode final : public ScalarNode {
 public:
  ScalarElementNode(ScalarOperand array, std::vector<ScalarOperand> subscripts, Phys phys)
      : array_(std::move(array)), subscripts_(std::move(subscripts)), phys_(phys) {}

  bool evaluate(ScalarRun& run, Datum& out) override {
    ScalarScratch scratch;
    const Datum* const container = array_.get(run, scratch.datum);
    if (container == nullptr) return false;
    if (container->null) {  // the subscripts are not evaluated then
      set_null(out, phys_);
      return true;
    }
    std::array<int32_t, kMaxDimensions> at{};
    bool null = false;
    for (size_t d = 0; d < subscripts_.size(); d++) {
      ScalarScratch room;
      const Datum* const subscript = subscripts_[d].get(run, room.datum);
      if (subscript == nullptr) return false;
      null = null || subscript->null;
      at[d] = subscript->null ? 0 : subscript->i32;
    }
    const ArrayView array(container->str);
    null = null || static_cast<size_t>(array.dimensions()) != subscripts_.size();
    int64_t index = 0;
    for (size_t d = 0; d < subscripts_.size() && !null; d++) {
      const ArrayDimension dimension = array.dimension(static_cast<int>(d));
      const int64_t place = int64_t{at[d]} - dimension.lower;
      null = place < 0 || place >= dimension.length;
      index = index * dimension.length + place;
    }
    if (null) {
      set_null(out, phys_);
    } else {
      out = array.element(static_cast<int32_t>(index));
    }
    return true;
  }

 private:
  const ScalarOperand array_;
  const std::vector<ScalarOperand> subscripts_;
  const Phys phys_;
};

// The vectorized evaluation of a part of the expression.
class ScalarVectorizedNode final : public ScalarNode {
 public:
  explicit ScalarVectorizedNode(const sql::ExprPtr& e) : expression_(e) {}
  bool evaluate(ScalarRun& run, Datum& out) override {
    auto value = expression_.evaluate(*run.context);
    if (!value.ok()) {
      run.functions.fail(std::move(*value.take_error()));
      return false;
    }
    out = *value;
    return true;
  }

 private:
  StandaloneExpression expression_;
};

}  // namespace

ScalarPtr scalar_call(ScalarCompiler& compiler, const sql::CallExpr& e) {
  if (e.returns_set) return nullptr;
  const types::ScalarKernel kernel = call_kernel(e);
  if (kernel == nullptr) return nullptr;  // the vectorized evaluation says so
  Operands arguments = compiler.operands(e.arguments);
  if (ScalarPtr fast = scalar_fast_call(compiler, e, arguments); fast != nullptr) return fast;
  compiler.needs_functions = true;
  compiler.needs_fresh =
      compiler.needs_fresh || e.volatility != types::Volatility::kImmutable || e.function >= oid::kFirstUserOid;
  types::CallInfo call;
  call.function = e.function;
  call.result = e.type;
  call.collation = e.collation;
  call.variadic_array = e.variadic_array;
  std::vector<Phys> physes;
  for (const sql::ExprPtr& a : e.arguments) {
    call.arguments.push_back(a->type);
    physes.push_back(compiler.phys_of(a->type));
  }
  const Phys phys = compiler.phys_of(e.type);
  if (e.function >= oid::kFirstUserOid) {
    const auto info = compiler.catalog().function(e.function);
    const bool strict = info != nullptr && info->strict;
    return std::make_unique<ScalarRoutineNode>(std::move(call), strict, phys, std::move(arguments), std::move(physes));
  }
  return std::make_unique<ScalarKernelNode>(kernel, std::move(call), phys, std::move(arguments), std::move(physes));
}

ScalarPtr scalar_cast(ScalarCompiler& compiler, const sql::IoCastExpr& e) {
  compiler.needs_functions = true;
  ScalarOperand argument = compiler.operand(e.argument);
  const Oid from = e.argument->type.oid;
  if ((e.type.oid == oid::kText || e.type.oid == oid::kVarchar) && e.type.typmod == -1) {
    if (from == oid::kInt2) return std::make_unique<ScalarIntegerTextNode<int16_t>>(std::move(argument));
    if (from == oid::kInt4) return std::make_unique<ScalarIntegerTextNode<int32_t>>(std::move(argument));
    if (from == oid::kInt8) return std::make_unique<ScalarIntegerTextNode<int64_t>>(std::move(argument));
  }
  compiler.needs_fresh = true;
  return std::make_unique<ScalarIoCastNode>(std::move(argument), e.argument->type, e.type, compiler.phys_of(e.type));
}

ScalarPtr scalar_element(ScalarCompiler& compiler, const sql::SubscriptExpr& e) {
  const bool plain = std::none_of(e.indexes.begin(), e.indexes.end(),
                                  [](const auto& index) { return index.slice || index.upper == nullptr; });
  const auto container = compiler.catalog().type(e.container->type.oid);
  if (container == nullptr || !container->is_array() || !plain || e.assign != nullptr ||
      e.indexes.size() > kMaxDimensions) {
    return nullptr;
  }
  ScalarOperand array = compiler.operand(e.container);
  std::vector<ScalarOperand> subscripts;
  for (const auto& index : e.indexes) subscripts.push_back(compiler.operand(index.upper));
  return std::make_unique<ScalarElementNode>(std::move(array), std::move(subscripts), compiler.phys_of(e.type));
}

ScalarPtr scalar_vectorized(ScalarCompiler& compiler, const sql::ExprPtr& e) {
  compiler.needs_functions = true;
  compiler.needs_context = compiler.needs_fresh = true;
  return std::make_unique<ScalarVectorizedNode>(e);
}

}  // namespace indigo::engine::exec
