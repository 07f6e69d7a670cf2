// AND, OR, NOT, IS [NOT] NULL, IS [NOT] TRUE ..., IS [NOT] DISTINCT FROM.
#include <algorithm>

#include "engine/exec/expression/expression_nodes.h"
#include "types/io/record.h"

namespace indigo::engine::exec {
namespace {

class AndOrNode final : public Node {
 public:
  AndOrNode(QueryState& state, bool is_and, std::vector<NodePtr> arguments)
      : Node(state), is_and_(is_and), arguments_(std::move(arguments)) {}

  // A row continues to the next argument until one decides it (false for AND, true for OR).
  const Vector& evaluate(const Frame& frame, Selection selection) override {
    out_.init(Phys::kBool, frame.extent);
    bool* out = out_.data<bool>();
    bool any_null = false;
    for (uint32_t i = 0; i < selection.count; i++) out[selection[i]] = is_and_;
    uint16_t* open = open_.reserve(selection.count);
    Selection rest = selection;
    for (NodePtr& argument : arguments_) {
      const Vector& value = argument->evaluate(frame, rest);
      if (failed()) return out_;
      uint32_t n = 0;
      for (uint32_t i = 0; i < rest.count; i++) {
        uint32_t r = rest[i];
        if (value.is_null(r)) {
          out_.set_null(r);
          any_null = true;
        } else if (value.get<bool>(r) != is_and_) {
          out[r] = !is_and_;
          if (any_null) out_.set_valid(r);
          continue;
        }
        open[n++] = static_cast<uint16_t>(r);
      }
      rest = {open, n};
      if (n == 0) break;
    }
    return out_;
  }

  uint32_t filter(const Frame& frame, Selection selection, uint16_t* passed) override {
    if (is_and_) {
      Selection rest = selection;
      for (NodePtr& argument : arguments_) {
        uint32_t n = argument->filter(frame, rest, passed);
        if (failed()) return 0;
        rest = {passed, n};
        if (n == 0) break;
      }
      return rest.count;
    }
    return Node::filter(frame, selection, passed);
  }

 private:
  bool is_and_;
  std::vector<NodePtr> arguments_;
  Vector out_;
  SelectionBuffer open_;
};

class NotNode final : public Node {
 public:
  NotNode(QueryState& state, NodePtr argument) : Node(state), argument_(std::move(argument)) {}
  const Vector& evaluate(const Frame& frame, Selection selection) override {
    const Vector& value = argument_->evaluate(frame, selection);
    if (failed()) return out_;
    out_.init(Phys::kBool, frame.extent);
    bool* out = out_.data<bool>();
    for (uint32_t i = 0; i < selection.count; i++) {
      uint32_t r = selection[i];
      out[r] = !value.get<bool>(r);
      if (value.is_null(r)) out_.set_null(r);
    }
    return out_;
  }

 private:
  NodePtr argument_;
  Vector out_;
};

class NullTestNode final : public Node {
 public:
  NullTestNode(QueryState& state, NodePtr argument, bool is_null, bool row)
      : Node(state), argument_(std::move(argument)), is_null_(is_null), row_(row) {}
  const Vector& evaluate(const Frame& frame, Selection selection) override {
    const Vector& value = argument_->evaluate(frame, selection);
    if (failed()) return out_;
    out_.init(Phys::kBool, frame.extent);
    bool* out = out_.data<bool>();
    for (uint32_t i = 0; i < selection.count; i++) {
      uint32_t r = selection[i];
      out[r] = row_ && !value.is_null(r) ? row_test(value.get<Str>(r)) : value.is_null(r) == is_null_;
    }
    return out_;
  }
  uint32_t filter(const Frame& frame, Selection selection, uint16_t* passed) override {
    if (row_) return Node::filter(frame, selection, passed);
    const Vector& value = argument_->evaluate(frame, selection);
    if (failed()) return 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < selection.count; i++) {
      uint32_t r = selection[i];
      passed[n] = static_cast<uint16_t>(r);
      n += value.is_null(r) == is_null_;
    }
    return n;
  }

 private:
  // A row IS NULL when all its fields are; it IS NOT NULL when none is.
  bool row_test(Str image) {
    const types::RecordFields record = types::live_fields(functions().session().catalog(), image);
    auto nulls = std::count_if(record.values.begin(), record.values.end(), [](const Datum& d) { return d.null; });
    return nulls == (is_null_ ? static_cast<ptrdiff_t>(record.values.size()) : 0);
  }

  NodePtr argument_;
  bool is_null_, row_;
  Vector out_;
};

class BooleanTestNode final : public Node {
 public:
  BooleanTestNode(QueryState& state, NodePtr argument, sql::BooleanTestExpr::Test test)
      : Node(state), argument_(std::move(argument)), test_(test) {}
  const Vector& evaluate(const Frame& frame, Selection selection) override {
    using Test = sql::BooleanTestExpr::Test;
    const Vector& value = argument_->evaluate(frame, selection);
    if (failed()) return out_;
    out_.init(Phys::kBool, frame.extent);
    bool* out = out_.data<bool>();
    for (uint32_t i = 0; i < selection.count; i++) {
      uint32_t r = selection[i];
      bool null = value.is_null(r), v = !null && value.get<bool>(r);
      switch (test_) {
        case Test::kTrue: out[r] = v; break;
        case Test::kNotTrue: out[r] = !v; break;
        case Test::kFalse: out[r] = !null && !v; break;
        case Test::kNotFalse: out[r] = null || v; break;
        case Test::kUnknown: out[r] = null; break;
        case Test::kNotUnknown: out[r] = !null; break;
      }
    }
    return out_;
  }

 private:
  NodePtr argument_;
  sql::BooleanTestExpr::Test test_;
  Vector out_;
};

class DistinctNode final : public Node {
 public:
  DistinctNode(QueryState& state, NodePtr left, NodePtr right, NodePtr equal, bool negated)
      : Node(state), left_(std::move(left)), right_(std::move(right)), equal_(std::move(equal)), negated_(negated) {}
  const Vector& evaluate(const Frame& frame, Selection selection) override {
    const Vector& a = left_->evaluate(frame, selection);
    if (failed()) return out_;
    const Vector& b = right_->evaluate(frame, selection);
    if (failed()) return out_;
    out_.init(Phys::kBool, frame.extent);
    bool* out = out_.data<bool>();
    uint16_t* both = both_.reserve(selection.count);
    uint32_t n = 0;
    for (uint32_t i = 0; i < selection.count; i++) {
      uint32_t r = selection[i];
      bool x = a.is_null(r), y = b.is_null(r);
      if (!x && !y) {
        both[n++] = static_cast<uint16_t>(r);
      } else {
        out[r] = (x != y) != negated_;
      }
    }
    if (n == 0) return out_;
    const Vector& equal = equal_->evaluate(frame, {both, n});
    if (failed()) return out_;
    for (uint32_t i = 0; i < n; i++) out[both[i]] = equal.get<bool>(both[i]) == negated_;
    return out_;
  }

 private:
  NodePtr left_, right_, equal_;
  bool negated_;
  Vector out_;
  SelectionBuffer both_;
};

}  // namespace

Result<NodePtr> compile_logic(Builder& b, const sql::Expr& e) {
  NodePtr node;
  switch (e.kind) {
    case sql::ExprKind::kBool: {
      const auto& x = sql::as<sql::BoolExpr>(e);
      std::vector<NodePtr> arguments;
      std::vector<const Node*> children;
      for (const sql::ExprPtr& a : x.arguments) {
        INDIGO_ASSIGN(NodePtr argument, b.compile(a));
        children.push_back(argument.get());
        arguments.push_back(std::move(argument));
      }
      if (x.op == sql::BoolExpr::Op::kNot) {
        node = std::make_unique<NotNode>(b.state(), std::move(arguments[0]));
      } else {
        node = std::make_unique<AndOrNode>(b.state(), x.op == sql::BoolExpr::Op::kAnd, std::move(arguments));
      }
      inherit(*node, children);
      return node;
    }
    case sql::ExprKind::kNullTest: {
      const auto& x = sql::as<sql::NullTestExpr>(e);
      INDIGO_ASSIGN(NodePtr argument, b.compile(x.argument));
      const Node* child = argument.get();
      node = std::make_unique<NullTestNode>(b.state(), std::move(argument), x.is_null, x.row);
      inherit(*node, {child});
      return node;
    }
    case sql::ExprKind::kBooleanTest: {
      const auto& x = sql::as<sql::BooleanTestExpr>(e);
      INDIGO_ASSIGN(NodePtr argument, b.compile(x.argument));
      const Node* child = argument.get();
      node = std::make_unique<BooleanTestNode>(b.state(), std::move(argument), x.test);
      inherit(*node, {child});
      return node;
    }
    default: {
      const auto& x = sql::as<sql::DistinctExpr>(e);
      INDIGO_ASSIGN(NodePtr left, b.compile(x.left));
      INDIGO_ASSIGN(NodePtr right, b.compile(x.right));
      INDIGO_ASSIGN(NodePtr equal, b.compile(x.equal));
      std::vector<const Node*> children{left.get(), right.get(), equal.get()};
      node = std::make_unique<DistinctNode>(b.state(), std::move(left), std::move(right), std::move(equal), x.negated);
      inherit(*node, children);
      return node;
    }
  }
}

}  // namespace indigo::engine::exec
