// Subscripts of values that are maps of texts (hstore): the value under a key, and assignment to it.
#include "base/sqlstate.h"
#include "engine/exec/expression/expression_nodes.h"
#include "types/io/type_definition.h"

namespace indigo::engine::exec {
namespace {

class KeyedSubscriptNode final : public Node {
 public:
  KeyedSubscriptNode(QueryState& state, const types::KeyedSubscripts& keyed, NodePtr container, NodePtr key,
                     NodePtr assign)
      : Node(state),
        keyed_(keyed),
        container_(std::move(container)),
        key_(std::move(key)),
        assign_(std::move(assign)) {}

  const Vector& evaluate(const Frame& frame, Selection selection) override {
    const Vector& container = container_->evaluate(frame, selection);
    if (failed()) return out_;
    const Vector& key = key_->evaluate(frame, selection);
    if (failed()) return out_;
    const Vector* const assigned = assign_ != nullptr ? &assign_->evaluate(frame, selection) : nullptr;
    if (failed()) return out_;
    out_.init(phys, frame.extent);
    for (uint32_t i = 0; i < selection.count && !failed(); i++) {
      const uint32_t row = selection[i];
      out_.set_datum(row, assigned != nullptr ? assign(container, key, *assigned, row) : fetch(container, key, row));
    }
    return out_;
  }

 private:
  static std::optional<Str> text(const Vector& v, uint32_t row) {
    if (v.is_null(row)) return std::nullopt;
    return v.get<Str>(row);
  }

  Datum fetch(const Vector& container, const Vector& key, uint32_t row) const {
    if (container.is_null(row) || key.is_null(row)) return Datum::make_null(phys);
    const auto found = keyed_.fetch(container.get<Str>(row), key.get<Str>(row));
    return found ? Datum::of(*found) : Datum::make_null(phys);
  }

  Datum assign(const Vector& container, const Vector& key, const Vector& value, uint32_t row) {
    if (key.is_null(row)) {
      functions().fail(sqlstate::kNullValueNotAllowed,
                       std::string(keyed_.name) + " subscript in assignment must not be null");
      return Datum::make_null(phys);
    }
    const std::string changed = keyed_.assign(text(container, row), key.get<Str>(row), text(value, row));
    return Datum::of(functions().arena().copy(changed));
  }

  const types::KeyedSubscripts& keyed_;
  NodePtr container_, key_, assign_;
  Vector out_;
};

}  // namespace

Result<NodePtr> compile_keyed_subscript(Builder& b, const sql::SubscriptExpr& e, const types::KeyedSubscripts& keyed) {
  INDIGO_ASSIGN(NodePtr container, b.compile(e.container));
  INDIGO_ASSIGN(NodePtr key, b.compile(e.indexes[0].upper));
  INDIGO_ASSIGN(NodePtr assign, b.compile(e.assign));
  std::vector<const Node*> children{container.get(), key.get()};
  if (assign != nullptr) children.push_back(assign.get());
  NodePtr node =
      std::make_unique<KeyedSubscriptNode>(b.state(), keyed, std::move(container), std::move(key), std::move(assign));
  inherit(*node, children);
  return node;
}

}  // namespace indigo::engine::exec
