// What Index-SSN knows by the hash of a key: who wrote it last, and who read it last. A table of fixed size; keys that
// share a slot share the reader, which can only abort more.
//
// Thread safety: changed under the Certifier's lock only; `written` and `read` may be loaded by anyone (relaxed: an early
// test that misses a commit is made good in the commit section).
// Design: pstamp; the mapping table. One slot is half a cacheline, so that a commit finds what the claim has fetched.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace indigo::storage {

struct alignas(32) KeySlot {
  std::atomic<uint64_t> written{0};  // stamp of the latest write
  std::atomic<uint64_t> read{0};     // stamp of the latest committed reader
  uint64_t newest_record = 0;        // number in the WriteLog, zero: none

  void raise_read(uint64_t stamp) {
    if (read.load(std::memory_order_relaxed) < stamp) read.store(stamp, std::memory_order_relaxed);
  }
};

class KeySlots {
 public:
  KeySlot& operator[](uint64_t hash) { return slots_[hash % kSlots]; }
  const KeySlot& operator[](uint64_t hash) const { return slots_[hash % kSlots]; }

 private:
  static constexpr size_t kSlots = size_t{1} << 14;
  std::array<KeySlot, kSlots> slots_;
};

}  // namespace indigo::storage
