// One part of the key ranges of some spaces: what was written there, and who has read it as a range.
//
// Thread safety: `lock` guards everything; the two atomics may be loaded by anyone.
// Invariants as in PointPartition. A write of a key is in the partition of the key's place, a range read in those of all places
// that its interval has.
// Design: Griffin's precision locking, L_u and L_p, partitioned.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "storage/ssn/key_interval.h"
#include "storage/ssn/partition_lock.h"
#include "storage/ssn/range_stamps.h"
#include "storage/ssn/short_key.h"
#include "storage/ssn/stamp_ring.h"

namespace indigo::storage {

struct alignas(128) RangePartition {
  static constexpr uint64_t kRecords = 4096;
  // A short key's is in one cacheline.
  struct alignas(64) Record {
    uint64_t c, pi;
    ShortKey key;
  };

  void append(uint64_t c, uint64_t pi, const SpaceKey& key, uint64_t oldest) {
    Record& r = writes.append(oldest);
    r.c = c;
    r.pi = pi;
    r.key.assign_down(key);
    newest_write.store(c, std::memory_order_release);
  }
  // The least pi of those who wrote in the interval after `stamp`; infinity when there is none.
  uint64_t least_pi(uint64_t space, const KeyInterval& interval, uint64_t stamp) const {
    uint64_t least = writes.forgotten_pi(stamp);
    // Upward: the first that is met mostly has the least pi, and the others' keys are not looked at.
    for (uint64_t n = writes.since(stamp); n < writes.end(); n++) {
      const Record& r = writes[n];
      if (r.pi < least && r.key.space() == space && r.key.may_lie_in(interval)) least = r.pi;
    }
    return least;
  }
  void raise(uint64_t space, const KeyInterval& interval, uint64_t stamp, uint64_t oldest) {
    reads.raise(space, interval, stamp, oldest);
    if (newest_read.load(std::memory_order_relaxed) < stamp) newest_read.store(stamp, std::memory_order_relaxed);
  }

  PartitionLock lock;
  uint64_t newest_stamp = 0;              // drawn by a holder
  std::atomic<uint64_t> newest_write{0};  // the greatest in `writes`
  std::atomic<uint64_t> newest_read{0};   // the greatest in `reads`
  StampRing<Record, kRecords> writes;
  RangeStamps reads;
};

}  // namespace indigo::storage
