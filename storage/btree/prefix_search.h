// Binary search among ascending key prefixes, without branches that depend on them: for what lies in the caches, where a
// branch that goes either way half of the time costs more than the comparisons that it saves. (Where memory is slow,
// branches win: the processor continues along the likely way meanwhile. Leaf searches with them.)
//
// Thread safety: as that of `at`; with torn prefixes the answer is still in range.
#pragma once

#include <cstddef>
#include <cstdint>

namespace indigo::storage {

// The first i in [low, high) with at(i) >= prefix, or high. Needs low <= high.
template <class At>
inline size_t first_not_below(size_t low, size_t high, uint64_t prefix, At at) {
  size_t n = high - low;
  if (n == 0) return low;
  while (n > 1) {
    const size_t half = n / 2;
    low += half & -static_cast<size_t>(at(low + half - 1) < prefix);
    n -= half;
  }
  return low + static_cast<size_t>(at(low) < prefix);
}

}  // namespace indigo::storage
