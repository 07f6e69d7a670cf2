// The end of a record's change: install at commit, undo at rollback.
#include <algorithm>
#include <optional>

#include "base/check.h"
#include "base/mutation.h"
#include "storage/table/stale_entry.h"
#include "storage/table/table_impl.h"
#include "storage/undisturbed.h"

namespace indigo::storage {

namespace {

// With many sleeping readers a chain may be long, and need to be. A commit looks at its newer end only, where what it can
// cut most often lies; the reclaimer sees to the rest.
constexpr size_t kPrunedPerCommit = 8;

Bytes pointer_bytes(OverflowBody* const& body) { return {reinterpret_cast<const char*>(&body), sizeof body}; }

bool gave_up_keys(const PendingEntry* e) {
  for (; e != nullptr; e = e->below) {
    if (e->old_keys != nullptr) return true;
  }
  return false;
}

}  // namespace

SnapshotVersion* TableImpl::keep_version(const Leaf* leaf, const RecordMeta& m, uint64_t end, uint64_t predecessor,
                                         bool keys_differ) {
  size_t n = m.visible() ? m.payload_length() : 0;
  auto* v = new (store_.versions().allocate(SnapshotVersion::kHeaderBytes + n)) SnapshotVersion();
  v->start = m.stamp;
  v->end = end;
  v->payload_length = static_cast<uint32_t>(n);
  v->tombstone = !m.visible();
  v->overflow = m.visible() && m.overflow();
  v->keys_differ = keys_differ;
  std::memcpy(v->payload(), leaf->payload(m), n);
  count_version(*v, 1);
  auto* next = reinterpret_cast<SnapshotVersion*>(predecessor);
  v->next.store(next, std::memory_order_relaxed);
  v->jump.store(next == nullptr ? nullptr : next->next.load(std::memory_order_relaxed), std::memory_order_relaxed);
  return v;
}

void TableImpl::count_version(const SnapshotVersion& v, int64_t sign) {
  version_count_.fetch_add(sign, std::memory_order_relaxed);
  version_bytes_.fetch_add(sign * static_cast<int64_t>(VersionPool::block_bytes(v.total_bytes())),
                           std::memory_order_relaxed);
  if (v.overflow) LargeRows::add(large_rows_.older, v.overflow_body(), sign);
}

void TableImpl::free_pending(OverflowBody* body) {
  if (body == nullptr) return;
  LargeRows::add(large_rows_.pending, body, -1);
  store_.free_overflow(body);
}

void TableImpl::free_newest(OverflowBody* body) {
  LargeRows::add(large_rows_.newest, body, -1);
  store_.free_overflow(body);
}

void TableImpl::retire_version(SnapshotVersion* v) {
  count_version(*v, -1);
  auto free = [](void* store, void* object) {
    auto* s = static_cast<StoreImpl*>(store);
    auto* version = static_cast<SnapshotVersion*>(object);
    if (version->overflow) s->release_overflow(version->overflow_body());
    s->versions().free(version, version->total_bytes());
  };
  store_.epochs().retire(v, free, &store_);
}

// A record that many sessions change has a version for each of their snapshots: walking them all at every commit would
// cost sessions times sessions. Then one commit in eight does it; the reclaimer sees to what is left.
bool TableImpl::worth_pruning(uint64_t head, const ActiveSnapshots& active, CommitStamp c) {
  constexpr size_t kFew = 8, kOneIn = 8;
  const auto* v = reinterpret_cast<const SnapshotVersion*>(head);
  const uint64_t mixed = c.value ^ c.value >> 6;  // the lowest bits of a stamp may be its processor's
  return active.count() <= kFew || v->next.load(std::memory_order_relaxed) == nullptr || mixed % kOneIn == 0;
}

uint64_t TableImpl::prune(uint64_t head, const ActiveSnapshots& active, const Leaf* leaf, const RecordMeta& m,
                          size_t most, std::vector<Dropped>& dropped) {
  SnapshotVersion* newer = nullptr;  // the last one that stays
  SnapshotVersion* before_newer = nullptr;
  uint64_t new_head = 0;
  bool keys_differ = false;  // of something cut since `newer`
  auto* v = reinterpret_cast<SnapshotVersion*>(head);
  for (size_t seen = 0; v != nullptr && seen < most; seen++) {
    SnapshotVersion* next = v->next.load(std::memory_order_relaxed);
    v->keys_differ = v->keys_differ || keys_differ;
    // A tombstone without anything older says the same as nothing.
    if (active.needs(v->start, v->end) && !(v->tombstone && next == nullptr)) {
      if (newer == nullptr) {
        new_head = reinterpret_cast<uint64_t>(v);
      } else if (newer->next.load(std::memory_order_relaxed) != v) {
        newer->next.store(v, std::memory_order_release);
      }
      if (before_newer != nullptr) before_newer->jump.store(v, std::memory_order_relaxed);
      before_newer = newer;
      newer = v;
      keys_differ = false;
    } else {
      keys_differ = v->keys_differ;
      if (v->keys_differ && !v->tombstone) {
        dropped.push_back({v, {}});
        leaf->append_key(m, dropped.back().key);
      } else {
        retire_version(v);
      }
    }
    v = next;
  }
  // `v` is the first that was not looked at, if any: it stays as it is.
  if (v != nullptr) v->keys_differ = v->keys_differ || keys_differ;
  SnapshotVersion* after = v == nullptr ? nullptr : v->next.load(std::memory_order_relaxed);
  if (newer == nullptr) return reinterpret_cast<uint64_t>(v);
  if (newer->next.load(std::memory_order_relaxed) != v) newer->next.store(v, std::memory_order_release);
  newer->jump.store(after, std::memory_order_relaxed);
  if (before_newer != nullptr) before_newer->jump.store(v, std::memory_order_relaxed);
  return new_head;
}

void TableImpl::finish_dropped(std::vector<Dropped>& dropped) {
  if (dropped.empty()) return;
  const std::shared_ptr<const IndexList> list = index_list();
  std::vector<StaleEntry> entries;
  for (Dropped& d : dropped) {
    going(d.version->end);
    erase_index_entries_of(*list, d.key, d.version->image(), entries);
    retire_version(d.version);
  }
  dropped.clear();
}

void TableImpl::queue(Leaf* leaf) {
  if (leaf->queued) return;
  leaf->queued = true;
  {
    std::lock_guard lock(dirty_lock_);
    dirty_.push_back(leaf);
  }
  store_.reclaimer().wake();
}

void TableImpl::install(PendingVersion& pending, CommitStamp c, const ActiveSnapshots& active, int64_t& rows_added,
                        std::vector<StaleIndexEntry>& stale) {
  const PendingEntry* e = pending.top.load(std::memory_order_relaxed);
  if (e == nullptr) {
    release_record(pending);
    return;
  }
  std::vector<Dropped> dropped;
  {
    EpochManager::WriteGuard guard(store_.epochs());
    size_t i;
    Leaf* leaf = lock_leaf_of(pending, i, true);
    RecordMeta m = leaf->meta(i);
    // Step 1's promise: when the image finds no room, there will be after compaction or a split.
    Bytes payload = e->overflow != nullptr ? pointer_bytes(e->overflow) : e->tombstone ? e->new_key : e->image;
    bool grows = !e->in_leaf && payload.size() > m.payload_length();
    while (grows && leaf->free_bytes() < m.body_key_length() + payload.size()) {
      tree_.make_room(leaf, i, KeyView(pending.key), m.body_key_length() + payload.size(), Need::kMust);
      leaf = lock_leaf_of(pending, i, true);
      m = leaf->meta(i);
    }
    uint64_t chain = pending.base_predecessor.load(std::memory_order_relaxed);
    bool purge = false;
    const bool ghost = e->tombstone && is_locked(IndexId(id_.value), pending.key);
    if (m.state() == RecordState::kInserting) {
      purge = e->tombstone && !ghost;  // no other transaction has seen it
      if (!e->tombstone) rows_added++;
    } else {
      rows_added += (e->tombstone ? 0 : 1) - (m.visible() ? 1 : 0);
      bool needed = active.needs(m.stamp, c.value) && !mutated(Mutation::kOverwriteInPlace);  // R1
      if (chain != 0 && worth_pruning(chain, active, c))
        chain = prune(chain, active, leaf, m, kPrunedPerCommit, dropped);
      if (needed && (m.visible() || chain != 0)) {
        auto* kept = keep_version(leaf, m, c.value, chain, gave_up_keys(e));
        if (kept->overflow) LargeRows::add(large_rows_.newest, kept->overflow_body(), -1);
        chain = reinterpret_cast<uint64_t>(kept);
      } else {
        if (m.visible() && m.overflow()) free_newest(load_unaligned<OverflowBody*>(leaf->payload(m)));
        // The head had the keys of the version that goes; now it is compared with the new one.
        if (chain != 0 && gave_up_keys(e)) reinterpret_cast<SnapshotVersion*>(chain)->keys_differ = true;
      }
      purge = e->tombstone && !ghost && chain == 0 && active.oldest() >= c.value;
    }
    if (e->overflow != nullptr) {
      LargeRows::add(large_rows_.pending, e->overflow, -1);
      LargeRows::add(large_rows_.newest, e->overflow);
    }
    if (purge) {
      going(c.value);
      leaf->remove_meta(i);
      if (tree_.emptied(*leaf)) queue(leaf);
    } else {
      if (!e->in_leaf && !(m.state() == RecordState::kInserting && e->overflow != nullptr && e == &pending.first)) {
        bool fits = leaf->replace_payload(m, payload);
        INDIGO_CHECK(fits);
        m.set_flag(RecordMeta::kOverflowBit, e->overflow != nullptr);
        m.set_flag(RecordMeta::kMovedBit, e->tombstone && (e->moved_away || !e->new_key.empty()));
      }
      m.set_flag(RecordMeta::kVisibleBit, !e->tombstone);
      m.set_state(RecordState::kClear);
      m.stamp = c.value;
      m.predecessor = chain;
      leaf->set_meta(i, m);
      if (chain != 0 || e->tombstone) queue(leaf);
    }
    leaf->latch.unlock();
  }
  // Images between the first and the last never become versions.
  for (const PendingEntry* old = e->below; old != nullptr; old = old->below) free_pending(old->overflow);
  for (const PendingEntry* entry = e; entry != nullptr; entry = entry->below) {
    for (const OldIndexKey* k = entry->old_keys; k != nullptr; k = k->next) {
      stale.push_back({this, k->index, k->key, pending.key, k->index->index->inverted()});
    }
  }
  finish_dropped(dropped);
}

void TableImpl::erase_stale(std::vector<StaleIndexEntry>& stale, CommitStamp c) {
  if (stale.size() > 1) {
    for (StaleIndexEntry& e : stale) e.set_head();
    std::sort(stale.begin(), stale.end());
    stale.erase(std::unique(stale.begin(), stale.end()), stale.end());
  }
  if (stale.empty()) return;
  Undisturbed undisturbed;  // committed: what is left to do is done
  size_t erased = 0;
  std::optional<StaleEntry> entry;
  TableImpl* table = nullptr;
  for (const StaleIndexEntry& e : stale) {
    if (table != e.table) {
      entry.emplace(*e.table);
      e.table->going(c.value);
    }
    table = e.table;
    (void)e.table->erase_index_entry(*e.index, e.key, e.primary_key, *entry);
    if (++erased % 1024 == 0) Waiter::current().yield_if_due();
  }
}

Bytes TableImpl::inserted_image(TransactionImpl& txn, PendingVersion& pending) {
  EpochManager::Guard guard(store_.epochs());
  size_t i;
  Leaf* leaf = lock_leaf_of(pending, i, false);
  Bytes image = txn.keep(committed_image(leaf, leaf->meta(i)));
  leaf->latch.unlock_unchanged();
  return image;
}

Bytes TableImpl::image_of(PendingVersion& pending, const PendingEntry& e, std::string& room) {
  if (e.overflow != nullptr) return e.overflow->bytes();
  if (!e.in_leaf) return e.image;
  EpochManager::Guard guard(store_.epochs());
  size_t i;
  Leaf* leaf = lock_leaf_of(pending, i, false);
  room.assign(entry_image(leaf, leaf->meta(i), e));
  leaf->latch.unlock_unchanged();
  return room;
}

void TableImpl::undo(TransactionImpl& txn, PendingVersion& pending, bool pop, bool release) {
  PendingEntry* e = pop ? pending.top.load(std::memory_order_relaxed) : nullptr;
  std::string room;
  Bytes image;
  const bool indexed = e != nullptr && !e->tombstone && indexes() != nullptr;
  if (indexed) image = image_of(pending, *e, room);  // while its record is there
  if (e != nullptr) {
    pending.top.store(e->below, std::memory_order_release);
    txn.popped(pending, *e);
  }
  if (release && !pending.released) {
    release_record(pending);
    txn.forget_left_keys(pending);
  }
  if (indexed) erase_undone(txn, pending, *e, image);
  if (e != nullptr) free_pending(e->overflow);
}

}  // namespace indigo::storage
