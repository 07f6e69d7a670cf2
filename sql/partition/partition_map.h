// The partitions of one table as a map from key values to a partition: sorted bounds and binary search.
//
// Ranges and lists are compared as encoded keys (types/value/key_codec.h), in the partition key's collations; hashes are
// PostgreSQL's, so that dumps of single partitions move between the two.
// Invariants
//  1. Range: partitions never overlap; slot i holds the values from bounds[i - 1] on, up to bounds[i].
//  2. Made once for a descriptor and kept in it: whatever changes a partition makes a new descriptor of its parent.
// Thread safety: immutable.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "catalog/descriptor/session_context.h"
#include "sql/partition/bound.h"

namespace indigo::sql::partition {

using catalog::RelationInfo;

// A point of the key's order: an encoded prefix of the key, and which end of all keys with that prefix (0: the key itself).
struct RangePoint {
  std::string key;
  int8_t end = 0;
  // Against a whole key, or another point.
  int compare(std::string_view other, int8_t other_end = 0) const;
};

// Partitions by number, ascending: positions in RelationInfo::children.
using PartitionSet = std::vector<int>;

class PartitionMap {
 public:
  // Of a partitioned table.
  static Result<std::shared_ptr<const PartitionMap>> of(catalog::SessionContext& session, const RelationInfo& relation);

  char strategy() const { return key_->strategy; }
  const catalog::PartitionKey& key() const { return *key_; }
  int default_partition() const { return default_; }
  const Bound& bound(int partition) const { return bounds_of_[static_cast<size_t>(partition)]; }
  // All partitions in the order of their bounds, the default one last.
  const PartitionSet& in_order() const { return in_order_; }

  // Where a row with these key values goes; -1: nowhere. `scratch` is memory to encode in.
  int find(types::FuncContext& context, std::span<const Datum> values, std::string& scratch) const;

  // ---- which partitions may hold keys ...
  // ... equal to a whole key.
  int find_null() const { return null_ >= 0 ? null_ : default_; }  // list: a null
  // ... whose first columns are `prefix`, and the next one between low and high (null: no bound). Range only.
  void add_range(const RangePoint& low, const RangePoint& high, PartitionSet& out) const;
  // ... with values between these. List only; empty: no bound.
  void add_list(std::string_view low, bool low_inclusive, std::string_view high, bool high_inclusive, bool has_low,
                bool has_high, PartitionSet& out) const;

  RangePoint point(const std::vector<BoundValue>& values) const;
  // Where a value lies among the bounds.
  void encode(size_t column, const Datum& value, std::string& out) const { looks_.append_column(column, value, out); }

  // A partition that would hold values of `bound`, too; -1: none. `at`: the column of a range, or the value of a list.
  int overlapping(const Bound& bound, size_t& at) const;
  uint64_t hash(types::FuncContext& context, std::span<const Datum> values) const;
  // Hash: the largest modulus; 0: no partitions.
  int32_t largest_modulus() const { return modulus_; }
  const std::vector<int>& by_remainder() const { return by_remainder_; }

 private:
  Status add(int partition, const Bound& bound);
  void finish();

  std::shared_ptr<const catalog::PartitionKey> key_;
  std::vector<Bound> bounds_of_;
  PartitionSet in_order_;
  int default_ = -1, null_ = -1;
  struct Range {
    RangePoint lower, upper;
    int partition;
  };
  std::vector<Range> ranges_;       // sorted
  std::vector<RangePoint> points_;  // range: the ends of slots
  std::vector<int> slots_;          // range: points_.size() + 1 of them; -1: no partition but the default one
  struct ListValue {
    std::string key;
    int partition;
  };
  std::vector<ListValue> list_;  // sorted
  types::KeyLayout looks_;       // the key's, but bounds alone get labels in orders of users' own
  std::vector<types::HashKeyPart> hash_parts_;
  int32_t modulus_ = 0;
  std::vector<int> by_remainder_;  // hash: modulus_ of them
};

}  // namespace indigo::sql::partition
