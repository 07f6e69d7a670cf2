// Writing of HydralistIndex: entries, splits and merges.
#include <algorithm>
#include <vector>

#include "storage/index/hash_index.h"
#include "storage/index/hydralist/hydralist_index.h"
#include "storage/thresholds.h"

namespace indigo::storage {

namespace {

// The shortest place that is greater than `left` and not greater than `right`; it names bytes of `right`.
EntryKey separator(const EntryKey& left, const EntryKey& right) {
  const auto shortest = [](Bytes a, Bytes b) {
    const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    return b.substr(0, static_cast<size_t>(end.second - b.begin()) + 1);
  };
  if (left.key != right.key) return {shortest(left.key, right.key), {}};
  return {right.key, shortest(left.primary_key, right.primary_key)};
}

size_t bytes_of(const EntryKey& entry) { return entry.key.size() + entry.primary_key.size(); }

}  // namespace

void HydralistIndex::replace_block(DataNode& node, size_t bytes) const {
  const auto before = static_cast<int64_t>(node.memory_bytes());
  DataNode::Block* const old = node.replace_block(bytes);
  count_memory(static_cast<int64_t>(node.memory_bytes()) - before);
  epochs_.retire(
      old, [](void*, void* object) { DataNode::Block::destroy(static_cast<DataNode::Block*>(object)); }, nullptr);
}

// ---- entries

StorageStatus HydralistIndex::insert(Bytes key, Bytes primary_key) {
  if (key.size() > kMaxIndexKeyBytes || primary_key.size() > kMaxIndexKeyBytes) return StorageStatus::kTooLarge;
  {
    EpochManager::WriteGuard guard(epochs_);
    DataNode* near = nullptr;
    insert_guarded({key, primary_key}, HashIndex::hash_of(key), near);
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
        insert_guarded(entry, HashIndex::hash_of(entry.key), near);
      }
    }
    posted();
    if (status != StorageStatus::kOk) return status;
  }
  return StorageStatus::kOk;
}

void HydralistIndex::insert_guarded(const EntryKey& entry, uint64_t hash, DataNode*& near) {
  // Ascending entries may lie far apart.
  if (near != nullptr && near->next() != nullptr && !(entry < near->next()->anchor())) near = nullptr;
  for (;;) {
    const Target target = near == nullptr ? find(Toward::kAt, entry) : walk(near, Toward::kAt, entry);
    near = nullptr;
    DataNode& node = *target.node;
    if (node.contains(entry, hash)) {
      if (node.latch.validate(target.version)) return;
      continue;
    }
    pauses_.at(PausePoint::kLatch);
    if (!node.latch.try_upgrade(target.version)) continue;
    if (make_room(node, entry)) {
      node.insert(entry, hash);
      node.latch.unlock();
      count_entries(1);
      near = &node;
      return;
    }
    split(node, entry);
    node.latch.unlock();
  }
}

bool HydralistIndex::erase(Bytes key, Bytes primary_key, const std::function<bool()>& still_needed) {
  const EntryKey entry{key, primary_key};
  const uint64_t hash = HashIndex::hash_of(key);
  {
    EpochManager::WriteGuard guard(epochs_);
    for (;;) {
      const Target target = find(Toward::kAt, entry);
      DataNode& node = *target.node;
      const uint32_t slot = node.find(entry, hash);
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
      if (node.oversized()) replace_block(node, 0);
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
  const uint8_t fill = fill_percent_.load(std::memory_order_relaxed);
  const uint32_t count = node.count();
  if (count == DataNode::kSlots) return false;
  const bool ascending = fill < LeafThresholds::kFill.most && node.next() == nullptr;
  if (ascending && count >= kLeastEntries && count * 100 >= DataNode::kSlots * fill && node.all_before(entry))
    return false;
  const size_t bytes = bytes_of(entry);
  if (node.has_room(bytes)) return true;
  if (node.live_bytes() + bytes > kLargeBlock && count >= kLeastEntries) return false;
  replace_block(node, bytes);
  return true;
}

// The upper half goes to a new node on the right; nothing but its anchor, when the new entry comes behind all others.
void HydralistIndex::split(DataNode& node, const EntryKey& entry) {
  DataNode::Copy copy;
  node.copy_latched(copy);
  const uint32_t count = copy.count();
  const bool behind = copy.at(count - 1) < entry && node.next() == nullptr;
  const uint32_t middle = behind ? count : count / 2;
  size_t moved = 0;
  for (uint32_t i = middle; i < count; i++) moved += bytes_of(copy.at(i));
  const EntryKey right = behind ? entry : copy.at(middle);
  DataNode* const made = create_node(separator(copy.at(middle - 1), right), moved);
  node.move_to(*made, copy, middle, count);
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
  if (!left.has_room(right->live_bytes())) replace_block(left, right->live_bytes());
  DataNode::Copy copy;
  right->copy_latched(copy);
  right->move_to(left, copy, 0, copy.count());
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
