#include "sql/partition/prune.h"

#include <algorithm>

#include "catalog/array_format.h"
#include "catalog/oids.h"
#include "sql/func/time_zone.h"
#include "sql/func/value_place.h"

namespace indigo::sql::partition {
namespace {

class Pruner {
 public:
  Pruner(FuncContext& context, const PartitionMap& map, const KeyBounds& bounds, std::span<const TypeRef> types,
         std::span<const Datum> values)
      : context_(context), map_(map), bounds_(bounds), types_(types), values_(values) {}

  Result<PartitionSet> run() {
    const size_t columns = map_.key().columns.size();
    std::vector<Datum> equal;
    for (size_t i = 0; i < bounds_.equal.size(); i++) {
      Datum d = values_[i];
      if (d.null || !same_value(types_[i].oid, i, d)) return PartitionSet();
      equal.push_back(d);
    }
    at_ = bounds_.equal.size();
    if (at_ == columns) {
      add_point(equal);
    } else if (bounds_.in_array) {
      add_array(equal);
    } else if (bounds_.low || bounds_.high) {
      add_interval(equal, {bounds_.low, bounds_.high, bounds_.low_inclusive, bounds_.high_inclusive});
    } else if (!bounds_.any_of.empty()) {
      for (const KeyInterval& i : bounds_.any_of) add_interval(equal, i);
    } else {
      add_prefix(equal);
    }
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

  ValuePlace place(Oid type, size_t column, const Datum& d, ValueEdge edge) {
    const Oid from = base(type), to = map_.key().layout.column(column).type;
    if (value_placement(from, to) <= ValuePlacement::kSame) return {ValuePlace::Where::kAt, d};
    const bool zoned = from == oid::kTimestampTz || to == oid::kTimestampTz;
    return place_among(from, d, to, edge, zoned ? &session_time_zone(context_) : nullptr);
  }

  // Turns the value into the key column's that equals it; false: there is none.
  bool same_value(Oid type, size_t column, Datum& d) {
    const ValuePlace p = place(type, column, d, ValueEdge::kLow);
    d = p.value;
    return p.where == ValuePlace::Where::kAt;
  }

  void add_all() {
    for (const int p : map_.in_order()) found_.push_back(p);
  }

  void add_point(const std::vector<Datum>& values) {
    std::string scratch;
    const int p = map_.find(context_, values, scratch);
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

  void add_array(const std::vector<Datum>& equal) {
    const Oid array_type = types_[at_].oid;
    const Datum& list = values_[at_];
    if (list.null) return;
    const auto info = context_.session().catalog().type(base(array_type));
    const bool whole = at_ + 1 == map_.key().columns.size();
    if (!whole && map_.strategy() != 'r') return add_all();
    const ArrayView array(list.str);
    for (int32_t i = 0; i < array.count(); i++) {
      Datum d = array.element(i);
      if (d.null || !same_value(info != nullptr ? info->element : array.element_type(), at_, d)) continue;
      std::vector<Datum> values = equal;
      values.push_back(d);
      if (whole) {
        add_point(values);
      } else {
        add_prefix(values);
      }
    }
  }

  struct Edge {
    bool given = false, inclusive = true;
    Datum value;
  };
  // False: nothing lies within.
  bool edge(const ExprPtr& e, bool inclusive, ValueEdge side, size_t value, Edge& out) {
    if (!e) return true;
    const Datum& d = values_[value];
    if (d.null) return false;
    const ValuePlace p = place(types_[value].oid, at_, d, side);
    using Where = ValuePlace::Where;
    const bool low = side == ValueEdge::kLow;
    if (p.where == (low ? Where::kAbove : Where::kBelow)) return false;
    if (p.where == Where::kAbove || p.where == Where::kBelow) return true;
    out.given = true;
    out.value = p.value;
    out.inclusive = p.where == Where::kAfter ? !low : inclusive;
    return true;
  }

  void add_interval(const std::vector<Datum>& equal, const KeyInterval& interval) {
    Edge low, high;
    size_t value = bounds_.equal.size() + used_;
    const size_t low_value = value;
    if (interval.low) value++;
    const size_t high_value = value;
    if (interval.high) value++;
    used_ = value - bounds_.equal.size();
    if (!edge(interval.low, interval.low_inclusive, ValueEdge::kLow, low_value, low)) return;
    if (!edge(interval.high, interval.high_inclusive, ValueEdge::kHigh, high_value, high)) return;
    const bool last = at_ + 1 == map_.key().columns.size();
    if (interval.low && interval.low == interval.high && low.given && high.given && last && map_.strategy() != 'r') {
      std::vector<Datum> values = equal;
      values.push_back(low.value);
      return add_point(values);
    }
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
          map_.encode(at_, low.value, from.key);
          from.end = low.inclusive ? (last ? 0 : -1) : 1;
        }
        if (high.given) {
          map_.encode(at_, high.value, to.key);
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

  FuncContext& context_;
  const PartitionMap& map_;
  const KeyBounds& bounds_;
  std::span<const TypeRef> types_;
  std::span<const Datum> values_;
  size_t at_ = 0, used_ = 0;
  PartitionSet found_;
};

}  // namespace

ExprList bound_expressions(const KeyBounds& bounds) {
  ExprList out = bounds.equal;
  const auto add = [&](const ExprPtr& e) {
    if (e) out.push_back(e);
  };
  add(bounds.in_array);
  add(bounds.low);
  add(bounds.high);
  for (const KeyInterval& i : bounds.any_of) {
    add(i.low);
    add(i.high);
  }
  return out;
}

Result<PartitionSet> prune(FuncContext& context, const PartitionMap& map, const KeyBounds& bounds,
                           std::span<const TypeRef> types, std::span<const Datum> values) {
  return Pruner(context, map, bounds, types, values).run();
}

}  // namespace indigo::sql::partition
