#include "storage/epoch.h"

#include <mutex>

namespace indigo::storage {

EpochManager::Slot* EpochManager::enter_to_write() {
  for (;;) {
    Slot* slot = enter();
    // seq_cst, as the slot's: either this sees the pause, or the pause sees the slot.
    if (!writers_paused_.load()) return slot;
    slot->value.store(0, std::memory_order_release);
    Backoff backoff;
    while (writers_paused_.load()) backoff.pause();
  }
}

void EpochManager::pause_writers() {
  writers_paused_.store(true);
  // Writers that entered before are gone two epochs later; those that come in the second find the pause.
  const uint64_t target = global_.load() + 2;
  Backoff backoff;
  while (global_.load() < target) {
    advance();
    backoff.pause();
  }
}

void EpochManager::advance() {
  uint64_t now = global_.load();
  // All seq_cst: a slot that is not met here is entered later.
  const uint32_t used = slots_.used();
  for (uint32_t i = 0; i < used; i++) {
    uint64_t e = slots_[i].value.load();
    if (e != 0 && e != now) return;
  }
  global_.compare_exchange_strong(now, now + 1);
}

void EpochManager::retire(void* object, Free free, void* context) {
  Shard& shard = shards_[thread_shard() % kShards];
  bool due;
  {
    std::lock_guard lock(shard.lock);
    shard.queue.push_back({retirement_epoch(), object, free, context});
    due = ++shard.since_collect >= 64;
    if (due) shard.since_collect = 0;
  }
  if (due) {
    advance();
    collect(shard);
  }
}

void EpochManager::collect(Shard& shard) {
  constexpr size_t kBatch = 64;
  Retired batch[kBatch];
  for (;;) {
    size_t n = 0;
    {
      std::lock_guard lock(shard.lock);
      while (n < kBatch && !shard.queue.empty() && passed(shard.queue.front().epoch)) {
        batch[n++] = shard.queue.front();
        shard.queue.pop_front();
      }
    }
    for (size_t i = 0; i < n; i++) batch[i].free(batch[i].context, batch[i].object);
    if (n < kBatch) return;
  }
}

void EpochManager::collect() {
  advance();
  for (Shard& shard : shards_) collect(shard);
}

size_t EpochManager::retired_count() {
  size_t n = 0;
  for (Shard& shard : shards_) {
    std::lock_guard lock(shard.lock);
    n += shard.queue.size();
  }
  return n;
}

EpochManager::~EpochManager() {
  for (Shard& shard : shards_) {
    // By index: freeing may retire more.
    for (size_t i = 0; i < shard.queue.size(); i++) {
      Retired r = shard.queue[i];
      r.free(r.context, r.object);
    }
  }
}

}  // namespace indigo::storage
