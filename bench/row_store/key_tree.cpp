#include "bench/row_store/key_tree.h"

#include <algorithm>
#include <new>

namespace indigo::bench {

using storage::load_shared;
using storage::Need;
using storage::store_shared;

KeyTree::KeyTree(storage::PagePool& pages) : pages_(pages), root_(new_node(0)) {}

KeyTree::Node* KeyTree::new_node(uint32_t level) {
  static_assert(sizeof(Node) + kLeafEntries * 16 <= kNodeBytes);
  auto* n = new (pages_.allocate(Need::kMust)) Node();
  n->level = level;
  return n;
}

// First position whose key is not below `key`; without branches.
size_t KeyTree::lower_bound(const Node* n, size_t count, uint64_t key) {
  size_t low = 0;
  for (size_t length = std::min(count, kLeafEntries); length > 0;) {
    size_t half = length / 2;
    bool below = load_shared(n->keys + low + half) < key;
    low = below ? low + half + 1 : low;
    length = below ? length - half - 1 : half;
  }
  return low;
}

// Child i has the keys from separator i-1 (inclusive) to separator i (exclusive).
size_t KeyTree::child_index(const Node* n, size_t count, uint64_t key) {
  size_t i = lower_bound(n, count, key);
  return i < count && load_shared(n->keys + i) == key ? i + 1 : i;
}

const KeyTree::Node* KeyTree::leaf_of(uint64_t key, uint64_t& version) const {
  for (;;) {
    uint64_t parent_version = root_latch_.read_begin();
    const storage::OptimisticLatch* parent = &root_latch_;
    const Node* node = load_shared(&root_);
    for (;;) {
      version = node->latch.read_begin();
      if (!parent->validate(parent_version)) break;
      if (node->level == 0) return node;
      size_t i = child_index(node, load_shared(&node->count), key);
      auto* child = reinterpret_cast<const Node*>(load_shared(values(node) + std::min(i, kInnerKeys)));
      if (!node->latch.validate(version)) break;
      // The lines where the search begins, at once.
      __builtin_prefetch(child);
      __builtin_prefetch(child->keys + kLeafEntries / 2);
      __builtin_prefetch(child->keys + kLeafEntries / 4);
      __builtin_prefetch(child->keys + kLeafEntries / 4 * 3);
      parent = &node->latch;
      parent_version = version;
      node = child;
    }
  }
}

uint64_t KeyTree::find(uint64_t key) const {
  for (;;) {
    uint64_t version;
    const Node* leaf = leaf_of(key, version);
    size_t count = load_shared(&leaf->count);
    size_t i = lower_bound(leaf, count, key);
    uint64_t value = kNone;
    if (i < count && i < kLeafEntries && load_shared(leaf->keys + i) == key) value = load_shared(values(leaf) + i);
    if (leaf->latch.validate(version)) return value;
  }
}

size_t KeyTree::read_leaf(uint64_t key, Entry (&entries)[kLeafEntries], uint64_t& next) const {
  for (;;) {
    uint64_t version;
    const Node* leaf = leaf_of(key, version);
    size_t count = std::min<size_t>(load_shared(&leaf->count), kLeafEntries);
    size_t n = 0;
    for (size_t i = lower_bound(leaf, count, key); i < count; i++) {
      entries[n++] = {load_shared(leaf->keys + i), load_shared(values(leaf) + i)};
    }
    next = load_shared(&leaf->high);
    const Node* right = load_shared(&leaf->next);
    if (right != nullptr) __builtin_prefetch(right);
    if (leaf->latch.validate(version)) return n;
  }
}

uint64_t KeyTree::insert(uint64_t key, uint64_t value) {
  for (;;) {
    uint64_t parent_version = root_latch_.read_begin();
    Node* parent = nullptr;
    Node* node = load_shared(&root_);
    for (;;) {
      storage::OptimisticLatch& parent_latch = parent == nullptr ? root_latch_ : parent->latch;
      uint64_t version = node->latch.read_begin();
      if (!parent_latch.validate(parent_version)) break;
      size_t count = load_shared(&node->count);
      if (count == (node->level == 0 ? kLeafEntries : kInnerKeys)) {
        if (!parent_latch.try_upgrade(parent_version)) break;
        if (!node->latch.try_upgrade(version)) {
          parent_latch.unlock_unchanged();
          break;
        }
        split(parent, node);
        break;
      }
      if (node->level > 0) {
        size_t i = child_index(node, count, key);
        auto* child = reinterpret_cast<Node*>(load_shared(values(node) + std::min(i, kInnerKeys)));
        if (!node->latch.validate(version)) break;
        parent = node;
        parent_version = version;
        node = child;
        continue;
      }
      if (!node->latch.try_upgrade(version)) break;
      size_t i = lower_bound(node, count, key);
      if (i < count && node->keys[i] == key) {
        uint64_t there = values(node)[i];
        node->latch.unlock_unchanged();
        return there;
      }
      storage::move_shared(node->keys + i + 1, node->keys + i, (count - i) * 8);
      storage::move_shared(values(node) + i + 1, values(node) + i, (count - i) * 8);
      store_shared(node->keys + i, key);
      store_shared(values(node) + i, value);
      store_shared(&node->count, static_cast<uint32_t>(count + 1));
      node->latch.unlock();
      return kNone;
    }
  }
}

void KeyTree::split(Node* parent, Node* node) {
  Node* right = new_node(node->level);
  size_t count = node->count;
  // Ascending loads leave full nodes behind.
  bool last = node->high == kNone;
  size_t at = last ? count * 9 / 10 : count / 2;
  uint64_t separator = node->keys[at];
  bool leaf = node->level == 0;
  size_t from = leaf ? at : at + 1;  // an inner node's separator goes up
  right->count = static_cast<uint32_t>(count - from);
  std::copy_n(node->keys + from, count - from, right->keys);
  std::copy_n(values(node) + from, count - from + (leaf ? 0 : 1), values(right));
  right->high = node->high;
  right->next = node->next;
  store_shared(&node->next, leaf ? right : nullptr);
  store_shared(&node->high, separator);
  store_shared(&node->count, static_cast<uint32_t>(at));
  if (parent == nullptr) {
    Node* root = new_node(node->level + 1);
    root->count = 1;
    root->keys[0] = separator;
    values(root)[0] = reinterpret_cast<uint64_t>(node);
    values(root)[1] = reinterpret_cast<uint64_t>(right);
    store_shared(&root_, root);
    node->latch.unlock();
    root_latch_.unlock();
    return;
  }
  size_t n = parent->count;
  size_t i = child_index(parent, n, separator);
  storage::move_shared(parent->keys + i + 1, parent->keys + i, (n - i) * 8);
  storage::move_shared(values(parent) + i + 2, values(parent) + i + 1, (n - i) * 8);
  store_shared(parent->keys + i, separator);
  store_shared(values(parent) + i + 1, reinterpret_cast<uint64_t>(right));
  store_shared(&parent->count, static_cast<uint32_t>(n + 1));
  node->latch.unlock();
  parent->latch.unlock();
}

void KeyTree::erase(uint64_t key) {
  for (;;) {
    uint64_t version;
    auto* leaf = const_cast<Node*>(leaf_of(key, version));
    if (!leaf->latch.try_upgrade(version)) continue;
    size_t count = leaf->count;
    size_t i = lower_bound(leaf, count, key);
    if (i == count || leaf->keys[i] != key) {
      leaf->latch.unlock_unchanged();
      return;
    }
    storage::move_shared(leaf->keys + i, leaf->keys + i + 1, (count - i - 1) * 8);
    storage::move_shared(values(leaf) + i, values(leaf) + i + 1, (count - i - 1) * 8);
    store_shared(&leaf->count, static_cast<uint32_t>(count - 1));
    leaf->latch.unlock();
    return;
  }
}

}  // namespace indigo::bench
