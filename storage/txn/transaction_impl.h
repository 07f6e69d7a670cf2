// A transaction's private state, and the context that its writes hang from.
//
// Thread safety: used by one session at a time; only the Descriptor within WriteContext is seen by others.
// Invariants:
// 1. A transaction without a WriteContext has written nothing; others know of it only by its registered snapshot.
// 2. log is in the order of the changes; a savepoint is a position in it.
// 3. A WriteContext is recycled two epochs after its transaction's end: records and readers may still name it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/memory/arena.h"
#include "base/mutation.h"
#include "log/record_stream.h"
#include "storage/lock/lock_manager.h"
#include "storage/memory/memory_account.h"
#include "storage/ssn/certifier.h"
#include "storage/statistics.h"
#include "storage/transaction.h"
#include "storage/txn/descriptor.h"
#include "storage/txn/snapshot_registry.h"
#include "storage/version/pending.h"

namespace indigo::storage {

class LeftKeys;
class StoreImpl;
class TableImpl;
struct TableIndex;
using IndexList = std::vector<std::shared_ptr<TableIndex>>;

struct WriteContext {
  static constexpr size_t kFirstBlockBytes = 4096 - 64;
  Descriptor descriptor;
  Arena arena{kFirstBlockBytes};     // pending versions, their images and keys
  std::atomic<uint64_t> commits{0};  // counts beginnings and ends of commits: odd while in one (CommitProtocol)

  // The tables that the transaction has changed records of, as a set that may have others too. Written by its session,
  // read when a table is to go (storage/dropped_tables.h).
  std::atomic<uint64_t> touched{0};
  static uint64_t touched_bit(TableId id) { return uint64_t{1} << (id.value % 64); }
  void touch(TableId id) {  // one writer: no read-modify-write is needed
    touched.store(touched.load(std::memory_order_relaxed) | touched_bit(id), std::memory_order_release);
  }

  // Brings the account up to date: what the arena has beyond its first block, and `log_bytes`.
  void account(MemoryAccount& memory, size_t log_bytes) {
    size_t now = std::max(arena.allocated_bytes(), kFirstBlockBytes) - kFirstBlockBytes + log_bytes;
    if (now == accounted_bytes_) return;
    memory.add(MemoryKind::kTransactions, static_cast<int64_t>(now) - static_cast<int64_t>(accounted_bytes_));
    accounted_bytes_ = now;
  }
  // No references into the arena are left.
  void reset(MemoryAccount& memory) {
    arena.reset();
    account(memory, 0);
  }

 private:
  size_t accounted_bytes_ = 0;
};

// One change in a transaction's order.
class LogRecord {
 public:
  enum class Kind : uint8_t {
    kClaim = 0,   // took the record
    kPush = 1,    // pushed an entry
    kInsert = 2,  // both
  };
  LogRecord(PendingVersion* pending, Kind kind)
      : word_(reinterpret_cast<uintptr_t>(pending) | static_cast<uintptr_t>(kind)) {}
  PendingVersion* pending() const { return reinterpret_cast<PendingVersion*>(word_ & ~uintptr_t{3}); }
  Kind kind() const { return static_cast<Kind>(word_ & 3); }
  bool claims() const { return kind() != Kind::kPush; }
  bool pushes() const { return kind() != Kind::kClaim; }

 private:
  uintptr_t word_;
};

// An entry of a secondary index that a committed change gave up.
struct StaleIndexEntry {
  TableImpl* table;
  const TableIndex* index;
  Bytes key, primary_key;
  bool by_record;     // their order: in the index's, or where a row has many keys, those of a record together
  uint64_t head = 0;  // the first 8 bytes of what comes first, big-endian, padded with zeros
  void set_head() {
    const Bytes first = by_record ? primary_key : key;
    std::memcpy(&head, first.data(), std::min(first.size(), sizeof head));
    head = big_endian(head);
  }
  friend bool operator<(const StaleIndexEntry& a, const StaleIndexEntry& b) {
    if (a.index != b.index) return std::less<>()(a.index, b.index);
    if (a.head != b.head) return a.head < b.head;
    if (a.by_record) return a.primary_key != b.primary_key ? a.primary_key < b.primary_key : a.key < b.key;
    return a.key != b.key ? a.key < b.key : a.primary_key < b.primary_key;
  }
  friend bool operator==(const StaleIndexEntry& a, const StaleIndexEntry& b) {
    return a.index == b.index && a.key == b.key && a.primary_key == b.primary_key;
  }
};

// What outlives a transaction to be used by the next one.
struct TransactionState {
  static constexpr size_t kKeepRecords = 4096;  // lists of this size are kept for the next transaction
  struct Savepoint {
    size_t log_position;
    size_t action_count;
    uint32_t lock_mark;
  };
  struct EndAction {
    std::function<void()> commit, rollback;
  };
  struct Touched {
    TableImpl* table;  // alive until the end: storage/dropped_tables.h
    int64_t rows_added = 0;
    int64_t inserted = 0, told = 0;  // rows so far, and how many of them are among the table's open ones
  };

  SnapshotRegistry::Slot* slot = nullptr;
  uint32_t shard = 0;
  uint64_t next_txn = 0, end_txn = 0;   // transaction ids for it to give out
  std::atomic<uint64_t> newest_txn{0};  // the last one that it gave out << 1 | 1, without the 1 when it has ended
  // Ends so far. Counted by the session that has the state, read by everyone.
  std::atomic<uint64_t> commits{0}, rollbacks{0};
  std::array<std::atomic<uint64_t>, kAbortReasons> aborts{};
  static void count(std::atomic<uint64_t>& n) {
    n.store(n.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  std::vector<LogRecord> log;
  std::vector<Savepoint> savepoints;
  std::vector<EndAction> actions;
  std::vector<Touched> touched;
  std::unique_ptr<LockOwner> lock_owner;
  std::unique_ptr<SerializableTransaction> serializable;  // made when first needed
  ActiveSnapshots active;                                 // scratch of commit
  std::vector<StaleIndexEntry> stale;                     // scratch of commit
  // Of records that were changed many times and taken back in part.
  std::unordered_map<const PendingVersion*, std::shared_ptr<LeftKeys>> left_keys;
  size_t left_keys_bytes = 0;
  std::unique_ptr<log::RecordStream> record;
  std::string scratch_key, scratch_old_key;
};

class TransactionImpl final : public Transaction {
 public:
  TransactionImpl(StoreImpl& store, TxnId id, Isolation isolation, uint64_t session, TransactionState* state);
  ~TransactionImpl() override;  // rolls back if it has not ended
  // After its end: it is another transaction from now on.
  void restart(TxnId id, Isolation isolation, uint64_t session);

  bool has_written() const override { return has_writes(); }
  void declare_read_only() override { read_only_ = true; }
  StorageStatus take_safe_snapshot() override;
  void import_snapshot(CommitStamp snapshot);
  void take_statement_snapshot() override;
  StorageStatus check_open() override;
  ReadView view() const override;
  ReadView newest_view() const override { return {kMaxStamp, UINT32_MAX}; }
  std::unique_ptr<PinnedView> pin(const ReadView& view) override;
  uint32_t savepoint() override;
  void rollback_to(uint32_t level) override;
  void release(uint32_t level) override;

  // ---- for storage
  StoreImpl& store() { return store_; }
  TransactionState& state() { return *state_; }
  // Null while nothing was written: then no record is mine.
  const Descriptor* descriptor() const { return writes_ == nullptr ? nullptr : &writes_->descriptor; }
  WriteContext& writes();  // makes it
  bool has_writes() const { return writes_ != nullptr; }
  Arena& arena() { return writes().arena; }
  Bytes keep(Bytes bytes) { return arena().copy(bytes); }
  LockOwner& lock_owner();
  // Counts what its writes take; false when statements may take no more.
  bool memory_left();
  bool locks_used() const { return locks_used_; }
  // While changes are taken back: what is left of the record (storage/table/left_keys.h). Null: there is nothing, nor to be made.
  LeftKeys* left_keys(PendingVersion& pending, const std::shared_ptr<const IndexList>& indexes, bool make);
  void popped(PendingVersion& pending, const PendingEntry& e);
  void forget_left_keys(const PendingVersion& pending);
  TransactionState::Touched& touch(TableImpl& table);
  // Rows that it has inserted, or, below zero, taken back: the table is told of some at a time.
  void note_inserted(TableImpl& table, int64_t rows);
  // R5: what this session was shown, its next snapshot has to see.
  void saw(uint64_t stamp) {
    least_snapshot_ = std::max(least_snapshot_, stamp);
    shown(stamp);
  }
  // It was shown a version of this stamp, or that there is none since then: when it writes nothing, its commit waits until that
  // is durable.
  void shown(uint64_t stamp) { newest_shown_ = std::max(newest_shown_, stamp); }
  // It may have been shown anything.
  void shown_newest() { newest_shown_ = kMaxStamp.value; }
  // Waits until `owner` may have released records. `generation` was read while a record was seen in its hands.
  StorageStatus wait_for(Descriptor& owner, TxnId owner_id, uint64_t generation);
  // Remembers a failure that is likely to end the transaction, for the statistics of aborts. Answers it.
  StorageStatus failed(StorageStatus status) {
    if (abort_reason(status)) failure_ = *abort_reason(status);
    return status;
  }
  bool ended() const { return ended_; }
  // Does it lock what it reads under this view, and sees what is committed then? Not so what is read for the server's own sake.
  bool locks_reads(const ReadView& view) const { return locking_ && view.command != UINT32_MAX; }
  bool locks_reads() const { return locking_; }
  // Does it lock what it writes, at whatever level? So that those who lock what they read meet it.
  bool locks_writes() const { return locks_writes_; }
  // storage/okvl/method.h
  void set_locking(bool locking);
  // storage/txn/advance_snapshot.h
  void advance_snapshot();
  void mark_statement();
  bool begin_again();
  // What it wanted to change, or met, has a version of this stamp.
  void met_newer(uint64_t stamp) { newer_met_ = std::max(newer_met_, stamp); }
  // storage/okvl/search.h. As a set of tables that may have others, too.
  void will_change(TableId table) { changing_ |= locking_ ? WriteContext::touched_bit(table) : 0; }
  // storage/okvl: what it has of each table.
  struct TableLocks {
    TableId table;
    BasicMode whole = BasicMode::kN;
    uint32_t count = 0;  // of locks below
  };
  TableLocks& locks_of(TableId table) {
    for (TableLocks& t : table_locks_) {
      if (t.table == table) return t;
    }
    return table_locks_.emplace_back(TableLocks{table});
  }
  bool may_change(TableId table) const { return (changing_ & WriteContext::touched_bit(table)) != 0; }
  // What Index-SSN tracks of this transaction; null below SERIALIZABLE and for read-only ones that are safe.
  SerializableTransaction* serializable() const { return serializable_; }
  // The record `key` of this space was read (or found missing) under `view`. kSerialization: it cannot commit any more.
  StorageStatus note_read(uint64_t space, Bytes key, const ReadView& view, bool found) {
    if (serializable_ == nullptr || view.stamp == kMaxStamp) return StorageStatus::kOk;
    return note_read(hash_read(space, key), view, found);
  }
  // The same with the hash that expect_read has answered.
  StorageStatus note_read(uint64_t hash, const ReadView& view, bool found) {
    if (serializable_ == nullptr || view.stamp == kMaxStamp) return StorageStatus::kOk;
    if (!found && mutated(Mutation::kForgetNothingRead)) return StorageStatus::kOk;
    return certifier_->read_point(*serializable_, hash) ? StorageStatus::kOk : failed(StorageStatus::kSerialization);
  }
  // What look-ups and claims do first: the key's slot is on its way while the record is looked for. Its hash; 0: not tracked.
  uint64_t expect_read(uint64_t space, Bytes key) {
    if (serializable_ == nullptr) return 0;
    const uint64_t hash = hash_read(space, key);
    certifier_->prefetch(hash);
    return hash;
  }
  // The same as note_read for a record that it is about to change; found: it is last_claim.
  StorageStatus note_claim(uint64_t space, Bytes key, uint64_t hash, const ReadView& view, bool found);
  // A record was written, or will be: kSerialization as above.
  StorageStatus note_write(uint64_t space, Bytes key, uint64_t hash);
  // Its newest version, of this stamp, was met: a duplicate.
  void note_newest_read(uint64_t space, Bytes key, uint64_t stamp);
  // A change has failed on a duplicate: when it was read before that there is none, this is told instead (kSerialization).
  StorageStatus failed_change(StorageStatus status);
  // An entry of a secondary index came or, in a unique one, is about to go.
  void note_index_write(uint64_t space, Bytes key);
  // Its place in the commit order, once committed; zero when it wrote nothing.
  CommitStamp commit_stamp() const { return commit_stamp_; }
  uint64_t session() const { return session_; }
  // storage/durability.h
  void set_asynchronous(bool on) { asynchronous_ = on; }
  void need_durable(Lsn lsn) { least_lsn_ = std::max(least_lsn_, lsn); }

  // The record claimed last: update and erase follow claim.
  PendingVersion* last_claim = nullptr;

 private:
  friend class CommitProtocol;
  friend class PreparedTransactions;
  friend class StoreImpl;
  void take_snapshot() const;
  // What its log has of it so far: into serializable()->writes.
  void collect_writes();
  // A serializable one that is prepared: false when it may not commit. One without writes has its place and has left.
  bool certify_prepared(bool again = false);
  // Undoes the log down to `position`.
  void undo(size_t position);

  StoreImpl& store_;
  TransactionState* const state_;
  bool ended_ = false;
  WriteContext* writes_ = nullptr;
  uint64_t session_;
  uint64_t least_snapshot_ = 0;
  uint64_t newest_shown_ = 0;
  bool locks_writes_ = false;
  bool locking_ = false;
  uint64_t changing_ = 0;  // the tables of may_change
  std::vector<TableLocks> table_locks_;
  mutable CommitStamp snapshot_;
  mutable SerializableTransaction* serializable_ = nullptr;
  mutable Certifier* certifier_ = nullptr;  // set before serializable_
  bool read_only_ = false;
  bool pinned_ = false;  // something may read on with the snapshot of now
  // Where its statement began (R9).
  struct StatementStart {
    bool known = false;
    size_t log = 0, index_writes = 0;
    uint64_t eta = 0, pi = kInfinity;
    ReadSet::Mark reads;
  };
  void move_snapshot();
  StatementStart start_;
  uint64_t newer_met_ = 0;  // the newest version that its statement could not change
  CommitStamp commit_stamp_;
  bool locks_used_ = false;
  const std::string* prepared_as_ = nullptr;  // its name, while it commits after having been prepared
  std::optional<AbortReason> failure_;
  bool asynchronous_ = false;
  Lsn least_lsn_;
};

}  // namespace indigo::storage
