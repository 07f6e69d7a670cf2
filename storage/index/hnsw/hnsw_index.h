// An index that finds the nearest: a graph of vectors (neighbour_graph.h), and a tree that knows which rows have them.
//
// Keys are those of an inverted index with one column: the column's byte, then a vector (base/vector_space.h). A key's node is in
// the graph as long as the tree has an entry for it, which is (the node's name, the row's primary key): so a vector lies in
// memory once, and all of its rows are found by one look-up of eight bytes.
//
// Thread safety: Index's. An insert and an erase of one key exclude each other by the key's stripe. Whoever changes the graph is
// within a WriteGuard, and no clone is made meanwhile.
//
// Invariants:
// 1. An entry's node is live in the graph: it is made before the entry, and removed after the last one, under the stripe.
// 2. A graph with several owners (clones) does not change: who wants to change it makes a copy first, and leaves the other.
//
// Order: the index has none. Scans of a point are look-ups; those of other ranges collect and sort, for tests and tools.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "storage/epoch.h"
#include "storage/index/btree_index.h"
#include "storage/index/hnsw/neighbour_graph.h"
#include "storage/index/index.h"
#include "storage/index/index_factory.h"

namespace indigo::storage {

// The keys of an index in the order of their distance from a vector, nearly: the nearest first.
class NearestScan {
 public:
  using Found = NeighbourGraph::Search::Found;

  NearestScan(std::shared_ptr<const NeighbourGraph> graph, Bytes target, size_t wanted)
      : graph_(std::move(graph)), search_(*graph_, target, wanted) {}
  // Appends the next keys with their nodes; false: there are no more. Each call takes as long as a search does.
  bool next(std::vector<Found>& keys) { return search_.next(keys); }
  bool gave(Bytes key) const { return search_.gave(key); }

 private:
  const std::shared_ptr<const NeighbourGraph> graph_;
  NeighbourGraph::Search search_;
};

class HnswIndex final : public Index {
 public:
  HnswIndex(EpochManager& epochs, MemoryAccount* account, const PauseHook& pauses);
  ~HnswIndex() override;  // it must not be in use
  std::unique_ptr<Index> clone(uint64_t generation, uint64_t clone_generation) override;

  StorageStatus insert(Bytes key, Bytes primary_key) override;
  StorageStatus insert_ascending(std::span<const IndexEntry> entries) override;
  bool erase(Bytes key, Bytes primary_key, const std::function<bool()>& still_needed = {}) override;
  size_t lookup(Bytes key, std::vector<std::string>& primary_keys) override;
  void lookup_many(std::span<const Bytes> keys, IndexMatches& out) override;
  bool ordered() const override { return false; }
  bool inverted() const override { return true; }
  std::unique_ptr<IndexScan> scan(const KeyRange& range, Direction direction) override;
  void set_fill(uint8_t) override {}
  // Before the first entry.
  void set_graph(const GraphShape& shape) override;
  size_t build_batch() const override { return 4; }
  uint64_t entry_count() const override { return tree_->entry_count(); }
  bool counts_exactly() const override { return true; }
  uint64_t memory_bytes() const override;
  std::string check() const override;

  // `target`: a key as the index has them. `wanted`: how many candidates the search keeps at a time.
  NearestScan nearest(Bytes target, size_t wanted) const;
  // The primary keys of what a search has found, as lookup_many() gives them.
  void rows_of(std::span<const NearestScan::Found> found, IndexMatches& out);

  // All entries of a range, in their order; for scans of what is no point.
  void collect(const KeyRange& range, std::vector<std::pair<std::string, std::string>>& out) const;

 private:
  static constexpr size_t kStripes = 64;

  HnswIndex(HnswIndex& source, uint64_t generation, uint64_t clone_generation);
  std::shared_ptr<NeighbourGraph> graph() const;
  // One that no other index has. Within a WriteGuard.
  std::shared_ptr<NeighbourGraph> own_graph();
  void leave(NeighbourGraph& graph);
  std::mutex& stripe_of(Bytes key) { return stripes_[std::hash<Bytes>()(key) % kStripes]; }
  // Tells the account what the graph takes now.
  void account_for(int64_t more);

  EpochManager& epochs_;
  MemoryAccount* const account_;  // may be null
  const std::unique_ptr<BtreeIndex> tree_;
  mutable std::shared_mutex graph_lock_;   // guards the pointer
  std::shared_ptr<NeighbourGraph> graph_;  // never null
  std::array<std::mutex, kStripes> stripes_;
};

std::unique_ptr<Index> create_hnsw_index(EpochManager& epochs, const PauseHook& pauses);
inline std::unique_ptr<Index> create_hnsw_index(const IndexEnvironment& e) {
  return std::make_unique<HnswIndex>(e.epochs, &e.account, e.pauses);
}

}  // namespace indigo::storage
