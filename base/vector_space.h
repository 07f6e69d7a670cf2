// Vectors as keys of an index that finds the nearest: two bytes say how their distance is measured and what they consist of, the
// vector's image follows (base/vector_distance.h).
// Thread safety: pure functions.
#pragma once

#include <string>

#include "base/bytes.h"

namespace indigo {

enum class VectorMetric : char {
  kEuclidean = 'e',  // squared
  kInner = 'i',      // the inner product's negative; of unit vectors it orders as the cosine distance does
  kTaxicab = 't',
  kHamming = 'h',
  kJaccard = 'j',
};
enum class VectorElement : char { kSingle = 's', kHalf = 'h', kSparse = 'p', kBits = 'b' };

struct VectorKey {
  static constexpr size_t kHead = 2;
  static std::string make(VectorMetric metric, VectorElement element, Bytes image) {
    std::string out{static_cast<char>(metric), static_cast<char>(element)};
    return out.append(image);
  }
};

// Whether the key is one of these: its head is known, and its image has a form that can be read.
bool is_vector_key(Bytes key);
// Whether their distance is defined: two vector keys with the same head and as many dimensions.
bool are_comparable(Bytes a, Bytes b);
// Of comparable keys: what orders them.
float vector_key_distance(Bytes a, Bytes b);

}  // namespace indigo
