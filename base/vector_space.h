// Vectors as keys of an index that finds the nearest: two bytes say how their distance is measured and what they consist of, the
// vector's image follows (base/vector_distance.h).
// Thread safety: pure functions.
#pragma once

#include <limits>
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

// What orders keys by their distance from one: what its head says is looked at once, for any number of others.
class DistanceFrom {
 public:
  // `key`: a vector key, whose memory is not copied.
  explicit DistanceFrom(Bytes key);
  // `image`: of a key that is comparable with it, without the head. Sums beyond a float's range may have no value; they count as
  // infinitely far.
  float to(const char* image) const {
    const float distance = measure_(image_, image, size_);
    return distance == distance ? distance : std::numeric_limits<float>::infinity();
  }

 private:
  const char* image_;
  size_t size_;  // elements, or the image's bytes where it consists of bits
  float (*measure_)(const char* a, const char* b, size_t size);
};
// The same of two comparable keys.
inline float vector_key_distance(Bytes a, Bytes b) { return DistanceFrom(a).to(b.data() + VectorKey::kHead); }

}  // namespace indigo
