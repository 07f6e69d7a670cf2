// vector: what the indexes that find the nearest keep of a value: one key (base/vector_space.h). Of the cosine distance it is the
// vector's direction; a vector without one, of length 0, has no key.
#include <array>

#include "base/sqlstate.h"
#include "base/vector_space.h"
#include "types/extension/vector/vector.h"
#include "types/io/bit_string.h"

namespace indigo::types::vectors {

namespace {

template <VectorMetric kMetric, VectorElement kElement>
void append_key(const InvertedColumn&, const Datum& value, std::vector<std::string>& keys) {
  keys.push_back(VectorKey::make(kMetric, kElement, value.str));
}
template <class Type, VectorElement kElement>
void append_direction(const InvertedColumn&, const Datum& value, std::vector<std::string>& keys) {
  if (const auto unit = unit_vector<Type>(value.str))
    keys.push_back(VectorKey::make(VectorMetric::kInner, kElement, *unit));
}

// No condition is looked for, only an order.
KeyQuery no_condition(FuncContext&, const InvertedColumn&, int, const Datum&) { return every_row(); }

constexpr InvertedClass nearest(std::string_view distance,
                                void (*keys_of)(const InvertedColumn&, const Datum&, std::vector<std::string>&)) {
  return {distance, InvertedClass::Element::kNone, StrategySet{}, keys_of, no_condition};
}

using enum VectorElement;
using enum VectorMetric;
constexpr std::array kNearest = {
    nearest("l2_distance", append_key<kEuclidean, kSingle>),
    nearest("vector_negative_inner_product", append_key<kInner, kSingle>),
    nearest("cosine_distance", append_direction<Single, kSingle>),
    nearest("l1_distance", append_key<kTaxicab, kSingle>),
    nearest("halfvec_l2_distance", append_key<kEuclidean, kHalf>),
    nearest("halfvec_negative_inner_product", append_key<kInner, kHalf>),
    nearest("halfvec_cosine_distance", append_direction<Half, kHalf>),
    nearest("halfvec_l1_distance", append_key<kTaxicab, kHalf>),
    nearest("sparsevec_l2_distance", append_key<kEuclidean, kSparse>),
    nearest("sparsevec_negative_inner_product", append_key<kInner, kSparse>),
    nearest("sparsevec_cosine_distance", append_direction<SparseView, kSparse>),
    nearest("sparsevec_l1_distance", append_key<kTaxicab, kSparse>),
    nearest("hamming_distance", append_key<kHamming, kBits>),
    nearest("jaccard_distance", append_key<kJaccard, kBits>),
};

}  // namespace

const InvertedClass* nearest_class(std::string_view distance) {
  for (const InvertedClass& known : kNearest) {
    if (known.support == distance) return &known;
  }
  return nullptr;
}

Status check_same_dimensions(const InvertedClass& nearest, int32_t column, Str value) {
  const std::string_view distance = nearest.support;
  std::string what = "vector dimensions";
  int32_t dimensions = 0;
  if (distance.starts_with("halfvec")) {
    what = "halfvec dimensions";
    dimensions = DenseView<Half>(value).dimensions();
  } else if (distance.starts_with("sparsevec")) {
    what = "sparsevec dimensions";
    dimensions = SparseView(value).dimensions();
  } else if (distance == "hamming_distance" || distance == "jaccard_distance") {
    what = "bit lengths";
    dimensions = bit_count(value);
  } else {
    dimensions = DenseView<Single>(value).dimensions();
  }
  if (dimensions == column) return {};
  return Error(sqlstate::kDataException,
               "different " + what + " " + std::to_string(dimensions) + " and " + std::to_string(column));
}

}  // namespace indigo::types::vectors
