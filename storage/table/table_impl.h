// A table's implementation: the primary tree, what gives its records versions, and its secondary indexes.
//
// Thread safety: as in table.h. The parts, by file:
//   read_record   which image of a record a view sees            reading     get, get_many
//   table_cursor  range scans                                    index_cursor, index_maintenance, index_build
//   claim         claims, row locks, waiting for owners          writing     insert, update, erase
//   install       commit and rollback of single records          clean       reclamation
//   restore       recovery
// Lock order: index latch -> (optimistic reads of the primary); primary latch -> lock manager's nowait requests and
// dirty_lock_. No index function is called under a primary latch.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "storage/btree/tree.h"
#include "storage/index/index.h"
#include "storage/index/index_factory.h"
#include "storage/index/key_list.h"
#include "storage/statistics.h"
#include "storage/store_impl.h"
#include "storage/table.h"
#include "storage/table/read_record.h"
#include "storage/table/stillness.h"
#include "storage/version/pending.h"
#include "storage/version/snapshot_version.h"

namespace indigo::storage {

class StaleEntry;

struct TableIndex {
  IndexId id;
  IndexOptions options;
  std::shared_ptr<const KeyExtractor> extractor;
  std::unique_ptr<Index> index;
  CommitStamp valid_from;
  std::atomic<bool> leaving{false};      // set_index_leaving
  mutable std::shared_mutex removals{};  // shared by who looks for locks and then removes an entry: KeySpace::settle

  // Calls visit(key) for each key of a row, as extracted, until it answers false.
  template <class Visit>
  void for_each_key(Bytes extracted, Visit visit) const {
    if (index->inverted()) {
      for_each_key_beyond(extracted, {}, visit);
    } else {
      visit(extracted);
    }
  }
};
using IndexList = std::vector<std::shared_ptr<TableIndex>>;

class TableImpl final : public Table, public std::enable_shared_from_this<TableImpl>, private RecordMover {
 public:
  TableImpl(StoreImpl& store, TableId id, log::DurableId durable_id, NodeMemory& memory, const TableOptions& options);
  // Over leaves of an image; and indexes that wait for create_index, by file number.
  struct MappedRows {
    MappedLeaves leaves;
    int64_t rows = 0;
    uint64_t next_row_id = 1;
  };
  TableImpl(StoreImpl& store, TableId id, log::DurableId durable_id, NodeMemory& memory, const MappedRows& rows);
  void add_mapped_index(uint32_t file, std::unique_ptr<Index> index) { mapped_indexes_[file] = std::move(index); }
  bool has_mapped_index(uint32_t file) const { return mapped_indexes_.contains(file); }
  uint64_t newest_row_id() const { return next_row_id_.load(std::memory_order_relaxed); }
  // A clone (storage/clone.h), without its indexes.
  TableImpl(TableImpl& source, TableId id, log::DurableId durable_id, uint64_t source_generation, uint64_t generation);
  ~TableImpl() override;

  TableId id() const override { return id_; }
  log::DurableId durable_id() const { return durable_id_; }
  StorageStatus get(Transaction& txn, const ReadView& view, Bytes key, std::string& row) override;
  StorageStatus get_many(Transaction& txn, const ReadView& view, std::span<const Bytes> keys,
                         std::span<std::string> rows, std::span<bool> found) override;
  std::unique_ptr<Cursor> scan(Transaction& txn, const ReadView& view, const KeyRange& range,
                               Direction direction) override;
  std::unique_ptr<Cursor> scan_index(Transaction& txn, const ReadView& view, IndexId index, const KeyRange& range,
                                     Direction direction) override;
  StorageStatus insert(Transaction& txn, Bytes key, Bytes row, Duplicate* duplicate) override;
  uint64_t next_row_id() override { return next_row_id_.fetch_add(1, std::memory_order_relaxed); }
  StorageStatus claim(Transaction& txn, const ReadView& view, Bytes key, RowLockMode mode, LockWait wait,
                      Claimed& out) override;
  void unclaim(Transaction& txn, Bytes key) override;
  StorageStatus update(Transaction& txn, Bytes key, Bytes row, Duplicate* duplicate) override;
  StorageStatus update_key(Transaction& txn, Bytes key, Bytes new_key, Bytes row, Duplicate* duplicate) override;
  StorageStatus erase(Transaction& txn, Bytes key) override;
  StorageStatus erase_moved(Transaction& txn, Bytes key);  // storage/moved_rows.h
  StorageStatus lock_row(Transaction& txn, const ReadView& view, Bytes key, RowLockMode mode, LockWait wait,
                         Claimed& out) override;
  StorageStatus create_index(Transaction& txn, IndexId id, const IndexOptions& options,
                             std::shared_ptr<const KeyExtractor> extractor, Duplicate* duplicate) override;
  StorageStatus create_index(TransactionImpl& txn, IndexId id, IndexFactory make, const IndexOptions& options,
                             std::shared_ptr<const KeyExtractor> extractor, Duplicate* duplicate,
                             IndexBuildWatch* watch);
  void drop_index(IndexId id) override;
  void set_thresholds(const LeafThresholds& thresholds) override { tree_.set_thresholds(thresholds); }
  void set_index_fill(IndexId index, uint8_t percent) override;
  bool index_usable(IndexId index, const ReadView& view) const override;
  Statistics statistics() const override;
  uint64_t rows() const override;
  TableMemory memory() const;
  TableStatistics counters();
  std::vector<RowWriter> row_writers();

  // ---- for storage
  // get_many without a note of what was read.
  void read_many(TransactionImpl& txn, const ReadView& view, std::span<const Bytes> keys, std::span<std::string> rows,
                 std::span<bool> found);
  // For a transaction that locks what it reads.
  StorageStatus lock_to_read(TransactionImpl& txn, Bytes key) const;
  StoreImpl& store() { return store_; }
  EpochManager& epochs() const { return store_.epochs(); }
  const Tree& tree() const { return tree_; }
  // Commit step 5 for one record.
  // Secondary entries that are not needed any longer go to `stale`: erase_stale erases those of a whole transaction, when all its
  // records are installed.
  void install(PendingVersion& pending, CommitStamp c, const ActiveSnapshots& active, int64_t& rows_added,
               std::vector<StaleIndexEntry>& stale);
  static void erase_stale(std::vector<StaleIndexEntry>& stale, CommitStamp c);
  // Takes the topmost entry back, and its secondary entries; with `release` the record too.
  void undo(TransactionImpl& txn, PendingVersion& pending, bool pop, bool release);
  // What an entry of the caller's own record has written. `room` may take a copy.
  Bytes image_of(PendingVersion& pending, const PendingEntry& e, std::string& room);
  // For the log: the image of an insert that lies in the leaf, copied.
  Bytes inserted_image(TransactionImpl& txn, PendingVersion& pending);
  // Recovery (storage/restore.h).
  StorageStatus restore_row(Bytes key, Bytes row);
  void restore_erase(Bytes key);
  void restore_end();
  void restore_move(TransactionImpl& txn, Bytes key, Bytes new_key);  // storage/prepared.h
  void restore_mode(TransactionImpl& txn, Bytes key, RowLockMode mode);
  // The greatest stamp of a commit whose deleted record, or given-up index entry, a reader may not meet any more: who has found
  // nothing may owe it to this one. Read after the look.
  uint64_t gone() const { return mutated(Mutation::kForgetGone) ? 0 : gone_.load(std::memory_order_acquire); }
  void add_rows(int64_t n) { row_count_.fetch_add(n, std::memory_order_relaxed); }
  // That transactions have inserted that are open.
  void add_open_rows(int64_t n) { open_rows_.fetch_add(n, std::memory_order_relaxed); }
  Stillness& stillness() { return stillness_; }
  // When every entry of the index is one of a row that the view sees, and none of these is missing: what to ask holds() with.
  std::optional<uint64_t> entries_are_rows(const TransactionImpl& txn, const ReadView& view,
                                           const TableIndex& index) const;
  void add_changes(const RowChanges& more) {
    inserted_.fetch_add(more.inserted, std::memory_order_relaxed);
    updated_.fetch_add(more.updated, std::memory_order_relaxed);
    deleted_.fetch_add(more.deleted, std::memory_order_relaxed);
  }
  RowChanges changes() const {
    return {inserted_.load(std::memory_order_relaxed), updated_.load(std::memory_order_relaxed),
            deleted_.load(std::memory_order_relaxed)};
  }
  // One round of reclamation. True when dirty leaves remain.
  bool clean(const ActiveSnapshots& active, bool all);
  // The newest image of the record for uniqueness: committed, or pending (`owner` set when it is another's).
  enum class Newest : uint8_t { kNone, kImage, kInProcess };
  struct Owner {
    Descriptor* descriptor = nullptr;
    TxnId transaction;
    uint64_t generation = 0;
  };
  Newest read_newest(TransactionImpl& txn, Bytes key, std::string& image, Owner& owner, uint64_t& stamp);
  std::shared_ptr<TableIndex> find_index(IndexId id) const;
  std::shared_ptr<const IndexList> index_list() const;
  const IndexList* indexes() const { return indexes_raw_.load(std::memory_order_acquire); }
  // The record as this table's transactions may see it. The meta of a torn leaf stays torn.
  RecordMeta own_meta(const Leaf* leaf, size_t i) const {
    return tree_.foreign(leaf) ? leaf->meta(i).committed_only() : leaf->meta(i);
  }
  // Gives a clone that is not in use yet clones of this table's indexes. No writer is active.
  void clone_indexes(TableImpl& clone, const std::function<IndexId(IndexId)>& new_id, uint64_t source_generation,
                     uint64_t generation);

 private:
  friend class IndexCursor;
  enum class Next : uint8_t { kDone, kWaitOwner, kWaitLock, kFollow, kAgain };
  struct Attempt {
    Next next = Next::kDone;
    StorageStatus status = StorageStatus::kOk;
    Owner owner;
    std::string new_key;  // kFollow
  };

  void record_moved(const RecordMeta& meta, Leaf* to) override;
  void leaf_split(Leaf* from, Leaf* to) override;
  void record_copied(const Leaf& from, const RecordMeta& meta) override;

  // storage/okvl: of a record that is claimed, or that FOR UPDATE and its like read.
  StorageStatus lock_to_write(TransactionImpl& txn, Bytes key, LockWait wait) const;
  StorageStatus lock_to_lock(TransactionImpl& txn, Bytes key, RowLockMode mode, LockWait wait) const;

  static Owner owner_of(const PendingVersion& pending);
  static PendingVersion* pending_of(const RecordMeta& m) { return reinterpret_cast<PendingVersion*>(m.predecessor); }
  static Bytes entry_image(const Leaf* leaf, const RecordMeta& m, const PendingEntry& e);
  static Bytes committed_image(const Leaf* leaf, const RecordMeta& m);

  // claim.cpp
  Attempt try_claim(TransactionImpl& txn, const ReadView& view, Bytes key, RowLockMode mode, Claimed& out);
  Attempt try_lock_row(TransactionImpl& txn, const ReadView& view, Bytes key, RowLockMode mode, bool lock_held,
                       Claimed& out);
  template <class Try>
  StorageStatus attempt_until_done(TransactionImpl& txn, Bytes key, RowLockMode mode, LockWait wait, Claimed& out,
                                   Try attempt);
  // Checks a committed record for a claim or lock; kOk continues.
  static StorageStatus check_committed(TransactionImpl& txn, const ReadView& view, const Leaf* leaf,
                                       const RecordMeta& m, bool key_share, Claimed& out, Attempt& attempt);
  PendingVersion* take_record(TransactionImpl& txn, Leaf* leaf, size_t i, RecordMeta m, Bytes key, RowLockMode mode);
  PendingVersion* my_pending(TransactionImpl& txn, Bytes key);
  PendingVersion* new_pending(TransactionImpl& txn, Bytes key, RowLockMode mode);
  void release_record(PendingVersion& pending);
  void release_guarded(PendingVersion& pending);  // under a WriteGuard
  // Latches the leaf that holds the pending version's record, and finds it there; `to_write`: it is writable.
  Leaf* lock_leaf_of(PendingVersion& pending, size_t& i, bool to_write);

  // writing.cpp
  StorageStatus check_size(TransactionImpl& txn, Bytes key, Bytes row) const;
  // Does the row go to an OverflowBody? It may be another answer the next time.
  bool large(Bytes row) const { return row.size() > tree_.thresholds().inline_bytes; }
  // Null (false) when there is no memory for a large image.
  PendingEntry* make_entry(TransactionImpl& txn, PendingVersion& pending, Bytes row, bool is_large);
  bool push_image(TransactionImpl& txn, PendingVersion& pending, Bytes row, LogRecord::Kind kind);
  void push(TransactionImpl& txn, PendingVersion& pending, PendingEntry* entry, LogRecord::Kind kind);
  StorageStatus insert_record(TransactionImpl& txn, Bytes key, Bytes row, Duplicate* duplicate, PendingVersion*& out);
  Attempt try_insert(TransactionImpl& txn, const KeyView& key, Bytes row, PendingVersion*& out);
  bool insert_into_leaf(TransactionImpl& txn, Leaf* leaf, size_t i, Bytes key, Bytes row, bool is_large,
                        PendingVersion& pending);
  // Takes back the last change in the log (an insert or update that failed half way).
  void undo_last(TransactionImpl& txn);
  bool newest_own_image(TransactionImpl& txn, PendingVersion& pending, std::string& image);

  // index_maintenance.cpp
  // Adds the entries of a new image; keys equal to those of `old_image` (null: none) are there already. Keys that the
  // old image had and the new one has not are listed in `entry`.
  StorageStatus add_index_entries(TransactionImpl& txn, Bytes key, Bytes row, const Bytes* old_image,
                                  PendingEntry& entry, Duplicate* duplicate);
  StorageStatus add_index_entry(TransactionImpl& txn, const TableIndex& index, Bytes new_key, Bytes key);
  // The same for an index that has several keys of a row.
  StorageStatus add_inverted_entries(TransactionImpl& txn, TableIndex& index, Bytes key, Bytes row,
                                     const Bytes* old_image, PendingEntry& entry);
  StorageStatus note_old_key(TransactionImpl& txn, TableIndex& index, Bytes old_key, Bytes key, PendingEntry& entry);
  StorageStatus note_old_keys(TransactionImpl& txn, Bytes key, Bytes old_image, PendingEntry& entry);
  StorageStatus check_unique(TransactionImpl& txn, const TableIndex& index, Bytes key, Bytes primary_key,
                             Duplicate* duplicate);
  // Erases the entry unless a version of the record has its key: then it answers true. May suspend.
  bool erase_index_entry(const TableIndex& index, Bytes key, Bytes primary_key, StaleEntry& entry);
  // Those of versions that have gone before the first of them comes here. `entries` is the caller's from one to the next, with the
  // list.
  void erase_index_entries_of(const IndexList& list, Bytes primary_key, Bytes image, std::vector<StaleEntry>& entries);
  // Those of an entry that was popped.
  void erase_undone(TransactionImpl& txn, PendingVersion& pending, const PendingEntry& e, Bytes image);
  // Calls visit(number, index, key) for the keys of a row, by index. Undisturbed.
  template <class Visit>
  static void visit_keys(const IndexList& list, Bytes primary_key, Bytes image, Visit visit);
  // Is a lock named after the value? Then it stays for now.
  bool is_locked(IndexId space, Bytes key) const;
  void erase_ghosts();
  // Before the record or entry goes: pairs with gone().
  void going(uint64_t stamp) {
    uint64_t known = gone_.load(std::memory_order_relaxed);
    while (known < stamp &&
           !gone_.compare_exchange_weak(known, stamp, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }

  // index_build.cpp
  std::unique_ptr<Index> take_mapped_index(const IndexOptions& options, IndexFactory make);
  StorageStatus fill_index(TransactionImpl& txn, TableIndex& index, Duplicate* duplicate, IndexBuildWatch* watch);

  // install.cpp, clean.cpp
  struct Dropped {
    SnapshotVersion* version;
    std::string key;
  };
  SnapshotVersion* keep_version(const Leaf* leaf, const RecordMeta& m, uint64_t end, uint64_t predecessor,
                                bool keys_differ);
  static bool worth_pruning(uint64_t head, const ActiveSnapshots& active, CommitStamp c);
  // Cuts what is not needed out of the first `most` versions of the chain; answers the new head.
  uint64_t prune(uint64_t head, const ActiveSnapshots& active, const Leaf* leaf, const RecordMeta& m, size_t most,
                 std::vector<Dropped>& dropped);
  void finish_dropped(std::vector<Dropped>& dropped);
  void retire_version(SnapshotVersion* v);
  void free_pending(OverflowBody* body);  // null: nothing
  void free_newest(OverflowBody* body);
  void count_version(const SnapshotVersion& v, int64_t sign);
  // Adds the chains of the records of a leaf.
  void measure_chains(const Leaf* leaf, TableStatistics& s) const;
  template <class Visit>
  bool with_own_leaf(Leaf* leaf, std::string& high, Visit visit);  // counting.cpp
  void queue(Leaf* leaf);
  void free_chains();
  bool clean_leaf(Leaf* leaf, const ActiveSnapshots& active);
  void merge_around(Leaf* leaf);

  StoreImpl& store_;
  const TableId id_;
  const log::DurableId durable_id_;
  Tree tree_;
  const size_t max_key_bytes_;
  std::atomic<uint64_t> next_row_id_{1};
  std::atomic<uint64_t> gone_{0};
  alignas(64) std::atomic<int64_t> row_count_{0};
  std::atomic<int64_t> open_rows_{0};
  Stillness stillness_;
  std::atomic<uint64_t> inserted_{0}, updated_{0}, deleted_{0};  // records, by committed transactions
  std::atomic<int64_t> version_bytes_{0}, version_count_{0};
  // Bytes of large rows, by who names them: a pending change, the newest version, older ones. `newest` changes under a
  // WriteGuard, so that a clone finds it as it is at its moment.
  struct LargeRows {
    std::atomic<int64_t> pending{0}, newest{0}, older{0};
    static void add(std::atomic<int64_t>& bytes, const OverflowBody* body, int64_t sign = 1) {
      if (body != nullptr) bytes.fetch_add(sign * static_cast<int64_t>(body->total_bytes()), std::memory_order_relaxed);
    }
  };
  LargeRows large_rows_;

  std::map<uint32_t, std::unique_ptr<Index>> mapped_indexes_;  // of a store that no session uses yet

  mutable std::mutex indexes_mutex_;  // guards indexes_ and old_indexes_
  std::shared_ptr<const IndexList> indexes_ = std::make_shared<IndexList>();
  // What writers use: the table lock keeps changes of the list away from them. Null while there are no indexes.
  std::atomic<const IndexList*> indexes_raw_{nullptr};

  // Entries that were not removed because their values were locked.
  struct Ghost {
    IndexId index;
    std::string key, primary_key;
  };
  std::mutex ghosts_mutex_;  // guards ghosts_
  std::vector<Ghost> ghosts_;

  SpinLock dirty_lock_;  // guards the two lists; taken under leaf latches
  std::vector<Leaf*> dirty_;
  std::vector<Leaf*> held_;  // still dirty after the last round
  uint64_t held_oldest_ = 0;
};

}  // namespace indigo::storage
