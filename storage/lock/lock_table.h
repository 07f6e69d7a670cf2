// The partitioned hash table of locks: which owners hold and await which modes of which name.
//
// Thread safety: everything in a Partition is guarded by its mutex; functions that take a Partition need it held.
// A thread never sleeps with a partition's mutex; wake-ups happen under it, so that a woken waiter, which takes the mutex
// before it goes on, cannot free what its waker still touches. Order of mutexes: graph, partition, registry.
//
// Invariants:
// 1. A Lock is in its bucket while it has a holder or a waiter, and in no other place.
// 2. A request is in `holders` exactly when `granted` is not empty, in the queue exactly when `waiting`.
// 3. Two holders of different parties (lock_owner.h) hold no conflicting modes.
// 4. Lock::granted_superset contains every mode held; it may contain others until somebody conflicts with it.
// 5. Of a key-value lock an owner has one request, and gives it up as a whole; only the gap's mode can be lowered.
// 6. First come, first served: a waiter is granted only when neither the holders nor any waiter before it conflict.
//    Conversions (requests of owners that hold the lock already) stand before all others, which wait for them anyway.
//    The wait graph may reorder a queue to resolve a deadlock.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "storage/lock/lock_compatibility.h"
#include "storage/lock/lock_owner.h"
#include "storage/lock/mode_vector.h"

namespace indigo::storage {

struct Lock;

// What a request asks for: of a key-value lock `components`, of others `code`.
struct WantedMode {
  LockModeCode code = 0;
  KeyValueMode components;
};

struct LockRequest {
  Lock* lock = nullptr;
  OwnerImpl* owner = nullptr;
  ModeMask granted = 0;
  ModeVector components;             // of a key-value lock: what `granted` is the mask of
  std::atomic<bool> waiting{false};  // written under the mutex; its owner also reads it without (acquire, pairs with
                                     // the grant's release)
  WantedMode wanted;                 // while waiting
  bool transferred = false;          // made by a strong locker from the owner's fast-path slot
  uint32_t advisory_shared = 0, advisory_exclusive = 0;  // how often an advisory mode was taken
  LockRequest *previous_holder = nullptr, *next_holder = nullptr;
  LockRequest *previous_waiter = nullptr, *next_waiter = nullptr;
};

// A lock's name without ownership of its bytes.
struct LockNameView {
  LockName::Space space;
  uint64_t object;
  Bytes key;
};

struct Lock {
  static constexpr size_t kInlineKeyBytes = 40;
  uint64_t hash = 0;
  uint64_t object = 0;
  Lock* next = nullptr;  // in the bucket or the free list
  LockRequest* holders = nullptr;
  LockRequest *first_waiter = nullptr, *last_waiter = nullptr;
  ModeMask granted_superset = 0;
  std::unique_ptr<char[]> long_key;
  uint32_t key_length = 0;
  LockName::Space space{};
  char inline_key[kInlineKeyBytes];

  Bytes key() const { return {key_length <= kInlineKeyBytes ? inline_key : long_key.get(), key_length}; }
  bool named(const LockNameView& name) const {
    return object == name.object && space == name.space && key() == name.key;
  }
  bool unused() const { return holders == nullptr && first_waiter == nullptr; }
};

class alignas(64) LockPartition {
 public:
  LockPartition() : buckets_(kInitialBuckets) {}
  ~LockPartition();
  LockPartition(const LockPartition&) = delete;
  LockPartition& operator=(const LockPartition&) = delete;

  std::mutex mutex;

  Lock* find(const LockNameView& name, uint64_t hash) const;
  Lock& find_or_create(const LockNameView& name, uint64_t hash);
  // Takes an unused lock out; does nothing with one that is in use.
  void drop_if_unused(Lock& lock);

  // The owner's request that is not a transferred one; nullptr if it has none.
  static LockRequest* request_of(Lock& lock, const OwnerImpl& owner);
  static LockRequest* transferred_request_of(Lock& lock, const OwnerImpl& owner);
  LockRequest& create_request(Lock& lock, OwnerImpl& owner);
  void free_request(LockRequest& request);

  // Modes held by parties other than `owner`'s.
  static ModeMask granted_to_others(const Lock& lock, const OwnerImpl& owner);
  // Does the holder, or who waits for `other`, stand in the way of `wanted`? Parties are not looked at.
  static bool holder_conflicts(const Lock& lock, const LockRequest& holder, const WantedMode& wanted);
  static bool modes_conflict(const Lock& lock, const WantedMode& other, const WantedMode& wanted);
  static bool holds(const Lock& lock, const LockRequest& request, const WantedMode& wanted);
  // Can `owner` have `mode` now, waiters respected? A converting owner passes them.
  static bool grantable(Lock& lock, const OwnerImpl& owner, const WantedMode& mode, bool conversion);
  void grant(LockRequest& request, const WantedMode& mode);
  void enqueue(LockRequest& request, const WantedMode& mode);
  // Gives up one mode held (of a key-value lock, all); frees the request and the lock when nothing is left, and grants to
  // waiters.
  void release(LockRequest& request, LockModeCode mode);
  // Lowers the mode of a key-value lock's gap. True when nothing is held any more: then the request is gone.
  bool lower_gap(LockRequest& request, BasicMode mode);
  // Takes a waiting request out of the queue (timeout, interrupt, deadlock).
  void cancel(LockRequest& request);
  // Moves a waiter ahead of another one of the same queue, or behind it, and grants what can be granted then.
  void move_before(LockRequest& request, LockRequest& other);
  void move_behind(LockRequest& request, LockRequest& other);

  template <class Visit>
  void for_each(Visit visit) const {
    for (Lock* lock : buckets_) {
      for (; lock; lock = lock->next) visit(*lock);
    }
  }

 private:
  static constexpr size_t kInitialBuckets = 64;
  static constexpr size_t kFreeListMax = 256;

  void resize(size_t buckets);
  size_t bucket_of(uint64_t hash) const { return (hash >> 6) & (buckets_.size() - 1); }
  static void link_waiter(LockRequest& request, LockRequest* before);
  static void unlink_waiter(LockRequest& request);
  static void unqueue(LockRequest& request);
  void remove_holder(LockRequest& request);
  static bool held_by_others(Lock& lock, const OwnerImpl& owner, const WantedMode& wanted);
  void grant_waiters(Lock& lock);
  static void tighten(Lock& lock);

  std::vector<Lock*> buckets_;  // a power of two
  size_t lock_count_ = 0;
  Lock* free_locks_ = nullptr;
  size_t free_lock_count_ = 0;
  LockRequest* free_requests_ = nullptr;  // linked by next_holder
  size_t free_request_count_ = 0;
};

class LockTable {
 public:
  static constexpr size_t kPartitions = 64;

  static uint64_t hash(const LockNameView& name);
  LockPartition& partition(uint64_t hash) { return partitions_[hash % kPartitions]; }
  template <class Visit>
  void for_each_partition(Visit visit) {
    for (size_t i = 0; i < kPartitions; i++) visit(partitions_[i]);
  }

 private:
  std::unique_ptr<LockPartition[]> partitions_ = std::make_unique<LockPartition[]>(kPartitions);
};

}  // namespace indigo::storage
