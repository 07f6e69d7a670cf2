#include "storage/index/griffin/griffin_index.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/check.h"
#include "base/memory/memory_reserve.h"
#include "base/mutation.h"

namespace indigo::storage {

namespace {
uint64_t now_us() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}
}  // namespace

std::unique_ptr<Index> create_griffin_index(EpochManager& epochs, const PauseHook& pauses) {
  return std::make_unique<GriffinIndex>(epochs, nullptr, pauses, nullptr);
}
std::unique_ptr<Index> create_griffin_index(EpochManager& epochs, const PauseHook& pauses, MemoryAccount& account,
                                            IndexService& service) {
  return std::make_unique<GriffinIndex>(epochs, &account, pauses, &service);
}

GriffinIndex::GriffinIndex(EpochManager& epochs, MemoryAccount* account, const PauseHook& pauses, IndexService* service)
    : epochs_(epochs),
      account_(account),
      pauses_(pauses),
      service_(service),
      hash_(std::make_unique<HashIndex>(epochs, account, pauses)),
      tree_(std::make_unique<BtreeIndex>(epochs, account, pauses)) {
  if (service_ != nullptr) service_->add(*this);
}

// Writers are kept out. A merge may be under way, between entries: what it has not removed yet is copied, and merged in the
// clone again.
GriffinIndex::GriffinIndex(GriffinIndex& source, uint64_t generation, uint64_t clone_generation)
    : epochs_(source.epochs_),
      account_(source.account_),
      pauses_(source.pauses_),
      service_(source.service_),
      hash_(static_cast<HashIndex*>(source.hash_->clone(generation, clone_generation).release())),
      tree_(static_cast<BtreeIndex*>(source.tree_->clone(generation, clone_generation).release())) {
  for (uint32_t i = 0; i < kShards; i++) {
    std::lock_guard lock(source.shards_[i].lock);
    shards_[i].pending = source.shards_[i].pending;
    shards_[i].since_us = source.shards_[i].since_us;
    if (shards_[i].pending.size() > 0) nonempty_.fetch_or(1U << i, std::memory_order_relaxed);
    pending_bytes_.fetch_add(shards_[i].pending.bytes(), std::memory_order_relaxed);
  }
  if (account_ != nullptr) account_->add(MemoryKind::kIndexes, static_cast<int64_t>(pending_bytes_.load()));
  if (service_ == nullptr) return;
  service_->add(*this);
  if (nonempty_.load(std::memory_order_relaxed) != 0) service_->wake();
}

GriffinIndex::~GriffinIndex() {
  if (service_ != nullptr) service_->remove(*this);
  if (account_ != nullptr) account_->add(MemoryKind::kIndexes, -static_cast<int64_t>(pending_bytes_.load()));
}

std::unique_ptr<Index> GriffinIndex::clone(uint64_t generation, uint64_t clone_generation) {
  const MustNotFail no_failure;  // half a clone would have the wrong generations
  return std::unique_ptr<Index>(new GriffinIndex(*this, generation, clone_generation));
}

// ---- writing

StorageStatus GriffinIndex::insert(Bytes key, Bytes primary_key) {
  if (key.size() > kMaxIndexKeyBytes || primary_key.size() > kMaxIndexKeyBytes) return StorageStatus::kTooLarge;
  const EntryKey entry{key, primary_key};
  const uint64_t hash = HashIndex::hash_of(key);
  Shard& shard = shard_of(hash);
  bool full;
  {
    EpochManager::WriteGuard guard(epochs_);
    HashIndex::Change change;
    {
      // Also when it is there already: the thread that inserted it may not have posted it yet.
      std::lock_guard lock(shard.lock);
      change = hash_->insert_guarded(entry, hash);
      if (!change.made) return StorageStatus::kOk;
      full = post(shard, entry);
    }
    hash_->finish_insert(change);
  }
  posted(shard, full);
  return StorageStatus::kOk;
}

bool GriffinIndex::erase(Bytes key, Bytes primary_key, const std::function<bool()>& still_needed) {
  const EntryKey entry{key, primary_key};
  const uint64_t hash = HashIndex::hash_of(key);
  Shard& shard = shard_of(hash);
  bool full;
  {
    EpochManager::WriteGuard guard(epochs_);
    HashIndex::Change change;
    {
      std::lock_guard lock(shard.lock);
      change = hash_->erase_guarded(entry, hash, still_needed);
      if (!change.made) return false;
      full = post(shard, entry);
    }
    hash_->finish_erase(change);
  }
  posted(shard, full);
  return true;
}

bool GriffinIndex::post(Shard& shard, const EntryKey& entry) {
  if (shard.pending.size() == 0) {
    shard.since_us = now_us();
    nonempty_.fetch_or(1U << (&shard - shards_.data()), std::memory_order_relaxed);
  }
  const size_t bytes = shard.pending.add(entry);
  pending_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (account_ != nullptr) account_->add(MemoryKind::kIndexes, static_cast<int64_t>(bytes));
  if (service_ != nullptr && shard.pending.size() == kMostEntries / 2) service_->hurry();
  return shard.pending.size() >= kMostEntries || shard.pending.bytes() >= kMostBytes;
}

void GriffinIndex::posted(Shard& shard, bool full) {
  if (full) {
    merge(shard, KeyRange::all(), Why::kStall);
  } else if (service_ != nullptr) {
    service_->wake();
  }
}

// Both structures at once, and no posting. Merges are kept out: one of an entry that was erased in between would come before
// the tree has it.
StorageStatus GriffinIndex::insert_ascending(std::span<const IndexEntry> entries) {
  std::array<std::unique_lock<std::mutex>, kShards> merging;
  for (uint32_t i = 0; i < kShards; i++) merging[i] = std::unique_lock(shards_[i].merging);
  StorageStatus refused = StorageStatus::kOk;  // a key that is too large
  size_t good = 0;
  while (good < entries.size()) {
    refused = hash_->insert(entries[good].key, entries[good].primary_key);
    if (refused != StorageStatus::kOk) break;
    good++;
  }
  const StorageStatus s = tree_->insert_ascending(entries.first(good));
  return refused != StorageStatus::kOk ? refused : s;
}

// ---- merging

void GriffinIndex::merge(Shard& shard, const KeyRange& range, Why why) const {
  const MustNotFail no_failure;
  PendingEntries::Batch batch;
  std::lock_guard merging(shard.merging);
  {
    std::lock_guard lock(shard.lock);
    shard.pending.collect(range, batch);
  }
  if (batch.size() == 0) return;
  BtreeIndex::Ahead ahead;
  const auto merge_entry = [&](const EntryKey& entry, size_t i) {
    pauses_.at(PausePoint::kMergeEntry);
    const bool there = hash_->contains(entry);
    pauses_.at(PausePoint::kMergeEntry);
    EpochManager::WriteGuard guard(epochs_);
    if (there) {
      tree_->insert_guarded(entry, ahead, i);
    } else {
      tree_->erase_guarded(entry, ahead, i);
    }
  };
  batch.for_each_ahead<BtreeIndex::kLookupBatch>([&](std::span<const Bytes> keys) { tree_->look_ahead(keys, ahead); },
                                                 merge_entry);
  size_t bytes;
  {
    std::lock_guard lock(shard.lock);
    bytes = shard.pending.remove(batch);
    // Release: pairs with repair(). A thread that misses the bit finds in the tree what was merged.
    if (shard.pending.size() == 0) {
      nonempty_.fetch_and(~(1U << (&shard - shards_.data())), std::memory_order_release);
    }
  }
  pending_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  if (account_ != nullptr) account_->add(MemoryKind::kIndexes, -static_cast<int64_t>(bytes));
  batches_.fetch_add(1, std::memory_order_relaxed);
  merged_.fetch_add(batch.size(), std::memory_order_relaxed);
  if (why == Why::kStall) stalls_.fetch_add(1, std::memory_order_relaxed);
  if (why == Why::kRepair) repairs_.fetch_add(1, std::memory_order_relaxed);
}

void GriffinIndex::repair(const KeyRange& range) const {
  if (mutated(Mutation::kNoRepair)) return;
  const uint32_t nonempty = nonempty_.load(std::memory_order_acquire);  // pairs with merge()
  for (uint32_t i = 0; i < kShards; i++) {
    if ((nonempty & 1U << i) == 0) continue;
    bool overlaps;
    {
      std::lock_guard lock(shards_[i].lock);
      overlaps = shards_[i].pending.overlaps(range);
    }
    if (overlaps) merge(shards_[i], range, Why::kRepair);
  }
}

void GriffinIndex::serve() {
  const uint32_t nonempty = nonempty_.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < kShards; i++) {
    if ((nonempty & 1U << i) != 0) merge(shards_[i], KeyRange::all(), Why::kService);
  }
}

std::optional<IndexServiceStatistics> GriffinIndex::service_statistics() const {
  IndexServiceStatistics s;
  uint64_t since_us = 0;
  for (const Shard& shard : shards_) {
    std::lock_guard lock(shard.lock);
    s.backlog_entries += shard.pending.size();
    s.backlog_bytes += shard.pending.bytes();
    if (shard.pending.size() > 0 && (since_us == 0 || shard.since_us < since_us)) since_us = shard.since_us;
  }
  if (since_us != 0) s.age_us = now_us() - since_us;
  s.batches = batches_.load(std::memory_order_relaxed);
  s.merged_entries = merged_.load(std::memory_order_relaxed);
  s.stalls = stalls_.load(std::memory_order_relaxed);
  s.repairs = repairs_.load(std::memory_order_relaxed);
  return s;
}

uint64_t GriffinIndex::memory_bytes() const {
  return hash_->memory_bytes() + tree_->memory_bytes() + pending_bytes_.load(std::memory_order_relaxed);
}

}  // namespace indigo::storage
