// The store's parts, as the rest of storage uses them. See store.h for the interface.
//
// Thread safety: all functions, as in store.h. Members are destroyed in reverse order: the reclaimer stops first, tables
// are gone before the Store (their owners' duty), then retired memory is freed, then the pools.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "log/log.h"
#include "storage/btree/node_memory.h"
#include "storage/dropped_tables.h"
#include "storage/epoch.h"
#include "storage/image/mapped_blocks.h"
#include "storage/index/index_factory.h"
#include "storage/index/index_service.h"
#include "storage/memory/memory_account.h"
#include "storage/memory/page_pool.h"
#include "storage/memory/valenblock.h"
#include "storage/memory/version_pool.h"
#include "storage/pause_points.h"
#include "storage/prepared.h"
#include "storage/reclaimer.h"
#include "storage/running_transactions.h"
#include "storage/ssn/certifier.h"
#include "storage/statistics.h"
#include "storage/store.h"
#include "storage/txn/commit_clock.h"
#include "storage/txn/commit_protocol.h"
#include "storage/txn/snapshot_registry.h"
#include "storage/txn/transaction_impl.h"

namespace indigo::storage {

class StoreImpl final : public Store {
 public:
  explicit StoreImpl(const StoreOptions& options);
  ~StoreImpl() override;

  std::shared_ptr<Table> create_table(const TableOptions& options) override;
  TableId next_id() override { return TableId(next_id_.fetch_add(1, std::memory_order_relaxed)); }
  std::unique_ptr<Transaction> begin(Isolation isolation, uint64_t session,
                                     std::unique_ptr<Transaction> ended) override;
  StorageStatus commit(Transaction& txn) override;
  void rollback(Transaction& txn) override;
  void on_end(Transaction& txn, std::function<void()> commit, std::function<void()> rollback) override;
  LockManager& locks() override { return *locks_; }
  LockOwner& lock_owner(Transaction& txn) override { return static_cast<TransactionImpl&>(txn).lock_owner(); }
  void reclaim() override { reclaimer_.run_round(); }
  Statistics statistics() const override;

  // ---- for storage
  std::shared_ptr<TableImpl> make_table(const TableOptions& options, log::DurableId durable_id);
  std::vector<std::shared_ptr<TableImpl>> durable_tables();
  log::Log& log() { return log_; }
  EpochManager& epochs() { return epochs_; }
  CommitClock& clock() { return clock_; }
  SnapshotRegistry& snapshots() { return snapshots_; }
  Certifier& certifier() {
    Certifier* made = certifier_.load(std::memory_order_acquire);  // pairs with make_certifier
    return made != nullptr ? *made : make_certifier();
  }
  VersionPool& versions() { return versions_; }
  CommitProtocol& commits() { return commits_; }
  PreparedTransactions& prepared() { return prepared_; }
  Valenblock& nodes() { return nodes_; }
  Reclaimer& reclaimer() { return reclaimer_; }
  // Do transactions lock by keys (storage/okvl/method.h), if nobody says anything else of them?
  bool locks_by_default() const { return locks_by_default_; }
  // May there be any that do? Then what is removed is looked for among the locks. Asked where it is removed, in a guard.
  // seq_cst: a guard that began after allow_locking() had returned sees it.
  bool locking() const { return locking_.load(); }
  void allow_locking();
  uint16_t lock_partitions() const { return lock_partitions_; }
  uint32_t lock_escalation() const { return lock_escalation_; }
  IndexFactory ordered_index() const { return ordered_index_; }
  uint32_t hydralist_replicas() const { return hydralist_replicas_; }
  IndexService& index_service() { return index_service_; }
  NodeMemory& pages(size_t block_bytes);
  MappedBlocks& mapped() { return mapped_; }
  std::shared_ptr<TableImpl> add_table(std::unique_ptr<TableImpl> created);
  WriteContext* take_write_context();
  void give_back(TransactionState* state);
  MemoryAccount& memory() { return memory_; }
  // At the memory limit: reclaims at once what is not needed. True when that helped. Under no latch or guard.
  bool reclaim_until_left();
  StoreStatistics counters();
  DroppedTables& dropped_tables() { return dropped_tables_; }
  const PauseHook& pauses() const { return pauses_; }
  // For tests, before the store is used.
  void set_pause_points(PausePoints* points) { pauses_.set(points); }
  // Returns spare memory of the pools to the system.
  void trim();
  // Null when there is no memory.
  OverflowBody* make_overflow(Bytes image);
  // One who named it does no longer: by epoch, or at once.
  void free_overflow(OverflowBody* body);
  void release_overflow(OverflowBody* body);

  // Cloning (storage/clone.h). Waits, while others commit, until all commits that are under way have ended. kInterrupted.
  StorageStatus wait_for_commits();
  // A stamp such that commits above it which no certifier saw are found by newest_uncertified(); zero: none yet. The first call
  // waits as wait_for_commits() does.
  uint64_t uncertified_known_from();
  uint64_t newest_uncertified() const { return commits_.newest_uncertified(); }
  // While this answers true, until resume(), there are no commits and no changes of leaves or indexes; what has been committed
  // is installed. False: a commit takes long; wait for it, and try again.
  bool try_pause();
  void resume();
  RunningTransactions running_transactions();  // storage/running_transactions.h
  uint64_t next_generation() { return next_generation_.fetch_add(1, std::memory_order_relaxed) + 1; }
  std::shared_ptr<TableImpl> clone_table(TableImpl& source, log::DurableId durable_id, uint64_t source_generation,
                                         uint64_t generation);

 private:
  friend class PreparedTransactions;
  // A context whose transaction has ended, and when.
  struct EndedWrites {
    WriteContext* context;
    uint64_t epoch;  // no guard of it may be active when another transaction takes the context
  };
  struct alignas(64) Shard {
    SpinLock lock;  // guards what follows
    std::vector<TransactionState*> states;
    std::deque<EndedWrites> ended;  // the oldest first
  };
  static constexpr uint32_t kShards = 16;
  static constexpr uint64_t kTxnBlock = 64;

  TransactionState* take_state();
  Certifier& make_certifier();
  TxnId next_txn_id(TransactionState& state);
  Shard& shard() { return shards_[thread_shard() % kShards]; }
  std::vector<WriteContext*> write_contexts();
  // For another transaction to take, once the epoch has passed.
  void end_writes(WriteContext& writes, uint64_t epoch);
  // Gives back what the transaction held, after its outcome is decided.
  void finish(TransactionImpl& txn, bool committed);

  const bool locks_by_default_;
  std::atomic<bool> locking_;
  std::mutex allow_locking_;  // guards the change of locking_, and the wait for everyone to see it
  bool locking_seen_;
  std::atomic<uint64_t> uncertified_known_from_{0};
  const uint16_t lock_partitions_;
  const uint32_t lock_escalation_;
  const uint32_t hydralist_replicas_;
  const IndexFactory ordered_index_;
  std::unique_ptr<log::Log> own_log_;
  log::Log& log_;
  MemoryAccount memory_;
  MappedBlocks mapped_;  // what the store began with; mapped before there are tables
  VersionPool versions_{memory_};
  Valenblock nodes_{memory_};
  std::mutex durable_mutex_;  // guards durable_tables_
  std::vector<std::weak_ptr<TableImpl>> durable_tables_;
  mutable std::mutex pages_mutex_;  // guards pages_
  std::map<size_t, std::unique_ptr<NodeMemory>> pages_;
  PauseHook pauses_;
  CommitClock clock_;
  SnapshotRegistry snapshots_{clock_, pauses_};
  CommitProtocol commits_{log_, clock_, snapshots_, pauses_};
  std::unique_ptr<Certifier> own_certifier_;
  std::atomic<Certifier*> certifier_{nullptr};  // since the first serializable transaction
  std::unique_ptr<LockManager> locks_;
  std::array<Shard, kShards> shards_;
  DroppedTables dropped_tables_;
  mutable std::mutex created_mutex_;  // guards the two below, and the making of the certifier
  std::vector<std::unique_ptr<TransactionState>> created_states_;
  std::vector<std::unique_ptr<WriteContext>> created_contexts_;
  alignas(64) std::atomic<uint64_t> next_txn_{1};
  alignas(64) std::atomic<uint64_t> retired_txns_{0};  // none below it is given out any more
  std::atomic<uint64_t> next_id_{1};
  std::atomic<uint64_t> next_generation_{0};
  std::mutex pause_mutex_;  // held from try_pause to resume
  EpochManager epochs_;
  IndexService index_service_;
  Reclaimer reclaimer_;
  PreparedTransactions prepared_{*this};
};

inline StoreImpl& impl(Store& store) { return static_cast<StoreImpl&>(store); }

}  // namespace indigo::storage
