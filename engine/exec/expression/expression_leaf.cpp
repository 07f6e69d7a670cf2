// Columns, constants, parameters, runtime slots, and hoisted subexpressions.
#include "engine/exec/expression/expression_nodes.h"

namespace indigo::engine::exec {
namespace {

class ColumnNode final : public Node {
 public:
  ColumnNode(QueryState& state, int input, int column)
      : Node(state), input_(input), column_(static_cast<size_t>(column)) {}
  const Vector& evaluate(const Frame& frame, Selection) override { return frame.inputs[input_]->columns[column_]; }

 private:
  int input_;
  size_t column_;
};

class ConstNode final : public Node {
 public:
  ConstNode(QueryState& state, const OwnedDatum& value, Phys p) : Node(state), value_(value) {
    invariant = constant = true;
    Datum d = value_.get();
    d.phys = p;
    vector_.set_constant(d);
  }
  const Vector& evaluate(const Frame&, Selection) override { return vector_; }

 private:
  OwnedDatum value_;
  Vector vector_;
};

class ParamNode final : public Node {
 public:
  ParamNode(QueryState& state, int index) : Node(state), index_(index) { invariant = true; }
  const Vector& evaluate(const Frame&, Selection) override {
    Datum d = state_.parameter(index_);
    if (d.null) d.phys = phys;
    vector_.set_constant(d);
    return vector_;
  }

 private:
  int index_;
  Vector vector_;
};

class SlotNode final : public Node {
 public:
  SlotNode(QueryState& state, int slot) : Node(state), slot_(slot) { invariant = uses_slots = true; }
  const Vector& evaluate(const Frame&, Selection) override {
    Datum d = state_.slot(slot_);
    if (d.null) d.phys = phys;
    vector_.set_constant(d);
    return vector_;
  }

 private:
  int slot_;
  Vector vector_;
};

class HoistedNode final : public Node {
 public:
  HoistedNode(QueryState& state, NodePtr inner) : Node(state), inner_(std::move(inner)) {
    type = inner_->type;
    phys = inner_->phys;
    invariant = true;
    uses_slots = inner_->uses_slots;
  }
  const Vector& evaluate(const Frame&, Selection) override {
    if (run_ == state_.run() && (!uses_slots || generation_ == state_.newest_generation())) {
      if (failure_ != nullptr) functions().fail(Error(*failure_));
      return vector_;
    }
    Frame none;
    const Vector& value = inner_->evaluate(none, {nullptr, 1});
    failure_.reset();
    if (failed()) return keep_failure(value);
    Datum d = value.datum(0);
    if (d.phys == Phys::kStr && !d.null) {
      bytes_.assign(d.str);
      d.str = bytes_;
    }
    vector_.set_constant(d);
    run_ = state_.run();
    generation_ = state_.newest_generation();
    return vector_;
  }

 private:
  // What has failed fails again without a second call.
  const Vector& keep_failure(const Vector& value) {
    failure_ = functions().take_error();
    functions().fail(Error(*failure_));
    run_ = state_.run();
    generation_ = state_.newest_generation();
    return value;
  }

  NodePtr inner_;
  Vector vector_;
  std::string bytes_;
  std::unique_ptr<Error> failure_;
  uint64_t run_ = 0, generation_ = 0;
};

}  // namespace

void inherit(Node& node, const std::vector<const Node*>& children) {
  node.invariant = true;
  for (const Node* c : children) {
    node.invariant &= c->invariant;
    node.uses_slots |= c->uses_slots;
    node.is_volatile |= c->is_volatile;
  }
  if (node.is_volatile) node.invariant = false;
}

NodePtr hoist(QueryState& state, NodePtr node) { return std::make_unique<HoistedNode>(state, std::move(node)); }

Result<NodePtr> compile_leaf(Builder& b, const sql::Expr& e) {
  switch (e.kind) {
    case sql::ExprKind::kColumn: {
      const auto& c = sql::as<sql::ColumnExpr>(e);
      return NodePtr(std::make_unique<ColumnNode>(b.state(), c.input, c.column));
    }
    case sql::ExprKind::kConst:
      return NodePtr(std::make_unique<ConstNode>(b.state(), sql::as<sql::ConstExpr>(e).value, b.phys_of(e.type)));
    case sql::ExprKind::kParam:
      return NodePtr(std::make_unique<ParamNode>(b.state(), sql::as<sql::ParamExpr>(e).index));
    default: {
      int slot = sql::as<sql::RuntimeParamExpr>(e).slot;
      b.use_slot(slot);
      return NodePtr(std::make_unique<SlotNode>(b.state(), slot));
    }
  }
}

}  // namespace indigo::engine::exec
