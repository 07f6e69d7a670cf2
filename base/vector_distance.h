// Distances between vectors of numbers, as they lie in memory (unaligned): single precision, half precision (IEEE 754 binary16)
// and bits. Sums are made in single precision and in an order of their own, so that last digits depend on the processor.
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace indigo {

float half_to_float(uint16_t half);
// Rounds to the nearest, ties to even; beyond the range it is an infinity.
uint16_t float_to_half(float value);

// One number of a vector.
struct SingleElement {
  static constexpr size_t kBytes = 4;
};
struct HalfElement {
  static constexpr size_t kBytes = 2;
};

// `a` and `b` are `count` elements each.
template <class Element>
float squared_distance(const char* a, const char* b, size_t count);
template <class Element>
float inner_product(const char* a, const char* b, size_t count);
template <class Element>
float taxicab_distance(const char* a, const char* b, size_t count);

// Vectors with few elements that are not zero: int32 dimensions, int32 count, then as many int32 places, from 0 and ascending, then
// as many floats. Both have the same dimensions.
float sparse_squared_distance(const char* a, const char* b);
float sparse_inner_product(const char* a, const char* b);
float sparse_taxicab_distance(const char* a, const char* b);

// Of `bytes` bytes each.
uint64_t hamming_distance(const char* a, const char* b, size_t bytes);
// 1 - |a & b| / |a | b|; 1 where the two have no bit in common.
double jaccard_distance(const char* a, const char* b, size_t bytes);

}  // namespace indigo
