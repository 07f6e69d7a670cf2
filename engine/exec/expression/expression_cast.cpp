// Casts that no function does: relabelling, through text, element by element, domain checks, COLLATE.
#include "base/sqlstate.h"
#include "engine/exec/expression/expression_nodes.h"

namespace indigo::engine::exec {
namespace {

class IoCastNode final : public Node {
 public:
  IoCastNode(QueryState& state, NodePtr argument, types::TypeRef from)
      : Node(state), argument_(std::move(argument)), from_(from) {}
  const Vector& evaluate(const Frame& frame, Selection selection) override {
    const Vector& value = argument_->evaluate(frame, selection);
    if (failed()) return out_;
    out_.init(phys, frame.extent);
    for (uint32_t i = 0; i < selection.count; i++) {
      uint32_t r = selection[i];
      if (value.is_null(r)) {
        out_.set_datum(r, Datum::make_null(phys));
        continue;
      }
      text_.clear();
      types::type_output(functions(), from_, value.datum(r), text_);
      Str text = functions().arena().copy(text_);
      out_.set_datum(r, types::type_input(functions(), type, text));
      if (failed()) return out_;
    }
    return out_;
  }

 private:
  NodePtr argument_;
  types::TypeRef from_;
  std::string text_;
  Vector out_;
};

class DomainCastNode final : public Node {
 public:
  struct Check {
    std::string name;
    NodePtr condition;
  };
  DomainCastNode(QueryState& state, NodePtr argument, std::string schema, std::string domain, bool not_null,
                 std::vector<Check> checks)
      : Node(state),
        argument_(std::move(argument)),
        schema_(std::move(schema)),
        domain_(std::move(domain)),
        not_null_(not_null),
        checks_(std::move(checks)) {}
  const Vector& evaluate(const Frame& frame, Selection selection) override {
    const Vector& value = argument_->evaluate(frame, selection);
    if (failed()) return value;
    if (not_null_) {
      for (uint32_t i = 0; i < selection.count; i++) {
        if (value.is_null(selection[i])) {
          functions().fail(
              named(Error(sqlstate::kNotNullViolation, "domain " + domain_ + " does not allow null values")));
          return value;
        }
      }
    }
    if (checks_.empty()) return value;
    values_.columns.resize(1);
    values_.columns[0].reference(value);
    Frame inner{{&values_, nullptr}, frame.extent};
    for (Check& check : checks_) {
      const Vector& ok = check.condition->evaluate(inner, selection);
      if (failed()) return value;
      for (uint32_t i = 0; i < selection.count; i++) {
        uint32_t r = selection[i];
        if (!ok.is_null(r) && !ok.get<bool>(r)) {
          Error error(sqlstate::kCheckViolation,
                      "value for domain " + domain_ + " violates check constraint \"" + check.name + "\"");
          error.constraint = check.name;
          functions().fail(named(std::move(error)));
          return value;
        }
      }
    }
    return value;
  }

 private:
  Error named(Error error) const {
    error.schema = schema_;
    error.data_type = domain_;
    return error;
  }

  NodePtr argument_;
  std::string schema_, domain_;
  bool not_null_;
  std::vector<Check> checks_;
  Chunk values_;
};

}  // namespace

Result<NodePtr> compile_cast(Builder& b, const sql::Expr& e) {
  switch (e.kind) {
    case sql::ExprKind::kRelabel: return b.compile(sql::as<sql::RelabelExpr>(e).argument);
    case sql::ExprKind::kCollate: return b.compile(sql::as<sql::CollateExpr>(e).argument);
    case sql::ExprKind::kIoCast: {
      const auto& x = sql::as<sql::IoCastExpr>(e);
      INDIGO_ASSIGN(NodePtr argument, b.compile(x.argument));
      const Node* child = argument.get();
      NodePtr node = std::make_unique<IoCastNode>(b.state(), std::move(argument), x.argument->type);
      inherit(*node, {child});
      return node;
    }
    default: {
      const auto& x = sql::as<sql::DomainCastExpr>(e);
      INDIGO_ASSIGN(NodePtr argument, b.compile(x.argument));
      std::vector<const Node*> children{argument.get()};
      std::vector<DomainCastNode::Check> checks;
      for (const auto& check : x.checks) {
        INDIGO_ASSIGN(NodePtr condition, b.compile(check.condition));
        children.push_back(condition.get());
        checks.push_back({check.name, std::move(condition)});
      }
      auto info = b.state().session().catalog().type(e.type.oid);
      NodePtr node = std::make_unique<DomainCastNode>(
          b.state(), std::move(argument), info ? b.state().session().catalog().schema_name(info->schema) : "",
          info ? info->name : "", x.not_null, std::move(checks));
      inherit(*node, {children[0]});
      for (const Node* c : children) node->is_volatile |= c->is_volatile;
      if (node->is_volatile) node->invariant = false;
      return node;
    }
  }
}

}  // namespace indigo::engine::exec
