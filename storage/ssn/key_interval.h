// Where a serializable transaction has looked: half-open intervals of keys in a space. A space is a primary tree or a
// secondary index, named by its TableId's or IndexId's number (they share one number space).
//
// Plain values, no thread safety of their own.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "storage/key_range.h"

namespace indigo::storage {

// Keys k with low <= k < high, or all from `low` upward when unbounded.
struct KeyInterval {
  std::string low, high;
  bool unbounded = false;

  bool empty() const { return !unbounded && low >= high; }
  bool contains(Bytes key) const { return key >= low && (unbounded || key < high); }
  // Exactly one key: `low`.
  bool is_point() const {
    return !unbounded && high.size() == low.size() + 1 && high.back() == '\0' && high.starts_with(low);
  }
};

// The least key above `key`.
inline void assign_next_key(std::string& to, Bytes key) {
  to.assign(key);
  to.push_back('\0');
}

inline KeyInterval interval_of(const KeyRange& range) {
  KeyInterval i;
  i.unbounded = !range.has_high;
  if (range.has_low && range.low_inclusive) i.low = range.low;
  if (range.has_low && !range.low_inclusive) assign_next_key(i.low, range.low);
  if (range.has_high && !range.high_inclusive) i.high = range.high;
  if (range.has_high && range.high_inclusive) assign_next_key(i.high, range.high);
  return i;
}

}  // namespace indigo::storage
