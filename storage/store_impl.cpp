#include "storage/store_impl.h"

#include <algorithm>

#include "base/check.h"
#include "base/memory/memory_reserve.h"
#include "storage/durability.h"
#include "storage/lock/mode_vector.h"
#include "storage/store_options.h"
#include "storage/table/table_impl.h"
#include "storage/table_options.h"

namespace indigo::storage {

std::unique_ptr<Store> Store::create(const StoreOptions& options) { return std::make_unique<StoreImpl>(options); }

StoreImpl::StoreImpl(const StoreOptions& options)
    : locks_by_default_(options.locking),
      locking_(options.locking),
      locking_seen_(options.locking),
      lock_partitions_(std::clamp<uint16_t>(options.lock_partitions, 1, kMaxLockPartitions)),
      lock_escalation_(options.lock_escalation),
      hydralist_replicas_(options.hydralist_replicas),
      ordered_index_(options.ordered_index),
      own_log_(options.log == nullptr ? log::Log::create_none() : nullptr),
      log_(options.log == nullptr ? *own_log_ : *options.log),
      memory_(options.memory_limit_bytes),
      clock_(options.clock),
      locks_(LockManager::create()),
      reclaimer_(*this) {
  log_.follow_commits([this] { return clock_.stable(); });
}

// Those that are about to remove something, and have found that there is no lock to look for, are waited for.
void StoreImpl::allow_locking() {
  const std::lock_guard lock(allow_locking_);
  if (locking_seen_) return;
  locking_.store(true);
  const uint64_t epoch = epochs_.retirement_epoch();
  Backoff backoff;
  while (!epochs_.passed(epoch)) {
    epochs_.advance();
    backoff.pause();
  }
  locking_seen_ = true;
}

uint64_t StoreImpl::uncertified_known_from() {
  uint64_t from = uncertified_known_from_.load(std::memory_order_acquire);  // pairs with the store below
  if (from != 0) return from;
  commits_.follow_uncertified();
  if (wait_for_commits() != StorageStatus::kOk) return 0;
  from = clock_.stable().value;
  uncertified_known_from_.store(from, std::memory_order_release);
  return from;
}

StoreImpl::~StoreImpl() {
  prepared_.clear();
  log_.follow_commits({});
  reclaimer_.stop();
  dropped_tables_.destroy_all();
}

NodeMemory& StoreImpl::pages(size_t block_bytes) {
  auto leaf_gone = [](void* store, const Leaf& leaf) {
    for (size_t i = 0; i < leaf.status().count; i++) {
      const RecordMeta m = leaf.meta(i);
      if (!m.overflow()) continue;
      static_cast<StoreImpl*>(store)->release_overflow(load_unaligned<OverflowBody*>(leaf.payload(m)));
    }
  };
  std::lock_guard lock(pages_mutex_);
  auto& pool = pages_[block_bytes];
  if (pool == nullptr) {
    pool = std::make_unique<NodeMemory>(block_bytes, memory_, nodes_, epochs_, pauses_, leaf_gone, this, mapped_);
  }
  return *pool;
}

std::shared_ptr<Table> StoreImpl::create_table(const TableOptions& options) { return make_table(options, {}); }

std::shared_ptr<TableImpl> StoreImpl::make_table(const TableOptions& options, log::DurableId durable_id) {
  size_t bytes = std::max<size_t>(options.leaf_bytes, Leaf::kMinBytes);
  return add_table(std::make_unique<TableImpl>(*this, next_id(), durable_id, pages(bytes), options));
}

std::shared_ptr<TableImpl> StoreImpl::add_table(std::unique_ptr<TableImpl> created) {
  std::shared_ptr<TableImpl> table(created.release(), [this](TableImpl* gone) {
    const MustNotFail scope;
    if (dropped_tables_.add(std::unique_ptr<TableImpl>(gone), write_contexts())) reclaimer_.wake();
  });
  reclaimer_.add_table(table);
  if (!table->durable_id() || !log_.records()) return table;
  std::lock_guard lock(durable_mutex_);
  durable_tables_.push_back(table);
  return table;
}

std::vector<std::shared_ptr<TableImpl>> StoreImpl::durable_tables() {
  std::vector<std::shared_ptr<TableImpl>> out;
  std::lock_guard lock(durable_mutex_);
  std::erase_if(durable_tables_, [&](const std::weak_ptr<TableImpl>& weak) {
    auto table = weak.lock();
    if (table == nullptr) return true;
    out.push_back(std::move(table));
    return false;
  });
  return out;
}

TransactionState* StoreImpl::take_state() {
  Shard& s = shard();
  {
    std::lock_guard lock(s.lock);
    if (!s.states.empty()) {
      TransactionState* state = s.states.back();
      s.states.pop_back();
      return state;
    }
  }
  auto created = std::make_unique<TransactionState>();
  TransactionState* state = created.get();
  state->shard = static_cast<uint32_t>(&s - shards_.data());
  state->slot = snapshots_.allocate_slot(state->shard);
  std::lock_guard lock(created_mutex_);
  created_states_.push_back(std::move(created));
  return state;
}

void StoreImpl::give_back(TransactionState* state) {
  Shard& s = shards_[state->shard];
  std::lock_guard lock(s.lock);
  s.states.push_back(state);
}

TxnId StoreImpl::next_txn_id(TransactionState& state) {
  for (;;) {
    if (state.next_txn == state.end_txn || state.next_txn < retired_txns_.load(std::memory_order_relaxed)) {
      state.next_txn = next_txn_.fetch_add(kTxnBlock);
      state.end_txn = state.next_txn + kTxnBlock;
    }
    const uint64_t id = state.next_txn++;
    pauses_.at(PausePoint::kNumbered);
    // seq_cst: running_transactions() sees this number, or it is seen here that numbers have been retired.
    state.newest_txn.store(id << 1 | 1);
    if (id >= retired_txns_.load()) return TxnId(id);
  }
}

RunningTransactions StoreImpl::running_transactions() {
  const uint64_t next = next_txn_.load();
  uint64_t retired = retired_txns_.load();
  while (retired < next && !retired_txns_.compare_exchange_weak(retired, next)) {
  }
  RunningTransactions out;
  const std::lock_guard lock(created_mutex_);
  for (const auto& state : created_states_) {
    const uint64_t newest = state->newest_txn.load();
    const uint64_t id = newest >> 1;
    if (id >= next) continue;  // it began later
    out.newest = std::max(out.newest, id);
    if ((newest & 1) != 0) out.numbers.push_back(id);
  }
  return out;
}

std::unique_ptr<Transaction> StoreImpl::begin(Isolation isolation, uint64_t session,
                                              std::unique_ptr<Transaction> ended) {
  if (ended != nullptr && static_cast<TransactionImpl&>(*ended).ended()) {
    auto& txn = static_cast<TransactionImpl&>(*ended);
    INDIGO_CHECK(&txn.store() == this);
    txn.restart(next_txn_id(txn.state()), isolation, session);
    return ended;
  }
  TransactionState* state = take_state();
  return std::make_unique<TransactionImpl>(*this, next_txn_id(*state), isolation, session, state);
}

WriteContext* StoreImpl::take_write_context() {
  // So many wait before the epoch is made to go on.
  constexpr size_t kManyEnded = 16;
  Shard& s = shard();
  {
    std::lock_guard lock(s.lock);
    if (s.ended.size() >= kManyEnded && !epochs_.passed(s.ended.front().epoch)) epochs_.advance();
    if (!s.ended.empty() && epochs_.passed(s.ended.front().epoch)) {
      WriteContext* c = s.ended.front().context;
      s.ended.pop_front();
      c->reset(memory_);
      return c;
    }
  }
  auto created = std::make_unique<WriteContext>();
  WriteContext* c = created.get();
  std::lock_guard lock(created_mutex_);
  created_contexts_.push_back(std::move(created));
  return c;
}

Certifier& StoreImpl::make_certifier() {
  std::lock_guard lock(created_mutex_);
  if (own_certifier_ == nullptr) {
    own_certifier_ = std::make_unique<Certifier>(clock_, pauses_);
    certifier_.store(own_certifier_.get(), std::memory_order_release);  // pairs with certifier()
  }
  return *own_certifier_;
}

StorageStatus StoreImpl::commit(Transaction& transaction) {
  auto& txn = static_cast<TransactionImpl&>(transaction);
  const bool asynchronous = txn.asynchronous_;
  uint64_t shown = txn.has_writes() ? kMaxStamp.value : std::max(txn.newest_shown_, commits_.last_definition());
  if (mutated(Mutation::kForgetShown)) shown = 0;
  Lsn lsn;
  if (StorageStatus status = commits_.run(txn, lsn); status != StorageStatus::kOk) {
    status = txn.failed(status);
    rollback(txn);
    return status;
  }
  finish(txn, true);
  if (!log_.records() || asynchronous) return StorageStatus::kOk;
  // What it was shown was appended before it became visible.
  if (!lsn && shown > log_.durable_stamp().value) lsn = log_.appended();
  lsn = std::max(lsn, txn.least_lsn_);
  return !lsn || log_.wait_durable(lsn) ? StorageStatus::kOk : StorageStatus::kLogFailed;
}

void StoreImpl::rollback(Transaction& transaction) {
  auto& txn = static_cast<TransactionImpl&>(transaction);
  if (txn.ended()) return;
  const MustNotFail scope;
  if (txn.has_writes()) {
    txn.undo(0);
    txn.writes().descriptor.set_aborted();
  }
  finish(txn, false);
}

void StoreImpl::finish(TransactionImpl& txn, bool committed) {
  const MustNotFail scope;
  TransactionState* state = txn.state_;
  if (txn.serializable_ != nullptr) {
    certifier().leave(*txn.serializable_);
    txn.serializable_->clear();
    txn.serializable_ = nullptr;
  }
  SnapshotRegistry::release(*state->slot);
  if (txn.least_snapshot_ != 0) clock_.wait_stable(CommitStamp(txn.least_snapshot_));  // R5, for the session's next
  for (auto& action : state->actions) {
    auto& half = committed ? action.commit : action.rollback;
    if (half) half();
  }
  // R5: only now may others learn of the end.
  if (txn.locks_used_) locks_->release_all(*state->lock_owner);
  WriteContext* writes = txn.writes_;
  if (writes != nullptr) {
    writes->descriptor.forget_records();
    writes->descriptor.announce_release();
  }
  if (state->log.capacity() > TransactionState::kKeepRecords) {
    state->log = {};
  } else {
    state->log.clear();
  }
  if (state->record != nullptr) state->record->abandon();  // nothing to do after append
  state->left_keys.clear();
  state->left_keys_bytes = 0;
  state->savepoints.clear();
  state->actions.clear();
  for (const auto& touched : state->touched) {
    touched.table->stillness().end(committed ? txn.commit_stamp_.value : 0);
    if (touched.told != 0) touched.table->add_open_rows(-touched.told);
  }
  state->touched.clear();
  txn.ended_ = true;
  state->newest_txn.store(txn.id().value << 1, std::memory_order_release);
  txn.last_claim = nullptr;
  TransactionState::count(committed ? state->commits : state->rollbacks);
  if (!committed && txn.failure_) TransactionState::count(state->aborts[static_cast<size_t>(*txn.failure_)]);
  if (writes == nullptr) return;
  txn.writes_ = nullptr;
  writes->touched.store(0, std::memory_order_release);  // pairs with DroppedTables: it uses no table any more
  // A small arena waits with its context for the next transaction; a larger one is freed when its epoch has passed, and a
  // very large one does not wait for others to retire things.
  constexpr size_t kSmallArenaBytes = 16 * 1024, kVeryLargeArenaBytes = 1 << 20;
  const size_t bytes = writes->arena.allocated_bytes();
  if (bytes <= kSmallArenaBytes) {
    end_writes(*writes, epochs_.retirement_epoch());
    return;
  }
  auto free_arena = [](void* store, void* object) {
    auto* context = static_cast<WriteContext*>(object);
    auto* self = static_cast<StoreImpl*>(store);
    context->reset(self->memory_);
    self->end_writes(*context, 0);
  };
  epochs_.retire(writes, free_arena, this);
  if (bytes > kVeryLargeArenaBytes) reclaimer_.wake();
}

void StoreImpl::end_writes(WriteContext& writes, uint64_t epoch) {
  Shard& s = shard();
  std::lock_guard lock(s.lock);
  s.ended.push_back({&writes, epoch});
}

void StoreImpl::on_end(Transaction& txn, std::function<void()> commit, std::function<void()> rollback) {
  static_cast<TransactionImpl&>(txn).state().actions.push_back({std::move(commit), std::move(rollback)});
}

OverflowBody* StoreImpl::make_overflow(Bytes image) {
  OverflowBody* body = OverflowBody::create(image);
  if (body != nullptr) memory_.add(MemoryKind::kLargeRows, static_cast<int64_t>(body->total_bytes()));
  return body;
}

void StoreImpl::release_overflow(OverflowBody* body) {
  if (body->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  memory_.add(MemoryKind::kLargeRows, -static_cast<int64_t>(body->total_bytes()));
  std::free(body);
}

void StoreImpl::free_overflow(OverflowBody* body) {
  auto free = [](void* store, void* object) {
    static_cast<StoreImpl*>(store)->release_overflow(static_cast<OverflowBody*>(object));
  };
  epochs_.retire(body, free, this);
  reclaimer_.wake();  // large things do not wait for the next commits
}

bool StoreImpl::reclaim_until_left() {
  // Each round merges what the last one emptied, and frees what was retired two epochs ago.
  constexpr int kRounds = 16;
  uint64_t before = memory_.total();
  for (int i = 0; i < kRounds && memory_.full(); i++) {
    reclaimer_.run_round();
    if (i % 4 != 3) continue;
    if (memory_.total() >= before) break;  // nothing is left to reclaim
    before = memory_.total();
  }
  return !memory_.full();
}

void StoreImpl::trim() {
  versions_.trim();
  std::lock_guard lock(pages_mutex_);
  for (auto& [size, pool] : pages_) pool->leaves.trim();
}

StoreStatistics StoreImpl::counters() {
  StoreStatistics s;
  {
    std::lock_guard lock(created_mutex_);
    for (const auto& state : created_states_) {
      s.commits += state->commits.load(std::memory_order_relaxed);
      s.rollbacks += state->rollbacks.load(std::memory_order_relaxed);
      for (size_t i = 0; i < kAbortReasons; i++) s.aborts[i] += state->aborts[i].load(std::memory_order_relaxed);
    }
    for (const auto& context : created_contexts_) s.records_in_process += context->descriptor.records_in_process();
  }
  for (size_t i = 0; i < kMemoryKinds; i++) s.memory_bytes[i] = memory_.bytes(static_cast<MemoryKind>(i));
  s.memory_limit_bytes = memory_.limit_bytes();
  s.memory_total_bytes = memory_.total();
  s.versions = versions_.used_blocks();
  s.retired_objects = epochs_.retired_count();
  return s;
}

Store::Statistics StoreImpl::statistics() const {
  Statistics s;
  {
    std::lock_guard lock(created_mutex_);
    for (const auto& state : created_states_) {
      s.commits += state->commits.load(std::memory_order_relaxed);
      s.rollbacks += state->rollbacks.load(std::memory_order_relaxed);
    }
  }
  s.deadlocks = locks_->deadlock_count();
  s.versions_kept = versions_.used_blocks();
  s.bytes = memory_.total();
  s.stable = clock_.stable();
  return s;
}

}  // namespace indigo::storage
