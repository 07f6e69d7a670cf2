// The graph of HnswIndex: a node for each key, with its nearest neighbours, in layers of which each has a part of the nodes of the
// one below. A key is one byte, the column's, and a vector (base/vector_space.h).
//
// Source: Malkov and Yashunin, Efficient and robust approximate nearest neighbor search using Hierarchical Navigable Small World
// graphs (arXiv:1603.09320), algorithms 1 (insert), 2 (search of a layer) and 4 (choice of neighbours, pruned ones kept).
//
// Differences: a node that is removed gives its neighbours those of its other neighbours, and its place to another node; links
// that still lead there know it by the node's generation, and count no more. A search goes on where it ended when more is asked of
// it. A key that is no vector, or that cannot be compared with those that are linked, has a node without links.
//
// Thread safety: all functions. Searches, and the search for a new node's neighbours, share lock_; what changes links has it
// alone, for as long as the choice of some lists of neighbours takes.
//
// Invariants:
// 1. A live node's links lead to live nodes, or to places whose generation is another one by now.
// 2. entry_ is a linked node of the highest layer that there is; kNone: no node is linked.
// 3. by_key_ has every live node; its keys are those of the nodes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "storage/index/hnsw/graph_shape.h"

namespace indigo::storage {

class NeighbourGraph {
 public:
  // A node, among all that the graph ever has: its place and the place's generation.
  using Id = uint64_t;

  explicit NeighbourGraph(GraphShape shape) : shape_(shape) {}
  NeighbourGraph(const NeighbourGraph&) = delete;
  NeighbourGraph& operator=(const NeighbourGraph&) = delete;
  // The same nodes with the same names; keys are shared.
  std::shared_ptr<NeighbourGraph> copy() const;

  struct Added {
    Id id;
    uint64_t bytes;  // what the graph takes more
  };
  // The node of the key, which is made when there is none.
  Added add(Bytes key);
  std::optional<Id> find(Bytes key) const;
  // How many bytes the graph takes less.
  uint64_t remove(Id id);
  // Nothing: the node has gone.
  std::optional<std::string> key_of(Id id) const;
  size_t size() const;
  uint64_t memory_bytes() const { return bytes_.load(std::memory_order_relaxed); }
  const GraphShape& shape() const { return shape_; }
  std::string check() const;

  // The keys in the order of their distance from a target, nearly. The graph must live as long.
  class Search;

  // How many indexes have it as theirs (HnswIndex); changed while no writer is in either.
  std::atomic<uint32_t> owners{1};

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr uint8_t kHighestLayer = 24;

  struct Node {
    std::shared_ptr<const std::string> key;  // null: the place is free
    uint32_t generation = 0;
    uint8_t layer = 0;  // the highest that it is in
    bool linked = false;
    std::vector<std::vector<Id>> links;  // by layer
  };
  struct Near {
    float distance;
    uint32_t place;
    friend bool operator<(const Near& a, const Near& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.place < b.place;
    }
    friend bool operator>(const Near& a, const Near& b) { return b < a; }
  };

  static uint32_t place_of(Id id) { return static_cast<uint32_t>(id); }
  Id id_of(uint32_t place) const { return Id{nodes_[place].generation} << 32 | place; }
  bool is_live(Id id) const {
    const Node& node = nodes_[place_of(id)];
    return node.key != nullptr && node.generation == static_cast<uint32_t>(id >> 32);
  }
  size_t most_links(size_t layer) const { return layer == 0 ? 2 * size_t{shape_.degree} : shape_.degree; }
  // A list may grow so far before it is cut back to most_links, so that not every new link asks for a choice among all.
  size_t room_for_links(size_t layer) const { return most_links(layer) + most_links(layer) / 4 + 1; }
  uint8_t layer_for(Bytes key) const;
  float distance(Bytes key, uint32_t place) const;
  // Whether a node with this key belongs among the linked ones.
  bool fits(Bytes key) const;

  // ---- with the lock, shared or alone
  uint32_t descend(Bytes key, uint8_t to_layer) const;
  std::vector<Near> search_layer(Bytes key, uint32_t from, size_t layer, size_t wanted) const;
  std::vector<uint32_t> choose(std::vector<Near> candidates, size_t most) const;
  std::vector<std::vector<uint32_t>> neighbours_for(Bytes key, uint8_t layer) const;
  // ---- with the lock alone
  uint32_t new_place(std::shared_ptr<const std::string> key, uint8_t layer);
  void link(uint32_t place, const std::vector<std::vector<uint32_t>>& chosen);
  void add_link(uint32_t from, uint32_t to, size_t layer);
  void replace_links(uint32_t place, size_t layer, std::vector<Near> candidates);
  void find_entry();
  uint64_t bytes_of(const Node& node) const;

  const GraphShape shape_;
  mutable std::shared_mutex lock_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> free_;
  std::unordered_map<Bytes, uint32_t> by_key_;
  uint32_t entry_ = kNone;
  std::atomic<uint64_t> bytes_{0};
};

class NeighbourGraph::Search {
 public:
  // `wanted`: how many candidates are kept at a time (ef_search), at least 1.
  Search(const NeighbourGraph& graph, std::string target, size_t wanted)
      : graph_(graph), target_(std::move(target)), wanted_(wanted) {}
  // Appends the next keys, the nearest first; false: there are no more. Those that have gone meanwhile are left out.
  bool next(std::vector<std::string>& keys);
  // Whether it was among them.
  bool gave(Bytes key) const;

 private:
  bool visit(uint32_t place);

  const NeighbourGraph& graph_;
  const std::string target_;
  const size_t wanted_;
  bool begun_ = false;
  std::vector<bool> visited_, given_;  // by place
  // By distance, the nearest at the front of the heap: nodes that have been met and not been given.
  std::vector<std::pair<float, Id>> left_;
};

}  // namespace indigo::storage
