#include "base/vector_space.h"

#include "base/vector_distance.h"

namespace indigo {

namespace {

VectorElement element_of(Bytes key) { return static_cast<VectorElement>(key[1]); }
Bytes image_of(Bytes key) { return key.substr(VectorKey::kHead); }

// Bits have their number in front; distances look at whole bytes.
constexpr size_t kBitsHead = 4;

using Measure = float (*)(const char* a, const char* b, size_t size);

template <class Element>
float negative_inner_product(const char* a, const char* b, size_t count) {
  return -inner_product<Element>(a, b, count);
}

template <class Element>
Measure dense_measure(VectorMetric metric) {
  if (metric == VectorMetric::kEuclidean) return squared_distance<Element>;
  return metric == VectorMetric::kInner ? negative_inner_product<Element> : taxicab_distance<Element>;
}
Measure sparse_measure(VectorMetric metric) {
  if (metric == VectorMetric::kEuclidean)
    return [](const char* a, const char* b, size_t) { return sparse_squared_distance(a, b); };
  if (metric == VectorMetric::kInner)
    return [](const char* a, const char* b, size_t) { return -sparse_inner_product(a, b); };
  return [](const char* a, const char* b, size_t) { return sparse_taxicab_distance(a, b); };
}
Measure bits_measure(VectorMetric metric) {
  if (metric == VectorMetric::kHamming) {
    return [](const char* a, const char* b, size_t bytes) {
      return static_cast<float>(hamming_distance(a + kBitsHead, b + kBitsHead, bytes - kBitsHead));
    };
  }
  return [](const char* a, const char* b, size_t bytes) {
    return static_cast<float>(jaccard_distance(a + kBitsHead, b + kBitsHead, bytes - kBitsHead));
  };
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

DistanceFrom::DistanceFrom(Bytes key) : image_(image_of(key).data()), size_(image_of(key).size()) {
  const auto metric = static_cast<VectorMetric>(key[0]);
  switch (element_of(key)) {
    case VectorElement::kSingle:
      size_ /= SingleElement::kBytes;
      measure_ = dense_measure<SingleElement>(metric);
      break;
    case VectorElement::kHalf:
      size_ /= HalfElement::kBytes;
      measure_ = dense_measure<HalfElement>(metric);
      break;
    case VectorElement::kSparse: measure_ = sparse_measure(metric); break;
    case VectorElement::kBits: measure_ = bits_measure(metric); break;
  }
}

}  // namespace indigo
