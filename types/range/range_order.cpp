// Order, equality and hash of ranges and multiranges.
#include "types/range/range.h"

namespace indigo::types {

namespace {

uint64_t hash_bound(const ElementOrder& order, const RangeBound& bound, uint64_t seed) {
  const uint64_t kind = (bound.infinite ? 4u : 0u) + (bound.inclusive ? 2u : 0u) + 1u;
  return (seed * 31 + kind) * 31 + (bound.infinite ? 0 : order.hash(bound.value));
}
uint64_t hash_range_value(const RangeValue& range) {
  if (range.empty) return 7;
  const ElementOrder& order = element_order(range);
  return hash_bound(order, range.upper, hash_bound(order, range.lower, 1));
}

int compare_range_images(const Datum& a, const Datum& b, const Collator*) {
  return compare_ranges(read_range(a.str), read_range(b.str));
}
int compare_multirange_images(const Datum& a, const Datum& b, const Collator*) {
  return compare_multiranges(read_multirange(a.str), read_multirange(b.str));
}

}  // namespace

constinit const TypeOrder kRangeOrder{
    compare_range_images,
    [](const Datum& a, const Datum& b, const Collator* c) { return compare_range_images(a, b, c) == 0; },
    [](const Datum& v, const Collator*) { return hash_range_value(read_range(v.str)); }};

constinit const TypeOrder kMultirangeOrder{
    compare_multirange_images,
    [](const Datum& a, const Datum& b, const Collator* c) { return compare_multirange_images(a, b, c) == 0; },
    [](const Datum& v, const Collator*) {
      uint64_t hash = 1;
      for (const RangeValue& range : read_multirange(v.str).ranges) hash = hash * 31 + hash_range_value(range);
      return hash;
    }};

}  // namespace indigo::types
