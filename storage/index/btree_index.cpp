#include "storage/index/btree_index.h"

#include "base/check.h"
#include "base/raised_error.h"
#include "storage/thresholds.h"

namespace indigo::storage {

std::unique_ptr<Index> create_btree_index(EpochManager& epochs, const PauseHook& pauses) {
  return std::make_unique<BtreeIndex>(epochs, nullptr, pauses);
}
std::unique_ptr<Index> create_btree_index(EpochManager& epochs, const PauseHook& pauses, MemoryAccount& account) {
  return std::make_unique<BtreeIndex>(epochs, &account, pauses);
}

std::unique_ptr<Index> create_inverted_index(const IndexEnvironment& e) {
  return std::make_unique<BtreeIndex>(e.epochs, &e.account, e.pauses, true);
}

BtreeIndex::BtreeIndex(EpochManager& epochs, MemoryAccount* account, const PauseHook& pauses, bool inverted)
    : epochs_(epochs),
      account_(account),
      pauses_(pauses),
      inverted_(inverted),
      root_(create_node(BtreeNode::kDefaultBytes, 0, {})) {}

BtreeIndex::~BtreeIndex() { release(root_, account_, mapped_); }

void BtreeIndex::count_memory(int64_t bytes) const {
  memory_bytes_.fetch_add(static_cast<uint64_t>(bytes), std::memory_order_relaxed);
}

BtreeNode* BtreeIndex::create_node(uint32_t capacity, uint32_t level, Bytes prefix) const {
  count_memory(capacity);
  if (account_ != nullptr) account_->add(MemoryKind::kIndexes, capacity);
  BtreeNode* node = BtreeNode::create(next_id_.fetch_add(1, std::memory_order_relaxed), capacity, level, prefix);
  node->set_generation(generation_.load(std::memory_order_relaxed));
  return node;
}

void BtreeIndex::retire(BtreeNode* node) {
  count_memory(-static_cast<int64_t>(node->capacity));
  if (account_ != nullptr) account_->add(MemoryKind::kIndexes, -static_cast<int64_t>(node->capacity));
  epochs_.retire(
      node, [](void*, void* object) { BtreeNode::destroy(static_cast<BtreeNode*>(object)); }, nullptr);
}

void BtreeIndex::count_entries(int64_t change) {
  entries_[thread_shard() % entries_.size()].value.fetch_add(change, std::memory_order_relaxed);
}

uint64_t BtreeIndex::entry_count() const {
  int64_t sum = 0;
  for (const Counter& counter : entries_) sum += counter.value.load(std::memory_order_relaxed);
  return sum < 0 ? 0 : static_cast<uint64_t>(sum);
}

// ---- descent

bool BtreeIndex::try_descend(Toward toward, const EntryKey& place, uint32_t level, Path& path) const {
  path.depth = 0;
  path.rightmost = true;
  path.root_version = root_latch_.read_begin();
  BtreeNode* node = load_shared(&root_);
  if (!root_latch_.validate(path.root_version)) return false;
  examine(node);
  uint64_t version = node->latch.read_begin();
  if (!root_latch_.validate(path.root_version)) return false;
  for (;;) {
    INDIGO_CHECK(path.depth < kMaxDepth);
    path.steps[path.depth++] = {node, version, 0};
    if (node->level <= level) return true;
    uint32_t count = node->count();
    uint32_t child = 0;
    if (toward == Toward::kLast) {
      child = count;
    } else if (toward != Toward::kFirst) {
      BtreeNode::Found found = node->lower_bound(place);
      child = found.position + (found.equal && toward == Toward::kAt ? 1 : 0);
    }
    path.steps[path.depth - 1].child = child;
    path.rightmost &= child == count;
    BtreeNode* next = node->child(child);
    if (!node->latch.validate(version)) return false;
    examine(next);
    next->prefetch();
    uint64_t next_version = next->latch.read_begin();
    if (!node->latch.validate(version)) return false;
    node = next;
    version = next_version;
  }
}

void BtreeIndex::descend(Toward toward, const EntryKey& place, uint32_t level, Path& path) const {
  while (!try_descend(toward, place, level, path)) {
  }
}

bool BtreeIndex::upper_fence(const Path& path, BtreePlace& fence, bool* valid) const {
  for (uint32_t i = path.depth - 1; i-- > 0;) {
    const Path::Step& step = path.steps[i];
    bool found = step.child < step.node->count();
    if (found) step.node->read(step.child, fence.key, fence.primary_key);
    *valid = step.node->latch.validate(step.version);
    if (found || !*valid) return found;
  }
  *valid = root_latch_.validate(path.root_version);
  return false;
}

bool BtreeIndex::lower_fence(const Path& path, BtreePlace& fence, bool* valid) const {
  for (uint32_t i = path.depth - 1; i-- > 0;) {
    const Path::Step& step = path.steps[i];
    bool found = step.child > 0;
    if (found) step.node->read(step.child - 1, fence.key, fence.primary_key);
    *valid = step.node->latch.validate(step.version);
    if (found || !*valid) return found;
  }
  *valid = root_latch_.validate(path.root_version);
  return false;
}

// ---- writing

bool BtreeIndex::has_room(const Path& path, uint32_t position, Bytes key, Bytes primary_key) const {
  const BtreeNode& node = *path.steps[path.depth - 1].node;
  if (!node.has_room(key.size(), primary_key.size())) return false;
  const uint8_t fill = fill_percent_.load(std::memory_order_relaxed);
  if (fill >= LeafThresholds::kFill.most || !node.is_leaf() || !path.rightmost || position < node.count()) return true;
  const size_t wanted = BtreeNode::bytes_needed(true, key.size() - node.prefix().size(), primary_key.size());
  return node.count() < kMinFanout ||
         node.live_bytes() + wanted <= (node.capacity - BtreeNode::header_bytes()) * fill / 100;
}

StorageStatus BtreeIndex::insert(Bytes key, Bytes primary_key) {
  if (key.size() > kMaxIndexKeyBytes || primary_key.size() > kMaxIndexKeyBytes) return StorageStatus::kTooLarge;
  EpochManager::WriteGuard guard(epochs_);
  insert_guarded({key, primary_key});
  return StorageStatus::kOk;
}

void BtreeIndex::insert_guarded(const EntryKey& entry, uint32_t* restarts) {
  Path path;
  const auto disturbed = [restarts] {
    if (restarts != nullptr) ++*restarts;
  };
  for (;;) {
    descend(Toward::kAt, entry, 0, path);
    BtreeNode& leaf = *path.last().node;
    BtreeNode::Found found = leaf.lower_bound(entry);
    if (found.equal) {
      if (leaf.latch.validate(path.last().version)) return;
      disturbed();
      continue;
    }
    if (!make_private(path)) continue;
    if (!leaf.latch.try_upgrade(path.last().version)) {
      disturbed();
      continue;
    }
    if (has_room(path, found.position, entry.key, entry.primary_key)) {
      leaf.insert(found.position, entry, nullptr);
      leaf.latch.unlock();
      count_entries(1);
      return;
    }
    leaf.latch.unlock_unchanged();
    make_room(entry, 0);
  }
}

StorageStatus BtreeIndex::insert_ascending(std::span<const IndexEntry> entries) {
  Path path;
  for (size_t i = 0; i < entries.size();) {
    EntryKey entry{entries[i].key, entries[i].primary_key};
    size_t taken = 0;
    if (entry.key.size() <= kMaxIndexKeyBytes && entry.primary_key.size() <= kMaxIndexKeyBytes) {
      EpochManager::WriteGuard guard(epochs_);
      descend(Toward::kAt, entry, 0, path);
      BtreeNode& leaf = *path.last().node;
      // Behind the last entry of the last leaf: as many as find room, under one latch. The last leaf admits everything
      // that is greater and has its prefix.
      if (path.rightmost && mine(leaf) && leaf.lower_bound(entry).position == leaf.count() &&
          leaf.latch.try_upgrade(path.last().version)) {
        while (i + taken < entries.size()) {
          const IndexEntry& next = entries[i + taken];
          if (next.key.size() > kMaxIndexKeyBytes || next.primary_key.size() > kMaxIndexKeyBytes ||
              !next.key.starts_with(leaf.prefix()) || !has_room(path, leaf.count(), next.key, next.primary_key)) {
            break;
          }
          leaf.insert(leaf.count(), {next.key, next.primary_key}, nullptr);
          taken++;
        }
        if (taken == 0) {
          leaf.latch.unlock_unchanged();
        } else {
          leaf.latch.unlock();
          count_entries(static_cast<int64_t>(taken));
        }
      }
    }
    if (taken == 0) {  // no room, or somewhere in the middle
      StorageStatus s = insert(entry.key, entry.primary_key);
      if (s != StorageStatus::kOk) return s;
      taken = 1;
    }
    i += taken;
  }
  return StorageStatus::kOk;
}

bool BtreeIndex::erase(Bytes key, Bytes primary_key, const std::function<bool()>& still_needed) {
  EpochManager::WriteGuard guard(epochs_);
  return erase_guarded({key, primary_key}, still_needed);
}

bool BtreeIndex::erase_guarded(const EntryKey& entry, const std::function<bool()>& still_needed, uint32_t* restarts) {
  Path path;
  const auto disturbed = [restarts] {
    if (restarts != nullptr) ++*restarts;
  };
  for (;;) {
    try {
      descend(Toward::kAt, entry, 0, path);
    } catch (const RaisedError&) {
      return false;  // a damaged leaf: nobody will read the entry, either; and who erases must not fail
    }
    BtreeNode& leaf = *path.last().node;
    BtreeNode::Found found = leaf.lower_bound(entry);
    if (!found.equal) {
      if (leaf.latch.validate(path.last().version)) return false;
      disturbed();
      continue;
    }
    if (!make_private(path)) continue;
    if (!leaf.latch.try_upgrade(path.last().version)) {
      disturbed();
      continue;
    }
    if (still_needed && still_needed()) {
      leaf.latch.unlock_unchanged();
      return false;
    }
    leaf.remove(found.position);
    bool underfull = leaf.underfull() && path.depth > 1;
    leaf.latch.unlock();
    count_entries(-1);
    if (underfull) shrink(entry);
    return true;
  }
}

}  // namespace indigo::storage
