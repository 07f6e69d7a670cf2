// Trees over leaves of an image: the inner nodes are built from the leaves' low fences, and no leaf is read.
#include <algorithm>

#include "storage/btree/tree.h"

namespace indigo::storage {

Tree::Tree(NodeMemory& memory, RecordMover& mover, const MappedLeaves& leaves, uint64_t generation)
    : memory_(memory),
      pages_(memory.leaves),
      nodes_(memory.inners),
      epochs_(memory.epochs),
      mover_(mover),
      first_generation_(generation),
      generation_(generation),
      node_bytes_(pages_.block_bytes()),
      leaf_count_(leaves.low_fences.size()) {
  set_thresholds({});
  std::vector<void*> nodes;
  nodes.reserve(leaves.low_fences.size());
  for (size_t i = 0; i < leaves.low_fences.size(); i++) {
    nodes.push_back(tag(reinterpret_cast<Leaf*>(reinterpret_cast<uintptr_t>(leaves.first) + i * leaves.stride)));
  }
  std::vector<std::string> low_fences = leaves.low_fences;
  for (uint32_t level = 1; nodes.size() > 1; level++) build_level(nodes, low_fences, level);
  root_.store(nodes.front(), std::memory_order_release);
}

// Equal parts, with room for splits.
void Tree::build_level(std::vector<void*>& nodes, std::vector<std::string>& low_fences, uint32_t level) {
  constexpr size_t kMostChildren = Inner::kMaxChildren / 8 * 7, kMostKeyBytes = Inner::kMaxKeyBytes / 8 * 7;
  constexpr size_t kFewChildren = 4;  // so many are never too large
  const size_t parents = (nodes.size() + kMostChildren - 1) / kMostChildren;
  const size_t wanted = (nodes.size() + parents - 1) / parents;
  std::vector<void*> above;
  std::vector<std::string> above_fences;
  for (size_t i = 0; i < nodes.size();) {
    Inner::Parts parts;
    parts.level = level;
    parts.children = {nodes[i]};
    above_fences.push_back(std::move(low_fences[i]));
    size_t key_bytes = 0;
    for (i++; i < nodes.size() && parts.children.size() < wanted; i++) {
      key_bytes += low_fences[i].size() > kPrefixBytes ? low_fences[i].size() : 0;
      if (parts.children.size() >= kFewChildren && key_bytes > kMostKeyBytes) break;
      parts.separators.push_back(std::move(low_fences[i]));
      parts.children.push_back(nodes[i]);
    }
    above.push_back(new_inner(parts));
  }
  nodes = std::move(above);
  low_fences = std::move(above_fences);
}

}  // namespace indigo::storage
