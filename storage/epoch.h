// Epoch-based reclamation: memory that optimistic readers may still look at is freed two epochs after it was retired.
//
// A Guard lives for one operation on one thread, never across a suspension. Threads need no registration.
// Under a guard no allocation fails (base/memory/memory_reserve.h), so that nothing throws while a latch is held.
// A WriteGuard is a Guard of someone who changes what others read; all of these can be kept out for a moment.
// Thread safety: all functions.
//
// Invariants:
// 1. The global epoch advances only when every active guard has entered in it.
// 2. What is retired in epoch e (after it was unlinked) is freed when the global epoch is at least e + 2; no guard that
//    could have found it is active then.
// 3. Between pause_writers and resume_writers no WriteGuard is active. No thread enters a WriteGuard inside another guard, and
//    the thread that has paused the writers neither suspends nor waits for anyone who may be about to write.
// Source: Fraser, Practical lock-freedom (2004), 5.2.3.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>

#include "base/fiber/no_suspension.h"
#include "base/memory/memory_reserve.h"
#include "storage/processor_slots.h"
#include "storage/spin_lock.h"

namespace indigo::storage {

class EpochManager {
  // Nested guards, and threads that were interrupted in theirs, take more than one of a processor's. The epoch, or 0.
  using Slots = ProcessorSlots<256, 4>;
  using Slot = Slots::Slot;

 public:
  EpochManager() = default;
  ~EpochManager();  // frees everything; no guard may be active
  EpochManager(const EpochManager&) = delete;
  EpochManager& operator=(const EpochManager&) = delete;

  class Guard {
   public:
    explicit Guard(EpochManager& manager) : slot_(manager.enter()) {}
    ~Guard() { slot_->value.store(0, std::memory_order_release); }  // pairs with advance()
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    MustNotFail no_failure_;
    Slot* slot_;
    [[no_unique_address]] NoSuspension no_suspension_;
  };

  class WriteGuard {
   public:
    explicit WriteGuard(EpochManager& manager) : slot_(manager.enter_to_write()) {}
    ~WriteGuard() { slot_->value.store(0, std::memory_order_release); }  // pairs with advance()
    WriteGuard(const WriteGuard&) = delete;
    WriteGuard& operator=(const WriteGuard&) = delete;

   private:
    MustNotFail no_failure_;
    Slot* slot_;
    [[no_unique_address]] NoSuspension no_suspension_;
  };

  // Waits until every guard of now has ended. One user at a time, without a guard of its own.
  void pause_writers();
  void resume_writers() { writers_paused_.store(false); }

  // For who keeps what he has retired himself: the epoch of what was unlinked before, and whether no guard of that epoch
  // can be active any more.
  uint64_t retirement_epoch() const {
    // What was unlinked is unlinked for everyone before the epoch is read (pairs with enter()).
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return global_.load();
  }
  bool passed(uint64_t epoch) const {
    return epoch + 2 <= global_.load(std::memory_order_acquire);
  }  // pairs with advance()
  // What was found inside a guard, after this was asked there, is still there in a later guard that is answered the same.
  uint64_t current() const { return global_.load(std::memory_order_acquire); }
  // To the next epoch, if all guards are of this one.
  void advance();

  // Calls free(context, object) once no guard of now is active any more.
  using Free = void (*)(void* context, void* object);
  void retire(void* object, Free free, void* context);

  // Frees what can be freed now.
  void collect();
  size_t retired_count();

 private:
  static constexpr uint32_t kShards = 8;

  struct Retired {
    uint64_t epoch;
    void* object;
    Free free;
    void* context;
  };
  struct alignas(64) Shard {
    SpinLock lock;  // guards queue
    std::deque<Retired> queue;
    uint32_t since_collect = 0;
  };

  // The slot is visible before the guard's first read of a shared pointer (pairs with advance()).
  Slot* enter() {
    return &slots_.take([this] { return global_.load(std::memory_order_acquire); });
  }
  Slot* enter_to_write();
  void collect(Shard& shard);

  alignas(64) std::atomic<uint64_t> global_{2};
  std::atomic<bool> writers_paused_{false};
  Slots slots_;
  std::array<Shard, kShards> shards_;
};

}  // namespace indigo::storage
