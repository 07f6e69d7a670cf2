// What Index-SSN knows by the hash of a key: who wrote it last, and who read it last. A table of fixed size; keys that
// share a slot share the reader, which can only abort more.
//
// Thread safety: changed under the lock of the slot's partition, but for raise_to_place. `written` and `read` may be loaded
// by anyone (relaxed: an early test that misses a commit is made good in the commit section).
// Design: pstamp; the mapping table. One slot is half a cacheline, so that a commit finds what the claim has fetched.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace indigo::storage {

struct alignas(32) KeySlot {
  std::atomic<uint64_t> written{0};  // stamp of the latest write
  std::atomic<uint64_t> read{0};     // stamp of the latest committed reader
  uint64_t newest_record = 0;        // number in the partition's ring, zero: none

  // Under the lock, to the stamp of a commit: nobody raises it above that without the lock.
  void raise_to_commit(uint64_t stamp) {
    if (read.load(std::memory_order_relaxed) < stamp) read.store(stamp, std::memory_order_relaxed);
  }
  // By one that only reads, mostly without the lock. seq_cst: before it looks at the lock and at `written`.
  void raise_to_place(uint64_t stamp) {
    uint64_t now = read.load();
    while (now < stamp && !read.compare_exchange_weak(now, stamp)) {
    }
  }
};

class KeySlots {
 public:
  static constexpr uint64_t kSlots = uint64_t{1} << 14, kPartitions = 64;
  static uint64_t slot_of(uint64_t hash) { return hash % kSlots; }
  // Neighbouring slots: no two partitions share a cacheline.
  static uint64_t partition_of(uint64_t hash) { return slot_of(hash) / (kSlots / kPartitions); }

  KeySlot& operator[](uint64_t hash) { return slots_[slot_of(hash)]; }
  const KeySlot& operator[](uint64_t hash) const { return slots_[slot_of(hash)]; }

 private:
  std::array<KeySlot, kSlots> slots_;
};

}  // namespace indigo::storage
