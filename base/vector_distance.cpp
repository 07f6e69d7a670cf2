#include "base/vector_distance.h"

#include <bit>
#include <cmath>

#include "base/bytes.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define INDIGO_WIDE_VECTORS __attribute__((target("avx2,fma,f16c")))
#elif defined(__AARCH64EL__)
#include <arm_neon.h>
#endif

namespace indigo {

namespace {

template <class Element>
float element(const char* at, size_t i);
template <>
float element<SingleElement>(const char* at, size_t i) {
  return load_unaligned<float>(at + i * SingleElement::kBytes);
}
template <>
float element<HalfElement>(const char* at, size_t i) {
  return half_to_float(load_unaligned<uint16_t>(at + i * HalfElement::kBytes));
}

struct Squared {
  static float of(float a, float b) { return (a - b) * (a - b); }
};
struct Product {
  static float of(float a, float b) { return a * b; }
};
struct Absolute {
  static float of(float a, float b) { return std::fabs(a - b); }
};

// Eight sums side by side, which any compiler keeps in registers.
template <class Element, class Term>
float portable_sum(const char* a, const char* b, size_t count) {
  constexpr size_t kLanes = 8;
  float sums[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; lane++)
      sums[lane] += Term::of(element<Element>(a, i + lane), element<Element>(b, i + lane));
  }
  float rest = 0;
  for (; i < count; i++) rest += Term::of(element<Element>(a, i), element<Element>(b, i));
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7])) + rest;
}

#if defined(__x86_64__)

// Every processor with these has the conversion of halves, too, which not every compiler can ask for.
bool has_wide_vectors() {
  static const bool kHas = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return kHas;
}

template <class Element>
INDIGO_WIDE_VECTORS inline __m256 eight_elements(const char* at);
template <>
INDIGO_WIDE_VECTORS inline __m256 eight_elements<SingleElement>(const char* at) {
  return _mm256_loadu_ps(reinterpret_cast<const float*>(at));
}
template <>
INDIGO_WIDE_VECTORS inline __m256 eight_elements<HalfElement>(const char* at) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
}

template <class Term>
INDIGO_WIDE_VECTORS inline __m256 with_term(__m256 sum, __m256 a, __m256 b);
template <>
INDIGO_WIDE_VECTORS inline __m256 with_term<Squared>(__m256 sum, __m256 a, __m256 b) {
  const __m256 d = _mm256_sub_ps(a, b);
  return _mm256_fmadd_ps(d, d, sum);
}
template <>
INDIGO_WIDE_VECTORS inline __m256 with_term<Product>(__m256 sum, __m256 a, __m256 b) {
  return _mm256_fmadd_ps(a, b, sum);
}
template <>
INDIGO_WIDE_VECTORS inline __m256 with_term<Absolute>(__m256 sum, __m256 a, __m256 b) {
  const __m256 sign = _mm256_set1_ps(-0.0F);
  return _mm256_add_ps(sum, _mm256_andnot_ps(sign, _mm256_sub_ps(a, b)));
}

template <class Element, class Term>
INDIGO_WIDE_VECTORS float wide_sum(const char* a, const char* b, size_t count) {
  constexpr size_t kLanes = 8;
  __m256 sums[4] = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps()};
  size_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    for (size_t s = 0; s < 4; s++) {
      const size_t at = (i + s * kLanes) * Element::kBytes;
      sums[s] = with_term<Term>(sums[s], eight_elements<Element>(a + at), eight_elements<Element>(b + at));
    }
  }
  for (; i + kLanes <= count; i += kLanes) {
    const size_t at = i * Element::kBytes;
    sums[0] = with_term<Term>(sums[0], eight_elements<Element>(a + at), eight_elements<Element>(b + at));
  }
  const __m256 sum = _mm256_add_ps(_mm256_add_ps(sums[0], sums[1]), _mm256_add_ps(sums[2], sums[3]));
  float lanes[kLanes];
  _mm256_storeu_ps(lanes, sum);
  float rest = 0;
  for (; i < count; i++) rest += Term::of(element<Element>(a, i), element<Element>(b, i));
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7])) + rest;
}

#elif defined(__AARCH64EL__)

constexpr bool has_wide_vectors() { return true; }

template <class Element>
float32x4_t four_elements(const char* at);
template <>
float32x4_t four_elements<SingleElement>(const char* at) {
  return vreinterpretq_f32_u8(vld1q_u8(reinterpret_cast<const uint8_t*>(at)));
}
template <>
float32x4_t four_elements<HalfElement>(const char* at) {
  return vcvt_f32_f16(vreinterpret_f16_u8(vld1_u8(reinterpret_cast<const uint8_t*>(at))));
}

template <class Term>
float32x4_t with_term(float32x4_t sum, float32x4_t a, float32x4_t b);
template <>
float32x4_t with_term<Squared>(float32x4_t sum, float32x4_t a, float32x4_t b) {
  const float32x4_t d = vsubq_f32(a, b);
  return vfmaq_f32(sum, d, d);
}
template <>
float32x4_t with_term<Product>(float32x4_t sum, float32x4_t a, float32x4_t b) {
  return vfmaq_f32(sum, a, b);
}
template <>
float32x4_t with_term<Absolute>(float32x4_t sum, float32x4_t a, float32x4_t b) {
  return vaddq_f32(sum, vabdq_f32(a, b));
}

template <class Element, class Term>
float wide_sum(const char* a, const char* b, size_t count) {
  constexpr size_t kLanes = 4, kSums = 4;
  float32x4_t sums[kSums] = {vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0)};
  size_t i = 0;
  for (; i + kSums * kLanes <= count; i += kSums * kLanes) {
    for (size_t s = 0; s < kSums; s++) {
      const size_t at = (i + s * kLanes) * Element::kBytes;
      sums[s] = with_term<Term>(sums[s], four_elements<Element>(a + at), four_elements<Element>(b + at));
    }
  }
  const float sum = vaddvq_f32(vaddq_f32(vaddq_f32(sums[0], sums[1]), vaddq_f32(sums[2], sums[3])));
  float rest = 0;
  for (; i < count; i++) rest += Term::of(element<Element>(a, i), element<Element>(b, i));
  return sum + rest;
}

#endif

template <class Element, class Term>
float sum_of(const char* a, const char* b, size_t count) {
#if defined(__x86_64__) || defined(__AARCH64EL__)
  if (has_wide_vectors()) return wide_sum<Element, Term>(a, b, count);
#endif
  return portable_sum<Element, Term>(a, b, count);
}

// The sum over all places where one of the two is not zero.
template <class Term>
float sparse_sum(const char* a, const char* b) {
  constexpr size_t kHead = 8, kWidth = 4;
  const auto count_a = static_cast<size_t>(load_unaligned<int32_t>(a + 4)),
             count_b = static_cast<size_t>(load_unaligned<int32_t>(b + 4));
  const auto place = [](const char* image, size_t i) { return load_unaligned<int32_t>(image + kHead + i * kWidth); };
  const auto value = [](const char* image, size_t count, size_t i) {
    return load_unaligned<float>(image + kHead + (count + i) * kWidth);
  };
  float sum = 0;
  size_t i = 0, j = 0;
  while (i < count_a || j < count_b) {
    const bool of_a = i < count_a && (j == count_b || place(a, i) <= place(b, j));
    const bool of_b = j < count_b && (i == count_a || place(b, j) <= place(a, i));
    sum += Term::of(of_a ? value(a, count_a, i) : 0, of_b ? value(b, count_b, j) : 0);
    i += of_a ? 1 : 0;
    j += of_b ? 1 : 0;
  }
  return sum;
}

}  // namespace

float half_to_float(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000U) << 16, exponent = half >> 10 & 0x1fU,
                 mantissa = half & 0x3ffU;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000U | mantissa << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float small = static_cast<float>(mantissa) * 0x1p-24F;  // zeros and subnormal numbers
  return sign != 0 ? -small : small;
}

uint16_t float_to_half(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000U);
  const uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return static_cast<uint16_t>(sign | 0x7e00U);
  if (magnitude >= 0x477ff000U) return static_cast<uint16_t>(sign | 0x7c00U);  // rounds to 2^16 and above
  if (magnitude <
      0x38800000U) {  // below 2^-14: adding 2^-1 puts the last bit of the half at the end of the sum, rounded
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000U));
  }
  const uint32_t odd = magnitude >> 13 & 1;
  return static_cast<uint16_t>(sign | ((magnitude - 0x38000000U + 0xfffU + odd) >> 13));
}

template <class Element>
float squared_distance(const char* a, const char* b, size_t count) {
  return sum_of<Element, Squared>(a, b, count);
}
template <class Element>
float inner_product(const char* a, const char* b, size_t count) {
  return sum_of<Element, Product>(a, b, count);
}
template <class Element>
float taxicab_distance(const char* a, const char* b, size_t count) {
  return sum_of<Element, Absolute>(a, b, count);
}
template float squared_distance<SingleElement>(const char*, const char*, size_t);
template float squared_distance<HalfElement>(const char*, const char*, size_t);
template float inner_product<SingleElement>(const char*, const char*, size_t);
template float inner_product<HalfElement>(const char*, const char*, size_t);
template float taxicab_distance<SingleElement>(const char*, const char*, size_t);
template float taxicab_distance<HalfElement>(const char*, const char*, size_t);

float sparse_squared_distance(const char* a, const char* b) { return sparse_sum<Squared>(a, b); }
float sparse_inner_product(const char* a, const char* b) { return sparse_sum<Product>(a, b); }
float sparse_taxicab_distance(const char* a, const char* b) { return sparse_sum<Absolute>(a, b); }

uint64_t hamming_distance(const char* a, const char* b, size_t bytes) {
  uint64_t out = 0;
  size_t i = 0;
  for (; i + 8 <= bytes; i += 8)
    out += static_cast<uint64_t>(std::popcount(load_unaligned<uint64_t>(a + i) ^ load_unaligned<uint64_t>(b + i)));
  for (; i < bytes; i++) out += static_cast<uint64_t>(std::popcount(static_cast<uint8_t>(a[i] ^ b[i])));
  return out;
}

double jaccard_distance(const char* a, const char* b, size_t bytes) {
  uint64_t both = 0, either = 0;
  const auto add = [&](auto x, auto y) {
    both += static_cast<uint64_t>(std::popcount(static_cast<decltype(x)>(x & y)));
    either += static_cast<uint64_t>(std::popcount(static_cast<decltype(x)>(x | y)));
  };
  size_t i = 0;
  for (; i + 8 <= bytes; i += 8) add(load_unaligned<uint64_t>(a + i), load_unaligned<uint64_t>(b + i));
  for (; i < bytes; i++) add(load_unaligned<uint8_t>(a + i), load_unaligned<uint8_t>(b + i));
  return both == 0 ? 1 : 1 - static_cast<double>(both) / static_cast<double>(either);
}

}  // namespace indigo
