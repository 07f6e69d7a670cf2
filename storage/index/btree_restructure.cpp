// Splits, growth and merges of BtreeIndex. Each attempt descends again, latches the parent and then the nodes concerned
// by upgrading what it read, and builds new nodes; an attempt that meets a change is repeated from the root.
#include <algorithm>
#include <bit>
#include <cassert>

#include "storage/index/btree_index.h"

namespace indigo::storage {
namespace {

size_t common_prefix(Bytes a, Bytes b) {
  auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<size_t>(end - a.begin());
}

// The shortest place with left < place <= right.
void shortest_separator(const EntryKey& left, const EntryKey& right, BtreePlace& separator) {
  if (left.key != right.key) {
    separator.set({right.key.substr(0, common_prefix(left.key, right.key) + 1), {}});
  } else {
    separator.set({right.key, right.primary_key.substr(0, common_prefix(left.primary_key, right.primary_key) + 1)});
  }
}

EntryKey full_key(const BtreeNode& node, uint32_t position, BtreePlace& buffer) {
  node.read(position, buffer.key, buffer.primary_key);
  return buffer.at();
}

// The size of a node for `bytes` of entries and prefix; with some room if it is not of the usual size.
uint32_t capacity_for(size_t bytes) {
  size_t needed = BtreeNode::header_bytes() + bytes;
  if (needed <= BtreeNode::kDefaultBytes) return BtreeNode::kDefaultBytes;
  return static_cast<uint32_t>(std::bit_ceil(needed + needed / 4));
}

}  // namespace

OptimisticLatch& BtreeIndex::parent_latch(const Path& path, uint32_t step) const {
  return step == 0 ? root_latch_ : path.steps[step - 1].node->latch;
}

uint64_t BtreeIndex::parent_version(const Path& path, uint32_t step) const {
  return step == 0 ? path.root_version : path.steps[step - 1].version;
}

void BtreeIndex::replace_child(const Path& path, uint32_t step, BtreeNode* node) {
  if (step == 0) {
    store_shared(&root_, node);
  } else {
    path.steps[step - 1].node->set_child(path.steps[step - 1].child, node);
  }
}

// ---- splits

void BtreeIndex::make_room(const EntryKey& key, uint32_t level) {
  while (!try_make_room(key, level)) {
  }
}

// True when there is nothing left to do here; the caller looks again whether there is room.
bool BtreeIndex::try_make_room(const EntryKey& key, uint32_t level) {
  Path path;
  if (!try_descend(Toward::kAt, key, level, path)) return false;
  uint32_t at = path.depth - 1;
  BtreeNode& node = *path.steps[at].node;
  if (node.level != level) return true;  // the tree has become lower
  pauses_.at(PausePoint::kChangeIndex);
  if (!make_private(path)) return false;
  OptimisticLatch& above = parent_latch(path, at);
  if (!above.try_upgrade(parent_version(path, at))) return false;
  if (!node.latch.try_upgrade(path.steps[at].version)) {
    above.unlock_unchanged();
    return false;
  }
  const uint32_t place = node.lower_bound(key).position;
  if (has_room(path, place, key.key, key.primary_key)) {
    node.latch.unlock_unchanged();
    above.unlock_unchanged();
    return true;
  }
  if (node.count() < kMinFanout) {  // few and large: a larger node
    size_t bytes = node.bytes_of(0, node.count(), node.prefix().size()) + node.prefix().size() +
                   BtreeNode::bytes_needed(node.is_leaf(), key.key.size(), key.primary_key.size());
    BtreeNode* grown = create_node(std::max(capacity_for(bytes), node.capacity * 2), level, node.prefix());
    grown->set_child(0, node.child(0));
    grown->append(node, 0, node.count());
    replace_child(path, at, grown);
    node.latch.unlock();
    above.unlock();
    retire(&node);
    return true;
  }
  BtreePlace separator;
  BtreeNode *left, *right;
  uint32_t position = place;
  const bool ascending = path.rightmost && place == node.count();
  if (ascending && node.is_leaf()) {  // leave the left leaf as full as it is; begin a new one with the new key
    BtreePlace last;
    shortest_separator(full_key(node, node.count() - 1, last), key, separator);
    left = &node;
    right = nullptr;
  } else {
    position = ascending ? node.count() - 1 : node.count() / 2;
    left = right = nullptr;
    full_key(node, position, separator);
    if (node.is_leaf()) {
      BtreePlace before, after = separator;
      shortest_separator(full_key(node, position - 1, before), after.at(), separator);
    }
  }
  // Is there room for the separator in the parent? If not, make it first.
  BtreeNode* parent = at == 0 ? nullptr : path.steps[at - 1].node;
  if (parent && !parent->has_room(separator.key.size(), separator.primary_key.size())) {
    node.latch.unlock_unchanged();
    above.unlock_unchanged();
    make_room(separator.at(), level + 1);
    return false;
  }
  if (left == &node) {
    right = create_node(BtreeNode::kDefaultBytes, level, node.prefix());
  } else {
    split(path, position, separator, left, right);
    replace_child(path, at, left);
  }
  if (parent) {
    parent->insert(path.steps[at - 1].child, separator.at(), right);
  } else {
    BtreeNode* root = create_node(capacity_for(separator.key.size() + separator.primary_key.size()), level + 1, {});
    root->set_child(0, left);
    root->insert(0, separator.at(), right);
    store_shared(&root_, root);
  }
  node.latch.unlock();
  above.unlock();
  if (left != &node) retire(&node);
  return true;
}

// Builds the two halves of the path's last node: slots before `position`, and from it on. Their prefixes are what the
// separators around them have in common, which is at least the node's own prefix.
void BtreeIndex::split(Path& path, uint32_t position, BtreePlace& separator, BtreeNode*& left,
                       BtreeNode*& right) const {
  uint32_t at = path.depth - 1;
  const BtreeNode& node = *path.steps[at].node;
  size_t left_prefix = node.prefix().size(), right_prefix = left_prefix;
  if (at > 0) {
    const BtreeNode& parent = *path.steps[at - 1].node;
    uint32_t child = path.steps[at - 1].child;
    BtreePlace fence;
    if (child > 0) {
      left_prefix = std::max(left_prefix, common_prefix(full_key(parent, child - 1, fence).key, separator.key));
    }
    if (child < parent.count()) {
      right_prefix = std::max(right_prefix, common_prefix(full_key(parent, child, fence).key, separator.key));
    }
  }
  // An inner node's middle separator moves up; its child becomes the right half's first.
  uint32_t right_first = node.is_leaf() ? position : position + 1;
  auto build = [&](uint32_t first, uint32_t end, size_t prefix_length) {
    size_t bytes = node.bytes_of(first, end, prefix_length) + prefix_length;
    BtreeNode* half = create_node(capacity_for(bytes), node.level, Bytes(separator.key).substr(0, prefix_length));
    half->append(node, first, end);
    return half;
  };
  left = build(0, position, left_prefix);
  right = build(right_first, node.count(), right_prefix);
  if (!node.is_leaf()) {
    left->set_child(0, node.child(0));
    right->set_child(0, node.child(position + 1));
  }
}

// ---- merges

void BtreeIndex::shrink(const EntryKey& key) {
  constexpr int kRetries = 16;  // then leave it to the next erase
  int retries = 0;
  bool again = true;
  while (again) {  // a node alone below its parent may find a sibling once the parent has been merged
    again = false;
    bool alone = false;
    for (uint32_t level = 0; level < kMaxDepth; level++) {
      Merge outcome = try_merge(key, level);
      if (outcome == Merge::kRetry) {
        if (++retries > kRetries) return;
        level--;
      } else if (outcome == Merge::kMerged) {
        again |= alone;
      } else if (outcome == Merge::kAlone) {
        alone = true;
      } else {
        break;
      }
    }
  }
}

BtreeIndex::Merge BtreeIndex::try_merge(const EntryKey& key, uint32_t level) {
  Path path;
  if (!try_descend(Toward::kAt, key, level, path)) return Merge::kRetry;
  uint32_t at = path.depth - 1;
  BtreeNode& node = *path.steps[at].node;
  if (node.level != level) return Merge::kNothingToDo;
  pauses_.at(PausePoint::kChangeIndex);
  if (!make_private(path)) return Merge::kRetry;
  OptimisticLatch& above = parent_latch(path, at);
  if (!above.try_upgrade(parent_version(path, at))) return Merge::kRetry;
  if (!node.latch.try_upgrade(path.steps[at].version)) {
    above.unlock_unchanged();
    return Merge::kRetry;
  }
  auto leave = [&](Merge outcome) {
    node.latch.unlock_unchanged();
    above.unlock_unchanged();
    return outcome;
  };
  if (!node.underfull()) return leave(Merge::kNothingToDo);
  if (at == 0) {
    if (node.is_leaf() || node.count() > 0) return leave(Merge::kNothingToDo);
    store_shared(&root_, node.child(0));  // a root with one child is none
    node.latch.unlock();
    above.unlock();
    retire(&node);
    return Merge::kMerged;
  }
  BtreeNode& parent = *path.steps[at - 1].node;
  uint32_t child = path.steps[at - 1].child;
  if (parent.count() == 0) return leave(Merge::kAlone);
  for (bool to_the_right : {true, false}) {
    if (to_the_right ? child == parent.count() : child == 0) continue;
    BtreeNode& sibling = *parent.child(to_the_right ? child + 1 : child - 1);
    if (is_mapped(&sibling) || !mine(sibling)) continue;  // sharing it saves more than merging it
    sibling.latch.lock();                                 // its holder waits for nothing that we hold
    uint32_t separator_at = to_the_right ? child : child - 1;
    BtreePlace separator;
    full_key(parent, separator_at, separator);
    BtreeNode& left = to_the_right ? node : sibling;
    BtreeNode& right = to_the_right ? sibling : node;
    if (BtreeNode* both = merged(left, right, separator.at())) {
      parent.set_child(separator_at, both);
      parent.remove(separator_at);
      sibling.latch.unlock();
      node.latch.unlock();
      above.unlock();
      retire(&node);
      retire(&sibling);
      return Merge::kMerged;
    }
    sibling.latch.unlock_unchanged();
  }
  return leave(Merge::kDoesNotFit);
}

// nullptr when the two do not fit into one node with room to spare.
BtreeNode* BtreeIndex::merged(const BtreeNode& left, const BtreeNode& right, const EntryKey& separator) const {
  Bytes prefix = left.prefix().substr(0, common_prefix(left.prefix(), right.prefix()));
  size_t bytes =
      prefix.size() + left.bytes_of(0, left.count(), prefix.size()) + right.bytes_of(0, right.count(), prefix.size());
  if (!left.is_leaf()) bytes += BtreeNode::bytes_needed(false, separator.key.size(), separator.primary_key.size());
  uint32_t capacity = std::max(left.capacity, right.capacity);
  if (BtreeNode::header_bytes() + bytes > capacity / 4 * 3) return nullptr;
  BtreeNode* both = create_node(capacity_for(bytes), left.level, prefix);
  if (!left.is_leaf()) both->set_child(0, left.child(0));
  both->append(left, 0, left.count());
  if (!left.is_leaf()) both->insert(both->count(), separator, right.child(0));
  both->append(right, 0, right.count());
  return both;
}

}  // namespace indigo::storage
