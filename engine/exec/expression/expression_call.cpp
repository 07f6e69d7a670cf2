// Function, operator and cast calls through types/'s kernels.
#include "base/sqlstate.h"
#include "engine/exec/expression/call_kernel.h"
#include "engine/exec/expression/expression_nodes.h"

namespace indigo::engine::exec {
namespace {

class CallNode final : public Node {
 public:
  CallNode(QueryState& state, types::ScalarKernel kernel, types::CallInfo call, std::vector<NodePtr> arguments)
      : Node(state),
        kernel_(kernel),
        call_(std::move(call)),
        arguments_(std::move(arguments)),
        values_(arguments_.size()) {}

  const Vector& evaluate(const Frame& frame, Selection selection) override {
    for (size_t i = 0; i < arguments_.size(); i++) {
      values_[i] = &arguments_[i]->evaluate(frame, selection);
      if (failed()) return out_;
    }
    out_.init(phys, frame.extent);
    kernel_(functions(), call_, values_, selection, out_);
    return out_;
  }

 private:
  types::ScalarKernel kernel_;
  types::CallInfo call_;
  std::vector<NodePtr> arguments_;
  std::vector<const Vector*> values_;
  Vector out_;
};

}  // namespace

Result<NodePtr> compile_call(Builder& b, const sql::CallExpr& e) {
  std::vector<NodePtr> arguments;
  bool invariant = true, slots = false, is_volatile = e.volatility == types::Volatility::kVolatile;
  for (const sql::ExprPtr& a : e.arguments) {
    INDIGO_ASSIGN(NodePtr node, b.compile(a));
    invariant &= node->invariant;
    slots |= node->uses_slots;
    is_volatile |= node->is_volatile;
    arguments.push_back(std::move(node));
  }
  NodePtr node = compile_fast_call(b.state(), e, arguments);
  if (node == nullptr) {
    const types::ScalarKernel kernel = call_kernel(e);
    if (kernel == nullptr) {
      return Error(sqlstate::kFeatureNotSupported,
                   "function with OID " + std::to_string(e.function) + " is not supported");
    }
    types::CallInfo call;
    call.function = e.function;
    call.result = e.type;
    call.collation = e.collation;
    call.variadic_array = e.variadic_array;
    for (const sql::ExprPtr& a : e.arguments) call.arguments.push_back(a->type);
    node = std::make_unique<CallNode>(b.state(), kernel, std::move(call), std::move(arguments));
  }
  node->invariant = invariant && !is_volatile;
  node->uses_slots = slots;
  node->is_volatile = is_volatile;
  return node;
}

}  // namespace indigo::engine::exec
