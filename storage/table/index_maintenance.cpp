// Secondary indexes follow their table: the rules of docs/theory.md.
#include <algorithm>

#include "base/mutation.h"
#include "storage/okvl/key_locks.h"
#include "storage/table/left_keys.h"
#include "storage/table/stale_entry.h"
#include "storage/table/table_impl.h"
#include "storage/undisturbed.h"

namespace indigo::storage {

using Outcome = KeyExtractor::Outcome;

std::shared_ptr<TableIndex> TableImpl::find_index(IndexId id) const {
  std::lock_guard lock(indexes_mutex_);
  for (const auto& index : *indexes_) {
    if (index->id == id) return index;
  }
  return nullptr;
}

StorageStatus TableImpl::add_index_entries(TransactionImpl& txn, Bytes key, Bytes row, const Bytes* old_image,
                                           PendingEntry& entry, Duplicate* duplicate) {
  // Local: waiting for a lock gives the thread away, and the strings of another session are not these.
  std::string new_key, old_key;
  for (const auto& index : *indexes()) {
    if (index->index->inverted()) {
      const StorageStatus s = add_inverted_entries(txn, *index, key, row, old_image, entry);
      if (s != StorageStatus::kOk) return s;
      continue;
    }
    bool has_null = false;
    Outcome outcome = index->extractor->extract(key, row, new_key, has_null);
    const bool leaving = index->leaving.load(std::memory_order_relaxed);
    if (outcome == Outcome::kError && leaving) continue;
    if (outcome == Outcome::kError) return StorageStatus::kKeyError;
    bool same = false;
    if (old_image != nullptr) {
      bool old_null = false;
      Outcome old_outcome = index->extractor->extract(key, *old_image, old_key, old_null);
      same = old_outcome == outcome && old_key == new_key;
      if (old_outcome == Outcome::kKey && !same) {
        const StorageStatus s = note_old_key(txn, *index, old_key, key, entry);
        if (s != StorageStatus::kOk) return s;
      }
    }
    if (outcome == Outcome::kNotIndexed || same) continue;
    txn.note_index_write(index->id.value, new_key);
    if (index->options.unique && !leaving && (!has_null || index->options.nulls_not_distinct)) {
      StorageStatus s = check_unique(txn, *index, new_key, key, duplicate);
      if (s != StorageStatus::kOk) return s;
    }
    const StorageStatus s = add_index_entry(txn, *index, new_key, key);
    if (s != StorageStatus::kOk) return s;
  }
  return StorageStatus::kOk;
}

StorageStatus TableImpl::add_index_entry(TransactionImpl& txn, const TableIndex& index, Bytes new_key, Bytes key) {
  NewValue place(txn);
  if (txn.locks_writes()) {
    const KeySpace space(*this, index);
    StorageStatus s = KeyLocks(txn, space).write_entry(new_key, key);
    if (s == StorageStatus::kOk) s = place.open(space, new_key);
    if (s != StorageStatus::kOk) return s;
  }
  return index.index->insert(new_key, key);
}

StorageStatus TableImpl::add_inverted_entries(TransactionImpl& txn, TableIndex& index, Bytes key, Bytes row,
                                              const Bytes* old_image, PendingEntry& entry) {
  std::string keys, old_keys;
  bool has_null = false;
  const Outcome outcome = index.extractor->extract(key, row, keys, has_null);
  if (outcome == Outcome::kError) return StorageStatus::kKeyError;
  if (outcome == Outcome::kNotIndexed) keys.clear();
  if (old_image != nullptr && index.extractor->extract(key, *old_image, old_keys, has_null) != Outcome::kKey) {
    old_keys.clear();
  }
  StorageStatus s = StorageStatus::kOk;
  for_each_key_beyond(old_keys, keys, [&](Bytes old_key) {
    s = note_old_key(txn, index, old_key, key, entry);
    return s == StorageStatus::kOk;
  });
  if (s != StorageStatus::kOk) return s;
  for_each_key_beyond(keys, old_keys, [&](Bytes new_key) {
    txn.note_index_write(index.id.value, new_key);
    s = add_index_entry(txn, index, new_key, key);
    return s == StorageStatus::kOk;
  });
  return s;
}

StorageStatus TableImpl::note_old_key(TransactionImpl& txn, TableIndex& index, Bytes old_key, Bytes key,
                                      PendingEntry& entry) {
  void* place = txn.arena().allocate(sizeof(OldIndexKey));
  entry.old_keys = new (place) OldIndexKey{&index, txn.keep(old_key), entry.old_keys};
  if (index.options.unique) txn.note_index_write(index.id.value, old_key);
  if (!txn.locks_writes()) return StorageStatus::kOk;
  const KeySpace space(*this, index);
  return KeyLocks(txn, space).write_entry(old_key, key);
}

StorageStatus TableImpl::note_old_keys(TransactionImpl& txn, Bytes key, Bytes old_image, PendingEntry& entry) {
  std::string old_key;
  bool has_null;
  for (const auto& index : *indexes()) {
    if (index->extractor->extract(key, old_image, old_key, has_null) != Outcome::kKey) continue;
    StorageStatus s = StorageStatus::kOk;
    index->for_each_key(old_key, [&](Bytes one) {
      s = note_old_key(txn, *index, one, key, entry);
      return s == StorageStatus::kOk;
    });
    if (s != StorageStatus::kOk) return s;
  }
  return StorageStatus::kOk;
}

StorageStatus TableImpl::check_unique(TransactionImpl& txn, const TableIndex& index, Bytes key, Bytes primary_key,
                                      Duplicate* duplicate) {
  StorageStatus s = store_.locks().lock_key_value(txn.lock_owner(), index.id, key, true, txn.lock_timeout());
  if (s != StorageStatus::kOk) return s;
  // From here no other transaction adds this key; one that is removing it is waited for.
  std::vector<std::string> candidates;
  std::string image, its_key;
  for (bool again = true; again;) {
    again = false;
    size_t n = index.index->lookup(key, candidates);
    for (size_t i = 0; i < n && !again; i++) {
      if (candidates[i] == primary_key) continue;
      Owner owner;
      uint64_t stamp = 0;
      Newest newest = read_newest(txn, candidates[i], image, owner, stamp);
      if (newest == Newest::kInProcess) {
        s = txn.wait_for(*owner.descriptor, owner.transaction, owner.generation);
        if (s != StorageStatus::kOk) return s;
        again = true;
      } else if (newest == Newest::kImage) {
        bool has_null;
        Outcome outcome = index.extractor->extract(candidates[i], image, its_key, has_null);
        if (outcome == Outcome::kError) return StorageStatus::kKeyError;
        if (outcome == Outcome::kNotIndexed || its_key != key) continue;
        if (stamp != 0) txn.note_newest_read(id_.value, candidates[i], stamp);
        if (duplicate != nullptr) *duplicate = {index.id, candidates[i]};
        return StorageStatus::kDuplicateKey;
      }
    }
  }
  return StorageStatus::kOk;
}

TableImpl::Newest TableImpl::read_newest(TransactionImpl& txn, Bytes key, std::string& image, Owner& owner,
                                         uint64_t& stamp) {
  KeyView k(key);
  EpochManager::Guard guard(store_.epochs());
  for (;;) {
    uint64_t version;
    Leaf* leaf = tree_.find_leaf(k, version);
    bool equal;
    size_t i = leaf->lower_bound(k, leaf->status().count, equal);
    RecordMeta m;
    if (equal) m = own_meta(leaf, i);
    if (!leaf->latch.validate(version)) continue;
    if (!equal) return Newest::kNone;
    if (m.state() != RecordState::kClear && pending_of(m)->owner != txn.descriptor()) {
      owner = owner_of(*pending_of(m));
      if (!leaf->latch.validate(version)) continue;  // it had not ended when its generation was read
      return Newest::kInProcess;
    }
    Bytes outside;
    ReadOutcome r = read_record({leaf, tree_, version}, m, txn.descriptor(), txn.newest_view(), outside);
    if (r == ReadOutcome::kOutside) image.assign(outside);
    if (r == ReadOutcome::kInLeaf && !copy_payload(leaf, m, image)) continue;
    if (r == ReadOutcome::kRetry || !leaf->latch.validate(version)) continue;
    stamp = m.state() == RecordState::kClear ? m.stamp : 0;
    txn.saw(stamp);
    return r == ReadOutcome::kNone ? Newest::kNone : Newest::kImage;
  }
}

bool TableImpl::erase_index_entry(const TableIndex& index, Bytes key, Bytes primary_key, StaleEntry& entry) {
  Undisturbed undisturbed;  // work behind a statement: keys are not computed by its session
  // Each round looks only at versions that have come since the one before. Where that never ends, the entry stays: it is
  // passed over, and goes with the next version that has its key.
  constexpr int kRounds = 1000;
  for (int round = 0; round < kRounds; round++) {
    if (entry.look(index, key, primary_key) == StaleEntry::Verdict::kNeeded) return true;
    bool newer = false;
    std::shared_lock removal(index.removals, std::defer_lock);
    if (store_.locking()) {
      removal.lock();
      if (is_locked(index.id, key)) {
        const std::lock_guard lock(ghosts_mutex_);
        ghosts_.push_back({index.id, std::string(key), std::string(primary_key)});
        return false;
      }
    }
    // Where the first lock has become possible since, it is looked for in another round.
    index.index->erase(key, primary_key, [&] {
      return newer = !entry.still_stale(primary_key) || (!removal.owns_lock() && store_.locking());
    });
    if (!newer) return false;
  }
  return false;
}

bool TableImpl::is_locked(IndexId space, Bytes key) const {
  return store_.locking() && !mutated(Mutation::kNoGhosts) && store_.locks().key_value_in_use(space, key);
}

void TableImpl::erase_ghosts() {
  std::vector<Ghost> ghosts;
  {
    const std::lock_guard lock(ghosts_mutex_);
    ghosts.swap(ghosts_);
  }
  StaleEntry entry(*this);
  std::shared_ptr<TableIndex> index;  // kept until the next one is found: `entry` tells indexes by their places
  for (const Ghost& ghost : ghosts) {
    index = find_index(ghost.index);
    if (index != nullptr) (void)erase_index_entry(*index, ghost.key, ghost.primary_key, entry);
  }
}

template <class Visit>
void TableImpl::visit_keys(const IndexList& list, Bytes primary_key, Bytes image, Visit visit) {
  constexpr size_t kAtOnce = 1024;
  Undisturbed undisturbed;  // a cancel request would leave useless entries
  std::string key;
  bool has_null;
  size_t visited = 0;
  for (size_t i = 0; i < list.size(); i++) {
    const TableIndex& index = *list[i];
    if (index.extractor->extract(primary_key, image, key, has_null) != Outcome::kKey) continue;
    index.for_each_key(key, [&](Bytes one) {
      visit(i, index, one);
      if (++visited % kAtOnce == 0) Waiter::current().yield_if_due();
      return true;
    });
  }
}

std::shared_ptr<const IndexList> TableImpl::index_list() const {
  const std::lock_guard lock(indexes_mutex_);
  return indexes_;
}

void TableImpl::erase_index_entries_of(const IndexList& list, Bytes primary_key, Bytes image,
                                       std::vector<StaleEntry>& entries) {
  visit_keys(list, primary_key, image, [&](size_t i, const TableIndex& index, Bytes key) {
    while (entries.size() <= i) entries.emplace_back(*this);
    (void)erase_index_entry(index, key, primary_key, entries[i]);
  });
}

void TableImpl::erase_undone(TransactionImpl& txn, PendingVersion& pending, const PendingEntry& e, Bytes image) {
  constexpr uint32_t kDeep = 8;
  const std::shared_ptr<const IndexList> list = index_list();
  Undisturbed undisturbed;
  LeftKeys* left = txn.left_keys(pending, list, e.depth > kDeep);
  if (left == nullptr) {
    StaleEntry entry(*this);
    return visit_keys(*list, pending.key, image, [&](size_t, const TableIndex& index, Bytes key) {
      (void)erase_index_entry(index, key, pending.key, entry);
    });
  }
  visit_keys(*list, pending.key, image, [&](size_t i, const TableIndex& index, Bytes key) {
    if (left->has(i, key, e.depth) || !erase_index_entry(index, key, pending.key, left->older(i))) return;
    StaleEntry now(*this, &pending);  // what was seen to need it may have gone
    (void)erase_index_entry(index, key, pending.key, now);
  });
}

}  // namespace indigo::storage
