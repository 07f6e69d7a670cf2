// vector (pgvector): vectors of numbers in single precision (`vector`), in half precision (`halfvec`), and with few that are not
// zero (`sparsevec`).
//
// Images: a vector's and a halfvec's elements one after the other, at least one; of a sparsevec int32 dimensions, int32 count,
// then as many int32 places, from 0 and ascending, then as many floats, none of which is zero. No element is infinite or NaN.
// A type's modifier is the number of dimensions.
// Thread safety: values and pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/vector_distance.h"
#include "types/function/family.h"
#include "types/inverted/inverted_class.h"
#include "types/io/type_definition.h"
#include "types/value/collator.h"

namespace indigo::types::vectors {

inline constexpr int32_t kMostSparseDimensions = 1'000'000'000, kMostSparseElements = 16000;

// The two dense types.
struct Single : SingleElement {
  using Element = SingleElement;
  static constexpr const char* kName = "vector";
  static constexpr int32_t kMostDimensions = 16000;
  static float get(const char* at) { return load_unaligned<float>(at); }
  static void put(char* at, float value) { store_unaligned(at, value); }
};
struct Half : HalfElement {
  using Element = HalfElement;
  static constexpr const char* kName = "halfvec";
  static constexpr int32_t kMostDimensions = 16000;
  static float get(const char* at) { return half_to_float(load_unaligned<uint16_t>(at)); }
  static void put(char* at, float value) { store_unaligned(at, float_to_half(value)); }
};

template <class Type>
class DenseView {
 public:
  explicit DenseView(Str image) : image_(image) {}
  int32_t dimensions() const { return static_cast<int32_t>(image_.size() / Type::kBytes); }
  float operator[](size_t i) const { return Type::get(image_.data() + i * Type::kBytes); }

 private:
  Str image_;
};
template <class Type>
std::string dense_image(size_t dimensions) {
  return std::string(dimensions * Type::kBytes, '\0');
}
template <class Type>
void put_element(std::string& image, size_t i, float value) {
  Type::put(image.data() + i * Type::kBytes, value);
}

class SparseView {
 public:
  explicit SparseView(Str image) : image_(image) {}
  int32_t dimensions() const { return load_unaligned<int32_t>(image_.data()); }
  int32_t count() const { return load_unaligned<int32_t>(image_.data() + 4); }
  int32_t place(int32_t i) const { return load_unaligned<int32_t>(image_.data() + 8 + int64_t{i} * 4); }
  float value(int32_t i) const { return load_unaligned<float>(image_.data() + 8 + (int64_t{count()} + i) * 4); }

 private:
  Str image_;
};
struct SparseElement {
  int32_t place;
  float value;
};
std::string sparse_image(int32_t dimensions, std::span<const SparseElement> elements);

// Each fails with the extension's message and answers false.
bool check_dimensions(FuncContext& context, const char* type, int64_t dimensions, int32_t most);
bool check_expected(FuncContext& context, int32_t modifier, int32_t dimensions);
bool check_same(FuncContext& context, const char* type, int32_t a, int32_t b);
bool check_element(FuncContext& context, const char* type, float value);
// A halfvec's element, out of a number in single precision.
bool check_half(FuncContext& context, float value);
template <class Type>
bool check_dense_element(FuncContext& context, float value) {
  if constexpr (std::is_same_v<Type, Half>) {
    return check_half(context, value);
  } else {
    return check_element(context, Type::kName, value);
  }
}
// A binary form has exactly as many bytes as it says.
bool check_message(FuncContext& context, Str bytes, size_t wanted);
bool check_sparse_count(FuncContext& context, int64_t count, int32_t dimensions);
// The places of elements ascend, and are within the dimensions.
bool check_places(FuncContext& context, std::span<const SparseElement> elements, int32_t dimensions);

// What an array of int4, float4, float8 or numeric holds, in single precision; nothing and an error where it has several
// dimensions, nulls, or none or too many elements for `type`.
std::optional<std::vector<float>> numbers_of_array(FuncContext& context, const char* type, Str array, int32_t most);

const Collator& vector_order();
const Collator& halfvec_order();
const Collator& sparsevec_order();

// With the length 1; nothing where it is 0.
template <class Type>
std::optional<std::string> unit_vector(Str image);
template <>
std::optional<std::string> unit_vector<SparseView>(Str image);

std::span<const ScalarEntry> dense_form_functions();
std::span<const ScalarEntry> dense_functions();
std::span<const ScalarEntry> sparse_functions();
std::span<const ScalarEntry> average_functions();
// What `hnsw` and `ivfflat` keep, by the function of the operator that they order by (catalog/descriptor/inverted_key.h).
const InvertedClass* nearest_class(std::string_view distance);
// 22000 unless a value of such a column has as many dimensions as the column's modifier says.
Status check_same_dimensions(const InvertedClass& nearest, int32_t column, Str value);
extern const TypeDefinition kVectorForms, kHalfvecForms, kSparsevecForms;

}  // namespace indigo::types::vectors
