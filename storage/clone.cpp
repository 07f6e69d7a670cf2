#include "storage/clone.h"

#include <array>
#include <chrono>

#include "base/mutation.h"
#include "storage/store_impl.h"
#include "storage/table/table_cursor.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

namespace {

constexpr auto kPatience = std::chrono::milliseconds(1);  // for commits, while others are kept out
constexpr auto kPause = std::chrono::milliseconds(1);     // between two looks at a commit that takes long

StoreImpl& impl(Store& store) { return static_cast<StoreImpl&>(store); }

}  // namespace

std::vector<WriteContext*> StoreImpl::write_contexts() {
  std::vector<WriteContext*> contexts;
  std::lock_guard lock(created_mutex_);
  for (const auto& context : created_contexts_) contexts.push_back(context.get());
  return contexts;
}

StorageStatus StoreImpl::wait_for_commits() {
  if (mutated(Mutation::kCloneAtOnce)) return StorageStatus::kOk;
  for (WriteContext* context : write_contexts()) {
    const uint64_t now = context->commits.load(std::memory_order_acquire);
    if (now % 2 == 0) continue;
    while (context->commits.load(std::memory_order_acquire) == now) {
      if (Waiter::current().interrupted() != InterruptReason::kNone) return StorageStatus::kInterrupted;
      pauses_.at(PausePoint::kLongCommit);
      Waiter::current().sleep(Clock::now() + kPause);
    }
  }
  return StorageStatus::kOk;
}

bool StoreImpl::try_pause() {
  pause_mutex_.lock();
  if (mutated(Mutation::kCloneAtOnce)) return true;
  commits_paused_.store(true);
  pauses_.at(PausePoint::kGateClosed);
  const auto deadline = Clock::now() + kPatience;
  for (WriteContext* context : write_contexts()) {
    Backoff backoff;
    while (context->commits.load() % 2 != 0) {  // seq_cst, pairs with CommitGuard
      if (Clock::now() >= deadline) {
        commits_paused_.store(false);
        pause_mutex_.unlock();
        return false;
      }
      backoff.pause();
    }
  }
  epochs_.pause_writers();
  return true;
}

void StoreImpl::resume() {
  epochs_.resume_writers();
  commits_paused_.store(false);
  pause_mutex_.unlock();
}

std::shared_ptr<TableImpl> StoreImpl::clone_table(TableImpl& source, log::DurableId durable_id,
                                                  uint64_t source_generation, uint64_t generation) {
  auto table = std::make_shared<TableImpl>(source, next_id(), durable_id, source_generation, generation);
  add_table(table);
  return table;
}

void TableImpl::clone_indexes(TableImpl& clone, const std::function<IndexId(IndexId)>& new_id,
                              uint64_t source_generation, uint64_t generation) {
  auto list = std::make_shared<IndexList>();
  {
    std::lock_guard lock(indexes_mutex_);
    for (const auto& index : *indexes_) {
      auto copy = std::make_shared<TableIndex>();
      copy->id = new_id(index->id);
      copy->options = index->options;
      copy->extractor = index->extractor;
      copy->index = index->index->clone(source_generation, generation);
      copy->valid_from = index->valid_from;
      list->push_back(std::move(copy));
    }
  }
  std::lock_guard lock(clone.indexes_mutex_);
  clone.indexes_ = std::move(list);
  clone.indexes_raw_.store(clone.indexes_->empty() ? nullptr : clone.indexes_.get(), std::memory_order_release);
}

Cloner::Cloner(Store& store)
    : store_(store), source_generation_(impl(store).next_generation()), generation_(impl(store).next_generation()) {}

std::shared_ptr<Table> Cloner::clone(Table& source, log::DurableId id, const std::function<IndexId(IndexId)>& new_id) {
  auto& table = static_cast<TableImpl&>(source);
  if (!table.durable_id()) id = {};
  auto clone = impl(store_).clone_table(table, id, source_generation_, generation_);
  table.clone_indexes(*clone, new_id, source_generation_, generation_);
  return clone;
}

StorageStatus clone_tables(Store& store, const std::function<void(Cloner&)>& make) {
  StoreImpl& s = impl(store);
  // A long commit (it yields) must not keep others from theirs: it is waited for with the gate open.
  do {
    if (StorageStatus status = s.wait_for_commits(); status != StorageStatus::kOk) return status;
  } while (!s.try_pause());
  struct Pause {  // ends also when `make` runs out of memory
    StoreImpl& store;
    ~Pause() { store.resume(); }
  } pause{s};
  Cloner cloner(store);
  make(cloner);
  return StorageStatus::kOk;
}

StorageStatus log_clone(Transaction& transaction, Table& clone) {
  auto& txn = static_cast<TransactionImpl&>(transaction);
  auto& table = static_cast<TableImpl&>(clone);
  if (!table.durable_id() || !txn.store().log().records()) return StorageStatus::kOk;
  txn.writes();
  auto& record = txn.state().record;
  if (record == nullptr) record = std::make_unique<log::RecordStream>(txn.store().log());
  TableCursor cursor(table, txn, txn.newest_view(), KeyRange::all(), Direction::kForward);
  std::array<RowRef, 256> rows;
  for (;;) {
    size_t n = 0;
    if (StorageStatus s = cursor.next(rows, n); s != StorageStatus::kOk) return s;
    if (n == 0) return StorageStatus::kOk;
    for (size_t i = 0; i < n; i++) {
      const auto outcome = record->put(table.durable_id(), rows[i].key, rows[i].row);
      if (outcome == log::Log::Outcome::kFull) return StorageStatus::kLogFull;
      if (outcome != log::Log::Outcome::kOk) return StorageStatus::kLogFailed;
    }
    if (Waiter::current().interrupted() != InterruptReason::kNone) return StorageStatus::kInterrupted;
    Waiter::current().yield_if_due();
  }
}

}  // namespace indigo::storage
