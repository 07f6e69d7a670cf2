// A hash index: linear hashing, one bucket after the other is split as entries come, and merged as they go.
//
// A bucket is a leaf of btree_node.h without a prefix: its entries are in order, so equal keys lie side by side, and readers
// need no latch. A bucket that overflows grows; with many entries of one key it grows far, and inserts there move its slots:
// an index on few distinct values wants a tree.
//
// Thread safety: Index's. Readers and writers find their bucket by the number of buckets and the directory, and look at
// both again when they have read, or latched: if they say the same, nothing has been moved in between. Splits, merges,
// growth and copies happen one at a time, under structure_mutex_, which is taken before latches.
//
// Invariants: those of hash_directory.h, and
// 1. The entries of a key are in bucket number(hash, count). Buckets up to the count exist; no address lies behind them.
// 2. A bucket that is replaced was latched when its address was overwritten, unless it is another index's, too.
// 3. No guard, latch or address of a bucket outlives a call.
//
// Order: the index has none. Scans of a point are look-ups; those of other ranges collect and sort, for tests and tools.
// Source: Litwin, Linear hashing (VLDB 1980); optimistic latches as in btree_index.h.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "storage/epoch.h"
#include "storage/index/btree_node.h"
#include "storage/index/hash_directory.h"
#include "storage/index/index.h"
#include "storage/index/index_factory.h"
#include "storage/memory/memory_account.h"
#include "storage/pause_points.h"

namespace indigo::storage {

class HashIndex final : public Index {
 public:
  HashIndex(EpochManager& epochs, MemoryAccount* account, const PauseHook& pauses);
  ~HashIndex() override;  // it must not be in use
  std::unique_ptr<Index> clone(uint64_t generation, uint64_t clone_generation) override;

  StorageStatus insert(Bytes key, Bytes primary_key) override;
  StorageStatus insert_ascending(std::span<const IndexEntry> entries) override;
  bool erase(Bytes key, Bytes primary_key, const std::function<bool()>& still_needed) override;
  size_t lookup(Bytes key, std::vector<std::string>& primary_keys) override;
  void lookup_many(std::span<const Bytes> keys, IndexMatches& out) override;
  bool ordered() const override { return false; }
  std::unique_ptr<IndexScan> scan(const KeyRange& range, Direction direction) override;
  void set_fill(uint8_t) override {}  // nothing is appended here
  uint64_t entry_count() const override;
  uint64_t memory_bytes() const override { return memory_bytes_.load(std::memory_order_relaxed); }
  std::string check() const override;

  // ---- for a structure that has this one as a part (griffin/griffin_index.h): changes under its own WriteGuard and lock.
  // What is left to do when that lock is released, still under the guard.
  struct Change {
    bool made = false, resize = false;
  };
  static uint64_t hash_of(Bytes key);
  Change insert_guarded(const EntryKey& entry, uint64_t hash);
  Change erase_guarded(const EntryKey& entry, uint64_t hash, const std::function<bool()>& still_needed);
  void finish_insert(const Change& change) {
    if (change.resize) add_buckets();
  }
  void finish_erase(const Change& change) {
    if (change.resize) remove_buckets();
  }
  bool contains(const EntryKey& entry) const;

  // All entries of a range, sorted. Splits wait meanwhile.
  void collect(const KeyRange& range, std::vector<std::pair<std::string, std::string>>& entries) const;

 private:
  static constexpr uint32_t kEntriesPerBucket = 20;  // wanted
  static constexpr uint32_t kLeastBytes = 1024;      // of a bucket
  static constexpr int64_t kChangesPerLook = 64;     // after so many of a counter's, the number of buckets is looked at

  struct Place {
    BtreeNode* bucket = nullptr;
    uint32_t number = 0;
    uint64_t version = 0;
  };
  static uint32_t number_of(uint64_t hash, uint32_t count);
  // May be null, when the number of buckets has changed.
  BtreeNode* bucket(uint32_t number) const;
  Place find(uint64_t hash) const;
  void prefetch_link(uint32_t number) const;
  // Is it still this bucket where the hash belongs?
  bool still(uint64_t hash, const Place& place) const;
  bool mine(uint64_t generation) const { return generation == generation_.load(std::memory_order_relaxed); }

  // Counts a change. True when the number of buckets should be looked at.
  bool count_entry(int64_t change);
  void count_memory(int64_t bytes);

  // ---- hash_resize.cpp; they take the structure mutex, and hold no latch before
  // The bucket of the hash becomes this index's own, with room for that many bytes more (0: none, and no more than it needs).
  void rebuild(uint64_t hash, size_t bytes);
  void add_buckets();
  void remove_buckets();
  // With the structure mutex:
  void split_next();
  void merge_last();
  BtreeNode* create_bucket(size_t live_bytes);
  void reserve(uint32_t segments);  // room in the root for that many

  HashIndex(EpochManager& epochs, MemoryAccount* account, const PauseHook& pauses, std::unique_ptr<HashRoot> root);

  // ---- hash_sharing.cpp; with the structure mutex
  HashIndex(HashIndex& source, uint64_t generation);
  HashSegment& own_segment(uint32_t number);
  void replace_root(uint32_t capacity);
  // Puts a bucket (or null) in the place of one that cannot be found from then on.
  void put(uint32_t number, BtreeNode* bucket);
  template <class Part>
  void let_go(Part* part, size_t bytes);
  static void release(BtreeNode* bucket, MemoryAccount* account);
  static void release(HashSegment* segment, MemoryAccount* account);
  static void release(HashRoot* root, MemoryAccount* account);

  EpochManager& epochs_;
  MemoryAccount* const account_;  // may be null
  const PauseHook& pauses_;
  std::atomic<uint64_t> generation_{0};  // changes while writers are kept out
  uint64_t next_id_ = 1;                 // of a bucket; with the structure mutex
  std::atomic<uint64_t> memory_bytes_{0};
  mutable std::mutex structure_mutex_;
  std::atomic<HashRoot*> root_;
  std::atomic<uint32_t> count_{1};  // of buckets
  struct alignas(64) Counter {
    std::atomic<int64_t> value{0};
  };
  std::array<Counter, 8> entries_;  // their sum is the number of entries; by thread, to keep the cache line local
};

bool is_one_key(const KeyRange& range);

std::unique_ptr<Index> create_hash_index(EpochManager& epochs, const PauseHook& pauses);
// Counts its memory in `account` too.
std::unique_ptr<Index> create_hash_index(EpochManager& epochs, const PauseHook& pauses, MemoryAccount& account);
inline std::unique_ptr<Index> create_hash_index(const IndexEnvironment& e) {
  return create_hash_index(e.epochs, e.pauses, e.account);
}

}  // namespace indigo::storage
