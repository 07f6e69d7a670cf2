#include "engine/exec/stack_guard.h"

#include "base/fiber/stack.h"

namespace indigo::engine::exec {
namespace {

class GuardedOperator final : public Operator {
 public:
  explicit GuardedOperator(OperatorPtr inner) : inner_(std::move(inner)) {
    set_slots(inner_->slots());
    set_volatile(inner_->is_volatile());
  }

  Status open(Open mode) override {
    INDIGO_TRY(check_stack_depth());
    return inner_->open(mode);
  }
  Result<Chunk*> next(uint32_t max_rows) override {
    INDIGO_TRY(check_stack_depth());
    return inner_->next(max_rows);
  }
  void close() override { inner_->close(); }

 private:
  OperatorPtr inner_;
};

class GuardedNode final : public Node {
 public:
  GuardedNode(QueryState& state, NodePtr inner) : Node(state), inner_(std::move(inner)) {
    type = inner_->type;
    phys = inner_->phys;
    is_volatile = inner_->is_volatile;
    invariant = inner_->invariant;
    uses_slots = inner_->uses_slots;
    Datum null;
    null.null = true;
    null.phys = phys;
    nothing_.set_constant(null);
  }

  const Vector& evaluate(const Frame& frame, Selection selection) override {
    return enough() ? inner_->evaluate(frame, selection) : nothing_;
  }
  uint32_t filter(const Frame& frame, Selection selection, uint16_t* passed) override {
    return enough() ? inner_->filter(frame, selection, passed) : 0;
  }

 private:
  bool enough() {
    Status status = check_stack_depth();
    if (status.ok()) [[likely]]
      return true;
    functions().fail(std::move(*status.take_error()));
    return false;
  }

  NodePtr inner_;
  Vector nothing_;
};

}  // namespace

OperatorPtr make_stack_guard(OperatorPtr inner) { return std::make_unique<GuardedOperator>(std::move(inner)); }

NodePtr make_stack_guard(QueryState& state, NodePtr inner) {
  return std::make_unique<GuardedNode>(state, std::move(inner));
}

}  // namespace indigo::engine::exec
