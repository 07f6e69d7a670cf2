// Which snapshots are in use: reclamation and in-place overwriting ask it.
//
// Thread safety: all functions; a Slot belongs to one session at a time.
// Invariants:
// 1. (R4) A slot holds a lower bound, marked tentative, before the stable stamp is loaded for the snapshot.
// 2. collect() after a load of the stable stamp S misses no snapshot below S: one that it does not meet loads a stable
//    stamp that is not below S. A snapshot that moves from one slot to another (pin) counts pins_ up in between.
// Source: docs/theory.md R1, R4.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/ids.h"
#include "base/mutation.h"
#include "storage/pause_points.h"
#include "storage/txn/commit_clock.h"

namespace indigo::storage {

// Snapshots that were in use at one moment.
class ActiveSnapshots {
 public:
  // May someone still read a version that was newest from `start` to `end` (exclusive)?
  bool needs(uint64_t start, uint64_t end) const {
    if (end > stable_) return true;  // snapshots taken from now on may still lie below `end`
    if (tentative_ < end) return true;
    if (values_.size() > kFew) {  // then they are sorted
      auto v = std::lower_bound(values_.begin(), values_.end(), start);
      return v != values_.end() && *v < end;
    }
    for (uint64_t v : values_) {
      if (v >= start && v < end) return true;
    }
    return false;
  }
  // No snapshot sees what is below this, except the newest below.
  uint64_t oldest() const;
  uint64_t stable() const { return stable_; }
  size_t count() const { return values_.size(); }

 private:
  friend class SnapshotRegistry;
  static constexpr size_t kFew = 16;
  uint64_t stable_ = 0;
  uint64_t tentative_ = UINT64_MAX;  // the least lower bound of one that is being taken
  std::vector<uint64_t> values_;     // snapshots; sorted when there are many
};

class SnapshotRegistry {
 public:
  class Slot {
   private:
    friend class SnapshotRegistry;
    std::atomic<uint64_t> value_{0};  // 0 free; else stamp << 1 | tentative
  };

  explicit SnapshotRegistry(const CommitClock& clock, const PauseHook& pauses) : clock_(clock), pauses_(pauses) {}

  // Slots of one shard lie in the same cachelines.
  Slot* allocate_slot(uint32_t shard);
  void free_slot(Slot* slot, uint32_t shard);

  // Registers and answers the newest snapshot. `current` (zero: none) is what the slot holds now.
  CommitStamp take(Slot& slot, CommitStamp current) const {
    uint64_t s = clock_.stable().value;
    if (s == current.value) return current;
    if (!mutated(Mutation::kLateRegistration)) announce(slot, CommitStamp(s));
    s = clock_.stable().value;
    pauses_.at(PausePoint::kSnapshot);
    slot.value_.store(s << 1, std::memory_order_release);
    return CommitStamp(s);
  }
  // A lower bound for the snapshot that is about to be loaded: seq_cst, so it comes before that load.
  static void announce(Slot& slot, CommitStamp bound) { slot.value_.store(bound.value << 1 | 1); }
  // A lower bound of the snapshot that the slot holds or is about to hold; zero: none. After a load of the stable stamp S:
  // a snapshot that is not met here is not below S (invariant 2), and what its session stored before take() is seen if it is.
  static uint64_t lower_bound(const Slot& slot) { return slot.value_.load() >> 1; }  // seq_cst: pairs with take()
  // For a registered snapshot that may move on: the newest one. Both are kept from reclamation until keep() says which it is.
  CommitStamp propose(Slot& slot, CommitStamp current) const {
    announce(slot, current);
    pauses_.at(PausePoint::kSnapshot);
    return clock_.stable();
  }
  static void keep(Slot& slot, CommitStamp snapshot) {
    slot.value_.store(snapshot.value << 1, std::memory_order_release);
  }
  // Registers a snapshot that is registered elsewhere by the same session.
  void copy(Slot& slot, CommitStamp snapshot) {
    slot.value_.store(snapshot.value << 1);
    pins_.fetch_add(1);
  }
  static void release(Slot& slot) { slot.value_.store(0, std::memory_order_release); }

  void collect(ActiveSnapshots& out) const;

 private:
  static constexpr uint32_t kShards = 16;
  static constexpr uint32_t kSlotsPerLine = 8;
  static constexpr uint32_t kMaxLines = 16384;

  struct alignas(64) Line {
    Slot slots[kSlotsPerLine];
  };
  static_assert(sizeof(Line) == 64);

  const CommitClock& clock_;
  const PauseHook& pauses_;
  std::atomic<uint64_t> pins_{0};
  std::atomic<uint32_t> line_count_{0};
  std::array<std::atomic<Line*>, kMaxLines> lines_{};
  std::mutex mutex_;  // guards what follows
  std::vector<std::unique_ptr<Line>> memory_;
  std::array<std::vector<Slot*>, kShards> free_;
};

}  // namespace indigo::storage
