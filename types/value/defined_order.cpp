#include "types/value/defined_order.h"

#include <utility>

#include "base/raised_error.h"
#include "base/sqlstate.h"

namespace indigo::types {

namespace {

constexpr size_t kMaxDigits = 128;

std::string image_of(const Datum& value) {
  if (value.phys == Phys::kStr) return std::string(value.str);
  return std::string(reinterpret_cast<const char*>(&value.block), phys_bytes(value.phys));
}

}  // namespace

int DefinedOrder::compare(const Datum& a, const Datum& b) const {
  Result<int32_t> result = calls().compare(comparison_.database, comparison_.function, comparison_.type, a, b);
  if (!result.ok()) throw RaisedError(std::move(*result.take_error()));
  return *result;
}

void DefinedOrder::append_key(const Datum& value, Labels labels, std::string& out) const {
  std::string image = image_of(value);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = by_image_.find(image); known != by_image_.end())
      return append_label(known->second->label, out);
  }
  while (true) {
    const Place place = place_of(value);
    if (place.equal != nullptr) {
      append_label(place.equal->label, out);
      if (labels == Labels::kLook) return;
      const std::lock_guard lock(mutex_);
      by_image_.emplace(std::move(image), place.equal);
      return;
    }
    const std::lock_guard lock(mutex_);
    if (between(place.below, place.above) != nullptr) continue;  // somebody was faster
    OrderLabel label =
        label_between(place.below == nullptr ? nullptr : &place.below->label,
                      place.above == nullptr ? nullptr : &place.above->label, next_expected(place.below, place.above));
    if (label.size() > kMaxDigits) {
      throw RaisedError(Error(sqlstate::kProgramLimitExceeded, "too many values between two of an operator class")
                            .with_hint("Build the index anew (REINDEX)."));
    }
    append_label(label, out);
    if (labels == Labels::kLook) return;
    auto node = std::make_unique<Node>(Node{OwnedDatum(value), std::move(label), static_cast<uint32_t>(priorities_())});
    nodes_.push_back(std::move(node));
    Node* const added = nodes_.back().get();
    by_image_.emplace(std::move(image), added);
    root_ = insert(root_, added);
    second_newest_ = std::exchange(newest_, added);
    return;
  }
}

// Each step takes the topmost node between the neighbours so far, which halves what is left. Others may add nodes meanwhile:
// those that lie between are met in their turn.
DefinedOrder::Place DefinedOrder::place_of(const Datum& value) const {
  Place place;
  while (true) {
    const Node* pivot = nullptr;
    {
      const std::lock_guard lock(mutex_);
      pivot = between(place.below, place.above);
    }
    if (pivot == nullptr) return place;
    const int order = compare(value, pivot->value.get());
    if (order == 0) {
      place.equal = pivot;
      return place;
    }
    (order < 0 ? place.above : place.below) = pivot;
  }
}

const DefinedOrder::Node* DefinedOrder::between(const Node* below, const Node* above) const {
  const Node* at = root_;
  while (at != nullptr) {
    if (below != nullptr && at->label <= below->label) {
      at = at->greater;
    } else if (above != nullptr && at->label >= above->label) {
      at = at->less;
    } else {
      return at;
    }
  }
  return nullptr;
}

// Values that come one after the other go on to the side that the newest one is not on; those that come from both ends to the
// middle, to the newest one's, and then both neighbours are the last that came.
NextLabel DefinedOrder::next_expected(const Node* below, const Node* above) const {
  if (newest_ == nullptr || (newest_ != below && newest_ != above)) return NextLabel::kAnywhere;
  const bool newest_below = newest_ == below;
  const bool from_both = second_newest_ != nullptr && second_newest_ == (newest_below ? above : below);
  return newest_below == from_both ? NextLabel::kBelow : NextLabel::kAbove;
}

DefinedOrder::Node* DefinedOrder::insert(Node* root, Node* added) {
  if (root == nullptr) return added;
  const bool less = added->label < root->label;
  Node*& side = less ? root->less : root->greater;
  Node* const child = insert(side, added);
  side = child;
  if (child->priority <= root->priority) return root;
  // The child rises above its parent, and leaves it what lay between them.
  Node*& inner = less ? child->greater : child->less;
  side = inner;
  inner = root;
  return child;
}

}  // namespace indigo::types
