#include "storage/txn/commit_clock.h"

#include "storage/spin_lock.h"

namespace indigo::storage {

void CommitClock::wait_stable(CommitStamp c) const {
  Backoff backoff;
  while (stable() < c) backoff.pause();
}

}  // namespace indigo::storage
