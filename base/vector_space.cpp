#include "base/vector_space.h"

#include "base/vector_distance.h"

namespace indigo {

namespace {

VectorElement element_of(Bytes key) { return static_cast<VectorElement>(key[1]); }
Bytes image_of(Bytes key) { return key.substr(VectorKey::kHead); }

// Bits have their number in front; distances look at whole bytes.
constexpr size_t kBitsHead = 4;

template <class Element>
float dense_distance(VectorMetric metric, const char* a, const char* b, size_t count) {
  if (metric == VectorMetric::kEuclidean) return squared_distance<Element>(a, b, count);
  if (metric == VectorMetric::kInner) return -inner_product<Element>(a, b, count);
  return taxicab_distance<Element>(a, b, count);
}
float sparse_distance(VectorMetric metric, const char* a, const char* b) {
  if (metric == VectorMetric::kEuclidean) return sparse_squared_distance(a, b);
  if (metric == VectorMetric::kInner) return -sparse_inner_product(a, b);
  return sparse_taxicab_distance(a, b);
}

bool is_image(VectorElement element, Bytes image) {
  switch (element) {
    case VectorElement::kSingle: return !image.empty() && image.size() % SingleElement::kBytes == 0;
    case VectorElement::kHalf: return !image.empty() && image.size() % HalfElement::kBytes == 0;
    case VectorElement::kSparse: {
      if (image.size() < 8) return false;
      const auto count = load_unaligned<int32_t>(image.data() + 4);
      return count >= 0 && image.size() == 8 + 8 * static_cast<size_t>(count);
    }
    case VectorElement::kBits: return image.size() >= kBitsHead;
  }
  return false;
}

bool is_metric(VectorMetric metric, VectorElement element) {
  switch (metric) {
    case VectorMetric::kEuclidean:
    case VectorMetric::kInner:
    case VectorMetric::kTaxicab: return element != VectorElement::kBits;
    case VectorMetric::kHamming:
    case VectorMetric::kJaccard: return element == VectorElement::kBits;
  }
  return false;
}

}  // namespace

bool is_vector_key(Bytes key) {
  return key.size() > VectorKey::kHead && is_metric(static_cast<VectorMetric>(key[0]), element_of(key)) &&
         is_image(element_of(key), image_of(key));
}

bool are_comparable(Bytes a, Bytes b) {
  if (!is_vector_key(a) || !is_vector_key(b) || a.substr(0, VectorKey::kHead) != b.substr(0, VectorKey::kHead))
    return false;
  if (element_of(a) != VectorElement::kSparse) return a.size() == b.size();
  return load_unaligned<int32_t>(image_of(a).data()) == load_unaligned<int32_t>(image_of(b).data());
}

float vector_key_distance(Bytes a, Bytes b) {
  const auto metric = static_cast<VectorMetric>(a[0]);
  const Bytes x = image_of(a), y = image_of(b);
  switch (element_of(a)) {
    case VectorElement::kSingle:
      return dense_distance<SingleElement>(metric, x.data(), y.data(), x.size() / SingleElement::kBytes);
    case VectorElement::kHalf:
      return dense_distance<HalfElement>(metric, x.data(), y.data(), x.size() / HalfElement::kBytes);
    case VectorElement::kSparse: return sparse_distance(metric, x.data(), y.data());
    case VectorElement::kBits: break;
  }
  const char *p = x.data() + kBitsHead, *q = y.data() + kBitsHead;
  const size_t bytes = x.size() - kBitsHead;
  return static_cast<float>(metric == VectorMetric::kHamming ? static_cast<double>(hamming_distance(p, q, bytes))
                                                             : jaccard_distance(p, q, bytes));
}

}  // namespace indigo
