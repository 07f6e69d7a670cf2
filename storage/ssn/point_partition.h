// The writes of keys whose hashes fall into one part of the KeySlots: for transactions whose snapshots are older, to find out
// what has been overwritten beneath them, and by whom.
//
// Thread safety: `lock` guards everything but held() of it and what KeySlot says of itself.
// Invariant: records are in the order of their stamps; each names the one before it in its slot. One stays until no
// serializable snapshot in use is below its stamp, or kRecords newer ones have come: then a transaction that old is told
// the least pi of all that is forgotten, which may abort it without need.
// Design: the versions' sstamp and the mapping table's list of overwriters; Griffin's L_u, for points.
#pragma once

#include <algorithm>
#include <cstdint>

#include "storage/ssn/key_slots.h"
#include "storage/ssn/partition_lock.h"
#include "storage/ssn/stamp_ring.h"

namespace indigo::storage {

struct alignas(128) PointPartition {
  static constexpr uint64_t kRecords = 4096;
  struct Record {
    uint64_t c, pi, hash;
    uint64_t before_in_slot;  // number, zero: none
  };

  // The slot is the hash's.
  void append(uint64_t c, uint64_t pi, uint64_t hash, KeySlot& slot, uint64_t oldest) {
    Record& r = writes.append(oldest);
    r = {c, pi, hash, slot.newest_record};
    slot.newest_record = writes.end() - 1;
    slot.written.store(c, std::memory_order_release);
  }
  // The least pi of those who wrote a key of this slot after `stamp`, as far as counts(hash); infinity when there is none.
  template <class Counts>
  uint64_t least_pi_of(const KeySlot& slot, uint64_t stamp, Counts counts) const {
    uint64_t least = writes.forgotten_pi(stamp);
    for (uint64_t n = slot.newest_record; n != 0 && writes.has(n); n = writes[n].before_in_slot) {
      const Record& r = writes[n];
      if (r.c <= stamp) break;
      if (r.pi < least && counts(r.hash)) least = r.pi;
    }
    return least;
  }
  uint64_t least_pi(const KeySlot& slot, uint64_t hash, uint64_t stamp) const {
    return least_pi_of(slot, stamp, [hash](uint64_t h) { return h == hash; });
  }
  // The least pi of all who wrote after `stamp`.
  uint64_t least_pi_since(uint64_t stamp) const {
    uint64_t least = writes.forgotten_pi(stamp);
    for (uint64_t n = writes.since(stamp); n < writes.end(); n++) least = std::min(least, writes[n].pi);
    return least;
  }
  // The stamp of the latest write of `hash` if it is above `stamp`, else 0.
  uint64_t newest(const KeySlot& slot, uint64_t hash, uint64_t stamp) const {
    if (slot.written.load(std::memory_order_relaxed) <= stamp) return 0;
    for (uint64_t n = slot.newest_record; n != 0 && writes.has(n); n = writes[n].before_in_slot) {
      const Record& r = writes[n];
      if (r.c <= stamp) break;
      if (r.hash == hash) return r.c;
    }
    return writes.forgotten_c() > stamp ? writes.forgotten_c() : 0;
  }

  PartitionLock lock;
  uint64_t newest_stamp = 0;  // drawn by a holder
  StampRing<Record, kRecords> writes;
};

}  // namespace indigo::storage
