#include "engine/session/transaction_block.h"

#include <algorithm>

#include "base/memory/memory_reserve.h"
#include "base/sqlstate.h"
#include "engine/exec/execution.h"
#include "engine/session/clock.h"
#include "log/log.h"
#include "storage/durability.h"
#include "storage/okvl/method.h"

namespace indigo::engine {

namespace {

storage::Isolation default_isolation(const Settings& settings) {
  static const uint32_t index = *find_setting("default_transaction_isolation");
  const std::string& value = settings.value(index);
  if (value == "serializable") return storage::Isolation::kSerializable;
  return value == "repeatable read" ? storage::Isolation::kRepeatableRead : storage::Isolation::kReadCommitted;
}

}  // namespace

const char* level_name(storage::Isolation isolation, bool uncommitted) {
  switch (isolation) {
    case storage::Isolation::kReadCommitted: return uncommitted ? "read uncommitted" : "read committed";
    case storage::Isolation::kRepeatableRead: return "repeatable read";
    case storage::Isolation::kSerializable: break;
  }
  return "serializable";
}

std::optional<std::string> TransactionBlock::mode_setting(std::string_view name) const {
  bool isolation = name == "transaction_isolation";
  bool read_only = name == "transaction_read_only";
  if (!isolation && !read_only && name != "transaction_deferrable") return std::nullopt;
  if (state_ == State::kIdle) return settings_.value(*find_setting("default_" + std::string(name)));
  if (isolation) return level_name(isolation_, uncommitted_);
  return (read_only ? read_only_ : deferrable_) ? "on" : "off";
}

Error in_failed_block() {
  return Error(sqlstate::kInFailedSqlTransaction,
               "current transaction is aborted, commands ignored until end of transaction block");
}

TransactionBlock::~TransactionBlock() {
  large_objects_.clear();
  if (transaction_) store_.rollback(*transaction_);
}

Status TransactionBlock::ensure_open(int64_t now) {
  if (state_ != State::kIdle) return {};
  INDIGO_TRY(begin({}, now));
  state_ = State::kImplicit;
  return {};
}

Status TransactionBlock::ensure(int64_t now) {
  INDIGO_TRY(ensure_open(now));
  if (transaction_) return {};
  transaction_ = store_.begin(isolation_, session_, std::move(ended_));
  if (locking_) storage::set_locking(*transaction_, *locking_);
  catalog_.bind(transaction_.get());
  if (isolation_ == storage::Isolation::kSerializable && read_only_) {
    transaction_->declare_read_only();
    if (deferrable_) {
      storage::StorageStatus status = transaction_->take_safe_snapshot();
      if (status != storage::StorageStatus::kOk) return storage_error(status, nullptr);
    }
  }
  // Savepoints that were set before the first statement.
  for (auto& savepoint : savepoints_) savepoint.level = transaction_->savepoint();
  return {};
}

Status TransactionBlock::begin(const TransactionModes& modes, int64_t now) {
  static const uint32_t read_only_index = *find_setting("default_transaction_read_only");
  static const uint32_t deferrable_index = *find_setting("default_transaction_deferrable");
  if (state_ == State::kIdle) {
    static const uint32_t isolation_index = *find_setting("default_transaction_isolation");
    isolation_ = modes.isolation ? *modes.isolation : default_isolation(settings_);
    uncommitted_ = modes.isolation ? modes.uncommitted : settings_.value(isolation_index) == "read uncommitted";
    read_only_ = settings_.boolean(read_only_index);
    deferrable_ = settings_.boolean(deferrable_index);
    start_timestamp_ = now;
    settings_.begin();
  } else {
    INDIGO_TRY(set_modes({modes.isolation, std::nullopt, std::nullopt, modes.uncommitted}));
  }
  if (modes.read_only) read_only_ = *modes.read_only;
  if (modes.deferrable) deferrable_ = *modes.deferrable;
  state_ = State::kBlock;
  return {};
}

Status TransactionBlock::change_modes(const TransactionModes& modes) {
  if (modes.isolation && (*modes.isolation != isolation_ || modes.uncommitted != uncommitted_)) {
    if (has_begun()) {
      return Error(sqlstate::kActiveSqlTransaction, "SET TRANSACTION ISOLATION LEVEL must be called before any query");
    }
    if (!savepoints_.empty()) {
      return Error(sqlstate::kActiveSqlTransaction,
                   "SET TRANSACTION ISOLATION LEVEL must not be called in a subtransaction");
    }
    isolation_ = *modes.isolation;
    uncommitted_ = modes.uncommitted;
  }
  if (modes.read_only) {
    if (!*modes.read_only && read_only_ && !savepoints_.empty()) {
      return Error(sqlstate::kActiveSqlTransaction,
                   "cannot set transaction read-write mode inside a read-only transaction");
    }
    if (!*modes.read_only && read_only_ && has_begun()) {
      return Error(sqlstate::kActiveSqlTransaction, "transaction read-write mode must be set before any query");
    }
    read_only_ = *modes.read_only;
  }
  if (modes.deferrable) {
    if (has_begun()) {
      return Error(sqlstate::kActiveSqlTransaction, "SET TRANSACTION [NOT] DEFERRABLE must be called before any query");
    }
    if (!savepoints_.empty()) {
      return Error(sqlstate::kActiveSqlTransaction,
                   "SET TRANSACTION [NOT] DEFERRABLE cannot be called within a subtransaction");
    }
    deferrable_ = *modes.deferrable;
  }
  return {};
}

Status TransactionBlock::begin_again(int64_t now) {
  INDIGO_TRY(ensure(now));
  transaction_->next_command();
  transaction_->take_statement_snapshot();
  unused_ = true;
  return {};
}

Status TransactionBlock::set_modes(const TransactionModes& modes) {
  INDIGO_TRY(change_modes(modes));
  if (!unused_ || transaction_ == nullptr) return {};
  // Storage's has not been used: it begins again as it is to be.
  store_.rollback(*transaction_);
  let_go(false);
  return begin_again(start_timestamp_);
}

Status TransactionBlock::reset_mode(std::string_view name) {
  if (state_ == State::kIdle) return {};
  const bool read_only = name == "transaction_read_only";
  const bool snapshot_depends =
      has_begun() && isolation_ != storage::Isolation::kReadCommitted &&
      (name == "transaction_isolation" || (read_only && read_only_ && isolation_ == storage::Isolation::kSerializable));
  if (snapshot_depends) {
    return change_modes(read_only ? TransactionModes{std::nullopt, false, std::nullopt}
                                  : TransactionModes{storage::Isolation::kReadCommitted, std::nullopt, std::nullopt});
  }
  if (read_only) {
    read_only_ = false;
  } else if (name == "transaction_deferrable") {
    deferrable_ = false;
  } else {
    isolation_ = storage::Isolation::kReadCommitted;
    uncommitted_ = false;
  }
  return {};
}

void TransactionBlock::let_go(bool committed) {
  if (transaction_ && numbered_end && transaction_->id() == asked_for_) numbered_end(asked_for_, committed);
  catalog_.bind(nullptr);
  if (transaction_) ended_ = std::move(transaction_);
  unused_ = false;
}

bool TransactionBlock::is_new(const storage::Table& table) const {
  const size_t since = savepoints_.empty() ? 0 : savepoints_.back().new_tables;
  return std::find(new_tables_.begin() + static_cast<std::ptrdiff_t>(since), new_tables_.end(), &table) !=
         new_tables_.end();
}

void TransactionBlock::end(bool committed) {
  kept_.clear();
  let_go(committed);
  end_in_session(committed);
}

void TransactionBlock::end_in_session(bool committed) {
  savepoints_.clear();
  new_tables_.clear();
  deferred_checks_.clear();
  state_ = State::kIdle;
  committed ? settings_.commit() : settings_.rollback();  // looks roles up: in no transaction any more
  committed ? notifications_.after_commit() : notifications_.forget();
  committed ? changes_.after_commit() : changes_.forget();
  if (after_end) after_end(committed);
}

Status TransactionBlock::prepare_commit() {
  if (before_commit && transaction_) INDIGO_TRY(before_commit());
  INDIGO_TRY(notifications_.before_commit());
  if (!transaction_) return {};
  const bool defines = transaction_->has_written() && !catalog_.sees_what_all_see();
  return changes_.before_commit(*transaction_, defines, timestamp_now());
}

Status TransactionBlock::commit() {
  if (state_ == State::kIdle) return {};
  if (Status status = prepare_commit(); !status.ok()) {
    rollback();
    return status;
  }
  const MustNotFail scope;  // from here on it commits, or rolls back
  if (before_end) before_end(0, End::kCommit);
  large_objects_.clear();
  if (transaction_) {
    static const uint32_t synchronous_index = *find_setting("synchronous_commit");
    const bool waits = settings_.value(synchronous_index) != "off";
    // Who has the stream's turn gives it back before it waits for the log, so that one flush serves several.
    const bool turn = changes_.holds_turn();
    storage::set_asynchronous(*transaction_, turn || !waits);
    storage::StorageStatus status = store_.commit(*transaction_);
    if (turn && status == storage::StorageStatus::kOk) {
      changes_.after_commit();
      log::Log& log = storage::log_of(store_);
      if (waits && !log.wait_durable(log.appended())) status = storage::StorageStatus::kLogFailed;
    }
    if (status != storage::StorageStatus::kOk) {
      end(false);
      if (status == storage::StorageStatus::kLogFull || status == storage::StorageStatus::kLogFailed) {
        INDIGO_TRY(storage::log_of(store_).failure());  // names the file
      }
      return storage_error(status, nullptr);
    }
  }
  end(true);
  return {};
}

void TransactionBlock::rollback() {
  if (state_ == State::kIdle) return;
  const MustNotFail scope;
  if (before_end) before_end(0, End::kRollback);
  large_objects_.clear();
  if (transaction_) store_.rollback(*transaction_);
  end(false);
}

void TransactionBlock::fail() {
  switch (state_) {
    case State::kIdle:
    case State::kFailed: return;
    case State::kImplicit: rollback(); return;
    case State::kBlock: break;
  }
  const MustNotFail scope;
  state_ = State::kFailed;
  if (before_end) before_end(savepoints_.size(), End::kFailure);
  if (savepoints_.empty()) {
    large_objects_.clear();
    if (transaction_) store_.rollback(*transaction_);
    let_go(false);
    deferred_checks_.clear();
    notifications_.forget();
    changes_.forget();
    settings_.rollback();
    settings_.begin();
    return;
  }
  large_objects_.roll_back_to(savepoints_.size() - 1);
  if (transaction_) transaction_->rollback_to(savepoints_.back().level);
  settings_.rollback_to(savepoints_.back().settings_mark);
}

int TransactionBlock::find(std::string_view name) const {
  for (int i = static_cast<int>(savepoints_.size()) - 1; i >= 0; i--) {
    if (savepoints_[i].name == name) return i;
  }
  return -1;
}

Status TransactionBlock::savepoint(std::string_view name) {
  uint32_t level = transaction_ ? transaction_->savepoint() : 0;
  savepoints_.push_back({std::string(name), level, settings_.mark(), deferred_checks_.mark(), notifications_.mark(),
                         changes_.mark(), new_tables_.size(), read_only_});
  return {};
}

Status TransactionBlock::rollback_to(std::string_view name) {
  int at = find(name);
  if (at < 0) return Error(sqlstate::kInvalidSavepoint, "savepoint \"" + std::string(name) + "\" does not exist");
  return roll_back_nested(static_cast<size_t>(at));
}

size_t TransactionBlock::begin_nested() {
  (void)savepoint({});
  return savepoints_.size() - 1;
}

Status TransactionBlock::roll_back_nested(size_t at) {
  if (at >= savepoints_.size()) return Error(sqlstate::kInvalidSavepoint, "no such savepoint");
  const MustNotFail scope;
  if (before_end) before_end(at + 1, End::kRollback);
  large_objects_.roll_back_to(at);
  if (transaction_) transaction_->rollback_to(savepoints_[at].level);
  settings_.rollback_to(savepoints_[at].settings_mark);
  deferred_checks_.rollback_to(savepoints_[at].checks);
  notifications_.rollback_to(savepoints_[at].notifications);
  changes_.rollback_to(savepoints_[at].changes);
  new_tables_.resize(savepoints_[at].new_tables);
  read_only_ = savepoints_[at].read_only;
  savepoints_.resize(at + 1);
  if (state_ == State::kFailed) state_ = State::kBlock;  // a program may have savepoints in an implicit transaction
  return {};
}

Status TransactionBlock::release(std::string_view name) {
  int at = find(name);
  if (at < 0) return Error(sqlstate::kInvalidSavepoint, "savepoint \"" + std::string(name) + "\" does not exist");
  return end_nested(static_cast<size_t>(at));
}

Status TransactionBlock::end_nested(size_t at) {
  if (at >= savepoints_.size()) return Error(sqlstate::kInvalidSavepoint, "no such savepoint");
  large_objects_.release_to(at);
  if (transaction_) transaction_->release(savepoints_[at].level);
  read_only_ = savepoints_[at].read_only;
  savepoints_.resize(at);
  if (after_release) after_release(at);
  return {};
}

}  // namespace indigo::engine
