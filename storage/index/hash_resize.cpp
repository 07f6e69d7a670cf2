// Buckets of HashIndex come, grow and go.
#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "storage/index/hash_index.h"

namespace indigo::storage {

BtreeNode* HashIndex::create_bucket(size_t live_bytes) {
  const size_t bytes = std::max<size_t>(kLeastBytes, std::bit_ceil(live_bytes + BtreeNode::header_bytes()));
  BtreeNode* bucket = BtreeNode::create(next_id_++, static_cast<uint32_t>(bytes), 0, {});
  bucket->set_generation(generation_.load(std::memory_order_relaxed));
  count_memory(static_cast<int64_t>(bytes));
  if (account_ != nullptr) account_->add(MemoryKind::kIndexes, static_cast<int64_t>(bytes));
  return bucket;
}

void HashIndex::rebuild(uint64_t hash, size_t bytes) {
  pauses_.at(PausePoint::kChangeIndex);
  std::lock_guard lock(structure_mutex_);
  const uint32_t number = number_of(hash, count_.load(std::memory_order_relaxed));
  BtreeNode& old = *bucket(number);
  const bool own = mine(old.generation());
  if (own) old.latch.lock();  // a shared one is never written
  const size_t wanted = old.live_bytes() + bytes;
  const bool fits = wanted + BtreeNode::header_bytes() <= old.capacity;
  const bool too_large = bytes == 0 && old.capacity > kLeastBytes && old.underfull();
  if (own && fits && !too_large) {  // another thread was here before
    old.latch.unlock_unchanged();
    return;
  }
  BtreeNode* fresh = create_bucket(wanted);
  fresh->append(old, 0, old.count());
  put(number, fresh);
  if (own) old.latch.unlock();
}

// Sums are inexact while others write; so is the number of buckets that is right.
void HashIndex::add_buckets() {
  constexpr int kMost = 16;
  std::unique_lock lock(structure_mutex_, std::try_to_lock);  // its holder will see to it, or the next one
  if (!lock.owns_lock()) return;
  const uint64_t entries = entry_count();
  for (int i = 0; i < kMost && entries > uint64_t{count_.load(std::memory_order_relaxed)} * kEntriesPerBucket; i++) {
    split_next();
  }
}

void HashIndex::remove_buckets() {
  constexpr int kMost = 64;
  std::unique_lock lock(structure_mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const uint64_t entries = entry_count();
  for (int i = 0; i < kMost; i++) {
    const uint64_t count = count_.load(std::memory_order_relaxed);
    if (count == 1 || entries >= (count - 1) * kEntriesPerBucket / 2) return;
    merge_last();
  }
}

void HashIndex::reserve(uint32_t segments) {
  const uint32_t capacity = root_.load(std::memory_order_relaxed)->capacity;
  if (segments > capacity) {
    replace_root(capacity * 2);
  } else if (capacity > HashRoot::kFirstCapacity && segments <= capacity / 4) {
    replace_root(capacity / 2);
  }
}

void HashIndex::split_next() {
  const uint32_t count = count_.load(std::memory_order_relaxed);
  if (count == UINT32_MAX / 2) return;
  pauses_.at(PausePoint::kChangeIndex);
  const uint32_t number = count - std::bit_floor(count);  // whose entries move to the bucket behind the last
  reserve(count / HashSegment::kBuckets + 1);
  BtreeNode& old = *bucket(number);
  const bool own = mine(old.generation());
  if (own) old.latch.lock();
  std::vector<bool> moves(old.count());
  size_t bytes[2] = {0, 0};
  std::string key, primary_key;
  for (uint32_t i = 0; i < old.count(); i++) {
    key.clear(), primary_key.clear();
    old.read(i, key, primary_key);
    moves[i] = number_of(hash_of(key), count + 1) == count;
    bytes[moves[i] ? 1 : 0] += old.bytes_of(i, i + 1, 0);
  }
  BtreeNode* parts[2] = {create_bucket(bytes[0]), create_bucket(bytes[1])};
  for (uint32_t i = 0; i < old.count(); i++) parts[moves[i] ? 1 : 0]->append(old, i, i + 1);
  // In this order: a thread that finds the smaller bucket must see the other one. Until then the old one has all that stays.
  put(count, parts[1]);
  count_.store(count + 1, std::memory_order_release);  // pairs with find() and still()
  pauses_.at(PausePoint::kSplit);
  put(number, parts[0]);
  if (own) old.latch.unlock();
}

void HashIndex::merge_last() {
  pauses_.at(PausePoint::kChangeIndex);
  const uint32_t last = count_.load(std::memory_order_relaxed) - 1;
  const uint32_t number = last - std::bit_floor(last);
  BtreeNode* from[2] = {bucket(number), bucket(last)};
  for (BtreeNode* bucket : from) {
    if (mine(bucket->generation())) bucket->latch.lock();
  }
  BtreeNode* merged = create_bucket(from[0]->live_bytes() + from[1]->live_bytes());
  std::string keys[2], primary_keys[2];
  uint32_t at[2] = {0, 0};
  auto read = [&](int i) {
    keys[i].clear(), primary_keys[i].clear();
    if (at[i] < from[i]->count()) from[i]->read(at[i], keys[i], primary_keys[i]);
  };
  read(0), read(1);
  while (at[0] < from[0]->count() || at[1] < from[1]->count()) {
    const bool second =
        at[0] == from[0]->count() ||
        (at[1] < from[1]->count() && EntryKey{keys[1], primary_keys[1]} < EntryKey{keys[0], primary_keys[0]});
    const int i = second ? 1 : 0;
    merged->append(*from[i], at[i], at[i] + 1);
    at[i]++;
    read(i);
  }
  put(number, merged);
  count_.store(last, std::memory_order_release);
  put(last, nullptr);
  for (BtreeNode* bucket : from) {
    if (mine(bucket->generation())) bucket->latch.unlock();
  }
  reserve((last - 1) / HashSegment::kBuckets + 1);
}

}  // namespace indigo::storage
