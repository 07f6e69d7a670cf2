// LockManager's implementation: fast-path slots before, lock table and wait graph behind.
// Thread safety and contract: lock_manager.h.
#pragma once

#include "storage/lock/fast_path.h"
#include "storage/lock/lock_manager.h"
#include "storage/lock/lock_table.h"
#include "storage/lock/owner_registry.h"
#include "storage/lock/wait_graph.h"

namespace indigo::storage {

class LockManagerImpl final : public LockManager {
 public:
  LockManagerImpl() : graph_(table_, registry_) {}

  std::unique_ptr<LockOwner> create_owner(TxnId txn, uint64_t session) override;
  void reset_owner(LockOwner& owner, TxnId txn, uint64_t session) override;

  StorageStatus lock_table(LockOwner& owner, uint64_t object, TableLockMode mode, bool wait,
                           std::chrono::milliseconds timeout) override;
  StorageStatus lock_row(LockOwner& owner, TableId table, Bytes key, RowLockMode mode, bool wait,
                         std::chrono::milliseconds timeout) override;
  StorageStatus lock_record_queue(LockOwner& owner, TableId table, Bytes key, bool wait,
                                  std::chrono::milliseconds timeout) override;
  StorageStatus lock_key_value(LockOwner& owner, IndexId index, Bytes key, bool wait,
                               std::chrono::milliseconds timeout) override;
  StorageStatus lock_key_value_components(LockOwner& owner, IndexId index, Bytes key, const KeyValueMode& mode,
                                          bool wait, std::chrono::milliseconds timeout) override;
  BasicMode gap_mode(LockOwner& owner, IndexId index, Bytes key) override;
  void lower_gap(LockOwner& owner, IndexId index, Bytes key, BasicMode mode) override;
  bool key_value_in_use(IndexId index, Bytes key) override;
  StorageStatus lock_advisory(LockOwner& owner, uint64_t database, Bytes key, bool shared, bool wait,
                              std::chrono::milliseconds timeout) override;
  void unlock_row(LockOwner& owner, TableId table, Bytes key, RowLockMode mode) override;
  bool unlock_advisory(LockOwner& owner, uint64_t database, Bytes key, bool shared) override;

  uint32_t mark(LockOwner& owner) override;
  void release_since(LockOwner& owner, uint32_t mark, bool keep_key_values) override;
  void release_all(LockOwner& owner) override;

  StorageStatus begin_wait(TxnId waiter, TxnId owner) override;
  void end_wait(TxnId waiter) override;

  std::vector<LockInfo> snapshot() const override;
  std::vector<uint64_t> blocking_sessions(uint64_t session) const override;
  uint64_t deadlock_count() const override { return graph_.deadlock_count(); }

 private:
  struct Acquired {
    StorageStatus status;
    bool before = false;  // kOk, and the owner had the mode already
  };
  Acquired acquire(OwnerImpl& owner, const LockNameView& name, const WantedMode& mode, bool wait,
                   std::chrono::milliseconds timeout);
  StorageStatus await(LockRequest& request, LockPartition& partition, std::chrono::milliseconds timeout);
  void release(OwnerImpl& owner, const HeldLock& held);
  void release_last(OwnerImpl& owner, const LockRequest& request, LockModeCode mode);  // and forgets it
  void release_transferred(OwnerImpl& owner, uint64_t object, LockModeCode mode);
  void transfer_weak_locks(OwnerImpl& strong, uint64_t object);

  mutable LockTable table_;
  OwnerRegistry registry_;
  StrongLockCounters strong_;
  WaitGraph graph_;
};

}  // namespace indigo::storage
