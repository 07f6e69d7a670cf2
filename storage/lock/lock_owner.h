// The holder's side of locks: what one owner holds, in the order in which it was taken, and its fast-path slots.
//
// Thread safety: history, weak entries and filter belong to the owner's session. `slots` are read and emptied by
// strong lockers (fast_path.h); txn and session are read by anyone.
//
// Invariants:
// 1. `history` has one element per (lock, mode) held, ascending in `sequence`; a mode held twice appears once.
// 2. weak[i].modes is what was taken through slots[i]. Each of these modes is in the slot's word, or a strong locker
//    has moved it to the lock table, where the owner's one request with `transferred` set stands for it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "base/fiber/wait_point.h"
#include "base/ids.h"
#include "storage/lock/lock_manager.h"

namespace indigo::storage {

struct LockRequest;
class OwnerRegistry;

struct HeldLock {
  LockRequest* request;  // nullptr: a weak table lock, in slot `weak_slot`
  uint32_t sequence;
  LockModeCode mode;
  uint8_t weak_slot;
};

struct WeakLocks {
  uint64_t object = 0;
  uint8_t modes = 0;  // bit 0 kAccessShare, bit 1 kRowShare, bit 2 kRowExclusive
};

class OwnerImpl final : public LockOwner {
 public:
  static constexpr size_t kWeakSlots = 16;

  OwnerImpl(TxnId txn, uint64_t session_number, OwnerRegistry& registry);
  ~OwnerImpl() override;

  // ---- the owner's own
  std::vector<HeldLock> history;
  std::array<WeakLocks, kWeakSlots> weak{};
  uint32_t weak_used = 0;  // weak[weak_used...] were never used since the last release_all
  uint32_t next_sequence = 0;
  uint64_t held_filter = 0;  // bit of every lock's hash held since the last release_all: a clear bit means not held
  WaitPoint wait_point;      // an owner waits for one lock at a time

  // ---- shared
  std::atomic<uint64_t> txn_id;
  std::atomic<uint64_t> session;
  alignas(64) std::array<std::atomic<uint64_t>, kWeakSlots> slots{};  // object << 3 | modes; 0 is empty
  OwnerRegistry& registry;
  OwnerImpl *registry_previous = nullptr, *registry_next = nullptr;  // guarded by OwnerRegistry's mutex

  TxnId txn() const { return TxnId{txn_id.load(std::memory_order_relaxed)}; }
  uint64_t session_number() const { return session.load(std::memory_order_relaxed); }
  bool is_session_owner() const { return !txn(); }

  static uint64_t filter_bit(uint64_t hash) { return uint64_t{1} << (hash >> 58); }
  void remember(LockRequest* request, LockModeCode mode, uint64_t hash) {
    history.push_back({request, next_sequence++, mode, 0});
    held_filter |= filter_bit(hash);
  }
};

// Never in each other's way: an owner and itself, and the two owners of one session.
inline bool same_party(const OwnerImpl& a, const OwnerImpl& b) {
  if (&a == &b) return true;
  return a.session_number() == b.session_number() && a.session_number() != 0 &&
         (a.is_session_owner() || b.is_session_owner());
}

}  // namespace indigo::storage
