// One byte of each entry's hash, for the 64 entries of a data node: which of them may have a key, asked of all at once.
// Thread safety: readers may meet writers; what they find counts when the node's version is the same afterwards.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/byte_block.h"
#include "base/bytes.h"
#include "storage/shared_bytes.h"

namespace indigo::storage {

struct alignas(64) Fingerprints {
  static constexpr uint32_t kCount = 64;
  uint8_t bytes[kCount] = {};

  // Of a key: depends on all its bytes. Keys of up to eight bytes that differ in the last one only have different ones.
  static uint8_t of(Bytes key) {
    constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;  // odd; the top byte of a product depends on all bits
    uint64_t mixed = key.size() * kFactor;
    const char* at = key.data();
    size_t left = key.size();
    for (; left > 8; at += 8, left -= 8) {
      mixed = (mixed ^ load_unaligned<uint64_t>(at)) * kFactor;
      mixed ^= mixed >> 32;
    }
    uint64_t last = 0;
    if (key.size() >= 8) {
      last = load_unaligned<uint64_t>(at + left - 8);
    } else if (left > 0) {
      std::memcpy(&last, at, left);
    }
    return static_cast<uint8_t>((mixed ^ last) * kFactor >> 56);
  }

  // Bit i is set when byte i is `wanted`.
  uint64_t match_portable(uint8_t wanted) const {
    uint64_t mask = 0;
    for (uint32_t i = 0; i < kCount; i++) mask |= uint64_t{load_shared(&bytes[i]) == wanted} << i;
    return mask;
  }
  uint64_t match(uint8_t wanted) const {
#if defined(INDIGO_BYTE_BLOCKS)
    if constexpr (!kThreadSanitizer) {
      const ByteBlock all = ByteBlock::all(wanted);
      const auto part = [&](uint32_t i) { return ByteBlock::load(&bytes[i]).equal(all).bits(); };
      return (part(0) | part(16) << 16) | uint64_t{part(32) | part(48) << 16} << 32;
    }
#endif
    return match_portable(wanted);
  }
};

}  // namespace indigo::storage
