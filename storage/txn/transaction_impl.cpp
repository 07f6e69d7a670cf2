#include "storage/txn/transaction_impl.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/memory/memory_reserve.h"
#include "base/mutation.h"
#include "storage/okvl/method.h"
#include "storage/store_impl.h"
#include "storage/table/left_keys.h"
#include "storage/table/table_impl.h"
#include "storage/txn/advance_snapshot.h"
#include "storage/txn/imported_snapshot.h"

namespace indigo::storage {

namespace {

constexpr size_t kSmallLogBytes = 64 * 1024;  // kept with the state anyway

class PinnedViewImpl final : public Transaction::PinnedView {
 public:
  PinnedViewImpl(SnapshotRegistry& registry, SnapshotRegistry::Slot* slot, uint32_t shard)
      : registry_(registry), slot_(slot), shard_(shard) {}
  ~PinnedViewImpl() override { registry_.free_slot(slot_, shard_); }

 private:
  SnapshotRegistry& registry_;
  SnapshotRegistry::Slot* slot_;
  uint32_t shard_;
};

}  // namespace

TransactionImpl::TransactionImpl(StoreImpl& store, TxnId id, Isolation isolation, uint64_t session,
                                 TransactionState* state)
    : store_(store),
      state_(state),
      session_(session),
      locks_writes_(store.locks_by_default()),
      locking_(locks_writes_ && isolation == Isolation::kSerializable) {
  id_ = id;
  isolation_ = isolation;
}

TransactionImpl::~TransactionImpl() {
  if (!ended()) store_.rollback(*this);
  store_.give_back(state_);
}

void TransactionImpl::restart(TxnId id, Isolation isolation, uint64_t session) {
  INDIGO_CHECK(ended_ && writes_ == nullptr && serializable_ == nullptr);
  id_ = id;
  isolation_ = isolation;
  locks_writes_ = store_.locks_by_default();
  locking_ = locks_writes_ && isolation == Isolation::kSerializable;
  changing_ = 0;
  table_locks_.clear();
  command_ = 1;
  lock_timeout_ms_ = {};
  ended_ = false;
  session_ = session;
  least_snapshot_ = newest_shown_ = 0;
  snapshot_ = {};
  read_only_ = false;
  pinned_ = false;
  start_ = {};
  newer_met_ = 0;
  commit_stamp_ = {};
  locks_used_ = false;
  failure_.reset();
  asynchronous_ = false;
  least_lsn_ = {};
  last_claim = nullptr;
}

void TransactionImpl::take_statement_snapshot() {
  changing_ = 0;
  if (locking_) return;
  if (isolation_ != Isolation::kReadCommitted && snapshot_) return;
  if (least_snapshot_ != 0) {  // R5
    store_.clock().wait_stable(CommitStamp(least_snapshot_));
    least_snapshot_ = 0;
  }
  take_snapshot();
}

void TransactionImpl::take_snapshot() const {
  if (isolation_ != Isolation::kSerializable) {
    snapshot_ = store_.snapshots().take(*state_->slot, snapshot_);
    return;
  }
  auto& s = state_->serializable;
  if (s == nullptr) s = std::make_unique<SerializableTransaction>();
  s->read_only = read_only_;
  s->session.store(session_, std::memory_order_relaxed);
  certifier_ = &store_.certifier();
  bool tracked = certifier_->enter(*s, store_.snapshots(), *state_->slot, snapshot_);
  serializable_ = tracked ? s.get() : nullptr;
}

void TransactionImpl::advance_snapshot() {
  // So that the first snapshot of the first one can move, too.
  if (!snapshot_ && isolation_ == Isolation::kSerializable && !locking_) (void)store_.uncertified_known_from();
  move_snapshot();
  start_ = {};
  newer_met_ = 0;
}

void TransactionImpl::mark_statement() {
  start_ = {};
  newer_met_ = 0;
  if (const SerializableTransaction* s = serializable_) {
    start_ = {true, state_->log.size(), s->index_writes.size(), s->eta, s->pi, s->reads.mark()};
  }
}

void TransactionImpl::move_snapshot() {
  if (serializable_ == nullptr || read_only_ || pinned_ || store_.clock().stable() == snapshot_) return;
  const uint64_t known_from = store_.uncertified_known_from();
  if (known_from == 0 || snapshot_.value < known_from) return;
  SnapshotRegistry& registry = store_.snapshots();
  const CommitStamp newest = registry.propose(*state_->slot, snapshot_);
  const bool weaker = store_.newest_uncertified() > snapshot_.value && !mutated(Mutation::kCertifiedOnly);
  if (!weaker && certifier_->is_unchanged(*serializable_)) {
    serializable_->snapshot = newest.value;
    snapshot_ = newest;
  }
  SnapshotRegistry::keep(*state_->slot, snapshot_);
}

bool TransactionImpl::begin_again() {
  if (serializable_ == nullptr || !start_.known || newer_met_ <= snapshot_.value) return false;
  SerializableTransaction& s = *serializable_;
  if (state_->log.size() != start_.log || s.index_writes.size() != start_.index_writes) return false;
  if (!s.reads.is_tail(start_.reads)) return false;
  const bool all = mutated(Mutation::kForgetStatements);
  ReadSet::Tail tail = s.reads.take_tail(all ? ReadSet::Mark() : start_.reads);
  const uint64_t eta = std::exchange(s.eta, start_.eta), pi = std::exchange(s.pi, start_.pi);
  store_.clock().wait_stable(CommitStamp(newer_met_));
  move_snapshot();
  if (snapshot_.value < newer_met_) {
    s.reads.put_back(std::move(tail));
    s.eta = eta;
    s.pi = pi;
    return false;
  }
  failure_.reset();
  newer_met_ = 0;
  return true;
}

void advance_snapshot(Transaction& txn) { static_cast<TransactionImpl&>(txn).advance_snapshot(); }

void mark_statement(Transaction& txn) { static_cast<TransactionImpl&>(txn).mark_statement(); }

bool begin_statement_again(Transaction& txn) { return static_cast<TransactionImpl&>(txn).begin_again(); }

void TransactionImpl::import_snapshot(CommitStamp snapshot) {
  store_.snapshots().copy(*state_->slot, snapshot);
  snapshot_ = snapshot;
}

void TransactionImpl::set_locking(bool locking) {
  INDIGO_CHECK(!snapshot_ && writes_ == nullptr && table_locks_.empty());
  if (locking) store_.allow_locking();
  locks_writes_ = locking;
  locking_ = locking && isolation_ == Isolation::kSerializable;
}

void set_locking(Transaction& txn, bool locking) { static_cast<TransactionImpl&>(txn).set_locking(locking); }

void import_snapshot(Transaction& txn, CommitStamp snapshot) {
  static_cast<TransactionImpl&>(txn).import_snapshot(snapshot);
}

StorageStatus TransactionImpl::take_safe_snapshot() {
  if (locking_) return StorageStatus::kOk;
  for (;;) {
    take_snapshot();
    if (serializable_ == nullptr) return StorageStatus::kOk;
    StorageStatus s = store_.certifier().wait_safe(*serializable_);
    serializable_ = nullptr;
    if (s != StorageStatus::kSerialization) return s;
  }
}

StorageStatus TransactionImpl::note_claim(uint64_t space, Bytes key, uint64_t hash, const ReadView& view, bool found) {
  if (hash == 0) hash = hash_read(space, key);  // the claim has taken the snapshot
  const StorageStatus s = note_read(hash, view, found);
  if (s != StorageStatus::kOk || !found) return s;
  last_claim->read_hash = hash;  // a fixed snapshot follows no record to another key
  return note_write(space, key, hash);
}

StorageStatus TransactionImpl::note_write(uint64_t space, Bytes key, uint64_t hash) {
  const bool open = certifier_->write_point(*serializable_, space, key, hash);
  return open ? StorageStatus::kOk : failed(StorageStatus::kSerialization);
}

void TransactionImpl::note_newest_read(uint64_t space, Bytes key, uint64_t stamp) {
  if (serializable_ == nullptr) return;
  uint64_t hash = hash_read(space, key);
  if (stamp <= serializable_->snapshot) {
    serializable_->reads.add_point(hash);
  } else {
    met_newer(stamp);
    serializable_->reads.add_newer(hash, stamp);
    serializable_->eta = std::max(serializable_->eta, stamp);
  }
}

void TransactionImpl::collect_writes() {
  SerializableTransaction& s = *serializable_;
  s.eta = std::max(s.eta, least_snapshot_);  // what it was shown above its snapshot
  for (const LogRecord& r : state_->log) {
    const PendingVersion* p = r.pending();
    if (!r.claims() || p->released || p->top.load(std::memory_order_relaxed) == nullptr) continue;
    const uint64_t space = p->table->id().value;
    const uint64_t hash = p->read_hash != 0 ? p->read_hash : hash_read(space, p->key);
    s.writes.push_back({hash, space, p->key, p->mode == RowLockMode::kUpdate});
  }
}

bool TransactionImpl::certify_prepared(bool again) {
  if (serializable_ == nullptr) return true;
  collect_writes();
  SerializableTransaction& s = *serializable_;
  if (!s.writes.empty()) return certifier_->prepare(s, again);
  s.index_writes.clear();
  CommitStamp none;
  const bool passes = certifier_->certify(s, none);
  if (passes) {
    s.clear();
    serializable_ = nullptr;
  }
  return passes;
}

StorageStatus TransactionImpl::check_open() {
  constexpr size_t kFew = 256;  // the commit looks at more
  if (serializable_ == nullptr) return StorageStatus::kOk;
  SerializableTransaction& s = *serializable_;
  const size_t reads = s.reads.points().size() + s.reads.ranges().size();
  if (reads > kFew || s.index_writes.size() > kFew || state_->log.size() > kFew) return StorageStatus::kOk;
  collect_writes();
  const bool open = certifier_->open_between_statements(s);
  s.writes.clear();
  return open ? StorageStatus::kOk : failed(StorageStatus::kSerialization);
}

StorageStatus TransactionImpl::failed_change(StorageStatus status) {
  if (status == StorageStatus::kDuplicateKey && serializable_ != nullptr && !certifier_->open(*serializable_)) {
    status = StorageStatus::kSerialization;
  }
  return failed(status);
}

void TransactionImpl::note_index_write(uint64_t space, Bytes key) {
  if (serializable_ == nullptr) return;
  serializable_->index_writes.push_back({hash_read(space, key), space, keep(key), false});
}

ReadView TransactionImpl::view() const {
  if (locking_) return {kMaxStamp, command_};
  if (!snapshot_) take_snapshot();
  return {snapshot_, command_};
}

std::unique_ptr<Transaction::PinnedView> TransactionImpl::pin(const ReadView& view) {
  pinned_ = true;
  SnapshotRegistry& registry = store_.snapshots();
  SnapshotRegistry::Slot* slot = registry.allocate_slot(state_->shard);
  INDIGO_CHECK(slot != nullptr);
  if (view.stamp != kMaxStamp) registry.copy(*slot, view.stamp);
  return std::make_unique<PinnedViewImpl>(registry, slot, state_->shard);
}

WriteContext& TransactionImpl::writes() {
  if (writes_ == nullptr) {
    if (isolation_ == Isolation::kSerializable && !locking_ && !snapshot_) take_snapshot();
    writes_ = store_.take_write_context();
    writes_->descriptor.start(id_);
    lock_owner();  // by which who waits for a row knows this one's session; rows of the catalog need no table's lock
  }
  return *writes_;
}

bool TransactionImpl::memory_left() {
  if (memory_reserve_out()) return false;
  if (writes_ != nullptr) {
    const size_t bytes = state_->log.capacity() * sizeof(LogRecord) + state_->left_keys_bytes;
    writes_->account(store_.memory(), bytes < kSmallLogBytes ? 0 : bytes);
  }
  return !store_.memory().full() || store_.reclaim_until_left();
}

LockOwner& TransactionImpl::lock_owner() {
  if (!locks_used_) {
    if (state_->lock_owner == nullptr) {
      state_->lock_owner = store_.locks().create_owner(id_, session_);
    } else {
      store_.locks().reset_owner(*state_->lock_owner, id_, session_);
    }
    locks_used_ = true;
  }
  return *state_->lock_owner;
}

TransactionState::Touched& TransactionImpl::touch(TableImpl& table) {
  auto& touched = state_->touched;
  for (auto t = touched.rbegin(); t != touched.rend(); ++t) {
    if (t->table == &table) return *t;
  }
  writes().touch(table.id());
  table.stillness().begin();
  return touched.emplace_back(TransactionState::Touched{.table = &table});
}

void TransactionImpl::note_inserted(TableImpl& table, int64_t rows) {
  constexpr int64_t kAtOnce = 64;
  TransactionState::Touched& touched = touch(table);
  touched.inserted += rows;
  const int64_t untold = touched.inserted - touched.told;
  if (untold < kAtOnce && untold > -kAtOnce) return;
  table.add_open_rows(untold);
  touched.told = touched.inserted;
}

StorageStatus TransactionImpl::wait_for(Descriptor& owner, TxnId owner_id, uint64_t generation) {
  Waiter& waiter = Waiter::current();
  WaitPoint::Registration registration(owner.released(), waiter);  // first register, then check, then sleep
  if (owner.generation() != generation) return StorageStatus::kOk;
  StorageStatus status = store_.locks().begin_wait(id_, owner_id);
  if (status != StorageStatus::kOk) return failed(status);
  Deadline deadline = lock_timeout().count() > 0 ? Clock::now() + lock_timeout() : kNoDeadline;
  while (owner.generation() == generation) {
    WaitResult r = waiter.sleep(deadline);
    if (r == WaitResult::kWoken || owner.generation() != generation) continue;
    status = r == WaitResult::kTimeout ? StorageStatus::kLockTimeout : StorageStatus::kInterrupted;
    break;
  }
  store_.locks().end_wait(id_);
  return failed(status);
}

uint32_t TransactionImpl::savepoint() {
  uint32_t mark = store_.locks().mark(lock_owner());
  state_->savepoints.push_back({state_->log.size(), state_->actions.size(), mark});
  if (kMutations && serializable_ != nullptr) {
    serializable_->marks.resize(state_->savepoints.size());
    serializable_->marks.back() = serializable_->reads.mark();
  }
  return static_cast<uint32_t>(state_->savepoints.size());
}

LeftKeys* TransactionImpl::left_keys(PendingVersion& pending, const std::shared_ptr<const IndexList>& indexes,
                                     bool make) {
  auto& all = state_->left_keys;
  auto at = all.find(&pending);
  if (at == all.end()) {
    if (!make) return nullptr;
    at = all.emplace(&pending, std::make_shared<LeftKeys>(*pending.table, pending)).first;
  }
  LeftKeys& keys = *at->second;
  const size_t before = keys.bytes();
  keys.follow(indexes);
  state_->left_keys_bytes += keys.bytes() - before;
  return &keys;
}

void TransactionImpl::popped(PendingVersion& pending, const PendingEntry& e) {
  const auto at = state_->left_keys.find(&pending);
  if (at != state_->left_keys.end()) at->second->popped(e);
}

void TransactionImpl::forget_left_keys(const PendingVersion& pending) {
  const auto at = state_->left_keys.find(&pending);
  if (at == state_->left_keys.end()) return;
  state_->left_keys_bytes -= at->second->bytes();
  state_->left_keys.erase(at);
}

void TransactionImpl::undo(size_t position) {
  auto& log = state_->log;
  last_claim = nullptr;
  bool released = false;
  while (log.size() > position) {
    LogRecord r = log.back();
    log.pop_back();
    if (r.kind() == LogRecord::Kind::kInsert) note_inserted(*r.pending()->table, -1);
    r.pending()->table->undo(*this, *r.pending(), r.pushes(), r.claims());
    released = released || r.claims();
    if (log.size() % 1024 == 0) Waiter::current().yield_if_due();
  }
  if (released && writes_ != nullptr) writes_->descriptor.announce_release();
}

void TransactionImpl::rollback_to(uint32_t level) {
  INDIGO_CHECK(level >= 1 && level <= state_->savepoints.size());
  const MustNotFail scope;
  state_->savepoints.resize(level);
  TransactionState::Savepoint s = state_->savepoints.back();
  failure_.reset();
  undo(s.log_position);
  for (size_t i = s.action_count; i < state_->actions.size(); i++) {
    if (state_->actions[i].rollback) state_->actions[i].rollback();
  }
  state_->actions.resize(s.action_count);
  store_.locks().release_since(lock_owner(), s.lock_mark, locks_writes_);  // what was read stays read (R6)
  if (mutated(Mutation::kForgetRolledBack) && serializable_ != nullptr && serializable_->marks.size() >= level) {
    serializable_->reads.forget_since(serializable_->marks[level - 1]);
  }
}

void TransactionImpl::release(uint32_t level) {
  INDIGO_CHECK(level >= 1 && level <= state_->savepoints.size());
  state_->savepoints.resize(level - 1);
}

}  // namespace indigo::storage
