#include "bench/row_store/row_store.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "storage/store.h"
#include "storage/table.h"

namespace indigo::bench {

RowStore::Table::Table(storage::PagePool& nodes) : tree(nodes) {
  void* memory = mmap(nullptr, kMaxRecords * sizeof(*slots_), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::fputs("no address space for an indirection array\n", stderr);
    std::exit(1);
  }
  madvise(memory, kMaxRecords * sizeof(*slots_), MADV_HUGEPAGE);
  slots_ = static_cast<std::atomic<Version*>*>(memory);  // zeros: null pointers
}

RowStore::Table::~Table() { munmap(static_cast<void*>(slots_), kMaxRecords * sizeof(*slots_)); }

RowStore::Session::Session(RowStore& store)
    : store_(store),
      slot_(store.snapshots_.allocate_slot(storage::thread_shard())),
      mark_(kMarkBit | store.next_mark_.fetch_add(1)) {}

RowStore::Session::~Session() {
  if (snapshot_ != 0) rollback();
  store_.snapshots_.free_slot(slot_, storage::thread_shard());
}

RowStore::Version* RowStore::Session::new_version(Bytes row, bool tombstone, Version* next) {
  auto* v = static_cast<Version*>(store_.versions_.allocate(sizeof(Version) + row.size()));
  new (&v->stamp) std::atomic<uint64_t>(mark_);
  new (&v->next) std::atomic<Version*>(next);
  v->length = static_cast<uint32_t>(row.size());
  v->tombstone = tombstone;
  if (!row.empty()) std::memcpy(static_cast<void*>(v + 1), row.data(), row.size());
  return v;
}

void RowStore::Session::retire(Version* v) {
  auto free = [](void* pool, void* object) {
    static_cast<storage::VersionPool*>(pool)->free(object, static_cast<Version*>(object)->total_bytes());
  };
  store_.epochs_.retire(v, free, &store_.versions_);
}

Answer RowStore::Session::read(TableRef table, uint64_t key, std::string& row) {
  storage::EpochManager::Guard guard(store_.epochs_);
  uint64_t rid = table->tree.find(key);
  if (rid == KeyTree::kNone) return Answer::kNotFound;
  const Version* v = visible(table->slot(rid).load(std::memory_order_acquire));
  if (v == nullptr) return Answer::kNotFound;
  row.assign(v->image());
  return Answer::kOk;
}

Answer RowStore::Session::lock(TableRef table, uint64_t key, std::string& row) { return read(table, key, row); }

Answer RowStore::Session::change(TableRef table, uint64_t key, Bytes row, bool tombstone) {
  storage::EpochManager::Guard guard(store_.epochs_);
  uint64_t rid = table->tree.find(key);
  if (rid == KeyTree::kNone) return Answer::kNotFound;
  return push(table, key, rid, row, tombstone, false);
}

Answer RowStore::Session::push(TableRef table, uint64_t key, uint64_t rid, Bytes row, bool tombstone, bool dead_too) {
  std::atomic<Version*>& slot = table->slot(rid);
  Version* head = slot.load(std::memory_order_acquire);
  uint64_t stamp = head == nullptr ? 0 : head->stamp.load(std::memory_order_acquire);
  bool mine = stamp == mark_;
  if (!mine && stamp > snapshot_) return Answer::kConflict;
  bool dead = head == nullptr || head->tombstone;
  if (dead != dead_too) return dead ? Answer::kNotFound : Answer::kConflict;
  Version* below = mine ? head->next.load(std::memory_order_relaxed) : head;
  Version* v = new_version(row, tombstone, below);
  if (!slot.compare_exchange_strong(head, v, std::memory_order_acq_rel)) {
    store_.versions_.free(v, v->total_bytes());
    return Answer::kConflict;
  }
  if (mine) {
    for (Write& w : writes_) {
      if (w.version == head) w.version = v;
    }
    retire(head);
  } else {
    writes_.push_back({table, key, rid, v});
    if (below != nullptr) cut(below);
  }
  return Answer::kOk;
}

// The caller owns the record: no other thread cuts its chain.
void RowStore::Session::cut(Version* v) {
  while (v->stamp.load(std::memory_order_relaxed) > oldest_) {
    v = v->next.load(std::memory_order_relaxed);
    if (v == nullptr) return;
  }
  Version* garbage = v->next.exchange(nullptr, std::memory_order_relaxed);
  while (garbage != nullptr) {
    Version* next = garbage->next.load(std::memory_order_relaxed);
    retire(garbage);
    garbage = next;
  }
}

Answer RowStore::Session::insert(TableRef table, uint64_t key, Bytes row) {
  storage::EpochManager::Guard guard(store_.epochs_);
  uint64_t rid = table->tree.find(key);
  if (rid == KeyTree::kNone) {
    rid = table->new_rid();
    Version* v = new_version(row, false, nullptr);
    table->slot(rid).store(v, std::memory_order_release);
    uint64_t there = table->tree.insert(key, rid);
    if (there == KeyTree::kNone) {
      writes_.push_back({table, key, rid, v});
      return Answer::kOk;
    }
    table->slot(rid).store(nullptr, std::memory_order_relaxed);
    retire(v);
    rid = there;
  }
  return push(table, key, rid, row, false, true);
}

bool RowStore::Session::commit() {
  if (!writes_.empty()) {
    CommitStamp c = store_.clock_.take();
    for (const Write& w : writes_) w.version->stamp.store(c.value, std::memory_order_release);
    store_.clock_.decide(c);
    for (const Write& w : writes_) {
      if (w.version->tombstone) dead_.push_back({w, c.value});
    }
    writes_.clear();
    storage::SnapshotRegistry::release(*slot_);
    if (++commits_ % 16 == 0) {
      store_.snapshots_.collect(active_);
      oldest_ = active_.oldest();
      remove_dead();
    }
    store_.clock_.wait_stable(c);
  } else {
    storage::SnapshotRegistry::release(*slot_);
  }
  snapshot_ = 0;
  return true;
}

void RowStore::Session::remove_dead() {
  storage::EpochManager::Guard guard(store_.epochs_);
  while (!dead_.empty() && dead_.front().stamp <= oldest_) {
    const Write& w = dead_.front().write;
    // Benchmarks do not insert a key again that they deleted: only then may its record id be forgotten like this.
    Version* head = w.version;
    if (w.table->slot(w.rid).compare_exchange_strong(head, nullptr)) {
      w.table->tree.erase(w.key);
      cut(w.version);
      retire(w.version);
    }
    dead_.pop_front();
  }
}

void RowStore::Session::rollback() {
  storage::EpochManager::Guard guard(store_.epochs_);
  for (auto w = writes_.rbegin(); w != writes_.rend(); ++w) {
    Version* below = w->version->next.load(std::memory_order_relaxed);
    if (below == nullptr) w->table->tree.erase(w->key);
    w->table->slot(w->rid).store(below, std::memory_order_release);
    retire(w->version);
  }
  writes_.clear();
  storage::SnapshotRegistry::release(*slot_);
  snapshot_ = 0;
}

}  // namespace indigo::bench
