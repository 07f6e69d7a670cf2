// The graph of HnswIndex: a node for each key (node_key.h), with its nearest neighbours, in layers of which each has a part of the
// nodes of the one below.
//
// Source: Malkov and Yashunin, Efficient and robust approximate nearest neighbor search using Hierarchical Navigable Small World
// graphs (arXiv:1603.09320), algorithms 1 (insert), 2 (search of a layer) and 4 (choice of neighbours, pruned ones kept).
//
// Differences: a node that is removed gives its neighbours those of its other neighbours, and its place to another node; links
// that still lead there know it by the node's generation, and count no more. A search goes on where it ended when more is asked of
// it. A key that is no vector, or that cannot be compared with those that are linked, has a node without links. Of a node's
// neighbours all that are new are found before the first distance is measured, so that their vectors come from memory side by side.
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
#include <vector>

#include "base/bytes.h"
#include "base/vector_space.h"
#include "storage/index/hnsw/graph_shape.h"
#include "storage/index/hnsw/node_key.h"

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
  // Empty: the node has gone.
  NodeKey key_of(Id id) const;
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

  // A cache line.
  struct alignas(64) Node {
    NodeKey key;  // empty: the place is free
    uint32_t generation = 0;
    uint8_t layer = 0;  // the highest that it is in
    bool linked = false;
    std::vector<std::vector<Id>> links;  // by layer
  };
  struct Near {
    float distance;
    Id id;
    friend bool operator<(const Near& a, const Near& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.id < b.id;
    }
    friend bool operator>(const Near& a, const Near& b) { return b < a; }
  };
  // What a search of a layer has met: by place; and in any order what it has not given.
  struct Walk {
    std::vector<bool> visited;
    std::vector<Near> left;
  };

  static uint32_t place_of(Id id) { return static_cast<uint32_t>(id); }
  Id id_of(uint32_t place) const { return Id{nodes_[place].generation} << 32 | place; }
  bool is_live(Id id) const {
    const Node& node = nodes_[place_of(id)];
    return !node.key.empty() && node.generation == static_cast<uint32_t>(id >> 32);
  }
  size_t most_links(size_t layer) const { return layer == 0 ? 2 * size_t{shape_.degree} : shape_.degree; }
  // A list may grow so far before it is cut back to most_links, so that not every new link asks for a choice among all.
  size_t room_for_links(size_t layer) const { return most_links(layer) + most_links(layer) / 4 + 1; }
  uint8_t layer_for(Bytes key) const;
  const NodeKey& key_at(Id id) const { return nodes_[place_of(id)].key; }
  // Whether a node with this key belongs among the linked ones.
  bool fits(Bytes key) const;

  // ---- with the lock, shared or alone
  // Puts the live neighbours in `met` that pass `is_new(place)`, with their distances.
  template <class Condition>
  void measure_neighbours(const DistanceFrom& target, uint32_t place, size_t layer, std::vector<Near>& met,
                          const Condition& is_new) const;
  Near descend(const DistanceFrom& target, uint8_t to_layer) const;
  static void begin(Walk& walk, Near first, size_t places);
  std::vector<Near> search_layer(const DistanceFrom& target, size_t layer, size_t wanted, Walk& walk) const;
  std::vector<Id> choose(std::vector<Near> candidates, size_t most) const;
  std::vector<std::vector<Id>> neighbours_for(Bytes key, uint8_t layer) const;
  // ---- with the lock alone
  uint32_t new_place(NodeKey key, uint8_t layer);
  void link(uint32_t place, const std::vector<std::vector<Id>>& chosen);
  void add_link(uint32_t from, Id to, size_t layer);
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
  struct Found {
    Id id;
    NodeKey key;
  };

  // `wanted`: how many candidates are kept at a time (ef_search), at least 1.
  Search(const NeighbourGraph& graph, Bytes target, size_t wanted) : graph_(graph), target_(target), wanted_(wanted) {}
  // Appends the next nodes, the nearest first; false: there are no more. Those that have gone meanwhile are left out.
  bool next(std::vector<Found>& nodes);
  // Whether it was among them.
  bool gave(Bytes key) const;

 private:
  const NeighbourGraph& graph_;
  const NodeKey target_;
  const size_t wanted_;
  bool begun_ = false;
  Walk walk_;
  std::vector<bool> given_;  // by place
};

}  // namespace indigo::storage
