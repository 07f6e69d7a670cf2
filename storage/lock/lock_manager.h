// Everything that must block beyond a record's own writer: row locks, key-value locks, table locks, advisory locks; one
// wait-for graph with the record writers of the tree, one deadlock detection.
//
// Thread safety: all functions are safe from any thread; a LockOwner's requests come from one session at a time.
// Waits use Waiter::current() and end with kInterrupted, kLockTimeout or kDeadlock.
// Source: Graefe and Kimura, Orthogonal key-value locking.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/fiber/wait_point.h"
#include "base/ids.h"
#include "storage/lock/lock_mode.h"
#include "storage/status.h"

namespace indigo::storage {

// What a lock names. `space` keeps the kinds apart.
struct LockName {
  // kTransaction appears in snapshot() only: a record writer's wait for the transaction `object`.
  // kRecordQueue: those who wait for one record's writer, in their order.
  enum class Space : uint8_t { kTable, kRow, kKeyValue, kAdvisory, kObject, kTransaction, kRecordQueue };
  Space space;
  uint64_t object;  // TableId or IndexId or database oid
  std::string key;  // row's primary key, key value, or advisory number
  friend bool operator==(const LockName&, const LockName&) = default;
};

// Modes of all spaces but kKeyValue in one table-driven lattice; see lock_compatibility.h.
using LockModeCode = uint8_t;

struct LockInfo {  // one row of pg_locks
  LockName name;
  LockModeCode mode;
  TxnId holder;      // zero for session-level advisory locks
  uint64_t session;  // opaque number given by the owner
  bool granted;
  bool advisory_shared;
  std::string components;  // of a key-value lock, as ModeVector::text()
};

// Owner of locks: a transaction, or a session (session-level advisory locks). Savepoint levels are remembered, so that
// rolling back to a savepoint releases what was taken since. Its number of transaction is zero for a session's own
// owner; the two owners of one session (equal session numbers, not zero) never stand in each other's way.
// Release everything before destruction; destroy before the LockManager.
class LockOwner {
 public:
  virtual ~LockOwner() = default;
};

class LockManager {
 public:
  virtual ~LockManager() = default;

  virtual std::unique_ptr<LockOwner> create_owner(TxnId txn, uint64_t session) = 0;
  // Gives an owner that holds nothing to another transaction, so that recycled transactions allocate nothing.
  virtual void reset_owner(LockOwner& owner, TxnId txn, uint64_t session) = 0;

  // In all lock functions a timeout of zero means none, and `wait` false answers kWouldBlock instead of waiting.
  // A mode that the owner has already is granted at once. A failed request leaves what was held before.

  // Table (and other catalog object) locks.
  virtual StorageStatus lock_table(LockOwner& owner, uint64_t object, TableLockMode mode, bool wait,
                                   std::chrono::milliseconds timeout) = 0;
  // Row locks.
  virtual StorageStatus lock_row(LockOwner& owner, TableId table, Bytes key, RowLockMode mode, bool wait,
                                 std::chrono::milliseconds timeout) = 0;
  // Gives a row lock back before its time: one that this owner took in that mode and has not otherwise.
  virtual void unlock_row(LockOwner& owner, TableId table, Bytes key, RowLockMode mode) = 0;
  // The place among those who wait for the record's writer.
  virtual StorageStatus lock_record_queue(LockOwner& owner, TableId table, Bytes key, bool wait,
                                          std::chrono::milliseconds timeout) = 0;
  // Exclusive lock on one key value of one (unique) index.
  virtual StorageStatus lock_key_value(LockOwner& owner, IndexId index, Bytes key, bool wait,
                                       std::chrono::milliseconds timeout) = 0;
  // Any components of one key value; see KeyValueMode. They are added to what the owner has of it.
  virtual StorageStatus lock_key_value_components(LockOwner& owner, IndexId index, Bytes key, const KeyValueMode& mode,
                                                  bool wait, std::chrono::milliseconds timeout) = 0;
  // The mode in which the owner has the gap above the value, and going back to a weaker one.
  virtual BasicMode gap_mode(LockOwner& owner, IndexId index, Bytes key) = 0;
  virtual void lower_gap(LockOwner& owner, IndexId index, Bytes key, BasicMode mode) = 0;
  // Does anybody hold something of the value, the gap included?
  virtual bool key_value_in_use(IndexId index, Bytes key) = 0;
  // Advisory locks: re-entrant with a count, shared or exclusive. `key` is the 8 byte or 4+4 byte number with its class.
  virtual StorageStatus lock_advisory(LockOwner& owner, uint64_t database, Bytes key, bool shared, bool wait,
                                      std::chrono::milliseconds timeout) = 0;
  // Gives back one of the times it was taken; false when the owner does not hold it so.
  virtual bool unlock_advisory(LockOwner& owner, uint64_t database, Bytes key, bool shared) = 0;

  virtual uint32_t mark(LockOwner& owner) = 0;  // position for release_since (savepoints)
  // `keep_key_values`: locks of key values stay (transactions that lock what they read).
  virtual void release_since(LockOwner& owner, uint32_t mark, bool keep_key_values = false) = 0;
  virtual void release_all(LockOwner& owner) = 0;

  // Record writers join the same graph: `waiter` waits for `owner` until end_wait. Answers kDeadlock when that closes
  // a cycle (the caller is then the victim and must not wait), kOk otherwise.
  virtual StorageStatus begin_wait(TxnId waiter, TxnId owner) = 0;
  virtual void end_wait(TxnId waiter) = 0;

  virtual std::vector<LockInfo> snapshot() const = 0;  // for pg_locks
  // The sessions that `session` waits for, holders and those before it in the queue, for pg_blocking_pids. A
  // transaction's session is known when it has a LockOwner. Zero: one that is prepared, which has none.
  virtual std::vector<uint64_t> blocking_sessions(uint64_t session) const = 0;
  virtual uint64_t deadlock_count() const = 0;

  static std::unique_ptr<LockManager> create();
};

}  // namespace indigo::storage
