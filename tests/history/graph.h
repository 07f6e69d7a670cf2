// A direct serialization graph over committed transactions, and its cycles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/history/history.h"

namespace indigo::history {

enum class EdgeKind : uint8_t { kWw, kWr, kRw, kTime };

class Graph {
 public:
  explicit Graph(std::vector<const Transaction*> nodes);

  void add(const Transaction* from, const Transaction* to, EdgeKind kind);
  // Real time: who was acknowledged before the other began. Through auxiliary nodes, one for each end.
  void add_time();
  uint64_t edge_count() const { return edge_count_; }

  // One cycle in words, empty when there is none.
  std::string cycle(bool with_rw) const;          // of all edges, or of those that are not rw
  std::string cycle_without_adjacent_rw() const;  // no two rw edges in a row

 private:
  struct Edge {
    uint32_t to;
    EdgeKind kind;
  };
  using Edges = std::vector<std::vector<Edge>>;
  std::string find(const Edges& edges) const;

  std::vector<const Transaction*> nodes_;
  std::vector<uint32_t> number_;  // by transaction id
  Edges edges_;                   // nodes_ first, then auxiliary ones
  uint64_t edge_count_ = 0;
};

}  // namespace indigo::history
