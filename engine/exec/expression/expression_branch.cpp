// CASE, COALESCE, NULLIF, GREATEST and LEAST: each argument is evaluated for the rows that reach it.
#include <array>

#include "base/raised_error.h"
#include "base/sqlstate.h"
#include "engine/exec/expression/expression_nodes.h"

namespace indigo::engine::exec {
namespace {

void copy_selected(Vector& to, const Vector& from, Selection rows) {
  for (uint32_t i = 0; i < rows.count; i++) to.copy_row(rows[i], from, rows[i]);
}

class CaseNode final : public Node {
 public:
  CaseNode(QueryState& state, std::vector<NodePtr> conditions, std::vector<NodePtr> results)
      : Node(state), conditions_(std::move(conditions)), results_(std::move(results)) {}

  const Vector& evaluate(const Frame& frame, Selection selection) override {
    out_.init(phys, frame.extent);
    uint16_t* rest = rest_.reserve(selection.count);
    uint16_t* taken = taken_.reserve(selection.count);
    Selection open = selection;
    for (size_t w = 0; w < conditions_.size() && open.count > 0; w++) {
      uint32_t n = conditions_[w]->filter(frame, open, taken);
      if (failed()) return out_;
      if (n == 0) continue;
      const Vector& value = results_[w]->evaluate(frame, {taken, n});
      if (failed()) return out_;
      copy_selected(out_, value, {taken, n});
      uint32_t left = 0;
      for (uint32_t i = 0, t = 0; i < open.count; i++) {
        uint32_t r = open[i];
        if (t < n && taken[t] == r) {
          t++;
        } else {
          rest[left++] = static_cast<uint16_t>(r);
        }
      }
      open = {rest, left};
    }
    if (open.count > 0) {
      const Vector& value = results_.back()->evaluate(frame, open);
      if (!failed()) copy_selected(out_, value, open);
    }
    return out_;
  }

 private:
  std::vector<NodePtr> conditions_, results_;  // results_.back() is ELSE
  Vector out_;
  SelectionBuffer rest_, taken_;
};

class CoalesceNode final : public Node {
 public:
  CoalesceNode(QueryState& state, std::vector<NodePtr> arguments) : Node(state), arguments_(std::move(arguments)) {}
  const Vector& evaluate(const Frame& frame, Selection selection) override {
    out_.init(phys, frame.extent);
    uint16_t* rest = rest_.reserve(selection.count);
    Selection open = selection;
    for (NodePtr& argument : arguments_) {
      const Vector& value = argument->evaluate(frame, open);
      if (failed()) return out_;
      uint32_t left = 0;
      for (uint32_t i = 0; i < open.count; i++) {
        uint32_t r = open[i];
        out_.copy_row(r, value, r);
        if (value.is_null(r)) rest[left++] = static_cast<uint16_t>(r);
      }
      open = {rest, left};
      if (left == 0) break;
    }
    return out_;
  }

 private:
  std::vector<NodePtr> arguments_;
  Vector out_;
  SelectionBuffer rest_;
};

class NullIfNode final : public Node {
 public:
  NullIfNode(QueryState& state, NodePtr value, NodePtr other, types::ScalarKernel equal, types::CallInfo call)
      : Node(state), value_(std::move(value)), other_(std::move(other)), equal_(equal), call_(std::move(call)) {}
  const Vector& evaluate(const Frame& frame, Selection selection) override {
    const Vector& value = value_->evaluate(frame, selection);
    if (failed()) return out_;
    const Vector& other = other_->evaluate(frame, selection);
    if (failed()) return out_;
    uint16_t* both = both_.reserve(selection.count);
    uint32_t n = 0;
    for (uint32_t i = 0; i < selection.count; i++) {
      const uint32_t r = selection[i];
      if (!value.is_null(r) && !other.is_null(r)) both[n++] = static_cast<uint16_t>(r);
    }
    same_.init(Phys::kBool, frame.extent);
    const std::array<const Vector*, 2> arguments{&value, &other};
    if (n > 0) equal_(functions(), call_, arguments, {both, n}, same_);
    if (failed()) return out_;
    out_.init(phys, frame.extent);
    for (uint32_t i = 0; i < selection.count; i++) out_.copy_row(selection[i], value, selection[i]);
    for (uint32_t i = 0; i < n; i++) {
      if (!same_.is_null(both[i]) && same_.get<bool>(both[i])) out_.set_null(both[i]);
    }
    return out_;
  }

 private:
  NodePtr value_, other_;
  types::ScalarKernel equal_;
  types::CallInfo call_;
  SelectionBuffer both_;
  Vector same_, out_;
};

class GreatestLeastNode final : public Node {
 public:
  GreatestLeastNode(QueryState& state, bool greatest, const types::TypeOrder* order, const types::Collator* collator,
                    std::vector<NodePtr> arguments)
      : Node(state), greatest_(greatest), order_(order), collator_(collator), arguments_(std::move(arguments)) {}
  const Vector& evaluate(const Frame& frame, Selection selection) override {
    out_.init(phys, frame.extent);
    for (uint32_t i = 0; i < selection.count; i++) out_.set_null(selection[i]);
    for (NodePtr& argument : arguments_) {
      const Vector& value = argument->evaluate(frame, selection);
      if (failed()) return out_;
      const Status compared = catch_raised([&]() -> Status {
        take_better(value, selection);
        return {};
      });
      if (compared.ok()) continue;
      functions().fail(compared.error());
      return out_;
    }
    return out_;
  }

 private:
  void take_better(const Vector& value, Selection selection) {
    for (uint32_t i = 0; i < selection.count; i++) {
      uint32_t r = selection[i];
      if (value.is_null(r)) continue;
      if (!out_.is_null(r)) {
        int c = order_->compare(value.datum(r), out_.datum(r), collator_);
        if (greatest_ ? c <= 0 : c >= 0) continue;
      }
      out_.copy_row(r, value, r);
    }
  }

  bool greatest_;
  const types::TypeOrder* order_;
  const types::Collator* collator_;
  std::vector<NodePtr> arguments_;
  Vector out_;
};

Result<std::vector<NodePtr>> compile_list(Builder& b, const sql::ExprList& list, std::vector<const Node*>& children) {
  std::vector<NodePtr> nodes;
  for (const sql::ExprPtr& e : list) {
    INDIGO_ASSIGN(NodePtr node, b.compile(e));
    children.push_back(node.get());
    nodes.push_back(std::move(node));
  }
  return nodes;
}

}  // namespace

Result<NodePtr> compile_branch(Builder& b, const sql::Expr& e) {
  std::vector<const Node*> children;
  NodePtr node;
  switch (e.kind) {
    case sql::ExprKind::kCase: {
      const auto& x = sql::as<sql::CaseExpr>(e);
      std::vector<NodePtr> conditions, results;
      for (const sql::CaseExpr::When& w : x.whens) {
        INDIGO_ASSIGN(NodePtr condition, b.compile(w.condition));
        INDIGO_ASSIGN(NodePtr result, b.compile(w.result));
        children.push_back(condition.get());
        children.push_back(result.get());
        conditions.push_back(std::move(condition));
        results.push_back(std::move(result));
      }
      INDIGO_ASSIGN(NodePtr otherwise, b.compile(x.otherwise));
      children.push_back(otherwise.get());
      results.push_back(std::move(otherwise));
      node = std::make_unique<CaseNode>(b.state(), std::move(conditions), std::move(results));
      break;
    }
    case sql::ExprKind::kCoalesce: {
      INDIGO_ASSIGN(auto nodes, compile_list(b, sql::as<sql::CoalesceExpr>(e).arguments, children));
      node = std::make_unique<CoalesceNode>(b.state(), std::move(nodes));
      break;
    }
    case sql::ExprKind::kNullIf: {
      const auto& equal = sql::as<sql::CallExpr>(*sql::as<sql::NullIfExpr>(e).equal);
      const types::ScalarFunction* function = types::find_scalar(equal.function);
      if (function == nullptr) {
        return Error(sqlstate::kFeatureNotSupported,
                     "function with OID " + std::to_string(equal.function) + " is not supported");
      }
      INDIGO_ASSIGN(NodePtr value, b.compile(equal.arguments[0]));
      INDIGO_ASSIGN(NodePtr other, b.compile(equal.arguments[1]));
      children = {value.get(), other.get()};
      const std::vector<types::TypeRef> types{equal.arguments[0]->type, equal.arguments[1]->type};
      node = std::make_unique<NullIfNode>(b.state(), std::move(value), std::move(other), function->kernel,
                                          types::CallInfo{equal.function, equal.type, types, equal.collation});
      break;
    }
    default: {
      const auto& x = sql::as<sql::GreatestLeastExpr>(e);
      const types::TypeOrder* order = b.order_of(e.type);
      if (order == nullptr || order->compare == nullptr) {
        return Error(sqlstate::kUndefinedFunction,
                     "could not identify a comparison function for type " + std::to_string(e.type.oid));
      }
      INDIGO_ASSIGN(auto nodes, compile_list(b, x.arguments, children));
      INDIGO_ASSIGN(const types::Collator* collator, b.collator_of(e.type));
      node = std::make_unique<GreatestLeastNode>(b.state(), x.greatest, order, collator, std::move(nodes));
      break;
    }
  }
  inherit(*node, children);
  return node;
}

}  // namespace indigo::engine::exec
