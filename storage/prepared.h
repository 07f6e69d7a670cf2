// Transactions that have been prepared (two-phase commit): they have left their sessions, keep all that they hold, and wait
// for a decision that may come from another session, after a restart, or never.
//
// Invariants:
// 1. A transaction that is prepared can commit whatever others do, unless the log has no room for the decision; then it stays
//    prepared. Its record (log/format.h, kPrepare) was durable before its session was told.
// 2. It is in the list exactly from its record's LSN to the decision's: the list's mutex is held over both appends. So a
//    checkpoint that reads its horizon before the list, and takes its snapshot after it, has each transaction once: in the
//    list, if its record lies below the horizon and the decision does not; in the snapshot, if the decision was a commit that
//    the list misses. What is decided between list and snapshot is taken out of the list again (Listing): a backup has no log.
// 3. Its locks belong to no session: nobody is of its party.
// Thread safety: all functions.
// Source: PostgreSQL's twophase.c for what may be said and when; the list in the checkpoint is ours.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "storage/lock/lock_mode.h"
#include "storage/status.h"
#include "storage/table.h"
#include "storage/transaction.h"

namespace indigo::log {
class RecordStream;
}

namespace indigo::storage {

class StoreImpl;
class TransactionImpl;

struct PreparedName {
  std::string name;
  int64_t prepared_at = 0;  // microseconds since 2000-01-01
  Oid owner = kInvalidOid, database = kInvalidOid;
};

class PreparedTransactions {
 public:
  explicit PreparedTransactions(StoreImpl& store) : store_(store) {}
  ~PreparedTransactions();
  PreparedTransactions(const PreparedTransactions&) = delete;
  PreparedTransactions& operator=(const PreparedTransactions&) = delete;

  // Takes the name for a transaction that is about to be prepared: kDuplicateKey when it is in use, kOutOfMemory when `most`
  // are in use.
  StorageStatus reserve(const PreparedName& name, size_t most);
  // Under a name that was reserved, and which is free again if this fails; then the transaction has been rolled back. kTooLarge:
  // its changes do not fit into a checkpoint's chunk.
  StorageStatus prepare(const std::string& name, std::unique_ptr<Transaction> txn);
  // Gives a reserved name up.
  void forget(const std::string& name);

  // kNotFound, or kWouldBlock while somebody else is about to end it. What kOk answers is ended, or released.
  StorageStatus begin_end(const std::string& name, PreparedName& out);
  void release(const std::string& name);
  // kLogFull, kLogFailed: unless the log has failed while this waited for it, the transaction is still prepared.
  StorageStatus commit(const std::string& name);
  StorageStatus roll_back(const std::string& name);

  struct Listed {
    PreparedName name;
    TxnId transaction;
  };
  std::vector<Listed> list() const;
  size_t count(Oid database) const;
  // The serializable method (storage/okvl/method.h) of those of a database, if there are any: do they lock what they write?
  std::optional<bool> locks_by_keys(Oid database) const;
  // For checkpoints and backups: the streams (log/format.h) of those that a snapshot finds undecided. Made after the log's
  // horizon has been read and before the snapshot is taken.
  using Streams = std::vector<std::shared_ptr<const std::string>>;
  class Listing {
   public:
    explicit Listing(PreparedTransactions& prepared);
    ~Listing();
    Listing(const Listing&) = delete;
    Listing& operator=(const Listing&) = delete;
    // At once when the snapshot has been taken.
    void snapshot_taken();
    // Without those that have committed in the snapshot, or were rolled back before it.
    Streams undecided(CommitStamp snapshot) const;

   private:
    PreparedTransactions& prepared_;
    Streams streams_;
    uint64_t mark_ = 0;  // decisions up to then came before the snapshot
  };

  // After recovery: `txn` has all its changes and locks again.
  StorageStatus restore(const PreparedName& name, std::unique_ptr<Transaction> txn,
                        std::shared_ptr<const std::string> stream);
  // The end of the instance: all of them are taken back in memory, and stay in the log.
  void clear();

 private:
  friend class CommitProtocol;
  enum class State : uint8_t { kReserved, kPrepared, kEnding };
  struct Entry {
    PreparedName name;
    State state = State::kReserved;
    std::unique_ptr<Transaction> transaction;
    std::shared_ptr<const std::string> stream;  // set while invariant 2 has it in the list; null without a log
  };
  void detach(TransactionImpl& txn);
  Entry* find(const std::string& name, State state);
  // What listings want to know of a decision. Under mutex_.
  struct Decision {
    std::shared_ptr<const std::string> stream;
    CommitStamp stamp;  // zero: rolled back
    uint64_t number;
  };
  void decided(Entry& entry, CommitStamp stamp);
  // The decision's record, and the end of its place in the list.
  Lsn append_commit(TransactionImpl& txn, log::RecordStream& record, CommitStamp c);
  std::unique_ptr<Transaction> take(const std::string& name);
  // Of one that is rolled back, or has nothing to commit.
  StorageStatus end_without_commit(const std::string& name, bool committed);
  void encode(TransactionImpl& txn, const PreparedName& name, std::string& out);

  StoreImpl& store_;
  mutable std::mutex mutex_;  // guards what follows; never held while waiting
  std::map<std::string, Entry> entries_;
  uint32_t listings_ = 0;
  uint64_t decisions_ = 0;
  std::vector<Decision> decided_;  // while there are listings
};

class LockOwner;
class Store;
PreparedTransactions& prepared_transactions(Store& store);
// The tables and other objects that the transaction has locked, by their numbers in LockName.
std::vector<uint64_t> locked_objects(Transaction& txn);
// Has the transaction an advisory lock that the session has, too?
bool shares_advisory_lock(Transaction& txn, LockOwner& session);

// ---- recovery: changes of a transaction that is to be prepared again, on tables that nobody else uses
// The row in the place of what the key had; `mode` as it was claimed.
StorageStatus restore_pending_row(Table& table, Transaction& txn, Bytes key, Bytes row, RowLockMode mode);
StorageStatus restore_pending_erase(Table& table, Transaction& txn, Bytes key);
// Who waits for the erased record goes on to the new key.
void restore_pending_move(Table& table, Transaction& txn, Bytes key, Bytes new_key);
// The record counts as claimed in this mode, whatever was needed to change it again.
void restore_pending_mode(Table& table, Transaction& txn, Bytes key, RowLockMode mode);
// What it has read is not known any more: everything.
void restore_serializable(Transaction& txn);

}  // namespace indigo::storage
