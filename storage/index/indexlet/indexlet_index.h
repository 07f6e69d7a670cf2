// A B+-tree that is written in batches: an indexlet (indexlet.h) has what was written since, and is read before the tree.
// Look-ups of a key probe it. A scan whose range has unmerged entries merges these first; a phantomlet says cheaply that there
// are none.
//
// Writers post the names of what they put into the indexlet to a batch of their processor. When it is full, or some
// milliseconds later, its entries are merged in key order, each under the lock of its home in the indexlet: it is inserted
// into the tree or erased from it, and its slot is free again. What was inserted and erased meanwhile costs the tree one visit.
// The size of batches adapts: they shrink, down to nothing, while scans need what they hold, and grow while they do not. An
// index with few writes has no indexlet, and a full one is bypassed: then the tree is written, under the same lock. So is the
// tree of an index that buffers only what is contended (Buffering), as long as its writers do not get in each other's way.
//
// Thread safety: Index's. A batch has two locks: `lock` guards its list, `merging` is held by the merging thread, from the
// copy of the list to the removal.
// Order: life_ -> merging -> WriteGuard -> a home in the indexlet -> lock, or the tree's own. Under a WriteGuard
// no thread waits for `merging`.
//
// Invariants, and those of indexlet.h:
// 1. Under an entry's home lock: the index has the entry if the indexlet says so; if that says nothing, if the tree has it.
// 2. Each entry of the indexlet has its name in some list: it is posted under the home's lock, and a name is removed when
//    it has been merged after its posting, whatever was merged.
// 3. Readers look at the indexlet first and at the tree second. What leaves the first is in the second (its order:
//    indexlet.h, 2). So an entry that is there all the time is found.
// 4. A bit of nonempty_ is set when the batch's list has entries, under its lock; a thread that reads 0 (acquire; pairs with
//    merge()) finds in the tree what has been there.
// 5. While there is no indexlet, or one that is closed, every change is one step in the tree. One that is closed gets no
//    new entries, and is retired when it is empty and all threads that came before have left its homes.
// 6. A scan merges what is in its range when it begins. What was there before is in the tree from then on while it stays.
//
// Source: Mehdi et al., ScaleDB (OSDI 2023), 4.1 and 4.2. Differences: README.md of storage/index.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>

#include "storage/index/btree_index.h"
#include "storage/index/index.h"
#include "storage/index/index_factory.h"
#include "storage/index/index_service.h"
#include "storage/index/indexlet/indexlet.h"
#include "storage/index/pending_entries.h"

namespace indigo::storage {

// What it takes that an index gets an indexlet: so many writes of the tree, within some milliseconds, that had to start over so
// often because another one had changed the leaf meanwhile. (If that happens to one write in p, it happens to one in p^4 four
// times in a row: so nothing has to be counted of those that were not disturbed.) None: a number of writes.
struct Buffering {
  uint32_t restarts = 0, writes = 0;
  uint64_t trial_us = 0;  // so long there is an indexlet before it goes, to see whether it is still needed
  static constexpr Buffering always() { return {}; }
  static constexpr Buffering when_contended() { return {4, 8, 2'000'000}; }
  bool needs_contention() const { return restarts > 0; }
};

class IndexletIndex final : public Index, private ServicedIndex {
 public:
  // `service` may be null: then writers and scans do all the work.
  IndexletIndex(EpochManager& epochs, MemoryAccount* account, const PauseHook& pauses, IndexService* service,
                Buffering buffering = Buffering::always());
  ~IndexletIndex() override;  // it must not be in use
  std::unique_ptr<Index> clone(uint64_t generation, uint64_t clone_generation) override;

  StorageStatus insert(Bytes key, Bytes primary_key) override;
  StorageStatus insert_ascending(std::span<const IndexEntry> entries) override;
  bool erase(Bytes key, Bytes primary_key, const std::function<bool()>& still_needed) override;
  size_t lookup(Bytes key, std::vector<std::string>& primary_keys) override;
  void lookup_many(std::span<const Bytes> keys, IndexMatches& out) override;
  std::unique_ptr<IndexScan> scan(const KeyRange& range, Direction direction) override;
  bool greatest(Bytes key, bool or_equal, std::string& found) override;
  // Empty also while no indexlet has been needed.
  std::optional<IndexServiceStatistics> service_statistics() const override;
  void set_fill(uint8_t percent) override { tree_->set_fill(percent); }
  uint64_t entry_count() const override;
  uint64_t memory_bytes() const override;
  std::string check() const override;

 private:
  friend class IndexletScan;
  static constexpr uint32_t kMostBatches = 8;
  static constexpr uint32_t kMostEntries = 256;          // in a batch; then its writer merges
  static constexpr uint32_t kLeastEntries = 16;          // a smaller batch is none
  static constexpr size_t kMostBytes = size_t{1} << 17;  // in a batch; the same
  static constexpr uint32_t kWritesBeforeIndexlet = 64;
  static constexpr uint32_t kWritesBeforeTrial = 4096;  // with batches of nothing
  static constexpr uint32_t kFewEntries = 16;  // in a round of the service; kQuietRounds like this: no indexlet
  static constexpr uint32_t kQuietRounds = 8;
  static constexpr uint32_t kManyRepairs = 16;      // of a few entries each, and no full batch between them
  static constexpr uint64_t kContendedUs = 10'000;  // Buffering's writes come within it
  enum class Why : uint8_t { kService, kStall, kRepair };

  struct alignas(64) Batch {
    mutable SpinLock lock;   // guards the list and since_us
    PendingEntries pending;  // shrinks under `merging` alone
    uint64_t since_us = 0;   // when the first entry of a list that was empty came
    std::mutex merging;
  };
  // What the indexlet says of one key.
  struct Unmerged {
    std::string primary_key;
    bool present;
  };

  IndexletIndex(IndexletIndex& source, uint64_t generation, uint64_t clone_generation);
  static uint64_t now_us();
  // One for each processor; with many, some share one.
  static uint32_t batch_count();
  Batch& own_batch() { return batches_[thread_shard() % batch_count()]; }

  // ---- under a WriteGuard, with the entry's home lock
  // True when the batch is full.
  bool post(const EntryKey& entry);
  // Puts an entry that is not there into the indexlet; false when that takes none now.
  bool buffer(Indexlet& indexlet, const EntryKey& entry, uint64_t hash, Indexlet::State state, bool& full);

  // After a change, under no lock or guard.
  void posted(bool buffered, bool full, uint32_t restarts);
  void count_direct_write(uint32_t restarts);
  void merge(Batch& batch, const KeyRange& range, Why why) const;
  void merge_entry(const EntryKey& entry, const BtreeIndex::Ahead& ahead, size_t i) const;
  // The tree has, in this range, what the index has.
  void repair(const KeyRange& range) const;
  void adapt(Why why, size_t merged) const;
  void read_unmerged(Bytes key, std::vector<Unmerged>& out) const;
  static size_t apply(const std::vector<Unmerged>& unmerged, std::vector<std::string>& primary_keys, size_t count);
  void serve() override;
  void count_memory(int64_t bytes) const;
  // ---- indexlet_life.cpp; under no guard
  void open();
  void close() const;  // merges what waits
  bool outgrown() const;
  void join_service();  // with life_, or alone
  IndexServiceStatistics figures() const;

  EpochManager& epochs_;
  MemoryAccount* const account_;  // may be null
  const PauseHook& pauses_;
  IndexService* const service_;  // may be null
  const Buffering buffering_;
  const std::unique_ptr<BtreeIndex> tree_;
  mutable std::mutex life_;    // guards changes of indexlet_ and what follows; before `merging`
  uint64_t entries_then_ = 0;  // of the tree, when the indexlet was made
  uint64_t made_us_ = 0;       // when that was
  uint32_t quiet_rounds_ = 0;
  bool served_ = false;                               // by the service
  mutable std::atomic<Indexlet*> indexlet_{nullptr};  // may be null; release when it is made, pairs with its readers
  mutable std::array<Batch, kMostBatches> batches_;
  alignas(64) mutable std::atomic<uint32_t> nonempty_{0};     // a bit for each batch
  mutable std::atomic<uint32_t> most_entries_{kMostEntries};  // in a batch; 0: nothing waits
  std::atomic<uint32_t> direct_writes_{0};
  // Writes that were disturbed as often as Buffering says, since when. Together only roughly right, which is enough.
  std::atomic<uint32_t> contended_writes_{0};
  std::atomic<uint64_t> contended_since_us_{0};
  mutable std::atomic<uint32_t> small_repairs_{0};
  mutable std::atomic<uint64_t> buffer_bytes_{0}, batches_merged_{0}, merged_{0}, stalls_{0}, repairs_{0};
};

std::unique_ptr<Index> create_indexlet_index(EpochManager& epochs, const PauseHook& pauses);
std::unique_ptr<Index> create_indexlet_index(EpochManager& epochs, const PauseHook& pauses, MemoryAccount& account,
                                             IndexService& service);
inline std::unique_ptr<Index> create_indexlet_index(const IndexEnvironment& e) {
  return create_indexlet_index(e.epochs, e.pauses, e.account, e.service);
}
// A tree that has an indexlet while its writers are in each other's way.
std::unique_ptr<Index> create_adaptive_index(EpochManager& epochs, const PauseHook& pauses);
std::unique_ptr<Index> create_adaptive_index(const IndexEnvironment& environment);

}  // namespace indigo::storage
