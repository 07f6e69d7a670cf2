// Ranges of keys. Keys are order-preserving byte strings that compare by memcmp, a prefix before what it begins.
// Plain values, no thread safety of their own.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"

namespace indigo::storage {

enum class Direction : uint8_t { kForward, kBackward };

// A key range; empty optional bounds mean unbounded. Keys compare by memcmp.
struct KeyRange {
  std::string low, high;
  bool has_low = false, has_high = false;
  bool low_inclusive = true, high_inclusive = true;
  static KeyRange all() { return {}; }
  static KeyRange prefix(Bytes p);  // all keys that begin with p
  static KeyRange point(Bytes k);
};

}  // namespace indigo::storage
