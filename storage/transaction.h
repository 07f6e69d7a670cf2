// Transactions as storage sees them: a descriptor that others may look at, a snapshot, and the list of records written.
//
// Life: Store::begin -> statements (next_command, take_statement_snapshot) -> Store::commit or Store::rollback.
// Thread safety: a Transaction is used by one session at a time. Its Descriptor is read by everyone.
// Source: Index-Organized 4.1 and 4.2; design rules R2, R4, R5.
#pragma once

#include <cstdint>
#include <memory>

#include "base/fiber/wait_point.h"
#include "base/ids.h"
#include "storage/status.h"

namespace indigo::storage {

class Store;
class Descriptor;

enum class Isolation : uint8_t { kReadCommitted, kRepeatableRead, kSerializable };

// What one reader sees: committed versions with stamp <= `stamp`, and its own transaction's versions written by
// commands before `command` (R2).
struct ReadView {
  CommitStamp stamp;
  CommandId command = 0;
};

class Transaction {
 public:
  virtual ~Transaction() = default;

  TxnId id() const { return id_; }
  Isolation isolation() const { return isolation_; }
  // A row has been written or locked; table locks alone do not count.
  virtual bool has_written() const = 0;

  // Starts the next command: later reads see what earlier commands of this transaction wrote.
  CommandId next_command() { return ++command_; }
  CommandId command() const { return command_; }

  // SERIALIZABLE, before its first snapshot: it will write nothing that others see. Then it is not tracked when no cycle
  // can go through it.
  virtual void declare_read_only() = 0;
  // SERIALIZABLE READ ONLY DEFERRABLE: waits for a snapshot that is safe, and takes it. kInterrupted when told to stop.
  virtual StorageStatus take_safe_snapshot() = 0;

  // READ COMMITTED: a fresh snapshot per statement. REPEATABLE READ and above: taken once, later calls keep it.
  virtual void take_statement_snapshot() = 0;
  // SERIALIZABLE, between two statements: kSerialization when it is known by now that it cannot commit. What is not found here, as
  // in transactions that read or write much, the commit finds.
  virtual StorageStatus check_open() { return StorageStatus::kOk; }
  // The view that statements use: the statement's snapshot and the current command.
  virtual ReadView view() const = 0;
  // A view of the newest committed state (catalog look-ups, unique and foreign-key checks), plus all own writes.
  virtual ReadView newest_view() const = 0;

  // Keeps `view`'s snapshot registered beyond the statement (cursors); released by the handle's destructor.
  class PinnedView {
   public:
    virtual ~PinnedView() = default;
  };
  virtual std::unique_ptr<PinnedView> pin(const ReadView& view) = 0;

  // Savepoints nest. savepoint() returns a level, from 1 upward; rollback_to(level) undoes everything written and
  // unlocks everything locked since that savepoint() call and leaves the level open; release(level) merges it and
  // all levels above into the one below.
  virtual uint32_t savepoint() = 0;
  virtual void rollback_to(uint32_t level) = 0;
  virtual void release(uint32_t level) = 0;

  // Waits of this transaction (record writers, locks) end at this deadline with kLockTimeout. The session sets it
  // again before each statement's waits from lock_timeout; zero duration means none.
  void set_lock_timeout(std::chrono::milliseconds timeout) { lock_timeout_ms_ = timeout; }
  std::chrono::milliseconds lock_timeout() const { return lock_timeout_ms_; }

 protected:
  TxnId id_;
  Isolation isolation_ = Isolation::kReadCommitted;
  CommandId command_ = 1;
  std::chrono::milliseconds lock_timeout_ms_{0};
};

}  // namespace indigo::storage
