// Hash indexes that share buckets: cloning, and copying the way to what has to be written.
#include <algorithm>

#include "storage/index/hash_index.h"

namespace indigo::storage {

// Whatever has no memory from here on, the destructor gives back what is there.
HashIndex::HashIndex(EpochManager& epochs, MemoryAccount* account, const PauseHook& pauses)
    : HashIndex(epochs, account, pauses, std::make_unique<HashRoot>(0, HashRoot::kFirstCapacity)) {
  own_segment(0);
  put(0, create_bucket(0));
}

HashIndex::HashIndex(EpochManager& epochs, MemoryAccount* account, const PauseHook& pauses,
                     std::unique_ptr<HashRoot> root)
    : epochs_(epochs), account_(account), pauses_(pauses), root_(root.release()) {
  const auto bytes = static_cast<int64_t>(root_.load(std::memory_order_relaxed)->bytes());
  count_memory(bytes);
  if (account_ != nullptr) account_->add(MemoryKind::kIndexes, bytes);
}

HashIndex::HashIndex(HashIndex& source, uint64_t generation)
    : epochs_(source.epochs_),
      account_(source.account_),
      pauses_(source.pauses_),
      generation_(generation),
      next_id_(source.next_id_),
      memory_bytes_(source.memory_bytes()),
      root_(source.root_.load(std::memory_order_relaxed)),
      count_(source.count_.load(std::memory_order_relaxed)) {
  root_.load(std::memory_order_relaxed)->references.fetch_add(1, std::memory_order_relaxed);
  entries_[0].value.store(static_cast<int64_t>(source.entry_count()), std::memory_order_relaxed);
}

HashIndex::~HashIndex() { release(root_.load(std::memory_order_relaxed), account_); }

std::unique_ptr<Index> HashIndex::clone(uint64_t generation, uint64_t clone_generation) {
  generation_.store(generation, std::memory_order_relaxed);
  return std::unique_ptr<Index>(new HashIndex(*this, clone_generation));
}

// What was unlinked is released when no reader can still look at it.
template <class Part>
void HashIndex::let_go(Part* part, size_t bytes) {
  count_memory(-static_cast<int64_t>(bytes));
  auto free = [](void* account, void* object) {
    release(static_cast<Part*>(object), static_cast<MemoryAccount*>(account));
  };
  epochs_.retire(part, free, account_);
}

void HashIndex::replace_root(uint32_t capacity) {
  HashRoot* old = root_.load(std::memory_order_relaxed);
  auto* root = new HashRoot(generation_.load(std::memory_order_relaxed), capacity);
  for (uint32_t i = 0; i < std::min(capacity, old->capacity); i++) {
    HashSegment* segment = old->segments[i].load(std::memory_order_relaxed);
    if (segment != nullptr) segment->references.fetch_add(1, std::memory_order_relaxed);
    root->segments[i].store(segment, std::memory_order_relaxed);
  }
  count_memory(static_cast<int64_t>(root->bytes()));
  if (account_ != nullptr) account_->add(MemoryKind::kIndexes, static_cast<int64_t>(root->bytes()));
  root_.store(root, std::memory_order_release);  // pairs with bucket()
  let_go(old, old->bytes());
}

HashSegment& HashIndex::own_segment(uint32_t number) {
  HashRoot* root = root_.load(std::memory_order_relaxed);
  if (!mine(root->generation)) {
    replace_root(root->capacity);
    root = root_.load(std::memory_order_relaxed);
  }
  std::atomic<HashSegment*>& link = root->segments[number / HashSegment::kBuckets];
  HashSegment* old = link.load(std::memory_order_relaxed);
  if (old != nullptr && mine(old->generation)) return *old;
  auto* segment = new HashSegment(generation_.load(std::memory_order_relaxed));
  count_memory(sizeof(HashSegment));
  if (account_ != nullptr) account_->add(MemoryKind::kIndexes, sizeof(HashSegment));
  for (uint32_t i = 0; old != nullptr && i < HashSegment::kBuckets; i++) {
    BtreeNode* bucket = old->buckets[i].load(std::memory_order_relaxed);
    if (bucket != nullptr) bucket->references().fetch_add(1, std::memory_order_relaxed);
    segment->buckets[i].store(bucket, std::memory_order_relaxed);
  }
  link.store(segment, std::memory_order_release);  // pairs with bucket()
  if (old != nullptr) let_go(old, sizeof(HashSegment));
  return *segment;
}

void HashIndex::put(uint32_t number, BtreeNode* bucket) {
  HashSegment& segment = own_segment(number);
  std::atomic<BtreeNode*>& link = segment.buckets[number % HashSegment::kBuckets];
  BtreeNode* old = link.load(std::memory_order_relaxed);
  link.store(bucket, std::memory_order_release);  // pairs with bucket()
  if (old != nullptr) let_go(old, old->capacity);
  if (bucket != nullptr || number % HashSegment::kBuckets != 0) return;
  // The segment's first bucket is its last to go.
  root_.load(std::memory_order_relaxed)
      ->segments[number / HashSegment::kBuckets]
      .store(nullptr, std::memory_order_release);
  let_go(&segment, sizeof(HashSegment));
}

void HashIndex::release(BtreeNode* bucket, MemoryAccount* account) {
  if (bucket->references().fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (account != nullptr) account->add(MemoryKind::kIndexes, -static_cast<int64_t>(bucket->capacity));
  BtreeNode::destroy(bucket);
}

void HashIndex::release(HashSegment* segment, MemoryAccount* account) {
  if (segment->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  for (auto& link : segment->buckets) {
    if (BtreeNode* bucket = link.load(std::memory_order_relaxed); bucket != nullptr) release(bucket, account);
  }
  if (account != nullptr) account->add(MemoryKind::kIndexes, -static_cast<int64_t>(sizeof(HashSegment)));
  delete segment;
}

void HashIndex::release(HashRoot* root, MemoryAccount* account) {
  if (root->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  for (uint32_t i = 0; i < root->capacity; i++) {
    if (HashSegment* segment = root->segments[i].load(std::memory_order_relaxed); segment != nullptr) {
      release(segment, account);
    }
  }
  if (account != nullptr) account->add(MemoryKind::kIndexes, -static_cast<int64_t>(root->bytes()));
  delete root;
}

}  // namespace indigo::storage
