// The transaction state of a session as the protocol shows it: idle, implicit transaction, block, failed block; savepoints.
//
//   kIdle --ensure--> kImplicit --commit/rollback--> kIdle
//   kIdle|kImplicit --begin--> kBlock --commit/rollback--> kIdle
//   kBlock --fail--> kFailed --rollback_to--> kBlock; --commit (answers ROLLBACK) or rollback--> kIdle
//
// The storage transaction begins with the first statement that needs one, so that SET TRANSACTION still works after BEGIN.
// In kFailed everything since the innermost savepoint has been undone and its locks are free.
// Thread safety: none; belongs to a session.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/exec/change/deferred_checks.h"
#include "engine/large_object/large_object_descriptors.h"
#include "engine/notify/session_notifications.h"
#include "engine/replication/session_changes.h"
#include "engine/settings/settings.h"
#include "storage/store.h"

namespace indigo::storage {
struct PreparedName;
class Table;
}  // namespace indigo::storage

namespace indigo::engine {

struct TransactionModes {
  std::optional<storage::Isolation> isolation;
  std::optional<bool> read_only;
  std::optional<bool> deferrable;
  bool uncommitted = false;  // READ UNCOMMITTED was asked for: SHOW says so, it is READ COMMITTED
};

// As SHOW says it.
const char* level_name(storage::Isolation isolation, bool uncommitted);

// What a statement is told that may not run in a failed block: 25P02.
Error in_failed_block();

class TransactionBlock {
 public:
  enum class State : uint8_t { kIdle, kImplicit, kBlock, kFailed };

  TransactionBlock(storage::Store& store, catalog::SessionCatalog& catalog, Settings& settings,
                   SessionNotifications& notifications, replication::SessionChanges& changes, uint64_t session)
      : store_(store),
        catalog_(catalog),
        settings_(settings),
        notifications_(notifications),
        changes_(changes),
        session_(session) {}
  ~TransactionBlock();

  // The serializable method of its transactions, where it is not the server's.
  void set_locking(bool locking) { locking_ = locking; }

  State state() const { return state_; }
  char status_byte() const { return state_ == State::kFailed ? 'E' : state_ == State::kBlock ? 'T' : 'I'; }
  // Without a block, but in a message of several statements: its transaction outlives each of them.
  void set_several(bool several) { several_ = several; }
  bool in_several() const { return several_; }
  bool in_block() const { return state_ == State::kBlock || state_ == State::kFailed; }
  // Null until the first statement that needs one.
  storage::Transaction* transaction() { return transaction_.get(); }
  bool read_only() const { return read_only_; }
  TransactionModes modes() const { return {isolation_, read_only_, deferrable_, uncommitted_}; }
  bool deferrable() const { return deferrable_; }
  storage::Isolation isolation() const { return isolation_; }
  // What SHOW answers for transaction_isolation, transaction_read_only and transaction_deferrable: the open transaction's,
  // else what the next one would have. Nothing for other names.
  std::optional<std::string> mode_setting(std::string_view name) const;
  // Microseconds since 2000-01-01; of the transaction's first statement.
  int64_t start_timestamp() const { return start_timestamp_; }

  // Opens an implicit transaction if none is open, without storage's.
  Status ensure_open(int64_t now);
  // The same with the storage transaction.
  Status ensure(int64_t now);
  // The transaction after one that a program has ended: until it is used its modes may be set.
  Status begin_again(int64_t now);
  void use() { unused_ = false; }
  // BEGIN: an implicit transaction becomes a block.
  Status begin(const TransactionModes& modes, int64_t now);
  // SET TRANSACTION.
  Status set_modes(const TransactionModes& modes);

  // RESET of transaction_isolation, transaction_read_only or transaction_deferrable: also in the middle of a transaction, save
  // where its snapshot or its tracking depends on the mode.
  Status reset_mode(std::string_view name);

  // COMMIT or the end of an implicit transaction. On an error everything was rolled back.
  Status commit();
  void rollback();
  // PREPARE TRANSACTION: the transaction goes on without the session, under that name. On an error everything was rolled back.
  // `most`: max_prepared_transactions.
  Status prepare(const storage::PreparedName& name, size_t most, int64_t now);
  // The transaction leaves the session as it is.
  std::unique_ptr<storage::Transaction> leave();
  // A statement has failed: an implicit transaction rolls back, a block becomes failed.
  void fail();

  // Of a program's block: without a name. The number that begin_nested() answers names it; rolling back leaves it open.
  size_t begin_nested();
  Status roll_back_nested(size_t at);
  Status end_nested(size_t at);
  Status savepoint(std::string_view name);
  Status rollback_to(std::string_view name);
  Status release(std::string_view name);
  size_t depth() const { return savepoints_.size(); }
  // Its number is what the transaction is known by once it has written or somebody has asked for it.
  bool has_number() const {
    return transaction_ != nullptr && (transaction_->has_written() || transaction_->id() == asked_for_);
  }
  // 0 while there is none. Its virtual number always, its own when has_number().
  uint64_t running_number() const { return transaction_ == nullptr ? 0 : transaction_->id().value; }
  void ask_for_number() { asked_for_ = transaction_->id(); }

  exec::DeferredChecks& deferred_checks() { return deferred_checks_; }
  LargeObjectDescriptors& large_objects() { return large_objects_; }
  // What logical replication will be told of the transaction.
  replication::SessionChanges& changes() { return changes_; }
  // The transaction has made a table to hold a relation's rows; and whether it did since the innermost savepoint.
  void note_new(const storage::Table& table) { new_tables_.push_back(&table); }
  bool is_new(const storage::Table& table) const;
  // Lives until the transaction has ended.
  void keep(std::shared_ptr<void> what) { kept_.push_back(std::move(what)); }
  bool keeps_anything() const { return !kept_.empty(); }

  // Runs before the transaction (or the part since a savepoint) ends: closes portals. Without commit those stay as they are
  // that were made when there were fewer than `depth` savepoints. After kFailure a block waits for the rollback.
  enum class End : uint8_t { kCommit, kRollback, kFailure };
  std::function<void(size_t depth, End end)> before_end;
  // Runs when a transaction has ended.
  std::function<void(bool committed)> after_end;
  // Savepoints have been released; so many are left.
  std::function<void(size_t depth)> after_release;
  // Runs before a commit and may refuse it: deferred constraints, ON COMMIT actions, cursors WITH HOLD.
  std::function<Status()> before_commit;
  // The same before it is prepared.
  std::function<Status()> before_prepare;
  // A transaction has ended whose number had been asked for.
  std::function<void(TxnId id, bool committed)> numbered_end;

 private:
  struct Savepoint {
    std::string name;
    uint32_t level;  // of storage::Transaction
    uint32_t settings_mark;
    exec::DeferredChecks::Mark checks;
    SessionNotifications::Mark notifications;
    replication::SessionChanges::Mark changes;
    size_t new_tables;
    bool read_only;  // when it was set: the mode comes back with its end
  };
  int find(std::string_view name) const;
  bool has_begun() const { return transaction_ != nullptr && !unused_; }
  Status change_modes(const TransactionModes& modes);
  Status prepare_commit();
  void end(bool committed);
  void end_in_session(bool committed);
  void let_go(bool committed);  // of the transaction, which has ended

  storage::Store& store_;
  catalog::SessionCatalog& catalog_;
  Settings& settings_;
  SessionNotifications& notifications_;
  replication::SessionChanges& changes_;
  const uint64_t session_;
  State state_ = State::kIdle;
  std::optional<bool> locking_;
  bool several_ = false;
  bool unused_ = false;  // since begin_again()
  std::unique_ptr<storage::Transaction> transaction_;
  TxnId asked_for_;                              // pg_current_xact_id
  std::unique_ptr<storage::Transaction> ended_;  // the last one: its memory serves the next
  storage::Isolation isolation_ = storage::Isolation::kReadCommitted;
  bool uncommitted_ = false;
  bool read_only_ = false;
  bool deferrable_ = false;
  int64_t start_timestamp_ = 0;
  std::vector<Savepoint> savepoints_;
  exec::DeferredChecks deferred_checks_;
  LargeObjectDescriptors large_objects_;
  std::vector<std::shared_ptr<void>> kept_;
  std::vector<const storage::Table*> new_tables_;
};

}  // namespace indigo::engine
