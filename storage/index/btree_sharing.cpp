// Trees that share nodes: cloning, and copying what has to be written.
#include "storage/index/btree_index.h"

namespace indigo::storage {

BtreeIndex::BtreeIndex(BtreeIndex& source, uint64_t generation)
    : epochs_(source.epochs_),
      account_(source.account_),
      mapped_(source.mapped_),
      pauses_(source.pauses_),
      inverted_(source.inverted_),
      fill_percent_(source.fill_percent_.load(std::memory_order_relaxed)),
      generation_(generation),
      next_id_(source.next_id_.load(std::memory_order_relaxed)),
      memory_bytes_(source.memory_bytes()),
      root_(load_shared(&source.root_)) {
  add_reference(root_);
  count_entries(static_cast<int64_t>(source.entry_count()));
}

std::unique_ptr<Index> BtreeIndex::clone(uint64_t generation, uint64_t clone_generation) {
  generation_.store(generation, std::memory_order_relaxed);
  return std::unique_ptr<Index>(new BtreeIndex(*this, clone_generation));
}

// One node at a time: those above it are private.
bool BtreeIndex::make_private(Path& path) {
  uint32_t at = 0;
  while (at < path.depth && mine(*path.steps[at].node)) at++;
  if (at == path.depth) return true;
  pauses_.at(PausePoint::kChangeIndex);
  BtreeNode& node = *path.steps[at].node;
  OptimisticLatch& above = parent_latch(path, at);
  if (!above.try_upgrade(parent_version(path, at))) return false;
  if (!is_mapped(&node) && node.references().load(std::memory_order_acquire) == 1) {  // pairs with release
    node.set_generation(generation_.load(std::memory_order_relaxed));
    above.unlock_unchanged();
    return false;
  }
  BtreeNode* copy = create_node(node.capacity, node.level, node.prefix());
  if (!node.is_leaf()) copy->set_child(0, node.child(0));
  copy->append(node, 0, node.count());
  if (!node.is_leaf()) {
    for (uint32_t i = 0; i <= copy->count(); i++) add_reference(copy->child(i));
  }
  replace_child(path, at, copy);
  above.unlock();
  release(&node);
  return false;
}

void BtreeIndex::release(BtreeNode* node) {
  count_memory(-static_cast<int64_t>(node->capacity));
  if (mapped_ == nullptr) {
    auto free = [](void* account, void* object) {
      release(static_cast<BtreeNode*>(object), static_cast<MemoryAccount*>(account), nullptr);
    };
    epochs_.retire(node, free, account_);
  } else if (!mapped_->has(node)) {
    auto free = [](void* mapped, void* object) {
      const auto* blocks = static_cast<const MappedBlocks*>(mapped);
      release(static_cast<BtreeNode*>(object), blocks->account(), blocks);
    };
    epochs_.retire(node, free, const_cast<MappedBlocks*>(mapped_));
  }
}

void BtreeIndex::release(BtreeNode* node, MemoryAccount* account, const MappedBlocks* mapped) {
  if (mapped != nullptr && mapped->has(node)) return;
  if (node->references().fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (!node->is_leaf()) {
    for (uint32_t i = 0; i <= node->count(); i++) release(node->child(i), account, mapped);
  }
  if (account != nullptr) account->add(MemoryKind::kIndexes, -static_cast<int64_t>(node->capacity));
  BtreeNode::destroy(node);
}

}  // namespace indigo::storage
