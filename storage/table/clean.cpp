// Reclamation of one table: versions that no snapshot sees, purged tombstones, merged leaves.
#include <algorithm>
#include <cstdint>

#include "storage/table/table_impl.h"

namespace indigo::storage {

namespace {
constexpr size_t kHeldPerRound = 256;  // leaves looked at again though the oldest snapshot has not changed
}

bool TableImpl::clean_leaf(Leaf* leaf, const ActiveSnapshots& active) {
  std::vector<Dropped> dropped;
  bool dirty = false;
  bool small;
  {
    EpochManager::WriteGuard guard(store_.epochs());
    leaf->latch.lock();
    if (leaf->status().frozen) {
      leaf->latch.unlock_unchanged();
      tree_.release_replaced(leaf);
      return false;
    }
    const bool writable = tree_.writable(leaf);  // else chains can be cut, and no more
    bool changed = false, copy = false;
    for (size_t i = 0; i < leaf->status().count;) {
      RecordMeta m = leaf->meta(i);
      bool updating = m.state() == RecordState::kUpdating;
      if (m.state() == RecordState::kInserting) {
        i++;
        continue;
      }
      uint64_t chain = updating ? pending_of(m)->base_predecessor.load(std::memory_order_relaxed) : m.predecessor;
      if (chain != 0) {
        uint64_t head = prune(chain, active, leaf, m, SIZE_MAX, dropped);
        if (head != chain) {
          changed = true;
          chain = head;
          if (updating) {
            pending_of(m)->base_predecessor.store(head, std::memory_order_release);
          } else {
            m.predecessor = head;
            leaf->set_meta(i, m);
          }
        }
      }
      bool tombstone = !m.visible() && !updating;
      if (tombstone && chain == 0 && active.oldest() >= m.stamp &&
          !(store_.locking() && is_locked(IndexId(id_.value), leaf->key(i)))) {
        if (writable) {
          going(m.stamp);
          leaf->remove_meta(i);
          changed = true;
          continue;
        }
        copy = true;
      }
      dirty = dirty || chain != 0 || tombstone;
      i++;
    }
    if (!dirty) leaf->queued = false;
    small = tree_.small(*leaf);
    if (changed) {
      leaf->latch.unlock();
    } else {
      leaf->latch.unlock_unchanged();
    }
    if (copy) {  // the copy is queued, and `leaf` is seen here once more; without memory for it, later again as it is
      std::string low;
      leaf->low_fence(low);
      tree_.make_private(KeyView(low), Need::kMayFail);
    }
    if (small && !dirty) merge_around(leaf);
  }
  finish_dropped(dropped);
  return dirty;
}

// The leaf may be merged away by its left neighbour from now on: only its low fence, which never changes, is used.
void TableImpl::merge_around(Leaf* leaf) {
  std::string low, previous_low;
  leaf->low_fence(low);
  if (tree_.try_merge(KeyView(low)) || low.empty() || tree_.mapped_before(KeyView(low))) return;
  uint64_t version;
  Leaf* previous = tree_.find_leaf_before(KeyView(low), version);
  previous->low_fence(previous_low);
  tree_.try_merge(KeyView(previous_low));
}

bool TableImpl::clean(const ActiveSnapshots& active, bool all) {
  erase_ghosts();
  std::vector<Leaf*> work, still_dirty;
  uint64_t oldest = active.oldest();
  size_t remaining;
  {
    std::lock_guard lock(dirty_lock_);
    work.swap(dirty_);
    size_t n = all || oldest > held_oldest_ ? held_.size() : std::min(held_.size(), kHeldPerRound);
    work.insert(work.end(), held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(n));
    held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(n));
    held_oldest_ = oldest;
  }
  for (Leaf* leaf : work) {
    if (clean_leaf(leaf, active)) still_dirty.push_back(leaf);
  }
  {
    std::lock_guard lock(dirty_lock_);
    held_.insert(held_.end(), still_dirty.begin(), still_dirty.end());
    remaining = held_.size() + dirty_.size();
  }
  return remaining > 0;
}

}  // namespace indigo::storage
