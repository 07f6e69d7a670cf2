// Sixteen bytes that are compared with one at once, by the instructions that every processor of the architecture has: SSE2 on
// x86-64, Advanced SIMD on 64-bit Arm. INDIGO_BYTE_BLOCKS is defined where there are such; elsewhere callers go byte by byte.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#define INDIGO_BYTE_BLOCKS
#elif defined(__AARCH64EL__)
#include <arm_neon.h>
#define INDIGO_BYTE_BLOCKS
#endif

#if defined(INDIGO_BYTE_BLOCKS)

namespace indigo {

class ByteBlock {
 public:
  static constexpr uint32_t kBytes = 16;

#if defined(__SSE2__)
  static ByteBlock load(const void* at) { return ByteBlock(_mm_loadu_si128(static_cast<const __m128i*>(at))); }
  static ByteBlock all(uint8_t byte) { return ByteBlock(_mm_set1_epi8(static_cast<char>(byte))); }
  // Bytes of ones where the two are equal, zeros elsewhere.
  ByteBlock equal(ByteBlock other) const { return ByteBlock(_mm_cmpeq_epi8(v_, other.v_)); }
  ByteBlock operator&(ByteBlock other) const { return ByteBlock(_mm_and_si128(v_, other.v_)); }
  // Of bytes of ones and zeros: bit i is byte i.
  uint32_t bits() const { return static_cast<uint32_t>(_mm_movemask_epi8(v_)); }

 private:
  using Vector = __m128i;
#else
  static ByteBlock load(const void* at) { return ByteBlock(vld1q_u8(static_cast<const uint8_t*>(at))); }
  static ByteBlock all(uint8_t byte) { return ByteBlock(vdupq_n_u8(byte)); }
  ByteBlock equal(ByteBlock other) const { return ByteBlock(vceqq_u8(v_, other.v_)); }
  ByteBlock operator&(ByteBlock other) const { return ByteBlock(vandq_u8(v_, other.v_)); }
  // Each byte keeps its bit, and neighbours are added until eight of them are one byte.
  uint32_t bits() const {
    static constexpr uint8_t kBits[kBytes] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t own = vandq_u8(v_, vld1q_u8(kBits));
    const uint8x16_t pairs = vpaddq_u8(own, own), fours = vpaddq_u8(pairs, pairs);
    return vgetq_lane_u16(vreinterpretq_u16_u8(vpaddq_u8(fours, fours)), 0);
  }

 private:
  using Vector = uint8x16_t;
#endif
  explicit ByteBlock(Vector v) : v_(v) {}
  Vector v_;
};

}  // namespace indigo

#endif
