// What a graph of neighbours is made with (pgvector's parameters of `hnsw`).
#pragma once

#include <cstdint>

namespace indigo::storage {

struct GraphShape {
  uint16_t degree = 16;      // m: neighbours of a node in the upper layers; twice as many in the lowest
  uint16_t candidates = 64;  // ef_construction: among how many its neighbours are chosen

  friend bool operator==(const GraphShape&, const GraphShape&) = default;
};

}  // namespace indigo::storage
