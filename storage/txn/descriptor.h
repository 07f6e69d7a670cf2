// What others may know of a transaction that has written: its outcome, and where to wait for its end.
//
//            begin            take stamp               commit point
//   (free) --------> active ------------> committing --------------> committed(c)
//                       \--------------------------------------------> aborted
//
// Thread safety: everyone reads; its transaction writes. Memory of descriptors is never given back before the Store ends,
// but a descriptor serves another transaction two epochs after the end of its own: a reader that found it through a record
// under an epoch guard reads a fitting state, and one that slept since then compares `generation`.
// Source: docs/theory.md, Snapshots and the commit clock; Index-SSN adds pi here.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/fiber/wait_point.h"
#include "base/ids.h"

namespace indigo::storage {

class Descriptor {
 public:
  // The stamp if committed, else zero.
  CommitStamp committed() const {
    uint64_t s = state_.load(std::memory_order_acquire);  // pairs with set_committed: its images are complete
    return (s & 3) == kCommitted ? CommitStamp(s >> 2) : CommitStamp{};
  }
  TxnId transaction() const { return TxnId(transaction_.load(std::memory_order_relaxed)); }

  // Counts every moment at which records may have become free: the end, and rolling back to a savepoint.
  uint64_t generation() const { return generation_.load(); }
  WaitPoint& released() { return released_; }

  // How many records it has in process, for statistics.
  uint64_t records_in_process() const { return records_.load(std::memory_order_relaxed); }

  // ---- by its transaction
  void start(TxnId id) {
    transaction_.store(id.value, std::memory_order_relaxed);
    state_.store(kActive, std::memory_order_release);
  }
  void set_committing() { state_.store(kCommitting, std::memory_order_release); }
  void set_committed(CommitStamp c) { state_.store(c.value << 2 | kCommitted, std::memory_order_release); }
  void set_aborted() { state_.store(kAborted, std::memory_order_release); }
  void add_records(int64_t n) {  // one writer: no read-modify-write is needed
    records_.store(records_.load(std::memory_order_relaxed) + static_cast<uint64_t>(n), std::memory_order_relaxed);
  }
  void forget_records() { records_.store(0, std::memory_order_relaxed); }
  // Records were freed: let waiters look again.
  void announce_release() {
    // One writer: no read-modify-write is needed. notify_all puts a fence behind it.
    generation_.store(generation_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    released_.notify_all();
  }

 private:
  static constexpr uint64_t kActive = 0, kCommitting = 1, kAborted = 2, kCommitted = 3;
  std::atomic<uint64_t> state_{kActive};
  std::atomic<uint64_t> transaction_{0};
  std::atomic<uint64_t> generation_{0};
  std::atomic<uint64_t> records_{0};
  WaitPoint released_;
};

}  // namespace indigo::storage
