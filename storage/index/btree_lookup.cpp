// Look-ups of several keys in BtreeIndex: they descend side by side, so that their cache misses overlap.
#include <algorithm>

#include "storage/index/btree_index.h"

namespace indigo::storage {

void BtreeIndex::find_leaves(std::span<const Bytes> keys, std::span<LeafFound> leaves) const {
  const uint64_t root_version = root_latch_.read_begin();
  BtreeNode* root = load_shared(&root_);
  if (!root_latch_.validate(root_version)) return;
  examine(root);
  const uint64_t first = root->latch.read_begin();
  if (!root_latch_.validate(root_version)) return;
  for (LeafFound& at : leaves) at = {root, first};
  BtreeNode* children[kLookupBatch];
  for (uint32_t level = root->level; level > 0; level--) {
    for (size_t i = 0; i < keys.size(); i++) {
      LeafFound& at = leaves[i];
      if (at.leaf == nullptr) continue;
      const BtreeNode::Found found = at.leaf->lower_bound({keys[i], {}});
      children[i] = at.leaf->child(found.position + (found.equal ? 1 : 0));
      if (at.leaf->latch.validate(at.version)) {
        examine(children[i]);
        children[i]->prefetch();
      } else {
        at = {};
      }
    }
    for (size_t i = 0; i < keys.size(); i++) {
      LeafFound& at = leaves[i];
      if (at.leaf == nullptr) continue;
      // The child's version comes before its parent is looked at again: it was this parent's child then.
      const uint64_t version = children[i]->latch.read_begin();
      at = at.leaf->latch.validate(at.version) ? LeafFound{children[i], version} : LeafFound{};
      if (at.leaf != nullptr) at.leaf->prefetch_slots(keys[i]);
    }
  }
}

bool BtreeIndex::contains(const EntryKey& entry) const {
  EpochManager::Guard guard(epochs_);
  Path path;
  for (;;) {
    descend(Toward::kAt, entry, 0, path);
    const BtreeNode& leaf = *path.last().node;
    const bool found = leaf.lower_bound(entry).equal;
    if (leaf.latch.validate(path.last().version)) return found;
  }
}

void BtreeIndex::look_ahead(std::span<const Bytes> keys, Ahead& ahead) const {
  EpochManager::Guard guard(epochs_);
  ahead.epoch_ = epochs_.current();
  ahead.leaves_.fill({});
  find_leaves(keys, {ahead.leaves_.data(), keys.size()});
  for (const LeafFound& at : ahead.leaves_) {
    if (at.leaf != nullptr) at.leaf->prefetch_heap();
  }
}

// What comes before an entry that is there, and not before the key by which the leaf was found, belongs there. A leaf of this
// tree's own generation has none but such above it (btree_sharing.cpp).
bool BtreeIndex::latch_there(const LeafFound& at, const EntryKey& entry, BtreeNode::Found& found) const {
  if (at.leaf == nullptr || !mine(*at.leaf)) return false;
  found = at.leaf->lower_bound(entry);
  return found.position < at.leaf->count() && at.leaf->latch.try_upgrade(at.version);
}

void BtreeIndex::insert_guarded(const EntryKey& entry, const Ahead& ahead, size_t i) {
  BtreeNode::Found found;
  if (epochs_.current() == ahead.epoch_ && latch_there(ahead.leaves_[i], entry, found)) {
    BtreeNode& leaf = *ahead.leaves_[i].leaf;
    const bool done = found.equal || leaf.has_room(entry.key.size(), entry.primary_key.size());
    if (done && !found.equal) {
      leaf.insert(found.position, entry, nullptr);
      leaf.latch.unlock();
      count_entries(1);
    } else {
      leaf.latch.unlock_unchanged();
    }
    if (done) return;
  }
  insert_guarded(entry);
}

bool BtreeIndex::erase_guarded(const EntryKey& entry, const Ahead& ahead, size_t i) {
  BtreeNode::Found found;
  if (epochs_.current() == ahead.epoch_ && latch_there(ahead.leaves_[i], entry, found)) {
    BtreeNode& leaf = *ahead.leaves_[i].leaf;
    if (!found.equal) {
      leaf.latch.unlock_unchanged();
      return false;
    }
    leaf.remove(found.position);
    const bool underfull = leaf.underfull() && &leaf != load_shared(&root_);
    leaf.latch.unlock();
    count_entries(-1);
    if (underfull) shrink(entry);
    return true;
  }
  return erase_guarded(entry, {});
}

void BtreeIndex::lookup_many(std::span<const Bytes> keys, IndexMatches& out) {
  out.ends.clear();
  LeafFound leaves[kLookupBatch];
  std::vector<std::string> alone;
  for (size_t begin = 0; begin < keys.size(); begin += kLookupBatch) {
    const size_t n = std::min(kLookupBatch, keys.size() - begin);
    EpochManager::Guard guard(epochs_);
    std::fill_n(leaves, n, LeafFound{});
    find_leaves(keys.subspan(begin, n), {leaves, n});
    for (size_t i = 0; i < n; i++) {
      if (leaves[i].leaf == nullptr) continue;
      leaves[i].leaf->prefetch_entry(leaves[i].leaf->lower_bound({keys[begin + i], {}}).position);
    }
    for (size_t i = 0; i < n; i++) {
      const Bytes key = keys[begin + i];
      const uint32_t first = out.count();
      uint32_t found = 0;
      bool whole = false;
      if (leaves[i].leaf != nullptr) {
        const BtreeNode& leaf = *leaves[i].leaf;
        const uint32_t count = leaf.count();
        uint32_t at = leaf.lower_bound({key, {}}).position;
        for (; at < count && leaf.has_key(at, key); at++, found++) leaf.read_primary(at, out.at(first + found));
        // Another key follows in the leaf, so the key's entries end there.
        whole = at < count && leaf.latch.validate(leaves[i].version);
      }
      if (!whole) {
        found = static_cast<uint32_t>(lookup(key, alone));
        for (uint32_t k = 0; k < found; k++) out.at(first + k).assign(alone[k]);
      }
      out.ends.push_back(first + found);
    }
  }
}

}  // namespace indigo::storage
