// BtreeIndex's invariants, checked by a walk over the whole tree.
#include <optional>

#include "storage/index/btree_index.h"

namespace indigo::storage {
namespace {

struct Totals {
  uint64_t entries = 0, bytes = 0;
};

std::string check_node(const BtreeNode& node, const std::optional<BtreePlace>& low,
                       const std::optional<BtreePlace>& high, const MappedBlocks& mapped, Totals& totals) {
  auto wrong = [&](const char* what) {
    return std::string(what) + " (node " + std::to_string(node.id) + ", level " + std::to_string(node.level) + ")";
  };
  totals.bytes += node.capacity;
  if (node.is_leaf()) totals.entries += node.count();
  if (node.bytes_of(0, node.count(), node.prefix().size()) + node.prefix().size() != node.live_bytes()) {
    return wrong("bytes in use are miscounted");
  }
  if (node.live_bytes() + BtreeNode::header_bytes() > node.capacity) return wrong("more bytes than there are");
  if (low && high && (!low->key.starts_with(node.prefix()) || !high->key.starts_with(node.prefix()))) {
    return wrong("the prefix is not common to the node's place");
  }
  std::optional<BtreePlace> before = low;
  for (uint32_t i = 0; i <= node.count(); i++) {
    std::optional<BtreePlace> here;
    if (i < node.count()) {
      here.emplace();
      node.read(i, here->key, here->primary_key);
      bool first_entry = node.is_leaf() && i == 0;  // may equal the separator on its left
      if (before && (here->at() < before->at() || (!first_entry && here->at() == before->at()))) {
        return wrong("slots are out of order");
      }
      if (high && !(here->at() < high->at())) return wrong("a slot lies beyond its node's place");
      if (!(node.lower_bound(here->at()).equal && node.lower_bound(here->at()).position == i)) {
        return wrong("a slot cannot be found");
      }
    } else {
      here = high;
    }
    if (!node.is_leaf()) {
      const BtreeNode* child = node.child(i);
      if (!child) return wrong("a child is missing");
      mapped.examine(child);
      if (child->level + 1 != node.level) return wrong("a child has another level");
      if (std::string error = check_node(*child, before, here, mapped, totals); !error.empty()) return error;
    }
    before = here;
  }
  return {};
}

}  // namespace

std::string BtreeIndex::check() const {
  EpochManager::Guard guard(epochs_);
  Totals totals;
  const BtreeNode& root = *load_shared(&root_);
  examine(&root);
  const MappedBlocks& mapped = mapped_ != nullptr ? *mapped_ : MappedBlocks::none();
  if (std::string error = check_node(root, std::nullopt, std::nullopt, mapped, totals); !error.empty()) return error;
  if (totals.entries != entry_count()) return "the number of entries is miscounted";
  if (totals.bytes != memory_bytes()) return "the bytes of memory are miscounted";
  return {};
}

}  // namespace indigo::storage
