// Subscripts of values that are a fixed number of elements, counted from 0: point and line of float8, lseg and box of points.
// What is outside is null to a reader and an error to a writer; nothing in them can be null.
#include "base/sqlstate.h"
#include "engine/exec/expression/expression_nodes.h"
#include "engine/exec/gone.h"
#include "types/oids.h"

namespace indigo::engine::exec {
namespace {

class FixedSubscriptNode final : public Node {
 public:
  FixedSubscriptNode(QueryState& state, NodePtr container, std::vector<NodePtr> indexes, Phys element_phys,
                     size_t element_bytes, NodePtr assign)
      : Node(state),
        container_(std::move(container)),
        indexes_(std::move(indexes)),
        element_phys_(element_phys),
        element_bytes_(element_bytes),
        assign_(std::move(assign)) {}

  const Vector& evaluate(const Frame& frame, Selection selection) override {
    const Vector& container = container_->evaluate(frame, selection);
    values_.clear();
    for (const NodePtr& index : indexes_) {
      if (failed()) return out_;
      values_.push_back(&index->evaluate(frame, selection));
    }
    if (failed()) return out_;
    const Vector* assigned = assign_ != nullptr ? &assign_->evaluate(frame, selection) : nullptr;
    if (failed()) return out_;
    out_.init(phys, frame.extent);
    for (uint32_t i = 0; i < selection.count && !failed(); i++) {
      const uint32_t r = selection[i];
      out_.set_datum(r, assigned != nullptr ? assign(container, *assigned, r) : fetch(container, r));
    }
    return out_;
  }

 private:
  Datum fail(SqlState state, std::string message) {
    functions().fail(state, std::move(message));
    return Datum::make_null(phys);
  }

  bool within(int32_t index, Str image) const {
    return index >= 0 && (static_cast<size_t>(index) + 1) * element_bytes_ <= image.size();
  }

  Datum fetch(const Vector& container, uint32_t row) const {
    if (container.is_null(row) || values_.size() != 1 || values_[0]->is_null(row)) return Datum::make_null(phys);
    const Str image = container.get<Str>(row);
    const auto index = values_[0]->get<int32_t>(row);
    if (!within(index, image)) return Datum::make_null(phys);
    const Str element = image.substr(static_cast<size_t>(index) * element_bytes_, element_bytes_);
    return element_phys_ == Phys::kF64 ? Datum::of(load_unaligned<double>(element.data())) : Datum::of(element);
  }

  Datum assign(const Vector& container, const Vector& value, uint32_t row) {
    for (const Vector* index : values_) {
      if (index->is_null(row))
        return fail(sqlstate::kNullValueNotAllowed, "array subscript in assignment must not be null");
    }
    if (container.is_null(row) || value.is_null(row)) return container.datum(row);
    if (values_.size() != 1) return fail(sqlstate::kArraySubscriptError, "wrong number of array subscripts");
    const Str image = container.get<Str>(row);
    const auto index = values_[0]->get<int32_t>(row);
    if (!within(index, image)) return fail(sqlstate::kArraySubscriptError, "array subscript out of range");
    std::string changed(image);
    char* const at = changed.data() + static_cast<size_t>(index) * element_bytes_;
    if (element_phys_ == Phys::kF64) {
      store_unaligned(at, value.get<double>(row));
    } else {
      value.get<Str>(row).copy(at, element_bytes_);
    }
    return Datum::of(functions().arena().copy(changed));
  }

  NodePtr container_;
  std::vector<NodePtr> indexes_;
  const Phys element_phys_;
  const size_t element_bytes_;
  NodePtr assign_;
  std::vector<const Vector*> values_;
  Vector out_;
};

}  // namespace

Result<NodePtr> compile_fixed_subscript(Builder& b, const sql::SubscriptExpr& e) {
  INDIGO_ASSIGN(NodePtr container, b.compile(e.container));
  std::vector<const Node*> children{container.get()};
  std::vector<NodePtr> indexes;
  for (const auto& index : e.indexes) {
    INDIGO_ASSIGN(NodePtr compiled, b.compile(index.upper));
    children.push_back(compiled.get());
    indexes.push_back(std::move(compiled));
  }
  INDIGO_ASSIGN(NodePtr assign, b.compile(e.assign));
  if (assign != nullptr) children.push_back(assign.get());
  const auto element = b.state().session().catalog().type(e.element.oid);
  if (element == nullptr) return gone_type(e.element.oid);
  NodePtr node =
      std::make_unique<FixedSubscriptNode>(b.state(), std::move(container), std::move(indexes), b.phys_of(e.element),
                                           static_cast<size_t>(element->length), std::move(assign));
  inherit(*node, children);
  return node;
}

}  // namespace indigo::engine::exec
