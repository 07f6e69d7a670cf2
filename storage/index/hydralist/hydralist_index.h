// HydraList: a list of data nodes with up to 64 entries each (data_node.h), which is the index, and a radix tree over their
// anchors (search_layer.h), which says where in the list to begin. A split or a merge changes the list under one latch or two,
// and is logged; the search layers are updated later, by the background service or a writer that finds the log long. A search
// that begins at the wrong node walks along the list to the right one.
//
// Thread safety: Index's. Readers copy what they want of a node and validate its version; writers latch one node.
// Order: updating_ -> WriteGuard; latches of nodes from left to right; the log's locks last. Under a WriteGuard no thread waits
// for updating_.
//
// Invariants, and those of data_node.h, search_layer.h and operation_log.h:
// 1. The first node's anchor is less than every place. It is never deleted, and not in the search layers.
// 2. An entry belongs to one node: the last whose anchor is not greater. A thread that has that node's version, finds it not
//    deleted, and read its right neighbour at that version, knows that it is the one.
// 3. A split moves entries to a new node on the right, which is complete before its left neighbour names it; a merge moves a node's
//    entries to its left neighbour. So a node's left neighbour, followed when it is deleted, leads to the one that has its entries.
// 4. Each node but the first is posted to the log when it is linked and when it is deleted, under its left neighbour's latch.
// 5. A deleted node is retired when all search layers have forgotten it, which they do in the log's order: a node that
//    names another as its left neighbour is forgotten no later than that one.
//
// Source: Mathew and Min, HydraList (PVLDB 13(9), 2020). Differences: README.md of storage/index.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "storage/epoch.h"
#include "storage/index/hydralist/data_node.h"
#include "storage/index/hydralist/operation_log.h"
#include "storage/index/hydralist/search_layer.h"
#include "storage/index/index.h"
#include "storage/index/index_factory.h"
#include "storage/index/index_service.h"
#include "storage/memory/memory_account.h"
#include "storage/pause_points.h"

namespace indigo::storage {

class HydralistIndex final : public Index, private ServicedIndex {
 public:
  // `replicas` of the search layer, at most kMostReplicas; processors share them out among themselves. `service` may be null:
  // then writers do all the work.
  HydralistIndex(EpochManager& epochs, MemoryAccount* account, const PauseHook& pauses, IndexService* service,
                 uint32_t replicas);
  ~HydralistIndex() override;  // it must not be in use
  std::unique_ptr<Index> clone(uint64_t generation, uint64_t clone_generation) override;

  StorageStatus insert(Bytes key, Bytes primary_key) override;
  StorageStatus insert_ascending(std::span<const IndexEntry> entries) override;
  bool erase(Bytes key, Bytes primary_key, const std::function<bool()>& still_needed) override;
  size_t lookup(Bytes key, std::vector<std::string>& primary_keys) override;
  void lookup_many(std::span<const Bytes> keys, IndexMatches& out) override;
  std::unique_ptr<IndexScan> scan(const KeyRange& range, Direction direction) override;
  std::optional<IndexServiceStatistics> service_statistics() const override;
  void set_fill(uint8_t percent) override { fill_percent_.store(percent, std::memory_order_relaxed); }
  uint64_t entry_count() const override;
  uint64_t memory_bytes() const override;
  std::string check() const override;

  static constexpr uint32_t kMostReplicas = 8;
  // One for each NUMA node of this machine.
  static uint32_t usual_replicas();

 private:
  friend class HydralistScan;
  static constexpr uint64_t kMuchToTell = 16;         // operations in the log: the service hurries
  static constexpr uint64_t kMostToTell = 512;        // the writer updates the search layers
  static constexpr uint32_t kLargeBlock = 64 * 1024;  // a node with a larger one is split before it is full,
  static constexpr uint32_t kLeastEntries = 8;        // if it has that many

  struct Target {
    DataNode* node;
    uint64_t version;
    DataNode* next;  // at that version
    bool ends;       // a look at heads says that the key looked for is less than that one's anchor's
  };
  // Which node is looked for: where the place is, what is before it, or the ends.
  enum class Toward : uint8_t { kAt, kBefore, kFirst, kLast };

  HydralistIndex(HydralistIndex& source, uint32_t replicas);

  const SearchLayer& own_layer() const;
  DataNode* jump_node(Toward toward, const EntryKey& place) const;
  // Walks from a node to the right one.
  Target walk(DataNode* from, Toward toward, const EntryKey& place) const;
  Target walk_to_end(DataNode* from, Toward toward) const;
  template <bool kBefore>
  Target walk_near(DataNode* from, const EntryKey& place) const;
  Target find(Toward toward, const EntryKey& place) const;
  size_t lookup_from(DataNode* node, Bytes key, uint8_t print, std::vector<std::string>& primary_keys) const;

  // ---- writing; under a WriteGuard
  void insert_guarded(const EntryKey& entry, uint8_t print, DataNode*& near);
  // The node is latched. Makes room for an entry in it, if it can; else splits it.
  bool make_room(DataNode& node, const EntryKey& entry);
  void split(DataNode& node, const EntryKey& entry);
  // Merges the node's right neighbour into it, if both are small.
  bool merge_next(DataNode& left);
  void merge_around(DataNode& node);
  DataNode* create_node(const EntryKey& anchor, const BlockNeeds& needs) const;
  void replace_block(DataNode& node, const BlockNeeds& more) const;  // latched
  void count_memory(int64_t bytes) const;
  void count_entries(int64_t change);

  // ---- the search layers; under no guard
  void posted();
  void update(bool wait) const;
  void serve() override { update(true); }

  EpochManager& epochs_;
  MemoryAccount* const account_;  // may be null
  const PauseHook& pauses_;
  IndexService* const service_;  // may be null
  std::atomic<uint8_t> fill_percent_{100};
  mutable std::atomic<uint64_t> memory_bytes_{0};  // of data nodes
  mutable std::atomic<uint64_t> since_us_{0};      // when the log's first operation came, about; 0: it is empty
  mutable std::atomic<uint64_t> batches_{0}, told_{0}, stalls_{0};
  std::atomic<uint64_t> nodes_{1};
  DataNode* first_;
  mutable std::mutex updating_;  // held by who updates the search layers
  mutable OperationLog log_;
  mutable std::vector<OperationLog::Operation> batch_;  // with updating_
  std::vector<std::unique_ptr<SearchLayer>> layers_;
  struct alignas(64) Counter {
    std::atomic<int64_t> value{0};
  };
  std::array<Counter, 8> entries_;  // their sum is the number of entries; by thread, to keep the cache line local
};

std::unique_ptr<Index> create_hydralist_index(EpochManager& epochs, const PauseHook& pauses, uint32_t replicas = 1);
std::unique_ptr<Index> create_hydralist_index(EpochManager& epochs, const PauseHook& pauses, MemoryAccount& account,
                                              IndexService& service, uint32_t replicas);
inline std::unique_ptr<Index> create_hydralist_index(const IndexEnvironment& e) {
  const uint32_t replicas = e.hydralist_replicas > 0 ? e.hydralist_replicas : HydralistIndex::usual_replicas();
  return create_hydralist_index(e.epochs, e.pauses, e.account, e.service, replicas);
}

}  // namespace indigo::storage
