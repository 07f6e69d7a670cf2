// Arrays: x op ANY | ALL (array), ARRAY[...], element-wise casts.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/sqlstate.h"
#include "catalog/descriptor/class_order.h"
#include "engine/exec/aggregate/group_table.h"
#include "engine/exec/expression/expression_nodes.h"
#include "types/function/registry.h"
#include "types/value/array_format.h"
#include "types/value/collator.h"

namespace indigo::engine::exec {
namespace {

// The elements of a long list, hashed; rebuilt when the list changes.
class HashedList {
 public:
  // For shorter ones comparing is quicker.
  static constexpr int32_t kElementsMin = 9;

  HashedList(KeyOps ops, Phys element) : element_(element) { table_.init(std::move(ops), {element}); }

  void take(Str image) {
    if (std::string_view(image) == image_ && !image_.empty()) return;
    image_.assign(image.data(), image.size());
    table_.clear();
    has_null_ = false;
    const ArrayView view{Str(std::string_view(image_))};
    const auto total = static_cast<uint32_t>(view.count());
    std::vector<uint32_t> groups(kChunkRows);
    std::vector<uint16_t> rows;
    const std::array<const Vector*, 1> keys{&elements_};
    for (uint32_t first = 0; first < total; first += kChunkRows) {
      const uint32_t n = std::min(total - first, kChunkRows);
      elements_.init(element_, n);
      rows.clear();
      for (uint32_t k = 0; k < n; k++) {
        const Datum element = view.element(static_cast<int32_t>(first + k));
        has_null_ |= element.null;
        if (element.null) continue;
        elements_.set_datum(k, element);
        rows.push_back(static_cast<uint16_t>(k));
      }
      table_.find_or_add(keys, {rows.data(), static_cast<uint32_t>(rows.size())}, groups.data());
    }
  }
  bool has_null() const { return has_null_; }
  // groups[i]: GroupTable::kNone when the value of selection[i] is not in the list.
  void find(const Vector& values, Selection selection, uint32_t* groups) {
    const std::array<const Vector*, 1> keys{&values};
    table_.find(keys, selection, groups);
  }

 private:
  const Phys element_;
  std::string image_;
  GroupTable table_;
  bool has_null_ = false;
  Vector elements_;
};

// Compares one value with every element through the operator's kernel; `any` stops at the first true, ALL at the first false.
// Equality with any element of one list for all rows is looked up (`hashed`).
class ArrayCompareNode final : public Node {
 public:
  ArrayCompareNode(QueryState& state, NodePtr left, NodePtr array, types::ScalarKernel kernel, types::CallInfo call,
                   bool any, std::unique_ptr<HashedList> hashed)
      : Node(state),
        left_(std::move(left)),
        array_(std::move(array)),
        kernel_(kernel),
        call_(std::move(call)),
        any_(any),
        hashed_(std::move(hashed)) {}

  const Vector& evaluate(const Frame& frame, Selection selection) override {
    const Vector& value = left_->evaluate(frame, selection);
    if (failed()) return out_;
    if (array_->invariant && !array_->is_volatile && selection.count > 1) return evaluate_list(frame, value, selection);
    const Vector& array = array_->evaluate(frame, selection);
    if (failed()) return out_;
    out_.init(Phys::kBool, frame.extent);
    for (uint32_t i = 0; i < selection.count && !failed(); i++) evaluate_row(value, array, selection[i]);
    return out_;
  }

 private:
  // The list is the same for all rows: it is computed for one.
  const Vector& evaluate_list(const Frame& frame, const Vector& value, Selection selection) {
    const uint16_t one = selection[0];
    const Vector& array = array_->evaluate(frame, {&one, 1});
    if (failed()) return out_;
    out_.init(Phys::kBool, frame.extent);
    const bool look_up =
        hashed_ != nullptr && !array.is_null(one) && ArrayView(array.get<Str>(one)).count() >= HashedList::kElementsMin;
    if (!look_up) {
      if (by_elements(value, array, selection, one)) return out_;
      for (uint32_t i = 0; i < selection.count && !failed(); i++) evaluate_row(value, array, selection[i], one);
      return out_;
    }
    hashed_->take(array.get<Str>(one));
    rows_.clear();
    for (uint32_t i = 0; i < selection.count; i++) {
      const uint32_t r = selection[i];
      if (value.is_null(r)) {
        out_.set_datum(r, Datum::make_null(Phys::kBool));
      } else {
        rows_.push_back(static_cast<uint16_t>(r));
      }
    }
    groups_.resize(rows_.size());
    hashed_->find(value, {rows_.data(), static_cast<uint32_t>(rows_.size())}, groups_.data());
    for (size_t i = 0; i < rows_.size(); i++) {
      const bool found = groups_[i] != GroupTable::kNone;
      out_.set_datum(rows_[i],
                     !found && hashed_->has_null() ? Datum::make_null(Phys::kBool) : Datum::of(found == any_));
    }
    return out_;
  }

  // A short list: one element after the other for all rows that are not decided. False: the list is not short, or something
  // failed, which may be for a row that an element before decides.
  bool by_elements(const Vector& value, const Vector& array, Selection selection, uint32_t array_row) {
    if (array.is_null(array_row)) return false;
    const ArrayView view(array.get<Str>(array_row));
    if (view.count() == 0 || view.count() > kShortList) return false;
    rows_.clear();
    for (uint32_t i = 0; i < selection.count; i++) {
      const uint32_t r = selection[i];
      if (value.is_null(r)) {
        out_.set_datum(r, Datum::make_null(Phys::kBool));
      } else {
        out_.set_datum(r, Datum::of(!any_));
        rows_.push_back(static_cast<uint16_t>(r));
      }
    }
    const std::array<const Vector*, 2> arguments{&value, &single_};
    for (int32_t k = 0; k < view.count() && !rows_.empty(); k++) {
      const Datum element = view.element(k);
      if (element.null) {
        for (const uint16_t r : rows_) out_.set_datum(r, Datum::make_null(Phys::kBool));
        continue;
      }
      single_.set_constant(element);
      matches_.init(Phys::kBool, extent_of(selection));
      kernel_(functions(), call_, arguments, {rows_.data(), static_cast<uint32_t>(rows_.size())}, matches_);
      if (failed()) {
        functions().take_error();
        return false;
      }
      std::erase_if(rows_, [&](uint16_t r) {
        if (matches_.is_null(r)) {
          out_.set_datum(r, Datum::make_null(Phys::kBool));
          return false;
        }
        if (matches_.get<bool>(r) != any_) return false;
        out_.set_datum(r, Datum::of(any_));
        return true;
      });
    }
    return true;
  }

  void evaluate_row(const Vector& value, const Vector& array, uint32_t r) { evaluate_row(value, array, r, r); }
  void evaluate_row(const Vector& value, const Vector& array, uint32_t r, uint32_t array_row) {
    if (array.is_null(array_row)) {
      out_.set_datum(r, Datum::make_null(Phys::kBool));
      return;
    }
    ArrayView view(array.get<Str>(array_row));
    bool null = false;
    auto total = static_cast<uint32_t>(view.count());
    if (total > 0 && value.is_null(r)) {  // the operators that a btree or equality can name are strict
      out_.set_datum(r, Datum::make_null(Phys::kBool));
      return;
    }
    single_.set_constant(value.is_null(r) ? Datum::make_null(value.phys()) : value.datum(r));
    std::array<const Vector*, 2> arguments{&single_, &elements_};
    for (uint32_t first = 0; first < total; first += kChunkRows) {
      uint32_t n = std::min(total - first, kChunkRows);
      elements_.init(view.element_phys(), n);
      for (uint32_t k = 0; k < n; k++) elements_.set_datum(k, view.element(static_cast<int32_t>(first + k)));
      matches_.init(Phys::kBool, n);
      kernel_(functions(), call_, arguments, {nullptr, n}, matches_);
      if (failed()) return;
      for (uint32_t k = 0; k < n; k++) {
        if (matches_.is_null(k)) {
          null = true;
        } else if (matches_.get<bool>(k) == any_) {
          out_.set_datum(r, Datum::of(any_));
          return;
        }
      }
    }
    out_.set_datum(r, null ? Datum::make_null(Phys::kBool) : Datum::of(!any_));
  }

  static constexpr int32_t kShortList = 64;

  NodePtr left_, array_;
  types::ScalarKernel kernel_;
  types::CallInfo call_;
  bool any_;
  std::unique_ptr<HashedList> hashed_;  // null: the operator is no equality that hash tables know
  std::vector<uint16_t> rows_;
  std::vector<uint32_t> groups_;
  Vector out_, single_, elements_, matches_;
};

class ArrayNode final : public Node {
 public:
  ArrayNode(QueryState& state, std::vector<NodePtr> elements, Oid element, Phys element_phys, bool nested)
      : Node(state), elements_(std::move(elements)), element_(element), element_phys_(element_phys), nested_(nested) {}

  const Vector& evaluate(const Frame& frame, Selection selection) override {
    values_.clear();
    for (NodePtr& e : elements_) {
      values_.push_back(&e->evaluate(frame, selection));
      if (failed()) return out_;
    }
    out_.init(Phys::kStr, frame.extent);
    for (uint32_t i = 0; i < selection.count && !failed(); i++) {
      uint32_t r = selection[i];
      std::string image = nested_ ? nested_row(r) : flat_row(r);
      out_.set_datum(r, Datum::of(functions().arena().copy(image)));
    }
    return out_;
  }

 private:
  std::string flat_row(uint32_t r) {
    row_.clear();
    for (const Vector* v : values_) row_.push_back(v->datum(r));
    return make_array(element_, element_phys_, row_);
  }
  // ARRAY[ARRAY[..], ..]: all parts must have equal dimensions; null and empty ones alone make an empty array.
  std::string nested_row(uint32_t r) {
    row_.clear();
    std::vector<ArrayDimension> dimensions;
    bool first = true, some_empty = false;
    int32_t parts = 0;
    for (const Vector* v : values_) {
      if (v->is_null(r) || ArrayView(v->get<Str>(r)).dimensions() == 0) {
        some_empty = true;
        continue;
      }
      ArrayView part(v->get<Str>(r));
      std::vector<ArrayDimension> shape;
      for (int d = 0; d < part.dimensions(); d++) shape.push_back(part.dimension(d));
      if (first) {
        dimensions = shape;
      } else if (shape != dimensions) {
        return mismatch();
      }
      first = false;
      parts++;
      for (int32_t e = 0; e < part.count(); e++) row_.push_back(part.element(e));
    }
    if (some_empty && !first) return mismatch();
    if (dimensions.empty()) return make_array(element_, element_phys_, std::span<const Datum>());
    if (dimensions.size() + 1 > static_cast<size_t>(kMaxArrayDimensions)) {
      functions().fail(
          sqlstate::kProgramLimitExceeded,
          "number of array dimensions (" + std::to_string(dimensions.size() + 1) + ") exceeds the maximum allowed (6)");
      return {};
    }
    dimensions.insert(dimensions.begin(), ArrayDimension{parts, 1});
    return make_array(element_, element_phys_, dimensions, row_);
  }
  std::string mismatch() {
    functions().fail(sqlstate::kArraySubscriptError,
                     "multidimensional arrays must have array expressions with matching dimensions");
    return {};
  }

  std::vector<NodePtr> elements_;
  Oid element_;
  Phys element_phys_;
  bool nested_;
  std::vector<const Vector*> values_;
  std::vector<Datum> row_;
  Vector out_;
};

class ArrayCastNode final : public Node {
 public:
  ArrayCastNode(QueryState& state, NodePtr argument, NodePtr element, Oid to)
      : Node(state), argument_(std::move(argument)), element_(std::move(element)), to_(to) {}
  const Vector& evaluate(const Frame& frame, Selection selection) override {
    const Vector& value = argument_->evaluate(frame, selection);
    if (failed()) return out_;
    out_.init(Phys::kStr, frame.extent);
    for (uint32_t i = 0; i < selection.count; i++) {
      uint32_t r = selection[i];
      if (value.is_null(r)) {
        out_.set_datum(r, Datum::make_null(Phys::kStr));
        continue;
      }
      std::string image = cast(ArrayView(value.get<Str>(r)));
      if (failed()) return out_;
      out_.set_datum(r, Datum::of(functions().arena().copy(image)));
    }
    return out_;
  }

 private:
  std::string cast(const ArrayView& view) {
    std::vector<ArrayDimension> dimensions;
    for (int d = 0; d < view.dimensions(); d++) dimensions.push_back(view.dimension(d));
    auto total = static_cast<uint32_t>(view.count());
    row_.clear();
    elements_.columns.resize(1);
    for (uint32_t first = 0; first < total; first += kChunkRows) {
      uint32_t n = std::min(total - first, kChunkRows);
      elements_.columns[0].init(view.element_phys(), n);
      for (uint32_t k = 0; k < n; k++) elements_.columns[0].set_datum(k, view.element(static_cast<int32_t>(first + k)));
      const Vector& cast = element_->evaluate(Frame{{&elements_, nullptr}, n}, {nullptr, n});
      if (failed()) return {};
      for (uint32_t k = 0; k < n; k++) row_.push_back(cast.datum(k));
    }
    return make_array(to_, element_->phys, dimensions, row_);
  }

  NodePtr argument_, element_;
  Oid to_;
  Chunk elements_;
  std::vector<Datum> row_;
  Vector out_;
};

// = ANY, and <> ALL, of an equality under which the elements can be hashed.
bool is_lookup(Builder& b, const sql::ArrayCompareExpr& x, const types::TypeRef& element) {
  auto& catalog = b.state().session().catalog();
  const types::OperatorInfo* op = catalog.operator_by_oid(x.op);
  if (op != nullptr && !x.any) op = catalog.operator_by_oid(op->negator);
  if (op == nullptr || op->name != "=" || op->left != op->right || !catalog::hashes_as_type(catalog, *op)) return false;
  const types::Collator* collator = catalog.collator(x.collation);
  if (collator != nullptr && !collator->deterministic()) return false;
  const types::TypeOrder* order = types::type_order(x.left->type.oid);
  return x.left->type.oid == element.oid && order != nullptr && order->equal != nullptr && order->hash != nullptr;
}

}  // namespace

Result<NodePtr> compile_array(Builder& b, const sql::Expr& e) {
  std::vector<const Node*> children;
  NodePtr node;
  switch (e.kind) {
    case sql::ExprKind::kArrayCompare: {
      const auto& x = sql::as<sql::ArrayCompareExpr>(e);
      const types::ScalarFunction* function = types::find_scalar(x.function);
      if (function == nullptr) {
        return Error(sqlstate::kFeatureNotSupported,
                     "function with OID " + std::to_string(x.function) + " is not supported");
      }
      INDIGO_ASSIGN(NodePtr left, b.compile(x.left));
      INDIGO_ASSIGN(NodePtr array, b.compile(x.array));
      children = {left.get(), array.get()};
      const types::TypeRef element = b.element_of(x.array->type);
      types::CallInfo call{x.function, e.type, {x.left->type, element}, x.collation};
      std::unique_ptr<HashedList> hashed;
      if (is_lookup(b, x, element)) {
        types::TypeRef key = x.left->type;
        key.collation = x.collation;
        INDIGO_ASSIGN(KeyOps ops, KeyOps::make(b, {key}));
        hashed = std::make_unique<HashedList>(std::move(ops), b.phys_of(key));
      }
      node = std::make_unique<ArrayCompareNode>(b.state(), std::move(left), std::move(array), function->kernel,
                                                std::move(call), x.any, std::move(hashed));
      break;
    }
    case sql::ExprKind::kArray: {
      const auto& x = sql::as<sql::ArrayExpr>(e);
      std::vector<NodePtr> elements;
      for (const sql::ExprPtr& element : x.elements) {
        INDIGO_ASSIGN(NodePtr n, b.compile(element));
        children.push_back(n.get());
        elements.push_back(std::move(n));
      }
      node = std::make_unique<ArrayNode>(b.state(), std::move(elements), x.element.oid, b.phys_of(x.element),
                                         x.multidimensional);
      break;
    }
    case sql::ExprKind::kArrayCast: {
      const auto& x = sql::as<sql::ArrayCastExpr>(e);
      INDIGO_ASSIGN(NodePtr argument, b.compile(x.argument));
      INDIGO_ASSIGN(NodePtr element, b.compile(x.element));
      children = {argument.get()};
      bool is_volatile = element->is_volatile;
      Oid to = x.element->type.oid;
      node = std::make_unique<ArrayCastNode>(b.state(), std::move(argument), std::move(element), to);
      node->is_volatile = is_volatile;
      break;
    }
    default: return compile_subscript(b, sql::as<sql::SubscriptExpr>(e));
  }
  inherit(*node, children);
  return node;
}

}  // namespace indigo::engine::exec
