// Structure changes of the tree: splits, merges, and the replacement of inner nodes that they need.
#include "storage/btree/tree.h"

namespace indigo::storage {

// A block of a leaf's size for a private copy.
class Tree::Scratch {
 public:
  Scratch(PagePool& pages, Need need) : pages_(pages), memory_(pages.allocate(need)) {}
  ~Scratch() {
    if (memory_ != nullptr) pages_.free(memory_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void* get() const { return memory_; }
  const Leaf* copy(const Leaf& leaf) {
    copy_from_shared(memory_, &leaf, leaf.node_bytes());
    return static_cast<const Leaf*>(memory_);
  }

 private:
  PagePool& pages_;
  void* memory_;
};

namespace {

// Records [0, n) are the fewest that take so many bytes; all `count` of them when they do not.
size_t records_of(const Leaf& leaf, size_t count, size_t wanted) {
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++) {
    bytes += sizeof(RecordMeta) + leaf.meta(i).body_length();
    if (bytes >= wanted) return i + 1;
  }
  return count;
}

}  // namespace

bool Tree::make_room(Leaf* leaf, size_t i, const KeyView& key, size_t bytes, Need need) {
  Leaf::Status s = leaf->status();
  // Compaction is worth it when it gains enough for several more records.
  size_t usable = node_bytes_ - Leaf::kHeaderBytes;
  bool compact = s.delete_bytes >= bytes && (s.delete_bytes > thresholds().dead_bytes(usable) || s.count < 2);
  Scratch scratch(pages_, need);
  void* page = compact || scratch.get() == nullptr ? nullptr : pages_.allocate(need);
  if (scratch.get() == nullptr || (!compact && page == nullptr)) {
    leaf->latch.unlock_unchanged();
    return false;
  }
  // One record (or none) and no room: the record limit and compaction make sure that this cannot stay so.
  if (compact || !split(leaf, i, key, scratch, page)) {
    leaf->compact(scratch.get());
    leaf->latch.unlock();
    if (page != nullptr) pages_.free(page);
  }
  return true;
}

bool Tree::split(Leaf* leaf, size_t i, const KeyView& key, Scratch& scratch, void* page) {
  Leaf::Status s = leaf->status();
  std::string high;
  leaf->high_fence(high);
  bool has_high = leaf->has_high_fence();
  Leaf* successor = leaf->successor();
  std::string separator;
  Leaf* right = nullptr;

  // Appending: the left leaf stays as full as it should be, what is above that goes to the right one. Often that is the new
  // record alone.
  const bool ascending = i == s.count && s.count > 0;
  const size_t usable = node_bytes_ - Leaf::kHeaderBytes;
  size_t at = records_of(*leaf, s.count, ascending ? thresholds().fill_bytes(usable) : leaf->used_bytes() / 2);
  bool append = ascending && at == s.count;
  if (append) {
    separator = shortest_separator(leaf->key(s.count - 1), key.bytes);
    append = separator.size() <= kPrefixBytes || separator.size() <= leaf->free_bytes();
  }
  if (append) {
    right = new_leaf(page, separator, has_high, high);
    right->latch.lock();
    right->set_successor(successor);
    leaf->set_high_fence(separator);
    leaf->set_successor(right);
  } else if (s.count < 2) {
    return false;
  } else {
    at = std::min<size_t>(at, s.count - 1);
    separator = shortest_separator(leaf->key(at - 1), leaf->key(at));
    right = new_leaf(page, separator, has_high, high);
    right->latch.lock();  // from record_moved on the records' owners know it, and may want to install
    const Leaf* source = scratch.copy(*leaf);
    right->set_successor(successor);
    right->append_records(*source, at, s.count);
    for (size_t r = 0; r < right->status().count; r++) mover_.record_moved(right->meta(r), right);
    leaf->assign(*source, 0, at, right, true, separator);
  }
  mover_.leaf_split(leaf, right);
  right->latch.unlock();
  leaf->latch.unlock();
  memory_.pauses.at(PausePoint::kSplit);
  insert_separator(separator, right);
  split_count_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

std::vector<Tree::Step> Tree::path(const KeyView& key) const {
  std::vector<Step> steps;
  void* node = root_.load(std::memory_order_relaxed);
  while (!is_leaf(node)) {
    Inner* inner = as_inner(node);
    size_t child = inner->find(key);
    steps.push_back({inner, child});
    node = inner->child(child);
  }
  return steps;
}

void Tree::insert_separator(const std::string& separator, Leaf* right) {
  std::lock_guard lock(structure_mutex_);
  void* root = root_.load(std::memory_order_relaxed);
  if (is_leaf(root)) {
    // Perhaps not `right`'s left neighbour, when that one is not in the parent yet: its successor leads on.
    Inner::Parts parts;
    parts.separators = {separator};
    parts.children = {root, tag(right)};
    root_.store(new_inner(parts), std::memory_order_release);
    return;
  }
  std::vector<Step> steps = path(KeyView(separator));
  size_t depth = steps.size() - 1;
  Inner::Parts parts = steps[depth].node->parts();
  auto at = static_cast<std::ptrdiff_t>(steps[depth].child);
  parts.separators.insert(parts.separators.begin() + at, separator);
  parts.children.insert(parts.children.begin() + at + 1, tag(right));
  replace(steps, depth, std::move(parts));
}

void Tree::set_link(const std::vector<Step>& steps, size_t depth, void* node) {
  if (depth == 0) {
    root_.store(node, std::memory_order_release);  // pairs with locate()
  } else {
    steps[depth - 1].node->set_child(steps[depth - 1].child, node);
  }
}

void Tree::replace(std::vector<Step>& steps, size_t depth, Inner::Parts parts) {
  Inner* old = steps[depth].node;
  if (!parts.too_large()) {
    set_link(steps, depth, new_inner(parts));
    retire(old);
    return;
  }
  // Ascending inserts fill nodes at the right edge: keep the left one fuller there.
  size_t n = parts.children.size();
  size_t left_count = steps[depth].child + 2 >= n ? n * 7 / 8 : n / 2;
  Inner::Parts left, right;
  left.level = right.level = parts.level;
  auto c = static_cast<std::ptrdiff_t>(left_count);
  left.children.assign(parts.children.begin(), parts.children.begin() + c);
  left.separators.assign(parts.separators.begin(), parts.separators.begin() + c - 1);
  right.children.assign(parts.children.begin() + c, parts.children.end());
  right.separators.assign(parts.separators.begin() + c, parts.separators.end());
  std::string middle = parts.separators[left_count - 1];
  Inner* left_node = new_inner(left);
  Inner* right_node = new_inner(right);
  if (depth == 0) {
    Inner::Parts root;
    root.level = parts.level + 1;
    root.separators = {middle};
    root.children = {left_node, right_node};
    set_link(steps, 0, new_inner(root));
  } else {
    Inner::Parts parent = steps[depth - 1].node->parts();
    auto at = static_cast<std::ptrdiff_t>(steps[depth - 1].child);
    parent.separators.insert(parent.separators.begin() + at, middle);
    parent.children[static_cast<size_t>(at)] = left_node;
    parent.children.insert(parent.children.begin() + at + 1, right_node);
    replace(steps, depth - 1, std::move(parent));
  }
  retire(old);
}

Inner* Tree::new_inner(const Inner::Parts& parts) {
  Inner* node = Inner::create(nodes_, parts, generation());
  inner_bytes_.fetch_add(node->bytes(), std::memory_order_relaxed);
  return node;
}

void Tree::retire(Inner* node) {
  inner_bytes_.fetch_sub(node->bytes(), std::memory_order_relaxed);
  epochs_.retire(
      node, [](void* memory, void* object) { static_cast<Valenblock*>(memory)->free(object); }, &nodes_);
}

void Tree::retire(Leaf* leaf) {
  leaf_count_.fetch_sub(1, std::memory_order_relaxed);
  epochs_.retire(
      leaf, [](void* pages, void* object) { static_cast<PagePool*>(pages)->free(object); }, &pages_);
}

bool Tree::try_merge(const KeyView& key) {
  Scratch left_scratch(pages_, Need::kAboveLimit), right_scratch(pages_, Need::kAboveLimit);
  if (left_scratch.get() == nullptr || right_scratch.get() == nullptr) return false;  // leaves may stay as they are
  std::lock_guard lock(structure_mutex_);
  std::vector<Step> steps = path(key);
  if (steps.empty()) return false;
  const Step& bottom = steps.back();
  // Both must be neighbours in one parent: then the separator between them is there too.
  if (bottom.child + 1 >= bottom.node->child_count()) return false;
  Leaf* left = as_leaf(bottom.node->child(bottom.child));
  Leaf* right = as_leaf(bottom.node->child(bottom.child + 1));
  if (memory_.is_mapped(left) || memory_.is_mapped(right) || !writable(left) || !writable(right)) return false;
  memory_.pauses.at(PausePoint::kMerge);
  left->latch.lock();
  size_t usable = node_bytes_ - Leaf::kHeaderBytes;
  if (left->successor() != right) {  // a split between them is not yet in the parent
    left->latch.unlock_unchanged();
    return false;
  }
  right->latch.lock();
  std::string high;
  right->high_fence(high);
  bool has_high = right->has_high_fence();
  size_t together = left->used_bytes() + right->used_bytes() + high.size();
  if (together > thresholds().merge_bytes(usable) || right->queued) {
    right->latch.unlock_unchanged();
    left->latch.unlock_unchanged();
    return false;
  }
  const Leaf* l = left_scratch.copy(*left);
  const Leaf* r = right_scratch.copy(*right);
  size_t from_left = l->status().count;
  left->assign(*l, 0, from_left, right->successor(), has_high, high);
  left->append_records(*r, 0, r->status().count);
  for (size_t i = from_left; i < left->status().count; i++) mover_.record_moved(left->meta(i), left);
  right->freeze();
  right->latch.unlock();
  left->latch.unlock();

  Inner::Parts parts = bottom.node->parts();
  auto at = static_cast<std::ptrdiff_t>(bottom.child);
  parts.separators.erase(parts.separators.begin() + at);
  parts.children.erase(parts.children.begin() + at + 1);
  replace(steps, steps.size() - 1, std::move(parts));
  retire(right);
  merge_count_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

}  // namespace indigo::storage
