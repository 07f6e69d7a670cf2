#include "sql/partition/partition_map.h"

#include <algorithm>
#include <cstring>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_context.h"
#include "types/bytes/value_hash.h"
#include "types/value/collator.h"

namespace indigo::sql::partition {

namespace {

types::KeyLayout looking(const types::KeyLayout& keeping) {
  std::vector<types::KeyColumn> columns;
  for (size_t i = 0; i < keeping.column_count(); i++) {
    columns.push_back(keeping.column(i));
    if (const auto order = columns.back().kept) columns.back().keep(order->for_looking());
  }
  return types::KeyLayout(std::move(columns));
}

}  // namespace

int RangePoint::compare(std::string_view other, int8_t other_end) const {
  const size_t common = std::min(key.size(), other.size());
  if (const int c = std::memcmp(key.data(), other.data(), common); c != 0) return c;
  if (key.size() == other.size()) return end - other_end;
  // A column's encoding is never a prefix of another one: the shorter of the two is an end of all keys with this prefix.
  return key.size() < other.size() ? end : -other_end;
}

Result<std::shared_ptr<const PartitionMap>> PartitionMap::of(catalog::SessionContext& session,
                                                             const RelationInfo& relation) {
  if (relation.partition_map == nullptr || relation.partition_key == nullptr) {
    return Error(sqlstate::kInternalError, "partitioned table \"" + relation.name + "\" is being dropped");
  }
  if (auto made = relation.partition_map->get()) return std::static_pointer_cast<const PartitionMap>(std::move(made));
  auto map = std::make_shared<PartitionMap>();
  map->key_ = relation.partition_key;
  map->hash_parts_ = map->key_->hash_parts();
  map->looks_ = looking(map->key_->layout);
  types::FuncContext context(session);
  Arena arena;
  context.set_arena(&arena);
  for (size_t i = 0; i < relation.children.size(); i++) {
    INDIGO_ASSIGN(Bound bound, read_bound(context, *relation.partition_key, relation.child_bounds[i]));
    INDIGO_TRY(map->add(static_cast<int>(i), bound));
    map->bounds_of_.push_back(std::move(bound));
  }
  map->finish();
  relation.partition_map->set(map);
  return std::shared_ptr<const PartitionMap>(std::move(map));
}

RangePoint PartitionMap::point(const std::vector<BoundValue>& values) const {
  RangePoint out;
  for (size_t i = 0; i < values.size(); i++) {
    if (values[i].kind != BoundValue::Kind::kValue) {
      out.end = values[i].kind == BoundValue::Kind::kMin ? -1 : 1;
      break;
    }
    key_->layout.append_column(i, values[i].value.get(), out.key);
  }
  return out;
}

Status PartitionMap::add(int partition, const Bound& bound) {
  switch (bound.strategy) {
    case 'd': default_ = partition; break;
    case 'r': ranges_.push_back({point(bound.lower), point(bound.upper), partition}); break;
    case 'l':
      for (const BoundValue& v : bound.lower) {
        if (v.kind == BoundValue::Kind::kNull) {
          null_ = partition;
          continue;
        }
        list_.push_back({{}, partition});
        key_->layout.append_column(0, v.value.get(), list_.back().key);
      }
      break;
    default: modulus_ = std::max(modulus_, bound.modulus);
  }
  return {};
}

void PartitionMap::finish() {
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range& a, const Range& b) { return a.lower.compare(b.lower.key, b.lower.end) < 0; });
  slots_.push_back(-1);
  for (const Range& r : ranges_) {
    if (points_.empty() || points_.back().compare(r.lower.key, r.lower.end) != 0) {
      points_.push_back(r.lower);
      slots_.push_back(r.partition);
    } else {
      slots_.back() = r.partition;
    }
    points_.push_back(r.upper);
    slots_.push_back(-1);
    in_order_.push_back(r.partition);
  }
  std::sort(list_.begin(), list_.end(), [](const ListValue& a, const ListValue& b) { return a.key < b.key; });
  const auto once = [&](int partition) {
    if (std::find(in_order_.begin(), in_order_.end(), partition) == in_order_.end()) in_order_.push_back(partition);
  };
  if (strategy() == 'l') {
    std::vector<bool> seen(bounds_of_.size());
    for (const ListValue& v : list_) {
      if (!seen[static_cast<size_t>(v.partition)]) in_order_.push_back(v.partition);
      seen[static_cast<size_t>(v.partition)] = true;
    }
    if (null_ >= 0 && !seen[static_cast<size_t>(null_)]) in_order_.push_back(null_);
  }
  if (modulus_ > 0) {
    by_remainder_.assign(static_cast<size_t>(modulus_), -1);
    std::vector<int> sorted;
    for (size_t i = 0; i < bounds_of_.size(); i++) sorted.push_back(static_cast<int>(i));
    std::sort(sorted.begin(), sorted.end(), [&](int a, int b) {
      const Bound &x = bound(a), &y = bound(b);
      return x.modulus != y.modulus ? x.modulus < y.modulus : x.remainder < y.remainder;
    });
    for (const int p : sorted) {
      for (int r = bound(p).remainder; r < modulus_; r += bound(p).modulus) by_remainder_[static_cast<size_t>(r)] = p;
    }
    in_order_ = std::move(sorted);
  }
  if (default_ >= 0) once(default_);
}

int PartitionMap::find(types::FuncContext& context, std::span<const Datum> values, std::string& scratch) const {
  switch (strategy()) {
    case 'h': {
      if (modulus_ == 0) return -1;
      return by_remainder_[hash(context, values) % static_cast<uint64_t>(modulus_)];
    }
    case 'l': {
      if (values[0].null) return find_null();
      scratch.clear();
      encode(0, values[0], scratch);
      const auto at = std::lower_bound(list_.begin(), list_.end(), scratch,
                                       [](const ListValue& v, const std::string& key) { return v.key < key; });
      return at != list_.end() && at->key == scratch ? at->partition : default_;
    }
    default: {
      scratch.clear();
      for (size_t i = 0; i < values.size(); i++) {
        if (values[i].null) return default_;
        encode(i, values[i], scratch);
      }
      const auto at =
          std::upper_bound(points_.begin(), points_.end(), std::string_view(scratch),
                           [](std::string_view key, const RangePoint& point) { return point.compare(key) > 0; });
      const int found = slots_[static_cast<size_t>(at - points_.begin())];
      return found >= 0 ? found : default_;
    }
  }
}

void PartitionMap::add_range(const RangePoint& low, const RangePoint& high, PartitionSet& out) const {
  // Slot i is [points[i - 1], points[i]). The first slot that ends behind low, the last one that begins before high.
  const auto first =
      std::upper_bound(points_.begin(), points_.end(), low,
                       [](const RangePoint& v, const RangePoint& p) { return p.compare(v.key, v.end) > 0; });
  bool rest = false;
  for (size_t i = static_cast<size_t>(first - points_.begin()); i < slots_.size(); i++) {
    if (i > 0 && points_[i - 1].compare(high.key, high.end) > 0) break;
    if (slots_[i] >= 0) {
      out.push_back(slots_[i]);
    } else {
      rest = true;
    }
  }
  if (rest && default_ >= 0) out.push_back(default_);
}

void PartitionMap::add_list(std::string_view low, bool low_inclusive, std::string_view high, bool high_inclusive,
                            bool has_low, bool has_high, PartitionSet& out) const {
  for (const ListValue& v : list_) {
    if (has_low && (v.key < low || (v.key == low && !low_inclusive))) continue;
    if (has_high && (v.key > high || (v.key == high && !high_inclusive))) continue;
    out.push_back(v.partition);
  }
  if (default_ >= 0) out.push_back(default_);
}

int PartitionMap::overlapping(const Bound& bound, size_t& at) const {
  at = 0;
  if (bound.strategy == 'd') return default_;
  if (bound.strategy == 'h') {
    for (int32_t r = bound.remainder; modulus_ > 0 && r < std::max(modulus_, bound.modulus); r += bound.modulus) {
      const int p = by_remainder_[static_cast<size_t>(r % modulus_)];
      if (p >= 0) return p;
    }
    return -1;
  }
  if (bound.strategy == 'l') {
    for (; at < bound.lower.size(); at++) {
      const BoundValue& v = bound.lower[at];
      if (v.kind == BoundValue::Kind::kNull) {
        if (null_ >= 0) return null_;
        continue;
      }
      std::string key;
      encode(0, v.value.get(), key);
      for (const ListValue& other : list_) {
        if (other.key == key) return other.partition;
      }
    }
    return -1;
  }
  const RangePoint lower = point(bound.lower), upper = point(bound.upper);
  for (const Range& r : ranges_) {
    if (r.upper.compare(lower.key, lower.end) <= 0 || r.lower.compare(upper.key, upper.end) >= 0) continue;
    // Which side meets the other: the position in the message.
    at = r.lower.compare(lower.key, lower.end) <= 0 ? 0 : 1;
    return r.partition;
  }
  return -1;
}

uint64_t PartitionMap::hash(types::FuncContext& context, std::span<const Datum> values) const {
  return types::hash_partition_key(context, hash_parts_, values);
}

}  // namespace indigo::sql::partition
