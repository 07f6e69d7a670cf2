// Array subscripts: a[1][2], slices a[1:2], and assignment to them (UPDATE t SET a[1] = v, a[2:3] = w) and to jsonb's.
#include <algorithm>
#include <optional>

#include "base/sqlstate.h"
#include "engine/exec/expression/expression_nodes.h"
#include "types/io/type_definition.h"
#include "types/json/jsonb.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::engine::exec {
namespace {

struct Bound {
  NodePtr lower, upper;  // null: left out
  bool slice = false;
};

class SubscriptNode final : public Node {
 public:
  SubscriptNode(QueryState& state, NodePtr container, std::vector<Bound> bounds, types::TypeRef element,
                Phys element_phys, NodePtr assign)
      : Node(state),
        container_(std::move(container)),
        bounds_(std::move(bounds)),
        element_(element),
        element_phys_(element_phys),
        assign_(std::move(assign)) {
    slice_ = std::any_of(bounds_.begin(), bounds_.end(), [](const Bound& b) { return b.slice; });
  }

  const Vector& evaluate(const Frame& frame, Selection selection) override {
    const Vector& container = container_->evaluate(frame, selection);
    if (failed()) return out_;
    values_.clear();
    for (Bound& b : bounds_) {
      for (Node* n : {b.lower.get(), b.upper.get()}) {
        values_.push_back(n != nullptr ? &n->evaluate(frame, selection) : nullptr);
        if (failed()) return out_;
      }
    }
    const Vector* assigned = assign_ != nullptr ? &assign_->evaluate(frame, selection) : nullptr;
    if (failed()) return out_;
    out_.init(phys, frame.extent);
    for (uint32_t i = 0; i < selection.count && !failed(); i++) {
      uint32_t r = selection[i];
      out_.set_datum(r, assigned != nullptr ? assign(container, *assigned, r)
                        : slice_            ? slice(container, r)
                                            : fetch(container, r));
    }
    return out_;
  }

 private:
  // The value of bound k (lower: 2d, upper: 2d + 1) in a row; nothing when it is null.
  std::optional<int32_t> bound(size_t k, uint32_t row) const {
    if (values_[k]->is_null(row)) return std::nullopt;
    return values_[k]->get<int32_t>(row);
  }

  Datum fetch(const Vector& container, uint32_t row) const {
    Datum none = Datum::make_null(phys);
    if (container.is_null(row)) return none;
    ArrayView array(container.get<Str>(row));
    int64_t index = 0;
    for (size_t d = 0; d < bounds_.size(); d++) {
      auto at = bound(2 * d + 1, row);
      if (!at || static_cast<size_t>(array.dimensions()) != bounds_.size()) return none;
      ArrayDimension dimension = array.dimension(static_cast<int>(d));
      if (*at < dimension.lower || int64_t{*at} >= int64_t{dimension.lower} + dimension.length) return none;
      index = index * dimension.length + (*at - dimension.lower);
    }
    return array.element(static_cast<int32_t>(index));
  }

  Datum empty() {
    return Datum::of(functions().arena().copy(make_array(element_.oid, element_phys_, std::span<const Datum>())));
  }

  // In a slice a plain subscript i means 1:i.
  Datum slice(const Vector& container, uint32_t row) {
    if (container.is_null(row)) return Datum::make_null(phys);
    ArrayView array(container.get<Str>(row));
    std::vector<int32_t> low, high;
    std::vector<ArrayDimension> shape;
    for (size_t d = 0; d < bounds_.size(); d++) {
      bool known = d < static_cast<size_t>(array.dimensions());
      ArrayDimension dimension = known ? array.dimension(static_cast<int>(d)) : ArrayDimension{};
      int32_t from = bounds_[d].slice ? dimension.lower : 1, to = dimension.lower + dimension.length - 1;
      for (size_t k : {2 * d, 2 * d + 1}) {
        if (values_[k] == nullptr) continue;
        auto at = bound(k, row);
        if (!at) return Datum::make_null(phys);
        (k % 2 == 0 ? from : to) = *at;
      }
      if (!known) continue;
      from = std::max(from, dimension.lower);
      to = std::min(to, dimension.lower + dimension.length - 1);
      if (from > to) return empty();
      low.push_back(from - dimension.lower);
      high.push_back(to - dimension.lower);
      shape.push_back({to - from + 1, 1});
    }
    if (array.dimensions() == 0 || bounds_.size() > static_cast<size_t>(array.dimensions())) return empty();
    for (int d = static_cast<int>(bounds_.size()); d < array.dimensions(); d++) {  // further dimensions stay whole
      ArrayDimension dimension = array.dimension(d);
      low.push_back(0);
      high.push_back(dimension.length - 1);
      shape.push_back({dimension.length, 1});
    }
    std::vector<Datum> elements;
    std::vector<int32_t> at = low;
    while (true) {
      int64_t index = 0;
      for (size_t d = 0; d < at.size(); d++) index = index * array.dimension(static_cast<int>(d)).length + at[d];
      elements.push_back(array.element(static_cast<int32_t>(index)));
      size_t d = at.size();
      while (d > 0 && ++at[d - 1] > high[d - 1]) at[d - 1] = low[d - 1], d--;
      if (d == 0) break;
    }
    return Datum::of(functions().arena().copy(make_array(element_.oid, element_phys_, shape, elements)));
  }

  Datum fail(SqlState state, std::string message) {
    functions().fail(state, std::move(message));
    return Datum::make_null(phys);
  }

  Datum null_subscript() {
    return fail(sqlstate::kNullValueNotAllowed, "array subscript in assignment must not be null");
  }

  Datum assign_slice(const Vector& container, const Vector& value, uint32_t row) {
    std::vector<ArrayDimension> shape;
    std::vector<Datum> elements;
    read(container, row, shape, elements);
    const bool fresh = shape.empty();
    std::vector<int32_t> from, to;
    for (size_t d = 0; d < bounds_.size(); d++) {
      for (size_t k : {2 * d, 2 * d + 1}) {
        std::optional<int32_t> at;
        if (values_[k] != nullptr) {
          at = bound(k, row);
          if (!at) return null_subscript();
        } else if (fresh) {
          functions().fail(Error(sqlstate::kArraySubscriptError, "array slice subscript must provide both boundaries")
                               .with_detail("When assigning to a slice of an empty array value, slice boundaries must "
                                            "be fully specified."));
          return Datum::make_null(phys);
        } else if (d < shape.size()) {
          at = k % 2 == 0 ? shape[d].lower : shape[d].lower + shape[d].length - 1;
        }
        (k % 2 == 0 ? from : to).push_back(at.value_or(1));
      }
    }
    if (value.is_null(row)) return container.is_null(row) ? empty() : container.datum(row);
    if (!fresh && bounds_.size() > shape.size()) {
      return fail(sqlstate::kArraySubscriptError, "wrong number of array subscripts");
    }
    for (size_t d = 0; d < from.size(); d++) {
      if (from[d] > to[d]) return fail(sqlstate::kArraySubscriptError, "upper bound cannot be less than lower bound");
      if (int64_t{to[d]} - from[d] >= kMaxArrayElements) return too_large();
      if (fresh) {
        shape.push_back({to[d] - from[d] + 1, from[d]});
      } else if (shape.size() == 1) {
        if (!grow(from[0], shape[0], elements) || !grow(to[0], shape[0], elements)) return too_large();
      } else if (from[d] < shape[d].lower || int64_t{to[d]} >= int64_t{shape[d].lower} + shape[d].length) {
        return fail(sqlstate::kArraySubscriptError, "array subscript out of range");
      }
    }
    if (const ArrayDimension* d = beyond(shape)) return out_of_bounds(*d);
    int64_t total = 1, wanted = 1;
    for (size_t d = 0; d < shape.size(); d++) {
      total *= shape[d].length;
      if (total > kMaxArrayElements) return too_large();
      if (d >= from.size()) {
        from.push_back(shape[d].lower);
        to.push_back(shape[d].lower + shape[d].length - 1);
      }
      wanted *= int64_t{to[d]} - from[d] + 1;
    }
    const ArrayView source(value.get<Str>(row));
    if (source.count() < wanted) return fail(sqlstate::kArraySubscriptError, "source array too small");
    elements.resize(static_cast<size_t>(total), Datum::make_null(element_phys_));
    std::vector<int32_t> at = from;
    for (int32_t next = 0; next < wanted; next++) {
      int64_t index = 0;
      for (size_t d = 0; d < at.size(); d++) index = index * shape[d].length + (at[d] - shape[d].lower);
      elements[static_cast<size_t>(index)] = source.element(next);
      for (size_t d = at.size(); d > 0 && ++at[d - 1] > to[d - 1]; d--) at[d - 1] = from[d - 1];
    }
    return Datum::of(functions().arena().copy(make_array(element_.oid, element_phys_, shape, elements)));
  }

  static void read(const Vector& container, uint32_t row, std::vector<ArrayDimension>& shape,
                   std::vector<Datum>& elements) {
    if (container.is_null(row)) return;
    const ArrayView array(container.get<Str>(row));
    for (int d = 0; d < array.dimensions(); d++) shape.push_back(array.dimension(d));
    for (int32_t e = 0; e < array.count(); e++) elements.push_back(array.element(e));
  }

  // An array of one dimension grows to take the subscript in.
  bool grow(int32_t at, ArrayDimension& dimension, std::vector<Datum>& elements) const {
    const int64_t below = int64_t{dimension.lower} - at, above = int64_t{at} - dimension.lower - dimension.length + 1;
    if (std::max(below, above) + dimension.length > kMaxArrayElements) return false;
    if (below > 0) {
      elements.insert(elements.begin(), static_cast<size_t>(below), Datum::make_null(element_phys_));
      dimension = {static_cast<int32_t>(dimension.length + below), at};
    } else if (above > 0) {
      elements.insert(elements.end(), static_cast<size_t>(above), Datum::make_null(element_phys_));
      dimension.length += static_cast<int32_t>(above);
    }
    return true;
  }
  // A dimension that does not end before the last integer; null: none.
  static const ArrayDimension* beyond(const std::vector<ArrayDimension>& shape) {
    for (const ArrayDimension& d : shape)
      if (int64_t{d.lower} + d.length > INT32_MAX) return &d;
    return nullptr;
  }
  Datum out_of_bounds(const ArrayDimension& d) {
    return fail(sqlstate::kProgramLimitExceeded, "array lower bound is too large: " + std::to_string(d.lower));
  }
  Datum too_large() {
    return fail(sqlstate::kProgramLimitExceeded, "array size exceeds the maximum allowed (134217727)");
  }

  Datum assign(const Vector& container, const Vector& value, uint32_t row) {
    if (slice_) return assign_slice(container, value, row);
    std::vector<int32_t> at;
    for (size_t d = 0; d < bounds_.size(); d++) {
      auto subscript = bound(2 * d + 1, row);
      if (!subscript) return null_subscript();
      at.push_back(*subscript);
    }
    std::vector<ArrayDimension> shape;
    std::vector<Datum> elements;
    read(container, row, shape, elements);
    if (shape.empty()) {
      for (int32_t subscript : at) shape.push_back({1, subscript});
      elements.assign(1, Datum::make_null(element_phys_));
    }
    if (shape.size() != at.size()) return fail(sqlstate::kArraySubscriptError, "wrong number of array subscripts");
    if (shape.size() == 1 && !grow(at[0], shape[0], elements)) return too_large();
    if (const ArrayDimension* d = beyond(shape)) return out_of_bounds(*d);
    int64_t index = 0;
    for (size_t d = 0; d < at.size(); d++) {
      if (at[d] < shape[d].lower || int64_t{at[d]} >= int64_t{shape[d].lower} + shape[d].length) {
        return fail(sqlstate::kArraySubscriptError, "array subscript out of range");
      }
      index = index * shape[d].length + (at[d] - shape[d].lower);
    }
    elements[static_cast<size_t>(index)] = value.is_null(row) ? Datum::make_null(element_phys_) : value.datum(row);
    return Datum::of(functions().arena().copy(make_array(element_.oid, element_phys_, shape, elements)));
  }

  NodePtr container_;
  std::vector<Bound> bounds_;
  types::TypeRef element_;
  Phys element_phys_;
  NodePtr assign_;
  bool slice_ = false;
  std::vector<const Vector*> values_;
  Vector out_;
};

class JsonbAssignNode final : public Node {
 public:
  JsonbAssignNode(QueryState& state, NodePtr container, std::vector<NodePtr> path, bool array_when_null, NodePtr value)
      : Node(state),
        container_(std::move(container)),
        path_(std::move(path)),
        array_when_null_(array_when_null),
        value_(std::move(value)) {}

  const Vector& evaluate(const Frame& frame, Selection selection) override {
    const Vector& container = container_->evaluate(frame, selection);
    steps_.clear();
    for (const NodePtr& n : path_) {
      if (failed()) return out_;
      steps_.push_back(&n->evaluate(frame, selection));
    }
    if (failed()) return out_;
    const Vector& value = value_->evaluate(frame, selection);
    if (failed()) return out_;
    out_.init(phys, frame.extent);
    for (uint32_t i = 0; i < selection.count && !failed(); i++) {
      out_.set_datum(selection[i], assign(container, value, selection[i]));
    }
    return out_;
  }

 private:
  static std::optional<Str> document(const Vector& v, uint32_t row) {
    if (v.is_null(row)) return std::nullopt;
    return v.get<Str>(row);
  }

  Datum assign(const Vector& container, const Vector& value, uint32_t row) {
    std::vector<std::string> path;
    for (const Vector* step : steps_) {
      if (step->is_null(row)) {
        functions().fail(sqlstate::kNullValueNotAllowed, "jsonb subscript in assignment must not be null");
        return Datum::make_null(phys);
      }
      path.emplace_back(step->get<Str>(row));
    }
    const std::string out =
        types::assign_jsonb(functions(), document(container, row), array_when_null_, path, document(value, row));
    return Datum::of(functions().arena().copy(out));
  }

  NodePtr container_;
  std::vector<NodePtr> path_;
  bool array_when_null_;
  NodePtr value_;
  std::vector<const Vector*> steps_;
  Vector out_;
};

// Reading jsonb[...] is #>: only assignment comes here.
Result<NodePtr> compile_jsonb_assignment(Builder& b, const sql::SubscriptExpr& e) {
  INDIGO_ASSIGN(NodePtr container, b.compile(e.container));
  INDIGO_ASSIGN(NodePtr value, b.compile(e.assign));
  std::vector<const Node*> children{container.get(), value.get()};
  std::vector<NodePtr> path;
  for (const auto& index : e.indexes) {
    INDIGO_ASSIGN(NodePtr step, b.compile(index.upper));
    children.push_back(step.get());
    path.push_back(std::move(step));
  }
  NodePtr node = std::make_unique<JsonbAssignNode>(b.state(), std::move(container), std::move(path),
                                                   e.element.oid == oid::kInt4, std::move(value));
  inherit(*node, children);
  return node;
}

}  // namespace

Result<NodePtr> compile_subscript(Builder& b, const sql::SubscriptExpr& e) {
  if (e.container->type.oid == oid::kJsonb) return compile_jsonb_assignment(b, e);
  const auto container_type = b.state().session().catalog().type(e.container->type.oid);
  if (container_type != nullptr && container_type->definition != nullptr && container_type->definition->subscripts)
    return compile_keyed_subscript(b, e, *container_type->definition->subscripts);
  if (container_type != nullptr && !container_type->is_array()) return compile_fixed_subscript(b, e);
  INDIGO_ASSIGN(NodePtr container, b.compile(e.container));
  std::vector<const Node*> children{container.get()};
  std::vector<Bound> bounds;
  for (const auto& index : e.indexes) {
    Bound bound;
    INDIGO_ASSIGN(bound.lower, b.compile(index.lower));
    INDIGO_ASSIGN(bound.upper, b.compile(index.upper));
    bound.slice = index.slice;
    if (bound.lower != nullptr) children.push_back(bound.lower.get());
    if (bound.upper != nullptr) children.push_back(bound.upper.get());
    bounds.push_back(std::move(bound));
  }
  INDIGO_ASSIGN(NodePtr assign, b.compile(e.assign));
  if (assign != nullptr) children.push_back(assign.get());
  NodePtr node = std::make_unique<SubscriptNode>(b.state(), std::move(container), std::move(bounds), e.element,
                                                 b.phys_of(e.element), std::move(assign));
  inherit(*node, children);
  return node;
}

}  // namespace indigo::engine::exec
