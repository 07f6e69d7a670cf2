
#include "base/check.h"
#include "storage/lock/lock_manager_impl.h"
#include "storage/transaction.h"

namespace indigo::storage {
namespace {

using Milliseconds = std::chrono::milliseconds;
using Space = LockName::Space;

OwnerImpl& impl(LockOwner& owner) { return static_cast<OwnerImpl&>(owner); }

LockNameView table_name(uint64_t object) { return {Space::kTable, object, {}}; }

LockModeCode advisory_code(bool shared) {
  return static_cast<LockModeCode>(shared ? TableLockMode::kShare : TableLockMode::kExclusive);
}

bool counts_as_strong(const LockRequest& request, LockModeCode mode) {
  return request.lock->space == Space::kTable && is_strong(TableLockMode(mode));
}

}  // namespace

std::unique_ptr<LockManager> LockManager::create() { return std::make_unique<LockManagerImpl>(); }

// ---- owners

std::unique_ptr<LockOwner> LockManagerImpl::create_owner(TxnId txn, uint64_t session) {
  return std::make_unique<OwnerImpl>(txn, session, registry_);
}

void LockManagerImpl::reset_owner(LockOwner& owner, TxnId txn, uint64_t session) {
  INDIGO_CHECK(impl(owner).history.empty());
  impl(owner).txn_id.store(txn.value, std::memory_order_relaxed);
  impl(owner).session.store(session, std::memory_order_relaxed);
}

// ---- taking

LockManagerImpl::Acquired LockManagerImpl::acquire(OwnerImpl& owner, const LockNameView& name, const WantedMode& mode,
                                                   bool wait, Milliseconds timeout) {
  uint64_t hash = LockTable::hash(name);
  LockPartition& partition = table_.partition(hash);
  std::unique_lock guard(partition.mutex);
  Lock& lock = partition.find_or_create(name, hash);
  bool may_hold = (owner.held_filter & OwnerImpl::filter_bit(hash)) != 0;
  LockRequest* request = may_hold ? LockPartition::request_of(lock, owner) : nullptr;
  const bool before = request != nullptr && LockPartition::holds(lock, *request, mode);
  if (!before) {
    bool now = LockPartition::grantable(lock, owner, mode, request != nullptr);
    if (!now && !wait) {
      partition.drop_if_unused(lock);
      return {StorageStatus::kWouldBlock};
    }
    // Of a key-value lock the owner remembers the first mode, and gives all back with it.
    const bool remembered = request != nullptr && name.space == Space::kKeyValue;
    if (!request) request = &partition.create_request(lock, owner);
    if (now) {
      partition.grant(*request, mode);
    } else {
      partition.enqueue(*request, mode);
      guard.unlock();
      StorageStatus status = await(*request, partition, timeout);
      if (status != StorageStatus::kOk) return {status};
      guard.lock();
    }
    if (!remembered) owner.remember(request, mode.code, hash);
  }
  if (name.space == Space::kAdvisory) {
    (mode.code == advisory_code(true) ? request->advisory_shared : request->advisory_exclusive)++;
  }
  return {StorageStatus::kOk, before};
}

StorageStatus LockManagerImpl::await(LockRequest& request, LockPartition& partition, Milliseconds timeout) {
  StorageStatus status = StorageStatus::kDeadlock;
  if (graph_.add_lock_wait(request)) {
    Deadline deadline = timeout.count() > 0 ? Clock::now() + timeout : kNoDeadline;
    // Acquire pairs with unqueue's release.
    auto granted = [&] { return !request.waiting.load(std::memory_order_acquire); };
    switch (request.owner->wait_point.wait(granted, deadline)) {
      case WaitResult::kWoken: status = StorageStatus::kOk; break;
      case WaitResult::kTimeout: status = StorageStatus::kLockTimeout; break;
      case WaitResult::kInterrupted: status = StorageStatus::kInterrupted; break;
    }
    graph_.remove_lock_wait(request);
  }
  std::lock_guard guard(partition.mutex);
  // Granted while we gave up: then we have it.
  if (!request.waiting.load(std::memory_order_relaxed)) return StorageStatus::kOk;
  partition.cancel(request);
  return status;
}

StorageStatus LockManagerImpl::lock_table(LockOwner& lock_owner, uint64_t object, TableLockMode mode, bool wait,
                                          Milliseconds timeout) {
  OwnerImpl& owner = impl(lock_owner);
  auto code = static_cast<LockModeCode>(mode);
  if (is_weak(mode)) {
    if (try_weak_lock(owner, strong_, object, code) != WeakOutcome::kUseLockTable) return StorageStatus::kOk;
    return acquire(owner, table_name(object), {code, {}}, wait, timeout).status;
  }
  if (!is_strong(mode)) return acquire(owner, table_name(object), {code, {}}, wait, timeout).status;
  strong_.enter(object);  // S1
  transfer_weak_locks(owner, object);
  Acquired acquired = acquire(owner, table_name(object), {code, {}}, wait, timeout);
  if (acquired.status != StorageStatus::kOk || acquired.before) strong_.leave(object);
  return acquired.status;
}

// S2 of fast_path.h.
void LockManagerImpl::transfer_weak_locks(OwnerImpl& strong, uint64_t object) {
  LockNameView name = table_name(object);
  uint64_t hash = LockTable::hash(name);
  LockPartition& partition = table_.partition(hash);
  std::lock_guard guard(partition.mutex);
  Lock& lock = partition.find_or_create(name, hash);
  registry_.for_each([&](OwnerImpl& owner) {
    if (&owner == &strong) return;
    for (auto& slot : owner.slots) {
      uint64_t word = slot.load(std::memory_order_seq_cst);
      if (word == 0 || word >> 3 != object) continue;
      ModeMask granted = LockPartition::granted_to_others(lock, owner);
      for (auto mode = LockModeCode{1}; mode <= static_cast<LockModeCode>(TableLockMode::kRowExclusive); mode++) {
        if (kTableConflicts[mode] & granted) continue;  // an attempt that will not succeed
        if (!take_weak_bit(slot, object, weak_bit(mode))) continue;
        LockRequest* request = LockPartition::transferred_request_of(lock, owner);
        if (!request) {
          request = &partition.create_request(lock, owner);
          request->transferred = true;
        }
        partition.grant(*request, {mode, {}});
      }
    }
  });
  partition.drop_if_unused(lock);
}

StorageStatus LockManagerImpl::lock_row(LockOwner& owner, TableId table, Bytes key, RowLockMode mode, bool wait,
                                        Milliseconds timeout) {
  const WantedMode wanted{static_cast<LockModeCode>(mode), {}};
  return acquire(impl(owner), {Space::kRow, table.value, key}, wanted, wait, timeout).status;
}

StorageStatus LockManagerImpl::lock_record_queue(LockOwner& owner, TableId table, Bytes key, bool wait,
                                                 Milliseconds timeout) {
  constexpr WantedMode kExclusive{static_cast<LockModeCode>(TableLockMode::kExclusive), {}};
  return acquire(impl(owner), {Space::kRecordQueue, table.value, key}, kExclusive, wait, timeout).status;
}

StorageStatus LockManagerImpl::lock_key_value(LockOwner& owner, IndexId index, Bytes key, bool wait,
                                              Milliseconds timeout) {
  return lock_key_value_components(owner, index, key, {.whole = BasicMode::kX}, wait, timeout);
}

StorageStatus LockManagerImpl::lock_key_value_components(LockOwner& owner, IndexId index, Bytes key,
                                                         const KeyValueMode& mode, bool wait, Milliseconds timeout) {
  return acquire(impl(owner), {Space::kKeyValue, index.value, key}, {0, mode}, wait, timeout).status;
}

BasicMode LockManagerImpl::gap_mode(LockOwner& owner, IndexId index, Bytes key) {
  const LockNameView name{Space::kKeyValue, index.value, key};
  const uint64_t hash = LockTable::hash(name);
  if ((impl(owner).held_filter & OwnerImpl::filter_bit(hash)) == 0) return BasicMode::kN;
  LockPartition& partition = table_.partition(hash);
  const std::lock_guard guard(partition.mutex);
  Lock* lock = partition.find(name, hash);
  const LockRequest* request = lock != nullptr ? LockPartition::request_of(*lock, impl(owner)) : nullptr;
  return request != nullptr ? request->components.gap() : BasicMode::kN;
}

void LockManagerImpl::lower_gap(LockOwner& lock_owner, IndexId index, Bytes key, BasicMode mode) {
  OwnerImpl& owner = impl(lock_owner);
  const LockNameView name{Space::kKeyValue, index.value, key};
  const uint64_t hash = LockTable::hash(name);
  LockPartition& partition = table_.partition(hash);
  const LockRequest* request;
  {
    const std::lock_guard guard(partition.mutex);
    Lock* lock = partition.find(name, hash);
    LockRequest* held = lock != nullptr ? LockPartition::request_of(*lock, owner) : nullptr;
    INDIGO_CHECK(held != nullptr);
    if (held == nullptr || !partition.lower_gap(*held, mode)) return;
    request = held;  // its address only: it is gone
  }
  auto& history = owner.history;
  for (size_t i = history.size(); i-- > 0;) {
    if (history[i].request != request) continue;
    history.erase(history.begin() + static_cast<ptrdiff_t>(i));
    break;
  }
}

bool LockManagerImpl::key_value_in_use(IndexId index, Bytes key) {
  const LockNameView name{Space::kKeyValue, index.value, key};
  const uint64_t hash = LockTable::hash(name);
  LockPartition& partition = table_.partition(hash);
  const std::lock_guard guard(partition.mutex);
  const Lock* lock = partition.find(name, hash);
  return lock != nullptr && lock->holders != nullptr;
}

StorageStatus LockManagerImpl::lock_advisory(LockOwner& owner, uint64_t database, Bytes key, bool shared, bool wait,
                                             Milliseconds timeout) {
  return acquire(impl(owner), {Space::kAdvisory, database, key}, {advisory_code(shared), {}}, wait, timeout).status;
}

// ---- giving back

void LockManagerImpl::unlock_row(LockOwner& lock_owner, TableId table, Bytes key, RowLockMode mode) {
  OwnerImpl& owner = impl(lock_owner);
  const LockNameView name{Space::kRow, table.value, key};
  const uint64_t hash = LockTable::hash(name);
  LockPartition& partition = table_.partition(hash);
  LockRequest* request;
  {
    std::lock_guard guard(partition.mutex);
    Lock* lock = partition.find(name, hash);
    request = lock ? LockPartition::request_of(*lock, owner) : nullptr;
  }
  if (request != nullptr) release_last(owner, *request, static_cast<LockModeCode>(mode));
}

void LockManagerImpl::release_last(OwnerImpl& owner, const LockRequest& request, LockModeCode mode) {
  auto& history = owner.history;
  for (size_t i = history.size(); i-- > 0;) {
    if (history[i].request != &request || history[i].mode != mode) continue;
    release(owner, history[i]);
    history.erase(history.begin() + static_cast<ptrdiff_t>(i));
    break;
  }
  if (history.empty()) owner.held_filter = 0;
}

bool LockManagerImpl::unlock_advisory(LockOwner& lock_owner, uint64_t database, Bytes key, bool shared) {
  OwnerImpl& owner = impl(lock_owner);
  LockNameView name{Space::kAdvisory, database, key};
  uint64_t hash = LockTable::hash(name);
  LockPartition& partition = table_.partition(hash);
  LockModeCode mode = advisory_code(shared);
  LockRequest* request;
  {
    std::lock_guard guard(partition.mutex);
    Lock* lock = partition.find(name, hash);
    request = lock ? LockPartition::request_of(*lock, owner) : nullptr;
    if (!request || !(request->granted & mode_bit(mode))) return false;
    uint32_t& count = shared ? request->advisory_shared : request->advisory_exclusive;
    if (--count > 0) return true;
  }
  release_last(owner, *request, mode);
  return true;
}

void LockManagerImpl::release(OwnerImpl& owner, const HeldLock& held) {
  if (!held.request) {
    uint64_t object = owner.weak[held.weak_slot].object;
    if (!release_weak_lock(owner, held.weak_slot, held.mode)) release_transferred(owner, object, held.mode);
    return;
  }
  Lock& lock = *held.request->lock;  // stays while we hold it
  uint64_t object = lock.object;
  bool strong = counts_as_strong(*held.request, held.mode);
  {
    LockPartition& partition = table_.partition(lock.hash);
    std::lock_guard guard(partition.mutex);
    if (held.mode == advisory_code(true)) held.request->advisory_shared = 0;
    if (held.mode == advisory_code(false)) held.request->advisory_exclusive = 0;
    partition.release(*held.request, held.mode);
  }
  if (strong) strong_.leave(object);
}

void LockManagerImpl::release_transferred(OwnerImpl& owner, uint64_t object, LockModeCode mode) {
  LockNameView name = table_name(object);
  uint64_t hash = LockTable::hash(name);
  LockPartition& partition = table_.partition(hash);
  std::lock_guard guard(partition.mutex);
  Lock* lock = partition.find(name, hash);
  LockRequest* request = lock ? LockPartition::transferred_request_of(*lock, owner) : nullptr;
  INDIGO_CHECK(request);
  if (request) partition.release(*request, mode);
}

uint32_t LockManagerImpl::mark(LockOwner& owner) { return impl(owner).next_sequence; }

void LockManagerImpl::release_since(LockOwner& lock_owner, uint32_t mark, bool keep_key_values) {
  OwnerImpl& owner = impl(lock_owner);
  std::vector<HeldLock> kept;  // the last one first
  while (!owner.history.empty() && owner.history.back().sequence >= mark) {
    const HeldLock held = owner.history.back();
    owner.history.pop_back();
    if (keep_key_values && held.request != nullptr && held.request->lock->space == Space::kKeyValue) {
      kept.push_back(held);
    } else {
      release(owner, held);
    }
  }
  owner.history.insert(owner.history.end(), kept.rbegin(), kept.rend());
}

void LockManagerImpl::release_all(LockOwner& lock_owner) {
  OwnerImpl& owner = impl(lock_owner);
  constexpr size_t kHistoryKept = 1024;  // elements of capacity that an owner keeps for its next transaction
  while (!owner.history.empty()) {
    HeldLock held = owner.history.back();
    owner.history.pop_back();
    release(owner, held);
  }
  if (owner.history.capacity() > kHistoryKept) owner.history.shrink_to_fit();
  owner.held_filter = 0;
  owner.next_sequence = 0;
  owner.weak_used = 0;
}

// ---- record writers

StorageStatus LockManagerImpl::begin_wait(TxnId waiter, TxnId owner) {
  return graph_.add_record_wait(waiter, owner) ? StorageStatus::kOk : StorageStatus::kDeadlock;
}

void LockManagerImpl::end_wait(TxnId waiter) { graph_.remove_record_wait(waiter); }

std::vector<uint64_t> LockManagerImpl::blocking_sessions(uint64_t session) const {
  return graph_.blocking_sessions(session);
}

// ---- pg_locks

std::vector<LockInfo> LockManagerImpl::snapshot() const {
  std::vector<LockInfo> result;
  Waiter& waiter = Waiter::current();
  table_.for_each_partition([&](LockPartition& partition) {
    waiter.yield_if_due();  // there may be millions
    std::lock_guard guard(partition.mutex);
    partition.for_each([&](const Lock& lock) {
      auto add = [&](const LockRequest& request, LockModeCode mode, bool granted, std::string components = {}) {
        bool shared = lock.space == Space::kAdvisory && mode == advisory_code(true);
        result.push_back({{lock.space, lock.object, std::string(lock.key())},
                          mode,
                          request.owner->txn(),
                          request.owner->session_number(),
                          granted,
                          shared,
                          std::move(components)});
      };
      for (const LockRequest* holder = lock.holders; holder; holder = holder->next_holder) {
        if (lock.space == Space::kKeyValue) {
          add(*holder, 0, true, holder->components.text());
          continue;
        }
        for (ModeMask modes = holder->granted; modes; modes &= modes - 1) {
          add(*holder, static_cast<LockModeCode>(std::countr_zero(modes)), true);
        }
      }
      for (const LockRequest* waiter = lock.first_waiter; waiter; waiter = waiter->next_waiter) {
        ModeVector wanted;
        if (lock.space == Space::kKeyValue) wanted.add(waiter->wanted.components);
        add(*waiter, waiter->wanted.code, false, lock.space == Space::kKeyValue ? wanted.text() : std::string());
      }
    });
  });
  registry_.for_each([&](const OwnerImpl& owner) {
    for (auto& slot : owner.slots) {
      uint64_t word = slot.load(std::memory_order_acquire);
      for (ModeMask modes = weak_modes(word); modes; modes &= modes - 1) {
        result.push_back({{Space::kTable, word >> 3, {}},
                          static_cast<LockModeCode>(std::countr_zero(modes)),
                          owner.txn(),
                          owner.session_number(),
                          true,
                          false,
                          {}});
      }
    }
  });
  for (WaitGraph::RecordWait wait : graph_.record_waits()) {
    result.push_back({{Space::kTransaction, wait.owner.value, {}},
                      static_cast<LockModeCode>(TableLockMode::kShare),
                      wait.waiter,
                      registry_.session_of(wait.waiter),
                      false,
                      false,
                      {}});
  }
  return result;
}

}  // namespace indigo::storage
