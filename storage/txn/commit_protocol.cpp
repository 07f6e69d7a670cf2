#include "storage/txn/commit_protocol.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/fiber/wait_point.h"
#include "base/memory/memory_reserve.h"
#include "base/mutation.h"
#include "log/record_stream.h"
#include "storage/prepared.h"
#include "storage/spin_lock.h"
#include "storage/statistics.h"
#include "storage/store_impl.h"
#include "storage/table/table_impl.h"
#include "storage/txn/transaction_impl.h"

namespace indigo::storage {

namespace {

constexpr auto kPatience = std::chrono::milliseconds(1);   // for commits, while others are kept out
constexpr auto kLookAgain = std::chrono::milliseconds(1);  // between two looks at a commit that takes long

}  // namespace

class CommitProtocol::Passage {
 public:
  Passage(CommitProtocol& protocol, TransactionImpl& txn)
      : commits_(txn.has_writes() ? &txn.writes().commits : nullptr) {
    if (commits_ == nullptr) return;
    for (;;) {
      count();  // seq_cst: either this sees the pause, or the pause sees this
      if (!protocol.closed_.load()) return;
      count();
      Backoff backoff;
      while (protocol.closed_.load()) backoff.pause();
    }
  }
  ~Passage() {
    if (commits_ != nullptr) count(std::memory_order_release);  // pairs with try_close
  }
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;

 private:
  // One writer: no read-modify-write is needed.
  void count(std::memory_order order = std::memory_order_seq_cst) {
    commits_->store(commits_->load(std::memory_order_relaxed) + 1, order);
  }
  std::atomic<uint64_t>* commits_;
};

StorageStatus CommitProtocol::run(TransactionImpl& txn, Lsn& lsn) {
  if (txn.has_writes() && log_.records()) {
    if (const StorageStatus status = prepare_log(txn); status != StorageStatus::kOk) return status;
  }
  const MustNotFail scope;
  const Passage passage(*this, txn);
  if (txn.serializable_ != nullptr && !certify(txn)) return StorageStatus::kSerialization;
  if (txn.has_writes()) lsn = publish(txn);
  return StorageStatus::kOk;
}

StorageStatus CommitProtocol::prepare_log(TransactionImpl& txn) {
  TransactionState& state = txn.state();
  if (state.record == nullptr) state.record = std::make_unique<log::RecordStream>(log_);
  log::RecordStream& record = *state.record;
  auto outcome = log::Log::Outcome::kOk;
  if (txn.prepared_as_ != nullptr) outcome = record.add(log::decision_of(*txn.prepared_as_));
  for (const LogRecord& r : state.log) {
    if (txn.prepared_as_ != nullptr) break;
    PendingVersion* p = r.pending();
    const PendingEntry* e = p->top.load(std::memory_order_relaxed);
    if (!r.claims() || p->released || e == nullptr || !p->table->durable_id()) continue;
    if (e->tombstone) {
      outcome = record.erase(p->table->durable_id(), p->key);
    } else {
      outcome = record.put(p->table->durable_id(), p->key, pending_row(txn, *p, *e));
    }
    if (outcome != log::Log::Outcome::kOk) break;
  }
  if (outcome == log::Log::Outcome::kOk && !record.empty()) outcome = record.prepare();
  if (outcome == log::Log::Outcome::kOk) return StorageStatus::kOk;
  record.abandon();
  return outcome == log::Log::Outcome::kFull ? StorageStatus::kLogFull : StorageStatus::kLogFailed;
}

Bytes CommitProtocol::pending_row(TransactionImpl& txn, PendingVersion& pending, const PendingEntry& newest) {
  if (newest.in_leaf) return pending.table->inserted_image(txn, pending);
  return newest.overflow != nullptr ? newest.overflow->bytes() : newest.image;
}

bool CommitProtocol::certify(TransactionImpl& txn) {
  if (txn.prepared_as_ != nullptr) {
    txn.commit_stamp_ = txn.certifier_->commit_prepared(*txn.serializable_);
    return true;
  }
  txn.collect_writes();
  SerializableTransaction& s = *txn.serializable_;
  if (s.writes.empty()) s.index_writes.clear();  // all of it was rolled back
  return txn.certifier_->certify(s, txn.commit_stamp_);
}

Lsn CommitProtocol::publish(TransactionImpl& txn) {
  TransactionState& state = txn.state();
  Descriptor& descriptor = txn.writes().descriptor;
  Lsn lsn;
  descriptor.set_committing();
  // A serializable one that has written took its stamp in the commit section.
  CommitStamp c = txn.commit_stamp_ ? txn.commit_stamp_ : clock_.take();
  // seq_cst, after the passage's count: either this is seen here, or the passage by who waits for those before.
  if (!txn.commit_stamp_ && following_.load()) note_uncertified(c.value);
  txn.commit_stamp_ = c;
  if (state.record != nullptr && !state.record->empty()) {
    lsn = txn.prepared_as_ == nullptr ? state.record->append(c)
                                      : txn.store().prepared().append_commit(txn, *state.record, c);
  }
  if (mutated(Mutation::kEarlyAcknowledge)) std::this_thread::yield();
  pauses_.at(PausePoint::kStamped);
  if (!state.actions.empty()) {
    uint64_t last = last_definition_.load(std::memory_order_relaxed);
    while (last < c.value && !last_definition_.compare_exchange_weak(last, c.value)) {
    }
  }
  descriptor.set_committed(c);  // the commit point
  clock_.decide(c);
  SnapshotRegistry::release(*state.slot);
  snapshots_.collect(state.active);
  pauses_.at(PausePoint::kInstall);
  size_t installed = 0;
  RowChanges changes;
  TableImpl* changed = nullptr;  // whose `changes` are being counted
  for (const LogRecord& r : state.log) {
    PendingVersion* p = r.pending();
    if (!r.claims() || p->released) continue;
    if (p->table != changed) {
      if (changed != nullptr) changed->add_changes(changes);
      changed = p->table;
      changes = {};
    }
    int64_t rows_added = 0;
    p->table->install(*p, c, state.active, rows_added, state.stale);
    (rows_added > 0 ? changes.inserted : rows_added < 0 ? changes.deleted : changes.updated)++;
    if (rows_added != 0) txn.touch(*p->table).rows_added += rows_added;
    if (++installed % 1024 == 0) Waiter::current().yield_if_due();
  }
  if (changed != nullptr) changed->add_changes(changes);
  if (!state.stale.empty()) {
    TableImpl::erase_stale(state.stale, c);
    if (state.stale.capacity() > TransactionState::kKeepRecords) state.stale = {};
    state.stale.clear();
  }
  for (auto& t : state.touched) {
    if (t.rows_added != 0) t.table->add_rows(t.rows_added);
  }
  pauses_.at(PausePoint::kInstalled);
  if (!mutated(Mutation::kEarlyAcknowledge)) clock_.wait_stable(c);  // R5
  return lsn;
}

// Before it is decided: so who has loaded a stable stamp that covers it meets it.
void CommitProtocol::note_uncertified(uint64_t c) {
  std::atomic<uint64_t>& newest = uncertified_[thread_shard() % uncertified_.size()].stamp;
  uint64_t known = newest.load(std::memory_order_relaxed);
  while (known < c && !newest.compare_exchange_weak(known, c, std::memory_order_relaxed)) {
  }
}

uint64_t CommitProtocol::newest_uncertified() const {
  uint64_t newest = 0;
  for (const Newest& n : uncertified_) newest = std::max(newest, n.stamp.load(std::memory_order_relaxed));
  return newest;
}

StorageStatus CommitProtocol::wait_until_idle(std::span<WriteContext* const> contexts) {
  if (mutated(Mutation::kCloneAtOnce)) return StorageStatus::kOk;
  for (WriteContext* context : contexts) {
    const uint64_t now = context->commits.load(std::memory_order_acquire);
    if (now % 2 == 0) continue;
    while (context->commits.load(std::memory_order_acquire) == now) {
      if (Waiter::current().interrupted() != InterruptReason::kNone) return StorageStatus::kInterrupted;
      pauses_.at(PausePoint::kLongCommit);
      Waiter::current().sleep(Clock::now() + kLookAgain);
    }
  }
  return StorageStatus::kOk;
}

bool CommitProtocol::try_close(const std::function<std::vector<WriteContext*>()>& contexts) {
  closed_.store(true);
  pauses_.at(PausePoint::kGateClosed);
  const auto deadline = Clock::now() + kPatience;
  for (WriteContext* context : contexts()) {
    Backoff backoff;
    while (context->commits.load() % 2 != 0) {  // seq_cst, pairs with Passage
      if (Clock::now() >= deadline) {
        closed_.store(false);
        return false;
      }
      backoff.pause();
    }
  }
  return true;
}

}  // namespace indigo::storage
