// The storage engine of one Instance: all tables, the commit clock, snapshots, reclamation, locks and the log.
// Composition root of storage/. Two Stores can live in one process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/ids.h"
#include "storage/status.h"
#include "storage/transaction.h"

namespace indigo::storage {

class LockManager;
class LockOwner;
class Table;
struct StoreOptions;
struct TableOptions;

class Store {
 public:
  virtual ~Store() = default;
  static std::unique_ptr<Store> create(const StoreOptions& options);

  // ---- tables
  // Physical creation and removal follow transactions: a table created by a transaction that rolls back is destroyed,
  // a dropped one is destroyed when its transaction has committed and no snapshot can reach it (on_commit/on_rollback).
  virtual std::shared_ptr<Table> create_table(const TableOptions& options) = 0;
  virtual TableId next_id() = 0;  // also for IndexIds

  // ---- transactions. `session` is an opaque number shown in pg_locks.
  // `ended`, if any, is a transaction of this store that has ended: the new one takes its memory over, so that a session
  // that keeps the last one begins and ends its transactions without a lock or an allocation.
  virtual std::unique_ptr<Transaction> begin(Isolation isolation, uint64_t session,
                                             std::unique_ptr<Transaction> ended = nullptr) = 0;
  // kOk, or why it could not commit. Returns after stable >= c and durability as asked (R5). It is then rolled back, unless
  // the log failed while this waited for it (kLogFailed): whether the transaction is durable is not known then.
  virtual StorageStatus commit(Transaction& txn) = 0;
  virtual void rollback(Transaction& txn) = 0;
  // Runs when the transaction commits (after its commit point, before waiters are woken) or rolls back; run in order.
  // Actions registered since a savepoint run their rollback half when it is rolled back.
  virtual void on_end(Transaction& txn, std::function<void()> commit, std::function<void()> rollback) = 0;

  // ---- locks
  virtual LockManager& locks() = 0;
  virtual LockOwner& lock_owner(Transaction& txn) = 0;

  // ---- maintenance and statistics
  virtual void reclaim() = 0;  // one round of background reclamation; also runs on the store's own thread
  struct Statistics {
    uint64_t commits = 0, rollbacks = 0, deadlocks = 0, versions_kept = 0, bytes = 0;
    CommitStamp stable;
  };
  virtual Statistics statistics() const = 0;
};

}  // namespace indigo::storage
