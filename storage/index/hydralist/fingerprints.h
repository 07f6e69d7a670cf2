// One byte of each entry's hash, for the 64 entries of a data node: which of them may have a key, asked of all at once.
// Thread safety: readers may meet writers; what they find counts when the node's version is the same afterwards.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "storage/shared_bytes.h"

namespace indigo::storage {

struct alignas(64) Fingerprints {
  static constexpr uint32_t kCount = 64;
  uint8_t bytes[kCount] = {};

  // Bit i is set when byte i is `wanted`.
  uint64_t match_portable(uint8_t wanted) const {
    uint64_t mask = 0;
    for (uint32_t i = 0; i < kCount; i++) mask |= uint64_t{load_shared(&bytes[i]) == wanted} << i;
    return mask;
  }
  uint64_t match(uint8_t wanted) const {
#if defined(__SSE2__)
    if constexpr (!kThreadSanitizer) {
      const __m128i all = _mm_set1_epi8(static_cast<char>(wanted));
      uint64_t mask = 0;
      for (uint32_t i = 0; i < kCount; i += 16) {
        const __m128i part = _mm_load_si128(reinterpret_cast<const __m128i*>(&bytes[i]));
        const auto found = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(part, all)));
        mask |= uint64_t{found} << i;
      }
      return mask;
    }
#endif
    return match_portable(wanted);
  }
};

}  // namespace indigo::storage
