// Labels: the numbers of a decimal-like fraction that put things in an order of their own, so that a new one fits between any
// two. As bytes they compare by memcmp and none is a prefix of another's: what a tree keeps for values whose order only a
// function knows (types/value/defined_order.h). A label never changes once it is given.
//
// Growth: what arrives in ascending or descending order, or from both ends to the middle, takes a new digit every 10,000
// values or so; what arrives at random, one for each 30 or so levels of a search tree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace indigo::types {

using OrderLabel = std::vector<uint64_t>;

// Where the next label is expected, seen from the one that is wanted: room is left there.
enum class NextLabel : uint8_t { kAnywhere, kBelow, kAbove };

// One strictly between the two; null: no bound on that side. `below` is less than `above`.
OrderLabel label_between(const OrderLabel* below, const OrderLabel* above, NextLabel next);

void append_label(const OrderLabel& label, std::string& out);

}  // namespace indigo::types
