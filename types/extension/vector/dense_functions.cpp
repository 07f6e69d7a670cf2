// vector and halfvec: distances, arithmetic, comparisons, and casts between them and arrays.
#include <cmath>

#include "base/sqlstate.h"
#include "types/extension/vector/vector.h"
#include "types/function/errors.h"
#include "types/function/kernel.h"
#include "types/io/bit_string.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::types::vectors {

namespace {

template <class Type>
size_t size_of(Str image) {
  return image.size() / Type::kBytes;
}
template <class Type>
bool alike(FuncContext& context, Str a, Str b) {
  return check_same(context, Type::kName, DenseView<Type>(a).dimensions(), DenseView<Type>(b).dimensions());
}
template <class Type>
float product(Str a, Str b) {
  return inner_product<typename Type::Element>(a.data(), b.data(), size_of<Type>(a));
}

// ---- distances
template <class Type>
double squared(FuncContext& context, Str a, Str b) {
  return alike<Type>(context, a, b)
             ? double{squared_distance<typename Type::Element>(a.data(), b.data(), size_of<Type>(a))}
             : 0;
}
template <class Type>
double euclidean(FuncContext& context, Str a, Str b) {
  return std::sqrt(squared<Type>(context, a, b));
}
template <class Type>
double inner(FuncContext& context, Str a, Str b) {
  return alike<Type>(context, a, b) ? double{product<Type>(a, b)} : 0;
}
template <class Type>
double negative_inner(FuncContext& context, Str a, Str b) {
  return -inner<Type>(context, a, b);
}
template <class Type>
double cosine(FuncContext& context, Str a, Str b) {
  if (!alike<Type>(context, a, b)) return 0;
  const double norms = std::sqrt(double{product<Type>(a, a)} * double{product<Type>(b, b)});
  const double similarity = double{product<Type>(a, b)} / norms;
  return 1 - (similarity > 1 ? 1 : similarity < -1 ? -1 : similarity);
}
// The angle between unit vectors, in half turns.
template <class Type>
double spherical(FuncContext& context, Str a, Str b) {
  const double similarity = inner<Type>(context, a, b);
  return std::acos(similarity > 1 ? 1 : similarity < -1 ? -1 : similarity) / M_PI;
}
template <class Type>
double taxicab(FuncContext& context, Str a, Str b) {
  return alike<Type>(context, a, b)
             ? double{taxicab_distance<typename Type::Element>(a.data(), b.data(), size_of<Type>(a))}
             : 0;
}
template <class Type>
int32_t dimensions(Str image) {
  return DenseView<Type>(image).dimensions();
}
template <class Type>
double norm(Str image) {
  const DenseView<Type> v(image);
  double sum = 0;
  for (size_t i = 0; i < size_of<Type>(image); i++) sum += double{v[i]} * double{v[i]};
  return std::sqrt(sum);
}

// ---- arithmetic
template <class Type>
bool overflowed(FuncContext& context, const std::string& image) {
  const DenseView<Type> v(image);
  for (size_t i = 0; i < size_of<Type>(image); i++) {
    if (!std::isinf(v[i])) continue;
    fail_float_overflow(context);
    return true;
  }
  return false;
}
template <class Type>
std::string normalized(FuncContext& context, Str image) {
  const auto unit = unit_vector<Type>(image);
  if (!unit) return dense_image<Type>(size_of<Type>(image));
  overflowed<Type>(context, *unit);
  return *unit;
}
template <class Type, class Op>
std::string elementwise(FuncContext& context, Str left, Str right, const Op& op) {
  if (!alike<Type>(context, left, right)) return std::string(left);
  const DenseView<Type> a(left), b(right);
  std::string out = dense_image<Type>(size_of<Type>(left));
  for (size_t i = 0; i < size_of<Type>(left); i++) put_element<Type>(out, i, op(a[i], b[i]));
  overflowed<Type>(context, out);
  return out;
}
template <class Type>
std::string add(FuncContext& context, Str a, Str b) {
  return elementwise<Type>(context, a, b, [](float x, float y) { return x + y; });
}
template <class Type>
std::string subtract(FuncContext& context, Str a, Str b) {
  return elementwise<Type>(context, a, b, [](float x, float y) { return x - y; });
}
template <class Type>
std::string multiply(FuncContext& context, Str left, Str right) {
  std::string out = elementwise<Type>(context, left, right, [](float x, float y) { return x * y; });
  const DenseView<Type> a(left), b(right), v(out);
  for (size_t i = 0; !context.failed() && i < size_of<Type>(left); i++) {
    if (v[i] == 0 && a[i] != 0 && b[i] != 0) fail_float_underflow(context);
  }
  return out;
}
template <class Type>
std::string concatenated(FuncContext& context, Str a, Str b) {
  const size_t count = size_of<Type>(a) + size_of<Type>(b);
  if (!check_dimensions(context, Type::kName, static_cast<int64_t>(count), Type::kMostDimensions))
    return std::string(a);
  std::string out(a);
  return out.append(b);
}
template <class Type>
std::string quantized(Str image) {
  const DenseView<Type> v(image);
  std::string out = make_bits(v.dimensions());
  for (int32_t i = 0; i < v.dimensions(); i++) set_bit_at(out, i, v[static_cast<size_t>(i)] > 0);
  return out;
}
template <class Type>
std::string part(FuncContext& context, Str image, int32_t start, int32_t count) {
  const int64_t all = DenseView<Type>(image).dimensions();
  const int64_t first = std::max<int64_t>(start, 1), end = std::min<int64_t>(int64_t{start} + count, all + 1);
  if (count < 1 || start > all || end <= first) {
    check_dimensions(context, Type::kName, 0, Type::kMostDimensions);
    return {};
  }
  return std::string(
      image.substr(static_cast<size_t>(first - 1) * Type::kBytes, static_cast<size_t>(end - first) * Type::kBytes));
}

// ---- comparisons
template <class Type>
int32_t compare(Str left, Str right) {
  const DenseView<Type> a(left), b(right);
  const size_t both = std::min(size_of<Type>(left), size_of<Type>(right));
  for (size_t i = 0; i < both; i++) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return a.dimensions() == b.dimensions() ? 0 : a.dimensions() < b.dimensions() ? -1 : 1;
}
template <class Type>
bool lt(Str a, Str b) {
  return compare<Type>(a, b) < 0;
}
template <class Type>
bool le(Str a, Str b) {
  return compare<Type>(a, b) <= 0;
}
template <class Type>
bool eq(Str a, Str b) {
  return compare<Type>(a, b) == 0;
}
template <class Type>
bool ne(Str a, Str b) {
  return compare<Type>(a, b) != 0;
}
template <class Type>
bool ge(Str a, Str b) {
  return compare<Type>(a, b) >= 0;
}
template <class Type>
bool gt(Str a, Str b) {
  return compare<Type>(a, b) > 0;
}

// ---- casts
template <class Type>
Str with_modifier(FuncContext& context, Str image, int32_t modifier, bool) {
  check_expected(context, modifier, DenseView<Type>(image).dimensions());
  return image;
}
template <class Type>
std::string of_array(FuncContext& context, Str array, int32_t modifier, bool) {
  const auto numbers = numbers_of_array(context, Type::kName, array, Type::kMostDimensions);
  if (!numbers || !check_expected(context, modifier, static_cast<int32_t>(numbers->size()))) return {};
  std::string out = dense_image<Type>(numbers->size());
  for (size_t i = 0; i < numbers->size(); i++) {
    if (!check_dense_element<Type>(context, (*numbers)[i])) return {};
    put_element<Type>(out, i, (*numbers)[i]);
  }
  return out;
}
template <class Type>
std::string to_array(Str image, int32_t, bool) {
  const DenseView<Type> v(image);
  std::vector<Datum> elements;
  for (size_t i = 0; i < size_of<Type>(image); i++) elements.push_back(Datum::of(v[i]));
  return make_array(oid::kFloat4, Phys::kF32, elements);
}
template <class From, class To>
std::string converted(FuncContext& context, Str image, int32_t modifier, bool) {
  const DenseView<From> v(image);
  if (!check_expected(context, modifier, v.dimensions())) return {};
  std::string out = dense_image<To>(size_of<From>(image));
  for (size_t i = 0; i < size_of<From>(image); i++) {
    if (!check_dense_element<To>(context, v[i])) return {};
    put_element<To>(out, i, v[i]);
  }
  return out;
}
template <class Type>
std::string of_sparse(FuncContext& context, Str image, int32_t modifier, bool) {
  const SparseView v(image);
  if (!check_dimensions(context, Type::kName, v.dimensions(), Type::kMostDimensions) ||
      !check_expected(context, modifier, v.dimensions())) {
    return {};
  }
  std::string out = dense_image<Type>(static_cast<size_t>(v.dimensions()));
  for (int32_t i = 0; i < v.count(); i++) {
    if (!check_dense_element<Type>(context, v.value(i))) return {};
    put_element<Type>(out, static_cast<size_t>(v.place(i)), v.value(i));
  }
  return out;
}

// ---- bits
template <double (*kDistance)(const char*, const char*, size_t)>
double of_bits(FuncContext& context, Str a, Str b) {
  if (bit_count(a) != bit_count(b)) {
    context.fail(sqlstate::kDataException,
                 "different bit lengths " + std::to_string(bit_count(a)) + " and " + std::to_string(bit_count(b)));
    return 0;
  }
  return kDistance(a.data() + 4, b.data() + 4, a.size() - 4);
}
double hamming(const char* a, const char* b, size_t bytes) {
  return static_cast<double>(hamming_distance(a, b, bytes));
}

const ScalarEntry kDenseFunctions[] = {
    {"l2_distance", kernel<euclidean<Single>>},
    {"inner_product", kernel<inner<Single>>},
    {"cosine_distance", kernel<cosine<Single>>},
    {"l1_distance", kernel<taxicab<Single>>},
    {"vector_dims", kernel<dimensions<Single>>},
    {"vector_norm", kernel<norm<Single>>},
    {"l2_normalize", kernel<normalized<Single>>},
    {"binary_quantize", kernel<quantized<Single>>},
    {"subvector", kernel<part<Single>>},
    {"vector_add", kernel<add<Single>>},
    {"vector_sub", kernel<subtract<Single>>},
    {"vector_mul", kernel<multiply<Single>>},
    {"vector_concat", kernel<concatenated<Single>>},
    {"vector_lt", kernel<lt<Single>>},
    {"vector_le", kernel<le<Single>>},
    {"vector_eq", kernel<eq<Single>>},
    {"vector_ne", kernel<ne<Single>>},
    {"vector_ge", kernel<ge<Single>>},
    {"vector_gt", kernel<gt<Single>>},
    {"vector_cmp", kernel<compare<Single>>},
    {"vector_l2_squared_distance", kernel<squared<Single>>},
    {"vector_negative_inner_product", kernel<negative_inner<Single>>},
    {"vector_spherical_distance", kernel<spherical<Single>>},
    {"vector", kernel<with_modifier<Single>>},
    {"array_to_vector", kernel<of_array<Single>>},
    {"vector_to_float4", kernel<to_array<Single>>},
    {"halfvec_l2_distance", kernel<euclidean<Half>>},
    {"halfvec_inner_product", kernel<inner<Half>>},
    {"halfvec_cosine_distance", kernel<cosine<Half>>},
    {"halfvec_l1_distance", kernel<taxicab<Half>>},
    {"halfvec_vector_dims", kernel<dimensions<Half>>},
    {"halfvec_l2_norm", kernel<norm<Half>>},
    {"halfvec_l2_normalize", kernel<normalized<Half>>},
    {"halfvec_binary_quantize", kernel<quantized<Half>>},
    {"halfvec_subvector", kernel<part<Half>>},
    {"halfvec_add", kernel<add<Half>>},
    {"halfvec_sub", kernel<subtract<Half>>},
    {"halfvec_mul", kernel<multiply<Half>>},
    {"halfvec_concat", kernel<concatenated<Half>>},
    {"halfvec_lt", kernel<lt<Half>>},
    {"halfvec_le", kernel<le<Half>>},
    {"halfvec_eq", kernel<eq<Half>>},
    {"halfvec_ne", kernel<ne<Half>>},
    {"halfvec_ge", kernel<ge<Half>>},
    {"halfvec_gt", kernel<gt<Half>>},
    {"halfvec_cmp", kernel<compare<Half>>},
    {"halfvec_l2_squared_distance", kernel<squared<Half>>},
    {"halfvec_negative_inner_product", kernel<negative_inner<Half>>},
    {"halfvec_spherical_distance", kernel<spherical<Half>>},
    {"halfvec", kernel<with_modifier<Half>>},
    {"array_to_halfvec", kernel<of_array<Half>>},
    {"halfvec_to_float4", kernel<to_array<Half>>},
    {"halfvec_to_vector", kernel<converted<Half, Single>>},
    {"vector_to_halfvec", kernel<converted<Single, Half>>},
    {"sparsevec_to_vector", kernel<of_sparse<Single>>},
    {"sparsevec_to_halfvec", kernel<of_sparse<Half>>},
    {"hamming_distance", kernel<of_bits<hamming>>},
    {"jaccard_distance", kernel<of_bits<jaccard_distance>>},
};

}  // namespace

template <class Type>
std::optional<std::string> unit_vector(Str image) {
  const DenseView<Type> v(image);
  const double length = norm<Type>(image);
  if (length == 0) return std::nullopt;
  std::string out = dense_image<Type>(size_of<Type>(image));
  for (size_t i = 0; i < size_of<Type>(image); i++) put_element<Type>(out, i, static_cast<float>(v[i] / length));
  return out;
}
template std::optional<std::string> unit_vector<Single>(Str);
template std::optional<std::string> unit_vector<Half>(Str);

std::span<const ScalarEntry> dense_functions() { return kDenseFunctions; }

}  // namespace indigo::types::vectors
