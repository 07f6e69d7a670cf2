#include "storage/btree/tree.h"

namespace indigo::storage {

Tree::Tree(NodeMemory& memory, RecordMover& mover)
    : memory_(memory),
      pages_(memory.leaves),
      nodes_(memory.inners),
      epochs_(memory.epochs),
      mover_(mover),
      first_generation_(0),
      generation_(0),
      node_bytes_(pages_.block_bytes()) {
  set_thresholds({});
  root_.store(tag(new_leaf(pages_.allocate(Need::kMust), {}, false, {})), std::memory_order_relaxed);
}

void Tree::set_thresholds(LeafThresholds thresholds) {
  thresholds.inline_bytes = thresholds.largest_inline(node_bytes_);
  thresholds_.store(thresholds, std::memory_order_relaxed);
}

Tree::~Tree() { memory_.release(root_.load(std::memory_order_relaxed)); }

Leaf* Tree::new_leaf(void* memory, Bytes low, bool has_high, Bytes high) {
  leaf_count_.fetch_add(1, std::memory_order_relaxed);
  return Leaf::create(memory, node_bytes_, generation(), low, has_high, high);
}

void* Tree::link_to(const KeyView& key) const {
  void* node = root_.load(std::memory_order_acquire);  // pairs with set_link
  while (!is_leaf(node)) {
    Inner* inner = as_inner(node);
    node = inner->child(inner->find(key));
  }
  return node;
}

void* Tree::link_before(const KeyView& key) const {
  void* node = root_.load(std::memory_order_acquire);
  while (!is_leaf(node)) {
    Inner* inner = as_inner(node);
    node = inner->child(inner->find_before(key));
  }
  return node;
}

Leaf* Tree::locate(const KeyView& key) const { return readable(link_to(key)); }

bool Tree::mapped_before(const KeyView& key) const { return memory_.is_mapped(link_before(key)); }

Leaf* Tree::continue_from(Leaf* leaf, const KeyView& key, uint64_t& version) const {
  for (;;) {
    version = leaf->latch.read_begin();
    bool frozen = leaf->status().frozen;
    bool beyond = leaf->beyond(key);
    Leaf* successor = leaf->successor();
    if (!frozen && !beyond) return leaf;  // the caller validates
    if (foreign(leaf)) return leaf;
    if (!leaf->latch.validate(version)) continue;
    leaf = frozen ? locate(key) : successor;
  }
}

Leaf* Tree::find_leaf(const KeyView& key, uint64_t& version) const { return continue_from(locate(key), key, version); }

Leaf* Tree::find_leaf_before(const KeyView& key, uint64_t& version) const {
  for (;;) {
    Leaf* leaf = readable(link_before(key));
    std::string high;
    for (;;) {  // on to the last leaf whose low fence is below the key
      version = leaf->latch.read_begin();
      bool frozen = leaf->status().frozen;
      bool has_high = leaf->has_high_fence();
      leaf->high_fence(high);
      Leaf* successor = leaf->successor();
      if (!leaf->latch.validate(version)) continue;
      if (foreign(leaf)) return leaf;
      if (frozen) break;
      if (!has_high || compare_keys(high, key.bytes) >= 0) return leaf;
      leaf = successor;
    }
  }
}

Leaf* Tree::last_leaf(uint64_t& version) const {
  for (;;) {
    void* node = root_.load(std::memory_order_acquire);
    while (!is_leaf(node)) node = as_inner(node)->child(as_inner(node)->child_count() - 1);
    Leaf* leaf = readable(node);
    for (;;) {
      version = leaf->latch.read_begin();
      bool frozen = leaf->status().frozen;
      Leaf* successor = leaf->successor();
      if (!leaf->latch.validate(version)) continue;
      if (foreign(leaf)) return leaf;
      if (frozen) break;
      if (successor == nullptr) return leaf;
      leaf = successor;
    }
  }
}

Leaf* Tree::lock_leaf(const KeyView& key, Need need) {
  Leaf* leaf = locate(key);
  for (;;) {
    if (!writable(leaf)) {
      if (!make_private(key, need)) return nullptr;
      leaf = locate(key);
      continue;
    }
    memory_.pauses.at(PausePoint::kLatch);
    leaf->prefetch_record(key);  // comes while the latch is taken
    leaf->latch.lock();
    bool frozen = leaf->status().frozen;
    if (!frozen && !leaf->beyond(key)) return leaf;
    Leaf* successor = leaf->successor();
    leaf->latch.unlock_unchanged();
    leaf = frozen ? locate(key) : successor;
  }
}

void Tree::visit_leaves(void* node, uint64_t from_generation, const std::function<void(Leaf*)>& visit) const {
  if (is_leaf(node)) {
    if (memory_.is_mapped(node) && from_generation > 0) return;  // it is of none
    if (Leaf* leaf = readable(node); leaf->generation() >= from_generation) visit(leaf);
    return;
  }
  const Inner* inner = as_inner(node);
  // What hangs below a node is not younger, but for what its own tree has made since.
  if (inner->generation() < from_generation) return;
  for (size_t i = 0; i < inner->child_count(); i++) visit_leaves(inner->child(i), from_generation, visit);
}

void Tree::for_each_leaf(const std::function<void(Leaf*)>& visit) const {
  visit_leaves(root_.load(std::memory_order_acquire), 0, visit);
}

void Tree::for_each_own_leaf(const std::function<void(Leaf*)>& visit) const {
  visit_leaves(root_.load(std::memory_order_acquire), first_generation_, visit);
}

uint64_t Tree::inner_bytes_below(void* node) {
  if (is_leaf(node)) return 0;
  const Inner* inner = as_inner(node);
  uint64_t bytes = inner->bytes();
  for (size_t i = 0; i < inner->child_count(); i++) bytes += inner_bytes_below(inner->child(i));
  return bytes;
}

std::string Tree::check() const {
  std::string problem;
  std::string previous_high;
  bool first = true;
  const Leaf* expected = nullptr;  // the last leaf's successor
  uint64_t leaves = 0;
  for_each_leaf([&](Leaf* leaf) {
    leaves++;
    std::string low;
    leaf->low_fence(low);
    if (first ? !low.empty() : low != previous_high) problem = "fences do not meet";
    first = false;
    leaf->high_fence(previous_high);
    Leaf::Status s = leaf->status();
    if (s.frozen && !foreign(leaf)) problem = "a frozen leaf is linked";
    std::string last = low;
    for (size_t i = 0; i < s.count; i++) {
      std::string key = leaf->key(i);
      if (i > 0 ? key <= last : key < low) problem = "keys out of order";
      if (leaf->has_high_fence() && key >= previous_high) problem = "key beyond the high fence";
      if (!leaf->sound(leaf->meta(i))) problem = "body outside the leaf";
      uint64_t version;
      if (find_leaf(KeyView(key), version) != leaf) problem = "descending leads elsewhere";
      last = key;
    }
    if (foreign(leaf)) {
      if (expected != nullptr) problem = "a successor of one's own is foreign";
      expected = nullptr;
      return;
    }
    if (expected != nullptr && expected != leaf) problem = "a successor leads elsewhere";
    expected = leaf->successor();
    if (!leaf->has_high_fence() && expected != nullptr) problem = "successor of the last leaf";
  });
  if (leaves != leaf_count()) problem = "leaves counted wrong";
  if (inner_bytes() != inner_bytes_below(root_.load(std::memory_order_acquire))) problem = "inner nodes counted wrong";
  return problem;
}

}  // namespace indigo::storage
