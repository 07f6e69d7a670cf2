#include "storage/txn/counter_clock.h"

#include "storage/spin_lock.h"

namespace indigo::storage {

void CounterClock::decide(CommitStamp c) {
  uint64_t stable = stable_.load();
  if (stable + 1 == c.value && stable_.compare_exchange_strong(stable, c.value)) {
    stable = c.value;  // the common case: no other commit in between
  } else {
    Backoff backoff;
    while (stable_.load() + kWindow <= c.value) backoff.pause();  // the place is still another's
    (*decided_)[c.value % kWindow].store(c.value);
    stable = stable_.load();
  }
  // seq_cst throughout: of two who decide neighbouring stamps, one sees the other's entry.
  while ((*decided_)[(stable + 1) % kWindow].load() == stable + 1) {
    if (stable_.compare_exchange_strong(stable, stable + 1)) stable++;
  }
}

}  // namespace indigo::storage
