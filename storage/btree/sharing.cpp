// Trees that share nodes: cloning, and copying what has to be written.
#include "storage/btree/tree.h"

namespace indigo::storage {

Tree::Tree(Tree& source, RecordMover& mover, uint64_t source_generation, uint64_t generation)
    : memory_(source.memory_),
      pages_(source.pages_),
      nodes_(source.nodes_),
      epochs_(source.epochs_),
      mover_(mover),
      first_generation_(generation),
      generation_(generation),
      node_bytes_(source.node_bytes_),
      thresholds_(source.thresholds()),
      root_(source.root_.load(std::memory_order_acquire)),
      leaf_count_(source.leaf_count()),
      inner_bytes_(source.inner_bytes()) {
  memory_.add_reference(root_.load(std::memory_order_relaxed));
  source.generation_.store(source_generation, std::memory_order_relaxed);
}

bool Tree::make_private(const KeyView& key, Need need) {
  void* page = pages_.allocate(need);
  if (page == nullptr) return false;
  memory_.pauses.at(PausePoint::kCopyNode);
  {
    std::lock_guard lock(structure_mutex_);
    std::vector<Step> steps = path(key);
    void* link = steps.empty() ? root_.load(std::memory_order_relaxed) : steps.back().node->child(steps.back().child);
    Leaf* leaf = as_leaf(link);  // read before, so examined
    // Writable: somebody else was faster. (Perhaps the key is in a right half that the parent does not know yet: that is
    // writable, too.)
    if (!writable(leaf)) {
      make_path_private(steps);
      if (foreign(leaf)) {
        replace_foreign(steps, leaf, page);
        page = nullptr;
      } else if (NodeMemory::only_one(link)) {
        leaf->set_generation(generation());
      } else {
        replace_shared(steps, leaf, page);
        page = nullptr;
      }
    }
  }
  if (page != nullptr) pages_.free(page);
  return true;
}

// From the root downward: each node's parent is private already.
void Tree::make_path_private(std::vector<Step>& steps) {
  for (size_t depth = 0; depth < steps.size(); depth++) {
    Inner* node = steps[depth].node;
    if (node->generation() == generation()) continue;
    if (NodeMemory::only_one(node)) {
      node->set_generation(generation());
      continue;
    }
    Inner* copy = Inner::create(nodes_, node->parts(), generation());  // as large: inner_bytes_ stays
    for (size_t i = 0; i < copy->child_count(); i++) memory_.add_reference(copy->child(i));
    set_link(steps, depth, copy);
    memory_.release_later(node);
    steps[depth].node = copy;
    copy_count_.fetch_add(1, std::memory_order_relaxed);
  }
}

Leaf* Tree::right_neighbour(const Leaf* leaf) const {
  if (!leaf->has_high_fence()) return nullptr;
  std::string high;
  leaf->high_fence(high);
  void* right = link_to(KeyView(high));
  return memory_.is_mapped(right) || foreign(as_leaf(right)) ? nullptr : as_leaf(right);
}

Leaf* Tree::lock_left_neighbour(Bytes low) const {
  if (low.empty()) return nullptr;
  void* link = link_before(KeyView(low));
  Leaf* leaf = as_leaf(link);
  if (memory_.is_mapped(link) || foreign(leaf)) return nullptr;
  std::string high;
  for (;;) {  // through the right halves of splits that the parent does not know yet
    leaf->latch.lock();
    leaf->high_fence(high);
    if (high == low) return leaf;
    Leaf* next = leaf->successor();
    leaf->latch.unlock_unchanged();
    leaf = next;
  }
}

void Tree::put_in_place(const std::vector<Step>& steps, Leaf* left, Leaf* copy) {
  if (steps.empty()) {
    root_.store(tag(copy), std::memory_order_release);  // pairs with locate()
  } else {
    steps.back().node->set_child(steps.back().child, tag(copy));
  }
  if (left != nullptr) {
    left->set_successor(copy);
    left->latch.unlock();
  }
}

// Takes the versions that were committed when the trees were parted: everything else is the other tree's.
void Tree::replace_foreign(const std::vector<Step>& steps, Leaf* leaf, void* page) {
  std::string low, high;
  leaf->low_fence(low);
  leaf->high_fence(high);
  Leaf* copy = Leaf::create(page, node_bytes_, generation(), low, leaf->has_high_fence(), high);
  const size_t count = leaf->status().count;
  for (size_t i = 0; i < count; i++) {
    RecordMeta m = leaf->meta(i).committed_only();
    if (!m.visible()) continue;
    mover_.record_copied(*leaf, m);
    copy->append_record(*leaf, m);
  }
  copy->set_successor(right_neighbour(leaf));
  Leaf* left = lock_left_neighbour(low);
  put_in_place(steps, left, copy);
  memory_.release_later(tag(leaf));
  copy_count_.fetch_add(1, std::memory_order_relaxed);
}

// The records continue in the copy, versions and all; what stays behind is for the clones.
void Tree::replace_shared(const std::vector<Step>& steps, Leaf* leaf, void* page) {
  std::string low, high;
  leaf->low_fence(low);
  leaf->high_fence(high);
  Leaf* left = lock_left_neighbour(low);
  leaf->latch.lock();
  Leaf* copy = Leaf::create(page, node_bytes_, generation(), low, leaf->has_high_fence(), high);
  copy->latch.lock();  // as in split(): record_moved tells the records' owners of it
  copy->set_successor(leaf->successor());
  const size_t count = leaf->status().count;
  copy->append_records(*leaf, 0, count);
  for (size_t i = 0; i < count; i++) {
    RecordMeta m = copy->meta(i);
    mover_.record_copied(*leaf, leaf->meta(i));
    mover_.record_moved(m, copy);
  }
  mover_.leaf_split(leaf, copy);
  put_in_place(steps, left, copy);
  leaf->freeze();
  const bool queued = leaf->queued;
  copy->latch.unlock();
  leaf->latch.unlock();
  if (!queued) memory_.release_later(tag(leaf));  // else the queue still names it
  copy_count_.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace indigo::storage
