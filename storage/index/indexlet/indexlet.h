// An indexlet: a small hash table of what has been written to an index and is not in its tree yet. Open addressing with
// linear probing, one cache line for each entry, and a fixed size.
//
// A slot counts the entries that lie behind it on their way from home (their probes passed it); a search ends at a slot whose
// count is 0. So entries leave no tombstones, and none is ever moved.
//
// Thread safety: writing, merging or removing an entry needs the lock of its home, the slot at which its probes begin. So
// these are serialized for one entry. Readers hold nothing: each slot has a version, odd while it is changed.
// Order: WriteGuard -> home -> a slot's latch. Of each kind a thread has one at a time.
//
// Invariants:
// 1. An entry is in at most one slot, fewer than kMostProbes behind its home, and while it is there all slots from its home
//    up to its own, without that one, count it.
// 2. Counts rise before the entry can be seen, and fall after it is removed; it is removed when the tree has it.
//    So a reader that sees an end (acquire; pairs with release()) before it reaches an entry finds that merged in the tree.
// 3. `state` and what stands behind it change under the slot's latch alone. A free slot is claimed by the first thread
//    to latch it, for any home.
// 4. What a reader copied counts when the slot's version is the same afterwards.
// 5. The bytes of an entry that is too long for its slot never change, and are freed two epochs after it was taken away.
//
// Source: Mehdi et al., ScaleDB (OSDI 2023), 4.1, 4.2.2, 5.1, 5.2. Differences: README.md of storage/index.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "storage/btree/latch.h"
#include "storage/epoch.h"
#include "storage/index/btree_node.h"
#include "storage/index/indexlet/phantomlet.h"
#include "storage/spin_lock.h"

namespace indigo::storage {

class Indexlet {
 public:
  enum class State : uint8_t { kFree, kPresent, kErased };  // what the tree is to have

  class alignas(64) Slot {
   public:
    State state() const { return static_cast<State>(load_shared(&state_)); }

   private:
    friend class Indexlet;
    void set_state(State state) { store_shared(&state_, static_cast<uint8_t>(state)); }
    static constexpr uint32_t kInlineBytes = 32;
    mutable OptimisticLatch latch_;      // guards what is not atomic
    uint64_t hash_ = 0;                  // of the key
    std::atomic<uint32_t> overflow_{0};  // entries behind it whose probes passed it
    SpinLock home_;                      // held to write an entry whose home it is
    uint8_t state_ = static_cast<uint8_t>(State::kFree);
    uint16_t key_length_ = 0, primary_length_ = 0;
    uint16_t partition_ = 0;               // the phantomlet's
    alignas(8) char bytes_[kInlineBytes];  // key and primary key, or the address of both
  };
  static_assert(sizeof(Slot) == 64);

  Indexlet(EpochManager& epochs, uint32_t capacity, const Phantomlet& phantoms);  // a power of two
  Indexlet(const Indexlet& source);                                               // while no home is locked
  ~Indexlet();
  Indexlet& operator=(const Indexlet&) = delete;

  // The lock of an entry's home. Under a WriteGuard.
  class Home {
   public:
    Home(Indexlet& indexlet, uint64_t hash) : lock_(indexlet.slot(hash, 0).home_) {}

   private:
    std::lock_guard<SpinLock> lock_;
  };
  // With the home's lock:
  Slot* find(const EntryKey& entry, uint64_t hash);
  void set(Slot& slot, State state);
  // A place for an entry that is not there; null when there is none near.
  Slot* claim(const EntryKey& entry, uint64_t hash, State state);
  void release(Slot& slot, uint64_t hash);

  // Waits until all threads that had locked a home before have left. Under a WriteGuard, with no lock.
  void pass_all_homes();

  // Calls visit(primary key, state) for each entry of the key. Under a Guard.
  template <class Visit>
  void read(Bytes key, uint64_t hash, Visit visit) const;
  // Calls visit(key, primary key, state) for all.
  template <class Visit>
  void read_all(Visit visit) const;

  uint32_t capacity() const { return mask_ + 1; }
  size_t bytes() const { return sizeof(Indexlet) + size_t{capacity()} * sizeof(Slot); }  // without long entries
  const Phantomlet& phantoms() const { return phantoms_; }
  // From then on no slot is claimed by a thread that asks under a home's lock.
  void close() { closed_.store(true, std::memory_order_relaxed); }
  bool closed() const { return closed_.load(std::memory_order_relaxed); }
  // Empty, or what is wrong. Only without concurrent writers.
  std::string check() const;

 private:
  static constexpr uint32_t kMostProbes = 64;

  // What a reader has copied out of a slot.
  struct Copy {
    State state = State::kFree;
    uint64_t hash = 0;
    uint16_t key_length = 0, primary_length = 0;
    char bytes[Slot::kInlineBytes];
    const char* entry = nullptr;
    Bytes key() const { return {entry, key_length}; }
    Bytes primary_key() const { return {entry + key_length, primary_length}; }
  };
  Slot& slot(uint64_t hash, uint32_t probe) const { return slots_[(hash + probe) & mask_]; }
  // False: it is free, or has another hash (of `hash`, when that is wanted).
  static bool copy(const Slot& slot, const uint64_t* hash, Copy& out);
  static bool too_long(size_t bytes) { return bytes > Slot::kInlineBytes; }
  static char* address(const Slot& slot);

  EpochManager& epochs_;
  const uint32_t mask_;
  std::atomic<bool> closed_{false};
  Phantomlet phantoms_;
  const std::unique_ptr<Slot[]> slots_;
};

template <class Visit>
void Indexlet::read(Bytes key, uint64_t hash, Visit visit) const {
  Copy entry;
  for (uint32_t probe = 0; probe < kMostProbes; probe++) {
    const Slot& at = slot(hash, probe);
    if (copy(at, &hash, entry) && entry.key() == key) visit(entry.primary_key(), entry.state);
    if (at.overflow_.load(std::memory_order_acquire) == 0) return;  // pairs with release()
  }
}

template <class Visit>
void Indexlet::read_all(Visit visit) const {
  Copy entry;
  for (uint32_t i = 0; i <= mask_; i++) {
    if (copy(slots_[i], nullptr, entry)) visit(entry.key(), entry.primary_key(), entry.state);
  }
}

}  // namespace indigo::storage
