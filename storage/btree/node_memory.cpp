#include "storage/btree/node_memory.h"

namespace indigo::storage {

void NodeMemory::release(void* link) {
  if (is_mapped(link)) return;
  if (references(link).fetch_sub(1, std::memory_order_acq_rel) != 1) return;  // pairs with only_one
  if (NodeLink::is_leaf(link)) {
    Leaf* leaf = NodeLink::leaf(link);
    if (leaf->may_overflow()) leaf_gone_(context_, *leaf);
    leaves.free(leaf);
    return;
  }
  Inner* inner = NodeLink::inner(link);
  for (size_t i = 0; i < inner->child_count(); i++) release(inner->child(i));
  inners.free(inner);
}

void NodeMemory::release_later(void* link) {
  if (is_mapped(link)) return;
  epochs.retire(
      link, [](void* memory, void* object) { static_cast<NodeMemory*>(memory)->release(object); }, this);
}

}  // namespace indigo::storage
