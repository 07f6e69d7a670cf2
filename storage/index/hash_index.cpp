#include "storage/index/hash_index.h"

#include <bit>

#include <absl/hash/hash.h>

namespace indigo::storage {

std::unique_ptr<Index> create_hash_index(EpochManager& epochs, const PauseHook& pauses) {
  return std::make_unique<HashIndex>(epochs, nullptr, pauses);
}
std::unique_ptr<Index> create_hash_index(EpochManager& epochs, const PauseHook& pauses, MemoryAccount& account) {
  return std::make_unique<HashIndex>(epochs, &account, pauses);
}

uint64_t HashIndex::entry_count() const {
  int64_t sum = 0;
  for (const Counter& counter : entries_) sum += counter.value.load(std::memory_order_relaxed);
  return sum < 0 ? 0 : static_cast<uint64_t>(sum);
}

bool HashIndex::count_entry(int64_t change) {
  std::atomic<int64_t>& counter = entries_[thread_shard() % entries_.size()].value;
  return (counter.fetch_add(change, std::memory_order_relaxed) + change) % kChangesPerLook == 0;
}

void HashIndex::count_memory(int64_t bytes) {
  memory_bytes_.fetch_add(static_cast<uint64_t>(bytes), std::memory_order_relaxed);
}

// ---- finding a bucket

uint64_t HashIndex::hash_of(Bytes key) { return absl::HashOf(key); }

uint32_t HashIndex::number_of(uint64_t hash, uint32_t count) {
  const uint32_t mask = std::bit_ceil(count) - 1;
  const uint32_t number = static_cast<uint32_t>(hash) & mask;
  return number < count ? number : number & (mask >> 1);
}

BtreeNode* HashIndex::bucket(uint32_t number) const {
  const HashRoot* root = root_.load(std::memory_order_acquire);
  const uint32_t at = number / HashSegment::kBuckets;
  const HashSegment* segment = at < root->capacity ? root->segments[at].load(std::memory_order_acquire) : nullptr;
  if (segment == nullptr) return nullptr;
  return segment->buckets[number % HashSegment::kBuckets].load(std::memory_order_acquire);  // pairs with put()
}

void HashIndex::prefetch_link(uint32_t number) const {
  const HashRoot* root = root_.load(std::memory_order_acquire);
  const uint32_t at = number / HashSegment::kBuckets;
  const HashSegment* segment = at < root->capacity ? root->segments[at].load(std::memory_order_acquire) : nullptr;
  if (segment != nullptr) __builtin_prefetch(&segment->buckets[number % HashSegment::kBuckets]);
}

bool HashIndex::still(uint64_t hash, const Place& place) const {
  return number_of(hash, count_.load(std::memory_order_acquire)) == place.number &&
         bucket(place.number) == place.bucket;
}

HashIndex::Place HashIndex::find(uint64_t hash) const {
  Place place;
  for (;;) {
    place.number = number_of(hash, count_.load(std::memory_order_acquire));
    place.bucket = bucket(place.number);
    if (place.bucket == nullptr) continue;
    place.bucket->prefetch_small(kLeastBytes);
    place.version = place.bucket->latch.read_begin();
    return place;
  }
}

// ---- writing

StorageStatus HashIndex::insert(Bytes key, Bytes primary_key) {
  if (key.size() > kMaxIndexKeyBytes || primary_key.size() > kMaxIndexKeyBytes) return StorageStatus::kTooLarge;
  EpochManager::WriteGuard guard(epochs_);
  finish_insert(insert_guarded({key, primary_key}, hash_of(key)));
  return StorageStatus::kOk;
}

HashIndex::Change HashIndex::insert_guarded(const EntryKey& entry, uint64_t hash) {
  for (;;) {
    const Place place = find(hash);
    BtreeNode& bucket = *place.bucket;
    const BtreeNode::Found found = bucket.lower_bound(entry);
    if (found.equal) {
      if (bucket.latch.validate(place.version) && still(hash, place)) return {};
      continue;
    }
    if (!mine(bucket.generation())) {
      rebuild(hash, 0);
      continue;
    }
    pauses_.at(PausePoint::kLatch);
    if (!bucket.latch.try_upgrade(place.version)) continue;
    const bool here = still(hash, place);
    if (here && bucket.has_room(entry.key.size(), entry.primary_key.size())) {
      bucket.insert(found.position, entry, nullptr);
      bucket.latch.unlock();
      return {true, count_entry(1)};
    }
    bucket.latch.unlock_unchanged();
    if (here) rebuild(hash, BtreeNode::bytes_needed(true, entry.key.size(), entry.primary_key.size()));
  }
}

StorageStatus HashIndex::insert_ascending(std::span<const IndexEntry> entries) {
  for (const IndexEntry& entry : entries) {
    const StorageStatus s = insert(entry.key, entry.primary_key);
    if (s != StorageStatus::kOk) return s;
  }
  return StorageStatus::kOk;
}

bool HashIndex::erase(Bytes key, Bytes primary_key, const std::function<bool()>& still_needed) {
  EpochManager::WriteGuard guard(epochs_);
  const Change change = erase_guarded({key, primary_key}, hash_of(key), still_needed);
  finish_erase(change);
  return change.made;
}

HashIndex::Change HashIndex::erase_guarded(const EntryKey& entry, uint64_t hash,
                                           const std::function<bool()>& still_needed) {
  for (;;) {
    const Place place = find(hash);
    BtreeNode& bucket = *place.bucket;
    const BtreeNode::Found found = bucket.lower_bound(entry);
    if (!found.equal) {
      if (bucket.latch.validate(place.version) && still(hash, place)) return {};
      continue;
    }
    if (!mine(bucket.generation())) {
      rebuild(hash, 0);
      continue;
    }
    pauses_.at(PausePoint::kLatch);
    if (!bucket.latch.try_upgrade(place.version)) continue;
    const bool here = still(hash, place);
    if (!here || (still_needed && still_needed())) {
      bucket.latch.unlock_unchanged();
      if (here) return {};
      continue;
    }
    bucket.remove(found.position);
    const bool empty = bucket.count() == 0;
    const bool too_large = bucket.capacity > kLeastBytes && bucket.underfull();
    bucket.latch.unlock();
    if (too_large) rebuild(hash, 0);
    return {true, count_entry(-1) || empty};
  }
}

}  // namespace indigo::storage
