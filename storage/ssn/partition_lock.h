// The lock of one of the certifier's partitions: a SpinLock whose taking stands in the one order of all seq_cst operations,
// so that a reader which has left its stamp may look at it instead of taking it (README.md, "Who takes which locks").
#pragma once

#include <atomic>

#include "storage/spin_lock.h"

namespace indigo::storage {

class PartitionLock {
 public:
  void lock() {
    Backoff backoff;
    while (held_.exchange(true)) {  // seq_cst: before the holder looks at the stamps of readers
      while (held_.load(std::memory_order_relaxed)) backoff.pause();
    }
  }
  void unlock() { held_.store(false, std::memory_order_release); }
  // False: all who had it before have let it go, and what they have left is seen; who takes it later sees what the caller
  // has stored before (seq_cst).
  bool held() const { return held_.load(); }

 private:
  std::atomic<bool> held_{false};
};

}  // namespace indigo::storage
