// Griffin: a hash table that is always current, and a B+-tree that lags behind it. Look-ups of a key use the hash table; scans
// of a range use the tree, after pending changes in that range have been merged. Changes move from the hash table to the tree
// in batches, in key order: by a background service (index_service.h), by scans that need them, and by writers that find no room.
//
// A change is made in the hash table, and the entry's name is posted to a shard's pending list. Merging an entry means: insert
// it into the tree if the hash table has it now, erase it otherwise. So merging is idempotent, and independent of the order of
// changes. Transactions have no state here: entries of a transaction that rolls back are erased like others.
//
// Thread safety: Index's. For each shard: `lock` guards the list and joins it with the hash table's change; `merging` is
// held by the merging thread, from the copy of the list to the removal.
// Order: merging -> WriteGuard -> lock -> the hash table's and the tree's own. No thread waits for `merging` under a WriteGuard.
//
// Invariants:
// 1. A change of the hash table and its posting are one step under the shard's lock. An entry belongs to one shard.
// 2. A posted entry stays in the list until it has been merged after its posting. So when `lock` is free, each entry on
//    which hash table and tree disagree is in the list.
// 3. Entries of one shard are merged by one thread at a time, each by what the hash table says then. So an entry that
//    the hash table has all the time does not leave the tree, and the last merge of an entry is right.
// 4. A bit of nonempty_ is set when the shard's list has entries. It is set and reset under the shard's lock; a scan reads it
//    without (acquire, pairs with the release of the reset): when it is 0, what has been there is in the tree.
// 5. A scan merges what is in its range when it begins. What was there before is in the tree from then on while it stays (3).
//
// Source: Nakazono et al., Griffin (2024), III. Differences: README.md of storage/index.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>

#include "storage/index/btree_index.h"
#include "storage/index/hash_index.h"
#include "storage/index/index.h"
#include "storage/index/index_factory.h"
#include "storage/index/index_service.h"
#include "storage/index/pending_entries.h"

namespace indigo::storage {

class GriffinIndex final : public Index, private ServicedIndex {
 public:
  // `service` may be null: then writers and scans do all the work.
  GriffinIndex(EpochManager& epochs, MemoryAccount* account, const PauseHook& pauses, IndexService* service);
  ~GriffinIndex() override;  // it must not be in use
  std::unique_ptr<Index> clone(uint64_t generation, uint64_t clone_generation) override;

  StorageStatus insert(Bytes key, Bytes primary_key) override;
  StorageStatus insert_ascending(std::span<const IndexEntry> entries) override;
  bool erase(Bytes key, Bytes primary_key, const std::function<bool()>& still_needed) override;
  size_t lookup(Bytes key, std::vector<std::string>& primary_keys) override { return hash_->lookup(key, primary_keys); }
  void lookup_many(std::span<const Bytes> keys, IndexMatches& out) override { hash_->lookup_many(keys, out); }
  std::unique_ptr<IndexScan> scan(const KeyRange& range, Direction direction) override;
  bool greatest(Bytes key, bool or_equal, std::string& found) override {
    return greatest_near(*tree_, key, or_equal, found);
  }
  std::optional<IndexServiceStatistics> service_statistics() const override;
  void set_fill(uint8_t percent) override { tree_->set_fill(percent); }
  uint64_t entry_count() const override { return hash_->entry_count(); }
  uint64_t memory_bytes() const override;
  std::string check() const override;

 private:
  friend class GriffinScan;
  static constexpr uint32_t kShards = 8;
  static constexpr uint32_t kMostEntries = 1024;         // in a shard; then its writers merge
  static constexpr size_t kMostBytes = size_t{1} << 18;  // in a shard; the same
  enum class Why : uint8_t { kService, kStall, kRepair };

  struct alignas(64) Shard {
    mutable SpinLock lock;   // guards the list and since_us
    PendingEntries pending;  // shrinks under `merging` alone
    uint64_t since_us = 0;   // when the first entry of a list that was empty came
    std::mutex merging;
  };

  GriffinIndex(GriffinIndex& source, uint64_t generation, uint64_t clone_generation);
  Shard& shard_of(uint64_t hash) { return shards_[hash >> 60 & (kShards - 1)]; }
  // With the shard's lock. True when there is no room for more.
  bool post(Shard& shard, const EntryKey& entry);
  // After a change, under no lock or guard.
  void posted(Shard& shard, bool full);
  // Merges what the shard's list has in the range.
  void merge(Shard& shard, const KeyRange& range, Why why) const;
  // The tree has, in this range, what the hash table has.
  void repair(const KeyRange& range) const;
  void serve() override;

  EpochManager& epochs_;
  MemoryAccount* const account_;  // may be null
  const PauseHook& pauses_;
  IndexService* const service_;  // may be null
  const std::unique_ptr<HashIndex> hash_;
  const std::unique_ptr<BtreeIndex> tree_;
  mutable std::array<Shard, kShards> shards_;
  alignas(64) mutable std::atomic<uint32_t> nonempty_{0};  // a bit for each shard
  mutable std::atomic<uint64_t> pending_bytes_{0}, batches_{0}, merged_{0}, stalls_{0}, repairs_{0};
};

std::unique_ptr<Index> create_griffin_index(EpochManager& epochs, const PauseHook& pauses);
std::unique_ptr<Index> create_griffin_index(EpochManager& epochs, const PauseHook& pauses, MemoryAccount& account,
                                            IndexService& service);
inline std::unique_ptr<Index> create_griffin_index(const IndexEnvironment& e) {
  return create_griffin_index(e.epochs, e.pauses, e.account, e.service);
}

}  // namespace indigo::storage
