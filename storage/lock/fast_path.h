// Weak table locks (kAccessShare, kRowShare, kRowExclusive) without the lock table: every statement takes some, and
// they conflict only with strong modes (kShare and up), which are rare. A weak locker writes to a slot of its own and
// reads a counter that only strong lockers write: no shared cache line changes hands.
//
//   weak locker                               strong locker
//   W1  slot = object | mode   (seq_cst)      S1  counter[object] += 1     (seq_cst)
//   W2  counter[object] == 0?  (seq_cst)      S2  look at every owner's slots (seq_cst); move what is found
//       yes: held                                 for this object into the lock table
//       no: empty the slot, use the           S3  ask the lock table as usual; wait there if need be
//           lock table                        S4  at release: counter[object] -= 1
//
// Proof that a held weak lock and a conflicting strong one exclude each other. W1, W2, S1, S2 are in the single order
// of seq_cst operations. If W2 read 0 while S's increment was not yet undone, then W2 precedes S1, so W1 precedes S2,
// and S2 sees the slot, unless the owner has released it or another strong locker has moved it: then it is in the
// lock table before S3, since both work under the mutex of the object's partition. If instead W1 follows S2, then W2
// follows S1 and reads at least 1: the weak locker goes to the lock table, which excludes. Between W1 and W2 a slot is
// only an attempt; S2 moves it all the same when it conflicts with nothing granted (the weak locker then finds its
// slot empty and has the lock), and leaves it when it conflicts: a held one cannot conflict, by induction over the
// grants of strong locks, so it is an attempt whose W2 will read at least 1 unless they have ended by then. A slot may
// hold modes and an attempt at another: S2 moves mode by mode.
//
// Counters are shared by objects with equal hash: that sends weak lockers to the lock table needlessly, no more.
// The slot is emptied by compare-and-swap on both sides, so exactly one of them has the lock to account for.
// Source: PostgreSQL's README of the lock manager ("Fast Path Locking"), with a counter per object hash and slots
// that are single words instead of a per-session latch.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

#include "storage/lock/lock_owner.h"

namespace indigo::storage {

class StrongLockCounters {
 public:
  void enter(uint64_t object) { of(object).fetch_add(1, std::memory_order_seq_cst); }
  void leave(uint64_t object) { of(object).fetch_sub(1, std::memory_order_seq_cst); }
  bool any(uint64_t object) const {
    return const_cast<StrongLockCounters*>(this)->of(object).load(std::memory_order_seq_cst) != 0;
  }

 private:
  static constexpr size_t kCounters = 1024;
  std::atomic<uint32_t>& of(uint64_t object) { return counters_[(object * 0x9e3779b97f4a7c15u) >> 54]; }
  static_assert(kCounters == 1u << (64 - 54));
  alignas(64) std::array<std::atomic<uint32_t>, kCounters> counters_{};
};

// Slots and words.
inline constexpr uint64_t kMaxWeakObject = UINT64_MAX >> 3;
inline constexpr uint8_t weak_bit(LockModeCode mode) { return static_cast<uint8_t>(1u << (mode - 1)); }
inline constexpr uint64_t weak_word(uint64_t object, uint8_t modes) { return modes == 0 ? 0 : object << 3 | modes; }
// The modes of a word as a set of TableLockMode codes.
inline constexpr uint64_t weak_modes(uint64_t word) { return (word & 7) << 1; }

enum class [[nodiscard]] WeakOutcome : uint8_t;
enum class WeakOutcome : uint8_t { kHeldBefore, kTaken, kUseLockTable };

// Removes one mode of `object` from a slot; false when it is not there. Release pairs with the strong locker's S2, which orders
// this owner's work before the strong locker's.
inline bool take_weak_bit(std::atomic<uint64_t>& slot, uint64_t object, uint8_t bit) {
  uint64_t word = slot.load(std::memory_order_relaxed);
  while (word >> 3 == object && (word & bit)) {
    uint64_t rest = (word & 7) == bit ? 0 : word & ~uint64_t{bit};
    if (slot.compare_exchange_weak(word, rest, std::memory_order_seq_cst)) return true;
  }
  return false;
}

// Takes a weak mode through a slot if that is possible. On kTaken the history has it.
inline WeakOutcome try_weak_lock(OwnerImpl& owner, StrongLockCounters& counters, uint64_t object, LockModeCode mode) {
  uint8_t bit = weak_bit(mode);
  uint32_t found = OwnerImpl::kWeakSlots;
  for (uint32_t i = 0; i < owner.weak_used; i++) {
    if (owner.weak[i].modes != 0 && owner.weak[i].object == object) {
      if (owner.weak[i].modes & bit) return WeakOutcome::kHeldBefore;
      found = i;
      break;
    }
    if (owner.weak[i].modes == 0) found = i;
  }
  if (found == OwnerImpl::kWeakSlots) {
    if (owner.weak_used == OwnerImpl::kWeakSlots || object > kMaxWeakObject) return WeakOutcome::kUseLockTable;
    found = owner.weak_used++;
  }
  WeakLocks& weak = owner.weak[found];
  std::atomic<uint64_t>& slot = owner.slots[found];
  uint64_t before = weak_word(object, weak.modes);
  // W1. Only the owner adds to a slot, so the exchange fails only when a strong locker has moved older modes.
  if (!slot.compare_exchange_strong(before, weak_word(object, weak.modes | bit), std::memory_order_seq_cst)) {
    return WeakOutcome::kUseLockTable;
  }
  // W2. If the bit is gone after all, it was moved to the lock table meanwhile: held there.
  if (counters.any(object) && take_weak_bit(slot, object, bit)) return WeakOutcome::kUseLockTable;
  weak.object = object;
  weak.modes |= bit;
  owner.history.push_back({nullptr, owner.next_sequence++, mode, static_cast<uint8_t>(found)});
  return WeakOutcome::kTaken;
}

// Gives up one weak mode. False when it was moved to the lock table: the caller releases it there.
inline bool release_weak_lock(OwnerImpl& owner, uint32_t index, LockModeCode mode) {
  owner.weak[index].modes &= static_cast<uint8_t>(~weak_bit(mode));
  return take_weak_bit(owner.slots[index], owner.weak[index].object, weak_bit(mode));
}

}  // namespace indigo::storage
