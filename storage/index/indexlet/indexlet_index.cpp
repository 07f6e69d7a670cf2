// Writing of IndexletIndex, and its merges.
#include "storage/index/indexlet/indexlet_index.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/memory/memory_reserve.h"
#include "base/mutation.h"
#include "storage/index/hash_index.h"

namespace indigo::storage {

uint64_t IndexletIndex::now_us() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

// ---- writing

StorageStatus IndexletIndex::insert(Bytes key, Bytes primary_key) {
  if (key.size() > kMaxIndexKeyBytes || primary_key.size() > kMaxIndexKeyBytes) return StorageStatus::kTooLarge;
  const EntryKey entry{key, primary_key};
  const uint64_t hash = HashIndex::hash_of(key);
  bool full = false, buffered = true;
  uint32_t restarts = 0;
  {
    EpochManager::WriteGuard guard(epochs_);
    Indexlet* const indexlet = indexlet_.load(std::memory_order_acquire);  // pairs with open()
    if (indexlet == nullptr) {
      tree_->insert_guarded(entry, &restarts);
      buffered = false;
    } else {
      const Indexlet::Home home(*indexlet, hash);
      Indexlet::Slot* const slot = indexlet->find(entry, hash);
      if (slot != nullptr) {
        if (slot->state() != Indexlet::State::kPresent) indexlet->set(*slot, Indexlet::State::kPresent);
      } else if (!buffer(*indexlet, entry, hash, Indexlet::State::kPresent, full)) {
        tree_->insert_guarded(entry);
        buffered = false;
      }
    }
  }
  posted(buffered, full, restarts);
  return StorageStatus::kOk;
}

bool IndexletIndex::erase(Bytes key, Bytes primary_key, const std::function<bool()>& still_needed) {
  const EntryKey entry{key, primary_key};
  const uint64_t hash = HashIndex::hash_of(key);
  bool full = false, buffered = true;
  uint32_t restarts = 0;
  {
    EpochManager::WriteGuard guard(epochs_);
    Indexlet* const indexlet = indexlet_.load(std::memory_order_acquire);  // pairs with open()
    if (indexlet == nullptr) {
      if (!tree_->erase_guarded(entry, still_needed, &restarts)) return false;
      buffered = false;
    } else {
      const Indexlet::Home home(*indexlet, hash);
      Indexlet::Slot* const slot = indexlet->find(entry, hash);
      if (slot != nullptr ? slot->state() == Indexlet::State::kErased : !tree_->contains(entry)) return false;
      if (still_needed && still_needed()) return false;
      if (slot != nullptr) {
        indexlet->set(*slot, Indexlet::State::kErased);
      } else if (!buffer(*indexlet, entry, hash, Indexlet::State::kErased, full)) {
        buffered = false;
        // Asked again under the leaf's latch: a writer that found no indexlet has no other.
        if (!tree_->erase_guarded(entry, still_needed)) return false;
      }
    }
  }
  posted(buffered, full, restarts);
  return true;
}

bool IndexletIndex::buffer(Indexlet& indexlet, const EntryKey& entry, uint64_t hash, Indexlet::State state,
                           bool& full) {
  if (indexlet.closed() || most_entries_.load(std::memory_order_relaxed) == 0) return false;
  if (indexlet.claim(entry, hash, state) == nullptr) {
    full = true;
    return false;
  }
  full = post(entry);
  return true;
}

bool IndexletIndex::post(const EntryKey& entry) {
  Batch& batch = own_batch();
  const uint32_t most = most_entries_.load(std::memory_order_relaxed);
  std::lock_guard lock(batch.lock);
  if (batch.pending.size() == 0) {
    batch.since_us = now_us();
    nonempty_.fetch_or(1U << (&batch - batches_.data()), std::memory_order_relaxed);
  }
  count_memory(static_cast<int64_t>(batch.pending.add(entry)));
  if (service_ != nullptr && batch.pending.size() == most / 2) service_->hurry();
  return batch.pending.size() >= most || batch.pending.bytes() >= kMostBytes;
}

void IndexletIndex::posted(bool buffered, bool full, uint32_t restarts) {
  if (!buffered) count_direct_write(restarts);
  if (full) {
    merge(own_batch(), KeyRange::all(), Why::kStall);
  } else if (service_ != nullptr && buffered) {
    service_->wake();
  }
}

void IndexletIndex::count_direct_write(uint32_t restarts) {
  if (buffering_.needs_contention()) {
    if (restarts < buffering_.restarts) return;
    const uint64_t now = now_us();
    if (now - contended_since_us_.load(std::memory_order_relaxed) > kContendedUs) {
      contended_since_us_.store(now, std::memory_order_relaxed);
      contended_writes_.store(0, std::memory_order_relaxed);
    }
    if (contended_writes_.fetch_add(1, std::memory_order_relaxed) + 1 >= buffering_.writes) open();
    return;
  }
  const uint32_t writes = direct_writes_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (indexlet_.load(std::memory_order_relaxed) == nullptr) {
    if (writes >= kWritesBeforeIndexlet) open();
  } else if (writes >= kWritesBeforeTrial && most_entries_.load(std::memory_order_relaxed) == 0) {
    direct_writes_.store(0, std::memory_order_relaxed);
    most_entries_.store(kLeastEntries, std::memory_order_relaxed);
  }
}

// The tree alone. What waits of these entries is merged before; a thread that erases one meanwhile has asked whether it is needed.
StorageStatus IndexletIndex::insert_ascending(std::span<const IndexEntry> entries) {
  repair(KeyRange::all());
  return tree_->insert_ascending(entries);
}

// ---- merging

void IndexletIndex::merge(Batch& batch, const KeyRange& range, Why why) const {
  const MustNotFail no_failure;
  PendingEntries::Batch names;
  std::lock_guard merging(batch.merging);
  {
    std::lock_guard lock(batch.lock);
    batch.pending.collect(range, names);
  }
  if (names.size() == 0) return;
  BtreeIndex::Ahead ahead;
  names.for_each_ahead<BtreeIndex::kLookupBatch>(
      [&](std::span<const Bytes> keys) { tree_->look_ahead(keys, ahead); },
      [&](const EntryKey& entry, size_t i) { merge_entry(entry, ahead, i); });
  size_t bytes;
  {
    std::lock_guard lock(batch.lock);
    bytes = batch.pending.remove(names);
    // Release: pairs with readers of nonempty_. A thread that misses the bit finds in the tree what was merged.
    if (batch.pending.size() == 0) {
      nonempty_.fetch_and(~(1U << (&batch - batches_.data())), std::memory_order_release);
    }
  }
  count_memory(-static_cast<int64_t>(bytes));
  batches_merged_.fetch_add(1, std::memory_order_relaxed);
  merged_.fetch_add(names.size(), std::memory_order_relaxed);
  if (why == Why::kStall) stalls_.fetch_add(1, std::memory_order_relaxed);
  if (why == Why::kRepair) repairs_.fetch_add(1, std::memory_order_relaxed);
  adapt(why, names.size());
}

void IndexletIndex::merge_entry(const EntryKey& entry, const BtreeIndex::Ahead& ahead, size_t i) const {
  pauses_.at(PausePoint::kMergeEntry);
  const uint64_t hash = HashIndex::hash_of(entry.key);
  EpochManager::WriteGuard guard(epochs_);
  Indexlet& indexlet = *indexlet_.load(std::memory_order_acquire);  // not let go while names wait
  if (mutated(Mutation::kMergeUnlocked)) {
    Indexlet::State state = Indexlet::State::kFree;
    {
      const Indexlet::Home home(indexlet, hash);
      Indexlet::Slot* const slot = indexlet.find(entry, hash);
      if (slot == nullptr) return;
      state = slot->state();
      indexlet.release(*slot, hash);
    }
    pauses_.at(PausePoint::kMergeEntry);
    if (state == Indexlet::State::kPresent) {
      tree_->insert_guarded(entry);
    } else {
      tree_->erase_guarded(entry, {});
    }
    return;
  }
  const Indexlet::Home home(indexlet, hash);
  Indexlet::Slot* const slot = indexlet.find(entry, hash);
  if (slot == nullptr) return;
  if (slot->state() == Indexlet::State::kPresent) {
    tree_->insert_guarded(entry, ahead, i);
  } else {
    tree_->erase_guarded(entry, ahead, i);
  }
  indexlet.release(*slot, hash);
}

void IndexletIndex::repair(const KeyRange& range) const {
  if (mutated(Mutation::kNoRepair)) return;
  const uint32_t nonempty = nonempty_.load(std::memory_order_acquire);  // pairs with merge()
  if (nonempty == 0) return;
  {
    EpochManager::Guard guard(epochs_);
    const Indexlet* const indexlet = indexlet_.load(std::memory_order_acquire);  // pairs with open()
    if (indexlet == nullptr || indexlet->phantoms().none_in(range)) return;
  }
  for (uint32_t i = 0; i < batch_count(); i++) {
    if ((nonempty & 1U << i) == 0) continue;
    bool overlaps;
    {
      std::lock_guard lock(batches_[i].lock);
      overlaps = batches_[i].pending.overlaps(range);
    }
    if (overlaps) merge(batches_[i], range, Why::kRepair);
  }
}

// A batch is worth its name when much of it comes to the tree at once. Scans that come for a few entries each, again and again,
// say that it is not.
void IndexletIndex::adapt(Why why, size_t merged) const {
  const uint32_t most = most_entries_.load(std::memory_order_relaxed);
  if (most == 0) return;
  if (merged >= most / 2) {
    small_repairs_.store(0, std::memory_order_relaxed);
    if (most < kMostEntries) most_entries_.store(most * 2, std::memory_order_relaxed);
  } else if (why == Why::kRepair && small_repairs_.fetch_add(1, std::memory_order_relaxed) + 1 >= kManyRepairs) {
    small_repairs_.store(0, std::memory_order_relaxed);
    most_entries_.store(most > kLeastEntries ? most / 2 : 0, std::memory_order_relaxed);
  }
}

void IndexletIndex::serve() {
  const uint32_t nonempty = nonempty_.load(std::memory_order_acquire);
  const uint64_t before = merged_.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < batch_count(); i++) {
    if ((nonempty & 1U << i) != 0) merge(batches_[i], KeyRange::all(), Why::kService);
  }
  bool quiet, large, tried;
  {
    std::lock_guard life(life_);
    if (indexlet_.load(std::memory_order_relaxed) == nullptr) return;
    tried = buffering_.needs_contention() && now_us() - made_us_ >= buffering_.trial_us;
    const bool few = merged_.load(std::memory_order_relaxed) - before < kFewEntries;
    quiet_rounds_ = few ? quiet_rounds_ + 1 : 0;
    quiet = quiet_rounds_ >= kQuietRounds;
    large = outgrown();
  }
  if (quiet || large || tried) {
    close();
    if (!quiet && !tried) open();
  } else if (service_ != nullptr) {
    service_->wake();  // to find out when it is quiet
  }
}

std::optional<IndexServiceStatistics> IndexletIndex::service_statistics() const {
  const IndexServiceStatistics s = figures();
  const bool needed = s.batches > 0 || indexlet_.load(std::memory_order_relaxed) != nullptr;
  if (buffering_.needs_contention() && !needed) return std::nullopt;
  return s;
}

IndexServiceStatistics IndexletIndex::figures() const {
  IndexServiceStatistics s;
  uint64_t since_us = 0;
  for (const Batch& batch : batches_) {
    std::lock_guard lock(batch.lock);
    s.backlog_entries += batch.pending.size();
    s.backlog_bytes += batch.pending.bytes();
    if (batch.pending.size() > 0 && (since_us == 0 || batch.since_us < since_us)) since_us = batch.since_us;
  }
  if (since_us != 0) s.age_us = now_us() - since_us;
  s.batches = batches_merged_.load(std::memory_order_relaxed);
  s.merged_entries = merged_.load(std::memory_order_relaxed);
  s.stalls = stalls_.load(std::memory_order_relaxed);
  s.repairs = repairs_.load(std::memory_order_relaxed);
  return s;
}

}  // namespace indigo::storage
