// Writing of HydralistIndex: entries, splits and merges.
#include <algorithm>
#include <vector>

#include "storage/index/hydralist/hydralist_index.h"
#include "storage/thresholds.h"

namespace indigo::storage {

void HydralistIndex::replace_block(DataNode& node, const BlockNeeds& more) const {
  const auto before = static_cast<int64_t>(node.memory_bytes());
  void* const old = node.replace_block(more);
  count_memory(static_cast<int64_t>(node.memory_bytes()) - before);
  if (old == nullptr) return;
  epochs_.retire(
      old, [](void*, void* block) { DataNode::free_block(block); }, nullptr);
}

// ---- entries

StorageStatus HydralistIndex::insert(Bytes key, Bytes primary_key) {
  if (key.size() > kMaxIndexKeyBytes || primary_key.size() > kMaxIndexKeyBytes) return StorageStatus::kTooLarge;
  {
    EpochManager::WriteGuard guard(epochs_);
    DataNode* near = nullptr;
    insert_guarded({key, primary_key}, Fingerprints::of(key), near);
  }
  posted();
  return StorageStatus::kOk;
}

// Where the last one went is where the next one is looked for.
StorageStatus HydralistIndex::insert_ascending(std::span<const IndexEntry> entries) {
  constexpr size_t kAtOnce = 64;
  size_t i = 0;
  while (i < entries.size()) {
    StorageStatus status = StorageStatus::kOk;
    {
      EpochManager::WriteGuard guard(epochs_);
      DataNode* near = nullptr;
      const size_t end = std::min(entries.size(), i + kAtOnce);
      for (; i < end; i++) {
        const EntryKey entry{entries[i].key, entries[i].primary_key};
        if (entry.key.size() > kMaxIndexKeyBytes || entry.primary_key.size() > kMaxIndexKeyBytes) {
          status = StorageStatus::kTooLarge;
          break;
        }
        insert_guarded(entry, Fingerprints::of(entry.key), near);
      }
    }
    posted();
    if (status != StorageStatus::kOk) return status;
  }
  return StorageStatus::kOk;
}

void HydralistIndex::insert_guarded(const EntryKey& entry, uint8_t print, DataNode*& near) {
  // Ascending entries may lie far apart.
  if (near != nullptr && near->next() != nullptr && !(entry < near->next()->anchor())) near = nullptr;
  for (;;) {
    const Target target = near == nullptr ? find(Toward::kAt, entry) : walk(near, Toward::kAt, entry);
    near = nullptr;
    DataNode& node = *target.node;
    if (const uint32_t slot = node.find(entry, print, target.version); slot != DataNode::kSlots) {
      if (slot != DataNode::kChanged && node.latch.validate(target.version)) return;
      continue;
    }
    pauses_.at(PausePoint::kLatch);
    if (!node.latch.try_upgrade(target.version)) continue;
    if (make_room(node, entry)) {
      // Counted first: an instruction that locks waits for the stores before it, and the entry's line may be far away.
      count_entries(1);
      node.insert(entry, print);
      node.latch.unlock();
      near = &node;
      return;
    }
    split(node, entry);
    node.latch.unlock();
  }
}

bool HydralistIndex::erase(Bytes key, Bytes primary_key, const std::function<bool()>& still_needed) {
  const EntryKey entry{key, primary_key};
  const uint8_t print = Fingerprints::of(key);
  {
    EpochManager::WriteGuard guard(epochs_);
    for (;;) {
      const Target target = find(Toward::kAt, entry);
      DataNode& node = *target.node;
      const uint32_t slot = node.find(entry, print, target.version);
      if (slot == DataNode::kChanged) continue;
      if (slot == DataNode::kSlots) {
        if (node.latch.validate(target.version)) return false;
        continue;
      }
      pauses_.at(PausePoint::kLatch);
      if (!node.latch.try_upgrade(target.version)) continue;
      if (still_needed && still_needed()) {
        node.latch.unlock_unchanged();
        return false;
      }
      node.remove(slot);
      if (node.oversized()) replace_block(node, {});
      const bool small = node.count() < DataNode::kSlots / 2;
      node.latch.unlock();
      count_entries(-1);
      if (small) merge_around(node);
      break;
    }
  }
  posted();
  return true;
}

// ---- room

bool HydralistIndex::make_room(DataNode& node, const EntryKey& entry) {
  if (node.full()) return false;
  const uint8_t fill = fill_percent_.load(std::memory_order_relaxed);
  if (fill < LeafThresholds::kFill.most && node.next() == nullptr) {
    const uint32_t count = node.count();
    if (count >= kLeastEntries && count * 100 >= DataNode::kSlots * fill && node.all_before(entry)) return false;
  }
  if (node.has_room(entry)) return true;
  const BlockNeeds needs = BlockNeeds::of(entry);
  if (node.live_bytes() + needs.bytes > kLargeBlock && node.count() >= kLeastEntries) return false;
  replace_block(node, needs);
  return true;
}

// The upper half goes to a new node on the right; nothing but its anchor, when the new entry comes behind all others.
void HydralistIndex::split(DataNode& node, const EntryKey& entry) {
  DataNode* made = nullptr;
  if (node.next() == nullptr && node.all_before(entry)) {
    made = create_node(DataNode::separator(node.entry(node.greatest()), entry), BlockNeeds::of(entry));
  } else {
    const DataNode::Parts parts = node.divide();
    made = create_node({parts.anchor_key, parts.anchor_primary}, node.needs_of(parts.upper));
    node.move_to(*made, parts.upper);
  }
  DataNode* const next = node.next();
  made->set_next(next);
  made->set_prev(&node);
  node.set_next(made);
  pauses_.at(PausePoint::kSplit);
  if (next != nullptr) next->set_prev(made);
  nodes_.fetch_add(1, std::memory_order_relaxed);
  log_.post(OperationLog::Kind::kInsert, made);
}

void HydralistIndex::merge_around(DataNode& node) {
  pauses_.at(PausePoint::kMerge);
  DataNode* const before = node.prev();
  if (before != nullptr && merge_next(*before)) return;
  merge_next(node);
}

bool HydralistIndex::merge_next(DataNode& left) {
  // A look first: mostly there is nothing to do.
  const auto small = [](const DataNode& a, const DataNode& b) {
    const uint32_t sum = a.count() + b.count();
    return sum <= DataNode::kSlots / 2 || (sum <= DataNode::kSlots && (a.count() == 0 || b.count() == 0));
  };
  const DataNode* const neighbour = left.next();
  if (neighbour == nullptr || !small(left, *neighbour)) return false;
  left.latch.lock();
  DataNode* const right = left.next();
  if (left.deleted() || right == nullptr) {
    left.latch.unlock_unchanged();
    return false;
  }
  right->latch.lock();
  if (!small(left, *right) || left.live_bytes() + right->live_bytes() > kLargeBlock) {
    right->latch.unlock_unchanged();
    left.latch.unlock_unchanged();
    return false;
  }
  const BlockNeeds needs = right->needs_of(right->used());
  if (needs.count != 0 && !left.has_room(needs)) replace_block(left, needs);
  right->move_to(left, right->used());
  count_memory(-static_cast<int64_t>(right->memory_bytes()));
  DataNode* const next = right->next();
  left.set_next(next);
  if (next != nullptr) next->set_prev(&left);
  right->set_deleted();
  nodes_.fetch_sub(1, std::memory_order_relaxed);
  log_.post(OperationLog::Kind::kRemove, right);
  right->latch.unlock();
  left.latch.unlock();
  return true;
}

}  // namespace indigo::storage
