// A key prepared for comparison: its bytes and the first eight of them as a number.
#pragma once

#include <algorithm>
#include <cstring>

#include "base/key_prefix.h"

namespace indigo::storage {

// Writes the first min(length, 8) bytes of a key with this prefix.
inline void prefix_to_bytes(uint64_t prefix, size_t length, char* to) {
  uint64_t p = big_endian(prefix);
  std::memcpy(to, &p, std::min(length, kPrefixBytes));
}

struct KeyView {
  Bytes bytes;
  uint64_t prefix;
  explicit KeyView(Bytes b) : bytes(b), prefix(key_prefix(b)) {}
};

inline int compare_keys(Bytes a, Bytes b) { return a.compare(b); }

// The shortest key above `below` and not above `upto` (below < upto): a separator of two leaves.
inline Bytes shortest_separator(Bytes below, Bytes upto) {
  size_t common = 0;
  while (common < below.size() && common < upto.size() && below[common] == upto[common]) common++;
  return upto.substr(0, common + 1);
}

}  // namespace indigo::storage
