#include "storage/prepared.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "base/memory/memory_reserve.h"
#include "base/mutation.h"
#include "log/record_stream.h"
#include "storage/lock/lock_owner.h"
#include "storage/lock/lock_table.h"
#include "storage/store_impl.h"
#include "storage/table/table_impl.h"
#include "storage/txn/transaction_impl.h"

namespace indigo::storage {

namespace {

constexpr size_t kStreamBytesMost = size_t{1} << 30;

TransactionImpl& impl(Transaction& txn) { return static_cast<TransactionImpl&>(txn); }

StorageStatus status_of(log::Log::Outcome outcome) {
  if (outcome == log::Log::Outcome::kOk) return StorageStatus::kOk;
  return outcome == log::Log::Outcome::kFull ? StorageStatus::kLogFull : StorageStatus::kLogFailed;
}

// Row locks are named by tables of this process, the log has durable names.
class DurableNames {
 public:
  explicit DurableNames(StoreImpl& store) : store_(store) {}
  uint64_t of(uint64_t table) {
    if (names_.empty()) {
      for (const auto& t : store_.durable_tables()) names_[t->id().value] = t->durable_id().value;
    }
    const auto at = names_.find(table);
    return at == names_.end() ? 0 : at->second;
  }

 private:
  StoreImpl& store_;
  std::unordered_map<uint64_t, uint64_t> names_;
};

// What the owner holds beyond the records that it has changed: key values are locked again with those.
void encode_locks(StoreImpl& store, const OwnerImpl& owner, std::string& out) {
  DurableNames names(store);
  for (const HeldLock& held : owner.history) {
    if (held.request == nullptr) {
      log::encode_hold({log::HoldKind::kTable, held.mode, owner.weak[held.weak_slot].object, {}}, out);
      continue;
    }
    const Lock& lock = *held.request->lock;  // stays while it is held
    switch (lock.space) {
      case LockName::Space::kTable:
      case LockName::Space::kObject: log::encode_hold({log::HoldKind::kTable, held.mode, lock.object, {}}, out); break;
      case LockName::Space::kRow:
        if (const uint64_t table = names.of(lock.object); table != 0) {
          log::encode_hold({log::HoldKind::kRow, held.mode, table, lock.key()}, out);
        }
        break;
      case LockName::Space::kAdvisory: {
        const bool shared = held.mode == static_cast<LockModeCode>(TableLockMode::kShare);
        log::encode_hold({log::HoldKind::kAdvisory, static_cast<uint8_t>(shared), lock.object, lock.key()}, out);
        break;
      }
      default: break;
    }
  }
}

}  // namespace

PreparedTransactions& prepared_transactions(Store& store) { return impl(store).prepared(); }

std::vector<uint64_t> locked_objects(Transaction& transaction) {
  TransactionImpl& txn = impl(transaction);
  std::vector<uint64_t> out;
  if (!txn.locks_used()) return out;
  const auto& owner = static_cast<const OwnerImpl&>(txn.lock_owner());
  for (const HeldLock& held : owner.history) {
    if (held.request == nullptr) {
      out.push_back(owner.weak[held.weak_slot].object);
    } else if (held.request->lock->space == LockName::Space::kTable) {
      out.push_back(held.request->lock->object);
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool shares_advisory_lock(Transaction& transaction, LockOwner& session) {
  TransactionImpl& txn = impl(transaction);
  if (!txn.locks_used()) return false;
  const auto advisory = [](const OwnerImpl& owner) {
    std::vector<const Lock*> out;
    for (const HeldLock& held : owner.history) {
      if (held.request != nullptr && held.request->lock->space == LockName::Space::kAdvisory) {
        out.push_back(held.request->lock);  // one object for all its holders
      }
    }
    return out;
  };
  const auto mine = advisory(static_cast<const OwnerImpl&>(txn.lock_owner()));
  const auto sessions = advisory(static_cast<const OwnerImpl&>(session));
  return std::find_first_of(mine.begin(), mine.end(), sessions.begin(), sessions.end()) != mine.end();
}

PreparedTransactions::~PreparedTransactions() { clear(); }

void PreparedTransactions::clear() {
  std::map<std::string, Entry> ended;
  {
    const std::lock_guard lock(mutex_);
    ended.swap(entries_);
  }
}

StorageStatus PreparedTransactions::reserve(const PreparedName& name, size_t most) {
  const std::lock_guard lock(mutex_);
  if (entries_.contains(name.name)) return StorageStatus::kDuplicateKey;
  if (entries_.size() >= most) return StorageStatus::kOutOfMemory;
  entries_[name.name].name = name;
  return StorageStatus::kOk;
}

void PreparedTransactions::forget(const std::string& name) {
  const std::lock_guard lock(mutex_);
  entries_.erase(name);
}

void PreparedTransactions::encode(TransactionImpl& txn, const PreparedName& name, std::string& out) {
  log::encode_prepared(
      {name.name, name.prepared_at, name.owner, name.database, txn.isolation() == Isolation::kSerializable}, out);
  if (txn.locks_used_) encode_locks(store_, static_cast<const OwnerImpl&>(*txn.state().lock_owner), out);
  for (const LogRecord& r : txn.state().log) {
    PendingVersion* p = r.pending();
    const PendingEntry* e = p->top.load(std::memory_order_relaxed);
    const log::DurableId table = p->table->durable_id();
    if (!r.claims() || p->released || !table) continue;
    const auto mode = static_cast<uint8_t>(p->mode);
    if (e == nullptr) {
      log::encode_hold({log::HoldKind::kRow, mode, table.value, p->key}, out);
    } else if (e->tombstone) {
      log::encode_erase(table, p->key, out);
      if (!e->new_key.empty()) log::encode_moved(table, p->key, e->new_key, out);
    } else {
      if (p->mode == RowLockMode::kUpdate) log::encode_hold({log::HoldKind::kClaim, mode, table.value, p->key}, out);
      log::encode_put(table, p->key, CommitProtocol::pending_row(txn, *p, *e), out);
    }
  }
}

void PreparedTransactions::detach(TransactionImpl& txn) {
  txn.session_ = 0;
  if (txn.state().lock_owner != nullptr) {
    static_cast<OwnerImpl&>(*txn.state().lock_owner).session.store(0, std::memory_order_relaxed);
  }
  txn.state().savepoints.clear();
  // A serializable one stays open for those who ask whether a writer is.
  if (txn.serializable() == nullptr) SnapshotRegistry::release(*txn.state().slot);
}

StorageStatus PreparedTransactions::prepare(const std::string& name, std::unique_ptr<Transaction> transaction) {
  TransactionImpl& txn = impl(*transaction);
  log::Log& log = store_.log();
  const auto fail = [&](StorageStatus status) {
    status = txn.failed(status);
    store_.rollback(txn);
    forget(name);
    return status;
  };
  log::RecordStream record(log);
  std::shared_ptr<std::string> stream;
  PreparedName named;
  {
    const std::lock_guard lock(mutex_);
    named = entries_.at(name).name;
  }
  if (log.records()) {
    stream = std::make_shared<std::string>();
    encode(txn, named, *stream);
    if (stream->size() > kStreamBytesMost) return fail(StorageStatus::kTooLarge);
    StorageStatus status = status_of(record.add(*stream));
    if (status == StorageStatus::kOk) status = status_of(record.prepare());
    if (status != StorageStatus::kOk) return fail(status);
  }
  const MustNotFail scope;
  if (!txn.certify_prepared()) return fail(StorageStatus::kSerialization);
  detach(txn);
  Lsn lsn;
  {
    const std::lock_guard lock(mutex_);
    if (stream != nullptr) lsn = record.append({}, log::RecordKind::kPrepare);
    Entry& entry = entries_.at(name);
    entry.transaction = std::move(transaction);
    entry.stream = std::move(stream);
  }
  if (lsn && !log.wait_durable(std::max(lsn, txn.least_lsn_))) return fail(StorageStatus::kLogFailed);
  const std::lock_guard lock(mutex_);
  entries_.at(name).state = State::kPrepared;
  return StorageStatus::kOk;
}

PreparedTransactions::Entry* PreparedTransactions::find(const std::string& name, State state) {
  const auto at = entries_.find(name);
  return at == entries_.end() || at->second.state != state ? nullptr : &at->second;
}

StorageStatus PreparedTransactions::begin_end(const std::string& name, PreparedName& out) {
  const std::lock_guard lock(mutex_);
  if (find(name, State::kEnding) != nullptr) return StorageStatus::kWouldBlock;
  Entry* entry = find(name, State::kPrepared);
  if (entry == nullptr) return StorageStatus::kNotFound;
  entry->state = State::kEnding;
  out = entry->name;
  return StorageStatus::kOk;
}

void PreparedTransactions::release(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (Entry* entry = find(name, State::kEnding)) entry->state = State::kPrepared;
}

std::unique_ptr<Transaction> PreparedTransactions::take(const std::string& name) {
  Entry& entry = entries_.at(name);
  if (entry.stream != nullptr) decided(entry, {});
  auto transaction = std::move(entry.transaction);
  entries_.erase(name);
  return transaction;
}

Lsn PreparedTransactions::append_commit(TransactionImpl& txn, log::RecordStream& record, CommitStamp c) {
  const std::lock_guard lock(mutex_);
  const Lsn lsn = record.append(c, log::RecordKind::kCommitPrepared);
  decided(entries_.at(*txn.prepared_as_), c);
  return lsn;
}

StorageStatus PreparedTransactions::commit(const std::string& name) {
  TransactionImpl* txn;
  {
    const std::lock_guard lock(mutex_);
    txn = &impl(*entries_.at(name).transaction);
  }
  if (!txn->has_writes()) return end_without_commit(name, true);  // the locks are all that it has
  txn->prepared_as_ = &name;
  Lsn lsn;
  const StorageStatus status = store_.commits().run(*txn, lsn);
  txn->prepared_as_ = nullptr;
  if (status != StorageStatus::kOk) {
    release(name);
    return status;
  }
  std::unique_ptr<Transaction> ended;
  {
    const std::lock_guard lock(mutex_);
    ended = take(name);
  }
  store_.finish(*txn, true);
  return !lsn || store_.log().wait_durable(lsn) ? StorageStatus::kOk : StorageStatus::kLogFailed;
}

StorageStatus PreparedTransactions::roll_back(const std::string& name) { return end_without_commit(name, false); }

StorageStatus PreparedTransactions::end_without_commit(const std::string& name, bool committed) {
  log::Log& log = store_.log();
  log::RecordStream record(log);
  if (log.records()) {
    StorageStatus status = status_of(record.add(log::decision_of(name)));
    if (status == StorageStatus::kOk) status = status_of(record.prepare());
    if (status != StorageStatus::kOk) {
      release(name);
      return status;
    }
  }
  const MustNotFail scope;
  Lsn lsn;
  std::unique_ptr<Transaction> ended;
  {
    const std::lock_guard lock(mutex_);
    if (log.records()) lsn = record.append({}, log::RecordKind::kAbortPrepared);
    ended = take(name);
  }
  TransactionImpl& txn = impl(*ended);
  if (committed) {
    store_.finish(txn, true);
  } else {
    store_.rollback(txn);
  }
  return !lsn || log.wait_durable(lsn) ? StorageStatus::kOk : StorageStatus::kLogFailed;
}

std::vector<PreparedTransactions::Listed> PreparedTransactions::list() const {
  std::vector<Listed> out;
  const std::lock_guard lock(mutex_);
  for (const auto& [name, entry] : entries_) {
    if (entry.state != State::kReserved) out.push_back({entry.name, entry.transaction->id()});
  }
  return out;
}

size_t PreparedTransactions::count(Oid database) const {
  const std::lock_guard lock(mutex_);
  return static_cast<size_t>(std::count_if(entries_.begin(), entries_.end(), [&](const auto& e) {
    return e.second.state != State::kReserved && e.second.name.database == database;
  }));
}

std::optional<bool> PreparedTransactions::locks_by_keys(Oid database) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, entry] : entries_) {
    if (entry.transaction != nullptr && entry.name.database == database) return impl(*entry.transaction).locks_writes();
  }
  return {};
}

void PreparedTransactions::decided(Entry& entry, CommitStamp stamp) {
  decisions_++;
  if (listings_ > 0 && entry.stream != nullptr) decided_.push_back({entry.stream, stamp, decisions_});
  entry.stream = nullptr;
}

PreparedTransactions::Listing::Listing(PreparedTransactions& prepared) : prepared_(prepared) {
  const std::lock_guard lock(prepared_.mutex_);
  prepared_.listings_++;
  if (mutated(Mutation::kForgetPrepared)) return;
  for (const auto& [name, entry] : prepared_.entries_) {
    if (entry.stream != nullptr) streams_.push_back(entry.stream);
  }
}

PreparedTransactions::Listing::~Listing() {
  const std::lock_guard lock(prepared_.mutex_);
  if (--prepared_.listings_ == 0) prepared_.decided_.clear();
}

void PreparedTransactions::Listing::snapshot_taken() {
  const std::lock_guard lock(prepared_.mutex_);
  mark_ = prepared_.decisions_;
}

PreparedTransactions::Streams PreparedTransactions::Listing::undecided(CommitStamp snapshot) const {
  Streams out;
  const std::lock_guard lock(prepared_.mutex_);
  for (const auto& stream : streams_) {
    const auto at = std::find_if(prepared_.decided_.begin(), prepared_.decided_.end(),
                                 [&](const Decision& d) { return d.stream == stream; });
    const bool before = at != prepared_.decided_.end() && (at->stamp ? at->stamp <= snapshot : at->number <= mark_);
    if (!before) out.push_back(stream);
  }
  return out;
}

StorageStatus PreparedTransactions::restore(const PreparedName& name, std::unique_ptr<Transaction> transaction,
                                            std::shared_ptr<const std::string> stream) {
  TransactionImpl& txn = impl(*transaction);
  if (!txn.certify_prepared(true)) return txn.failed(StorageStatus::kSerialization);
  detach(txn);
  const std::lock_guard lock(mutex_);
  entries_[name.name] = {name, State::kPrepared, std::move(transaction), std::move(stream)};
  return StorageStatus::kOk;
}

}  // namespace indigo::storage
