// Keys and counts for tests of single indexes.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "storage/index/index.h"

namespace indigo::storage {

inline std::string number_key(uint64_t n) {
  const uint64_t bytes = big_endian(n);
  return {reinterpret_cast<const char*>(&bytes), sizeof bytes};
}
inline KeyRange keys_between(uint64_t low, uint64_t high) {
  KeyRange range;
  range.low = number_key(low);
  range.high = number_key(high);
  range.has_low = range.has_high = true;
  return range;
}
inline size_t count_entries(Index& index, const KeyRange& range) {
  const auto scan = index.scan(range, Direction::kForward);
  size_t count = 0;
  for (auto entries = scan->next(100); !entries.empty(); entries = scan->next(100)) count += entries.size();
  return count;
}
inline size_t count_entries(Index& index) { return count_entries(index, KeyRange::all()); }

}  // namespace indigo::storage
