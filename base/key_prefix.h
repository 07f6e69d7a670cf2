// The first bytes of a key as a number, which orders most keys without a look at the rest.
#pragma once

#include "base/bytes.h"

namespace indigo {

inline constexpr size_t kPrefixBytes = 8;
// The first eight bytes, big-endian, padded with zeros. Prefixes compare like the keys; equal prefixes decide nothing
// unless one key is no longer than the prefix.
inline uint64_t key_prefix(Bytes key) {
  uint64_t p = 0;
  if (key.size() >= kPrefixBytes) {
    std::memcpy(&p, key.data(), kPrefixBytes);
  } else if (!key.empty()) {
    std::memcpy(&p, key.data(), key.size());
  }
  return big_endian(p);
}

}  // namespace indigo
