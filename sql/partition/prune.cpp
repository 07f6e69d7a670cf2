#include "sql/partition/prune.h"

#include <algorithm>

#include "types/datetime/time_zone.h"
#include "types/function/value_place.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::sql::partition {
namespace {

// Lists of several columns are combined up to this many elements of the later ones.
constexpr int32_t kCombinedMax = 256;

class Pruner {
 public:
  Pruner(types::FuncContext& context, const PartitionMap& map, const KeyBounds& bounds, std::span<const TypeRef> types,
         std::span<const Datum> values)
      : context_(context), map_(map), bounds_(bounds), types_(types), values_(values) {}

  Result<PartitionSet> run() {
    std::vector<Datum> equal;
    add(bounds_, 0, 0, false, equal);
    if (context_.failed()) return context_.take_error();
    return ordered();
  }

 private:
  Oid base(Oid type) {
    for (int depth = 0; type >= oid::kFirstUserOid && depth < 32; depth++) {
      const auto info = context_.session().catalog().type(type);
      if (info == nullptr || info->kind != 'd') break;
      type = info->base;
    }
    return type;
  }

  types::ValuePlace place(Oid type, size_t column, const Datum& d, types::ValueEdge edge) {
    const Oid from = base(type), to = map_.key().layout.column(column).type;
    if (types::value_placement(from, to) <= types::ValuePlacement::kSame) return {types::ValuePlace::Where::kAt, d};
    const bool zoned = from == oid::kTimestampTz || to == oid::kTimestampTz;
    return types::place_among(from, d, to, edge, zoned ? &session_time_zone(context_) : nullptr);
  }

  // Turns the value into the key column's that equals it; false: there is none.
  bool same_value(Oid type, size_t column, Datum& d) {
    const types::ValuePlace p = place(type, column, d, types::ValueEdge::kLow);
    d = p.value;
    return p.where == types::ValuePlace::Where::kAt;
  }

  void add_all() {
    for (const int p : map_.in_order()) found_.push_back(p);
  }

  void add_point(const std::vector<Datum>& values) {
    std::string scratch;
    const int p = map_.find(context_, values, scratch);
    if (context_.failed()) {  // a hash function of users' own: its error is told when a row is looked for
      const auto ignored = context_.take_error();
      return add_all();
    }
    if (p >= 0) found_.push_back(p);
  }

  RangePoint prefix(const std::vector<Datum>& equal, int8_t end) {
    RangePoint out;
    for (size_t i = 0; i < equal.size(); i++) map_.encode(i, equal[i], out.key);
    out.end = end;
    return out;
  }

  void add_prefix(const std::vector<Datum>& equal) {
    if (map_.strategy() != 'r' || equal.empty()) return add_all();
    map_.add_range(prefix(equal, -1), prefix(equal, 1), found_);
  }

  // What the bounds leave of `equal`, the values of the columns before. `value` is the place of the bounds' first value;
  // their equalities before the i-th are in `equal` already.
  void add(const KeyBounds& b, size_t value, size_t i, bool in_list, std::vector<Datum>& equal) {
    if (i < b.equal.size()) {
      if (b.is_null(i)) return add_all();
      if (b.is_list(i)) return add_list(b, value, i, in_list, equal);
      Datum d = values_[value + i];
      if (d.null || !same_value(types_[value + i].oid, equal.size(), d)) return;
      equal.push_back(d);
      add(b, value, i + 1, in_list, equal);
      equal.pop_back();
      return;
    }
    value += b.equal.size();
    if (equal.size() == map_.key().columns.size()) return add_point(equal);
    if (b.low || b.high) return add_interval(equal, b, value);
    if (b.any_of.empty()) return add_prefix(equal);
    for (const KeyBounds& alternative : b.any_of) {
      add(alternative, value, 0, in_list, equal);
      for_each_value(alternative, [&](const ExprPtr&) { value++; });
    }
  }

  void add_list(const KeyBounds& b, size_t value, size_t i, bool in_list, std::vector<Datum>& equal) {
    const Datum& list = values_[value + i];
    if (list.null) return;
    const auto info = context_.session().catalog().type(base(types_[value + i].oid));
    const ArrayView array(list.str);
    if (in_list && array.count() > kCombinedMax) return add_prefix(equal);
    for (int32_t k = 0; k < array.count(); k++) {
      Datum d = array.element(k);
      if (d.null || !same_value(info != nullptr ? info->element : array.element_type(), equal.size(), d)) continue;
      equal.push_back(d);
      add(b, value, i + 1, true, equal);
      equal.pop_back();
    }
  }

  struct Edge {
    bool given = false, inclusive = true;
    Datum value;
  };
  // False: nothing lies within.
  bool edge(const ExprPtr& e, bool inclusive, types::ValueEdge side, size_t value, size_t column, Edge& out) {
    if (!e) return true;
    const Datum& d = values_[value];
    if (d.null) return false;
    const types::ValuePlace p = place(types_[value].oid, column, d, side);
    using Where = types::ValuePlace::Where;
    const bool low = side == types::ValueEdge::kLow;
    if (p.where == (low ? Where::kAbove : Where::kBelow)) return false;
    if (p.where == Where::kAbove || p.where == Where::kBelow) return true;
    out.given = true;
    out.value = p.value;
    out.inclusive = p.where == Where::kAfter ? !low : inclusive;
    return true;
  }

  void add_interval(const std::vector<Datum>& equal, const KeyBounds& b, size_t value) {
    Edge low, high;
    const size_t column = equal.size();
    if (!edge(b.low, b.low_inclusive, types::ValueEdge::kLow, value, column, low)) return;
    if (!edge(b.high, b.high_inclusive, types::ValueEdge::kHigh, value + (b.low ? 1 : 0), column, high)) return;
    const bool last = column + 1 == map_.key().columns.size();
    switch (map_.strategy()) {
      case 'h': return add_all();
      case 'l': {
        std::string from, to;
        if (low.given) map_.encode(0, low.value, from);
        if (high.given) map_.encode(0, high.value, to);
        return map_.add_list(from, low.inclusive, to, high.inclusive, low.given, high.given, found_);
      }
      default: {
        RangePoint from = prefix(equal, -1), to = prefix(equal, 1);
        if (low.given) {
          map_.encode(column, low.value, from.key);
          from.end = low.inclusive ? (last ? 0 : -1) : 1;
        }
        if (high.given) {
          map_.encode(column, high.value, to.key);
          to.end = high.inclusive ? (last ? 0 : 1) : -1;
        }
        map_.add_range(from, to, found_);
      }
    }
  }

  PartitionSet ordered() {
    if (found_.size() < 2) return std::move(found_);
    std::vector<bool> is_found(map_.in_order().size());
    for (const int p : found_) is_found[static_cast<size_t>(p)] = true;
    PartitionSet out;
    for (const int p : map_.in_order()) {
      if (is_found[static_cast<size_t>(p)]) out.push_back(p);
    }
    return out;
  }

  types::FuncContext& context_;
  const PartitionMap& map_;
  const KeyBounds& bounds_;
  std::span<const TypeRef> types_;
  std::span<const Datum> values_;
  PartitionSet found_;
};

}  // namespace

ExprList bound_expressions(const KeyBounds& bounds) {
  ExprList out;
  for_each_value(bounds, [&](const ExprPtr& e) { out.push_back(e); });
  return out;
}

Result<PartitionSet> prune(types::FuncContext& context, const PartitionMap& map, const KeyBounds& bounds,
                           std::span<const TypeRef> types, std::span<const Datum> values) {
  return Pruner(context, map, bounds, types, values).run();
}

std::vector<size_t> inputs_left(const AppendPlan& append, std::span<const std::optional<PartitionSet>> found) {
  std::vector<size_t> out;
  if (found.size() == 1 && found[0] && append.prunings[0].concerned == append.inputs.size()) {
    for (const int p : *found[0]) {
      for (const int i : append.prunings[0].inputs[static_cast<size_t>(p)]) out.push_back(static_cast<size_t>(i));
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  std::vector<bool> left(append.inputs.size(), true);
  for (size_t k = 0; k < found.size(); k++) {
    if (!found[k]) continue;
    const PartitionPruning& pruning = append.prunings[k];
    std::vector<bool> kept(pruning.inputs.size());
    for (const int p : *found[k]) kept[static_cast<size_t>(p)] = true;
    for (size_t p = 0; p < kept.size(); p++) {
      if (kept[p]) continue;
      for (const int i : pruning.inputs[p]) left[static_cast<size_t>(i)] = false;
    }
  }
  for (size_t i = 0; i < left.size(); i++) {
    if (left[i]) out.push_back(i);
  }
  return out;
}

}  // namespace indigo::sql::partition
