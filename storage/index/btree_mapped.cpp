// Secondary indexes over leaves of an image: the levels above are built from the separators, and no leaf is read.
#include <bit>

#include "storage/index/btree_index.h"

namespace indigo::storage {

BtreeIndex::BtreeIndex(EpochManager& epochs, const PauseHook& pauses, const MappedBlocks& mapped,
                       const MappedEntries& entries, uint64_t generation)
    : epochs_(epochs),
      account_(mapped.account()),
      mapped_(&mapped),
      pauses_(pauses),
      inverted_(entries.inverted),
      generation_(generation),
      next_id_(entries.next_id),
      root_(nullptr) {
  std::vector<BtreeNode*> nodes = entries.leaves;
  std::vector<BtreePlace> separators = entries.separators;
  for (const uint32_t capacity : entries.capacities) count_memory(capacity);
  for (uint32_t level = 1; nodes.size() > 1; level++) build_level(nodes, separators, level);
  root_ = nodes.front();
  count_entries(static_cast<int64_t>(entries.entries));
}

// With room for splits in each, and no node of one child alone. The nodes' place admits any key by its prefix, so they have none.
void BtreeIndex::build_level(std::vector<BtreeNode*>& nodes, std::vector<BtreePlace>& separators, uint32_t level) {
  constexpr size_t kFilled = (BtreeNode::kDefaultBytes - BtreeNode::header_bytes()) / 8 * 7;
  std::vector<BtreeNode*> above;
  std::vector<BtreePlace> between;
  const auto bytes_of = [&](size_t i) {
    return BtreeNode::bytes_needed(false, separators[i].key.size(), separators[i].primary_key.size());
  };
  for (size_t first = 0; first < nodes.size();) {
    size_t end = first + 1, bytes = 0;  // children [first, end)
    while (end < nodes.size() && (end - first <= kMinFanout || bytes + bytes_of(end - 1) <= kFilled)) {
      bytes += bytes_of(end - 1);
      end++;
    }
    if (nodes.size() - end == 1) {
      bytes -= bytes_of(end - 2);
      end--;
    }
    const size_t needed = BtreeNode::header_bytes() + bytes;
    const size_t capacity =
        needed <= BtreeNode::kDefaultBytes ? size_t{BtreeNode::kDefaultBytes} : std::bit_ceil(needed + needed / 4);
    BtreeNode* node = create_node(static_cast<uint32_t>(capacity), level, {});
    node->set_child(0, nodes[first]);
    for (size_t i = first + 1; i < end; i++) node->insert(node->count(), separators[i - 1].at(), nodes[i]);
    above.push_back(node);
    if (end < nodes.size()) between.push_back(std::move(separators[end - 1]));
    first = end;
  }
  nodes = std::move(above);
  separators = std::move(between);
}

void BtreeIndex::for_each_leaf(
    const std::function<void(const BtreeNode& leaf, const BtreePlace& separator)>& visit) const {
  BtreePlace separator;
  visit_leaves(*load_shared(&root_), separator, visit);
}

void BtreeIndex::visit_leaves(const BtreeNode& node, BtreePlace& separator,
                              const std::function<void(const BtreeNode& leaf, const BtreePlace& separator)>& visit) {
  if (node.is_leaf()) {
    visit(node, separator);
    return;
  }
  for (uint32_t i = 0; i <= node.count(); i++) {
    if (i > 0) node.read(i - 1, separator.key, separator.primary_key);
    visit_leaves(*node.child(i), separator, visit);
  }
}

}  // namespace indigo::storage
