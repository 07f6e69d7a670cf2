// Evaluates a tsquery over words that somebody else knows: a tsvector, the covers of a ranking, the words of a headline.
// Phrases need positions: where there are none, the answer inside a phrase is "maybe", which counts as no.
// Thread safety: as the operands.
#pragma once

#include <cstdint>
#include <vector>

#include "types/textsearch/tsquery.h"

namespace indigo::types {

enum class QueryAnswer : uint8_t { kNo, kYes, kMaybe };

class QueryOperands {
 public:
  virtual ~QueryOperands() = default;
  // Whether the word of a node is there; with `positions`, which are empty, where: ascending, each once.
  virtual QueryAnswer find(uint32_t node, std::vector<int32_t>* positions) const = 0;
};

// The tree has been through check_tree, and is not empty.
bool query_holds(const QueryTree& tree, const QueryOperands& operands);

}  // namespace indigo::types
