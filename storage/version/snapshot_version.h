// An older committed image of a record: what a snapshot between `start` and `end` sees.
//
// Chains run from new to old: leaf -> next -> next; `jump` is two ahead, for prefetching.
// Thread safety: readers walk under an epoch guard; chains are changed under the latch of the record's leaf only, by
// switching `next` and `jump` around a version, which is then retired by epoch.
// Invariants: start < end; the next version's end <= start (smaller when versions between were cut out).
// Source: Index-Organized 4.1 and 4.6.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "storage/version/overflow.h"

namespace indigo::storage {

struct alignas(64) SnapshotVersion {
  uint64_t start = 0;
  uint64_t end = 0;
  std::atomic<SnapshotVersion*> next{nullptr};
  std::atomic<SnapshotVersion*> jump{nullptr};
  uint32_t payload_length = 0;
  bool tombstone = false;
  bool overflow = false;
  bool keys_differ = false;  // its secondary keys are not those of the next newer version

  static constexpr size_t kHeaderBytes = 40;
  char* payload() { return reinterpret_cast<char*>(this) + kHeaderBytes; }
  const char* payload() const { return reinterpret_cast<const char*>(this) + kHeaderBytes; }
  size_t total_bytes() const { return kHeaderBytes + payload_length; }
  OverflowBody* overflow_body() const { return load_unaligned<OverflowBody*>(payload()); }
  Bytes image() const { return overflow ? overflow_body()->bytes() : Bytes(payload(), payload_length); }

  // The version that a snapshot at `stamp` sees, beginning at `v`; null when none existed.
  static const SnapshotVersion* find(const SnapshotVersion* v, uint64_t stamp) {
    while (v != nullptr && v->start > stamp) {
      __builtin_prefetch(v->jump.load(std::memory_order_relaxed));
      v = v->next.load(std::memory_order_acquire);  // pairs with the writer's release: the version is complete
    }
    return v;
  }

  // find() in many chains: each element is where to begin, and then what it found. Their cache misses overlap: a group of
  // chains continues by one version at a time, and the next one of each is fetched while the others are looked at.
  static void find_all(std::span<const SnapshotVersion*> chains, uint64_t stamp) {
    constexpr size_t kGroup = 16, kLine = 64;  // about as many misses as a core has under way
    while (!chains.empty()) {
      auto group = chains.first(std::min(kGroup, chains.size()));
      chains = chains.subspan(group.size());
      for (const SnapshotVersion* v : group) __builtin_prefetch(v);
      for (bool going_on = true; std::exchange(going_on, false);) {
        for (const SnapshotVersion*& v : group) {
          if (v == nullptr || v->start <= stamp) continue;
          v = v->next.load(std::memory_order_acquire);  // as in find()
          __builtin_prefetch(v);
          going_on = true;
        }
      }
      for (const SnapshotVersion* v : group) {
        if (v != nullptr) __builtin_prefetch(reinterpret_cast<const char*>(v) + kLine);
      }
    }
  }
};

}  // namespace indigo::storage
