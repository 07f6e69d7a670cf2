// The conventional layout: key -> record id (tree) -> version chain (indirection array) -> row image (heap).
//
// Thread safety: all functions of RowStore; a Session belongs to one thread.
// Invariants:
// 1. A chain runs from new to old. Only its head may be uncommitted; then its stamp is its owner's mark, and only the owner
//    changes the chain.
// 2. Versions below one that every snapshot sees are cut by the next updater, retired by epoch. A committed tombstone that
//    every snapshot sees is taken out of the tree.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/layout/layout.h"
#include "bench/row_store/key_tree.h"
#include "storage/epoch.h"
#include "storage/memory/memory_account.h"
#include "storage/memory/version_pool.h"
#include "storage/transaction.h"
#include "storage/txn/commit_clock.h"
#include "storage/txn/snapshot_registry.h"

namespace indigo::bench {

class RowStore {
 public:
  static constexpr const char* kName = "row-store";

  struct Version {
    std::atomic<uint64_t> stamp;  // of the commit, or its owner's mark
    std::atomic<Version*> next;
    uint32_t length;
    bool tombstone;
    Bytes image() const { return {reinterpret_cast<const char*>(this + 1), length}; }
    size_t total_bytes() const { return sizeof(Version) + length; }
  };

  class Table {
   public:
    explicit Table(storage::PagePool& nodes);
    ~Table();
    Table(const Table&) = delete;
    Table& operator=(const Table&) = delete;
    KeyTree tree;
    std::atomic<Version*>& slot(uint64_t rid) { return slots_[rid]; }
    uint64_t new_rid() { return next_rid_.fetch_add(1, std::memory_order_relaxed); }

   private:
    static constexpr size_t kMaxRecords = size_t{1} << 28;  // of address space, not of memory
    std::atomic<Version*>* slots_;
    alignas(64) std::atomic<uint64_t> next_rid_{0};
  };
  using TableRef = Table*;

  // `prefetch`: scans and reads of many keys prefetch indirection slots and version heads. The paper's row-store does not.
  explicit RowStore(bool prefetch) : prefetch_(prefetch) {}
  TableRef create_table() {
    tables_.push_back(std::make_unique<Table>(nodes_));
    return tables_.back().get();
  }
  uint64_t bytes() const { return account_.total(); }
  static bool supports(storage::Isolation isolation) { return isolation != storage::Isolation::kSerializable; }

  class Session {
   public:
    explicit Session(RowStore& store);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    void begin(storage::Isolation) { snapshot_ = store_.snapshots_.take(*slot_, CommitStamp{}).value; }
    bool commit();
    void rollback();
    Answer read(TableRef table, uint64_t key, std::string& row);
    // In place; with prefetching, eight at a time.
    template <class Visit>
    void read_many(TableRef table, std::span<const uint64_t> keys, Visit visit);
    // First updater wins: a younger or an uncommitted head is a conflict. The record is taken by update or erase.
    Answer lock(TableRef table, uint64_t key, std::string& row);
    Answer update(TableRef table, uint64_t key, Bytes row) { return change(table, key, row, false); }
    Answer erase(TableRef table, uint64_t key) { return change(table, key, {}, true); }
    Answer insert(TableRef table, uint64_t key, Bytes row);
    template <class Visit>
    void scan(TableRef table, uint64_t low, uint64_t high, uint64_t limit, Visit visit);

   private:
    struct Write {
      Table* table;
      uint64_t key, rid;
      Version* version;
    };
    struct Dead {  // a committed tombstone
      Write write;
      uint64_t stamp;
    };

    const Version* visible(const Version* v) const {
      while (v != nullptr) {
        uint64_t stamp = v->stamp.load(std::memory_order_acquire);  // pairs with commit
        if (stamp <= snapshot_ || stamp == mark_) break;
        v = v->next.load(std::memory_order_acquire);
      }
      return v == nullptr || v->tombstone ? nullptr : v;
    }
    Version* new_version(Bytes row, bool tombstone, Version* next);
    Answer change(TableRef table, uint64_t key, Bytes row, bool tombstone);
    // Puts a new version over the record's head; `dead_too`: also over a tombstone or nothing.
    Answer push(TableRef table, uint64_t key, uint64_t rid, Bytes row, bool tombstone, bool dead_too);
    void cut(Version* newest_committed);
    void remove_dead();
    void retire(Version* v);

    RowStore& store_;
    storage::SnapshotRegistry::Slot* slot_;
    const uint64_t mark_;
    uint64_t snapshot_ = 0;
    uint64_t oldest_ = 0;  // no snapshot in use is below it; refreshed now and then
    uint32_t commits_ = 0;
    std::vector<Write> writes_;
    std::deque<Dead> dead_;
    storage::ActiveSnapshots active_;
  };

 private:
  static constexpr uint64_t kMarkBit = uint64_t{1} << 63;  // above every stamp

  const bool prefetch_;
  storage::MemoryAccount account_;
  storage::PagePool nodes_{KeyTree::kNodeBytes, account_, storage::MemoryKind::kInnerNodes};
  storage::VersionPool versions_{account_};
  storage::CommitClock clock_;
  storage::PauseHook pauses_;
  storage::SnapshotRegistry snapshots_{clock_, pauses_};
  std::atomic<uint64_t> next_mark_{1};
  storage::EpochManager epochs_;
  std::vector<std::unique_ptr<Table>> tables_;
};

template <class Visit>
void RowStore::Session::read_many(TableRef table, std::span<const uint64_t> keys, Visit visit) {
  constexpr size_t kBatch = 8;
  const size_t batch = store_.prefetch_ ? kBatch : 1;
  uint64_t rids[kBatch];
  for (size_t from = 0; from < keys.size(); from += batch) {
    storage::EpochManager::Guard guard(store_.epochs_);
    const size_t n = std::min(batch, keys.size() - from);
    for (size_t i = 0; i < n; i++) {
      rids[i] = table->tree.find(keys[from + i]);
      if (batch > 1 && rids[i] != KeyTree::kNone) __builtin_prefetch(&table->slot(rids[i]));
    }
    for (size_t i = 0; batch > 1 && i < n; i++) {
      if (rids[i] != KeyTree::kNone) __builtin_prefetch(table->slot(rids[i]).load(std::memory_order_relaxed));
    }
    for (size_t i = 0; i < n; i++) {
      if (rids[i] == KeyTree::kNone) continue;
      const Version* v = visible(table->slot(rids[i]).load(std::memory_order_acquire));
      if (v != nullptr) visit(from + i, v->image());
    }
  }
}

template <class Visit>
void RowStore::Session::scan(TableRef table, uint64_t low, uint64_t high, uint64_t limit, Visit visit) {
  constexpr size_t kAhead = 16;
  const bool prefetch = store_.prefetch_;
  KeyTree::Entry entries[KeyTree::kLeafEntries];
  while (low < high) {
    storage::EpochManager::Guard guard(store_.epochs_);
    uint64_t next;
    size_t n = table->tree.read_leaf(low, entries, next);
    const size_t entries_in_leaf = n;
    while (n > 0 && entries[n - 1].key >= high) n--;
    n = std::min<uint64_t>(n, limit);
    for (size_t i = 0; prefetch && i < std::min(n, 2 * kAhead); i++) __builtin_prefetch(&table->slot(entries[i].value));
    for (size_t i = 0; prefetch && i < std::min(n, kAhead); i++) {
      __builtin_prefetch(table->slot(entries[i].value).load(std::memory_order_relaxed));
    }
    for (size_t i = 0; i < n; i++) {
      if (prefetch && i + 2 * kAhead < n) __builtin_prefetch(&table->slot(entries[i + 2 * kAhead].value));
      if (prefetch && i + kAhead < n) {
        __builtin_prefetch(table->slot(entries[i + kAhead].value).load(std::memory_order_relaxed));
      }
      const Version* v = visible(table->slot(entries[i].value).load(std::memory_order_acquire));
      if (v == nullptr) continue;
      if (!visit(entries[i].key, v->image()) || --limit == 0) return;
    }
    low = n > 0 ? entries[n - 1].key + 1 : next;
    if (n == entries_in_leaf) low = next;
    if (low == KeyTree::kNone) return;
  }
}

}  // namespace indigo::bench
