#include "storage/lock/lock_table.h"

#include <cstring>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "base/check.h"

namespace indigo::storage {

uint64_t LockTable::hash(const LockNameView& name) {
  return absl::HashOf(static_cast<int>(name.space), name.object, absl::string_view(name.key.data(), name.key.size()));
}

LockPartition::~LockPartition() {
  for (Lock* lock : buckets_) {
    while (lock) {
      Lock* next = lock->next;
      while (LockRequest* request = lock->holders) {
        lock->holders = request->next_holder;
        delete request;
      }
      delete lock;
      lock = next;
    }
  }
  while (Lock* lock = free_locks_) {
    free_locks_ = lock->next;
    delete lock;
  }
  while (LockRequest* request = free_requests_) {
    free_requests_ = request->next_holder;
    delete request;
  }
}

// ---- locks

Lock* LockPartition::find(const LockNameView& name, uint64_t hash) const {
  for (Lock* lock = buckets_[bucket_of(hash)]; lock; lock = lock->next) {
    if (lock->hash == hash && lock->named(name)) return lock;
  }
  return nullptr;
}

Lock& LockPartition::find_or_create(const LockNameView& name, uint64_t hash) {
  if (Lock* lock = find(name, hash)) return *lock;
  if (lock_count_ >= buckets_.size() * 2) resize(buckets_.size() * 4);
  Lock* lock = free_locks_;
  if (lock) {
    free_locks_ = lock->next;
    free_lock_count_--;
  } else {
    lock = new Lock;
  }
  lock->hash = hash;
  lock->object = name.object;
  lock->space = name.space;
  lock->granted_superset = 0;
  lock->key_length = static_cast<uint32_t>(name.key.size());
  char* to = lock->inline_key;
  if (name.key.size() > Lock::kInlineKeyBytes) {
    lock->long_key = std::make_unique<char[]>(name.key.size());
    to = lock->long_key.get();
  }
  if (!name.key.empty()) std::memcpy(to, name.key.data(), name.key.size());
  Lock*& bucket = buckets_[bucket_of(hash)];
  lock->next = bucket;
  bucket = lock;
  lock_count_++;
  return *lock;
}

void LockPartition::drop_if_unused(Lock& lock) {
  if (!lock.unused()) return;
  Lock** link = &buckets_[bucket_of(lock.hash)];
  while (*link != &lock) link = &(*link)->next;
  *link = lock.next;
  lock_count_--;
  lock.long_key.reset();
  if (free_lock_count_ < kFreeListMax) {
    lock.next = free_locks_;
    free_locks_ = &lock;
    free_lock_count_++;
  } else {
    delete &lock;
  }
  if (buckets_.size() > kInitialBuckets && lock_count_ < buckets_.size() / 16) resize(buckets_.size() / 4);
}

void LockPartition::resize(size_t buckets) {
  std::vector<Lock*> old(buckets);
  old.swap(buckets_);
  for (Lock* lock : old) {
    while (lock) {
      Lock* next = lock->next;
      Lock*& bucket = buckets_[bucket_of(lock->hash)];
      lock->next = bucket;
      bucket = lock;
      lock = next;
    }
  }
}

// ---- requests

LockRequest* LockPartition::request_of(Lock& lock, const OwnerImpl& owner) {
  for (LockRequest* request = lock.holders; request; request = request->next_holder) {
    if (request->owner == &owner && !request->transferred) return request;
  }
  return nullptr;
}

LockRequest* LockPartition::transferred_request_of(Lock& lock, const OwnerImpl& owner) {
  for (LockRequest* request = lock.holders; request; request = request->next_holder) {
    if (request->owner == &owner && request->transferred) return request;
  }
  return nullptr;
}

LockRequest& LockPartition::create_request(Lock& lock, OwnerImpl& owner) {
  LockRequest* request = free_requests_;
  if (request) {
    free_requests_ = request->next_holder;
    free_request_count_--;
  } else {
    request = new LockRequest;
  }
  request->lock = &lock;
  request->owner = &owner;
  request->granted = 0;
  request->components.clear();
  request->waiting.store(false, std::memory_order_relaxed);
  request->transferred = false;
  request->advisory_shared = request->advisory_exclusive = 0;
  request->previous_holder = request->next_holder = nullptr;
  request->previous_waiter = request->next_waiter = nullptr;
  return *request;
}

void LockPartition::free_request(LockRequest& request) {
  if (free_request_count_ < kFreeListMax) {
    request.next_holder = free_requests_;
    free_requests_ = &request;
    free_request_count_++;
  } else {
    delete &request;
  }
}

// ---- granting

ModeMask LockPartition::granted_to_others(const Lock& lock, const OwnerImpl& owner) {
  ModeMask modes = 0;
  for (const LockRequest* request = lock.holders; request; request = request->next_holder) {
    if (!same_party(*request->owner, owner)) modes |= request->granted;
  }
  return modes;
}

void LockPartition::tighten(Lock& lock) {
  lock.granted_superset = 0;
  for (const LockRequest* request = lock.holders; request; request = request->next_holder) {
    lock.granted_superset |= request->granted;
  }
}

namespace {
ModeMask may_conflict(const Lock& lock, const WantedMode& wanted) {
  return lock.space == LockName::Space::kKeyValue ? possible_conflicts(wanted.components)
                                                  : conflicts(lock.space, wanted.code);
}
}  // namespace

bool LockPartition::holder_conflicts(const Lock& lock, const LockRequest& holder, const WantedMode& wanted) {
  if ((holder.granted & may_conflict(lock, wanted)) == 0) return false;
  return lock.space != LockName::Space::kKeyValue || !holder.components.compatible_with(wanted.components);
}

bool LockPartition::modes_conflict(const Lock& lock, const WantedMode& other, const WantedMode& wanted) {
  if (lock.space == LockName::Space::kKeyValue) return !compatible(other.components, wanted.components);
  return (mode_bit(other.code) & conflicts(lock.space, wanted.code)) != 0;
}

bool LockPartition::holds(const Lock& lock, const LockRequest& request, const WantedMode& wanted) {
  if (lock.space == LockName::Space::kKeyValue) return request.components.covers_mode(wanted.components);
  return (request.granted & mode_bit(wanted.code)) != 0;
}

bool LockPartition::held_by_others(Lock& lock, const OwnerImpl& owner, const WantedMode& wanted) {
  if ((lock.granted_superset & may_conflict(lock, wanted)) == 0) return false;
  tighten(lock);
  if ((lock.granted_superset & may_conflict(lock, wanted)) == 0) return false;
  for (const LockRequest* holder = lock.holders; holder != nullptr; holder = holder->next_holder) {
    if (holder_conflicts(lock, *holder, wanted) && !same_party(*holder->owner, owner)) return true;
  }
  return false;
}

bool LockPartition::grantable(Lock& lock, const OwnerImpl& owner, const WantedMode& mode, bool conversion) {
  if (held_by_others(lock, owner, mode)) return false;
  if (conversion) return true;
  // Sharers of a row do not stand behind a writer that waits, as in PostgreSQL: two that hold a share and want more would
  // wait for each other through him.
  constexpr ModeMask kShares = mode_bit(static_cast<LockModeCode>(RowLockMode::kKeyShare)) |
                               mode_bit(static_cast<LockModeCode>(RowLockMode::kShare));
  if (lock.space == LockName::Space::kRow && (mode_bit(mode.code) & kShares) != 0) return true;
  for (const LockRequest* waiter = lock.first_waiter; waiter; waiter = waiter->next_waiter) {
    if (modes_conflict(lock, waiter->wanted, mode) && !same_party(*waiter->owner, owner)) return false;
  }
  return true;
}

void LockPartition::grant(LockRequest& request, const WantedMode& mode) {
  Lock& lock = *request.lock;
  if (request.granted == 0) {
    request.next_holder = lock.holders;
    if (lock.holders) lock.holders->previous_holder = &request;
    lock.holders = &request;
    request.previous_holder = nullptr;
  }
  if (lock.space == LockName::Space::kKeyValue) {
    request.components.add(mode.components);
    request.granted = request.components.mask();
  } else {
    request.granted |= mode_bit(mode.code);
  }
  lock.granted_superset |= request.granted;
}

void LockPartition::enqueue(LockRequest& request, const WantedMode& mode) {
  Lock& lock = *request.lock;
  LockRequest* before = nullptr;  // conversions: the first waiter that is none
  if (request.granted) {
    before = lock.first_waiter;
    while (before && before->granted) before = before->next_waiter;
  }
  request.wanted = mode;
  link_waiter(request, before);
  request.waiting.store(true, std::memory_order_relaxed);
}

void LockPartition::link_waiter(LockRequest& request, LockRequest* before) {
  Lock& lock = *request.lock;
  request.next_waiter = before;
  request.previous_waiter = before ? before->previous_waiter : lock.last_waiter;
  (request.previous_waiter ? request.previous_waiter->next_waiter : lock.first_waiter) = &request;
  (before ? before->previous_waiter : lock.last_waiter) = &request;
}

void LockPartition::unlink_waiter(LockRequest& request) {
  Lock& lock = *request.lock;
  (request.previous_waiter ? request.previous_waiter->next_waiter : lock.first_waiter) = request.next_waiter;
  (request.next_waiter ? request.next_waiter->previous_waiter : lock.last_waiter) = request.previous_waiter;
  request.previous_waiter = request.next_waiter = nullptr;
}

void LockPartition::unqueue(LockRequest& request) {
  unlink_waiter(request);
  request.waiting.store(false, std::memory_order_release);
}

void LockPartition::grant_waiters(Lock& lock) {
  if (!lock.first_waiter) return;
  tighten(lock);
  for (LockRequest *waiter = lock.first_waiter, *next; waiter; waiter = next) {
    next = waiter->next_waiter;
    if (held_by_others(lock, *waiter->owner, waiter->wanted)) continue;
    if (!waiter->granted) {  // those before it that go on waiting
      const LockRequest* before = lock.first_waiter;
      while (before != waiter && !modes_conflict(lock, before->wanted, waiter->wanted)) before = before->next_waiter;
      if (before != waiter) continue;
    }
    grant(*waiter, waiter->wanted);
    unqueue(*waiter);
    waiter->owner->wait_point.notify_all();
  }
}

// Who moves goes on waiting, and its owner, who looks at `waiting` without the mutex, must not see anything else.
void LockPartition::move_before(LockRequest& request, LockRequest& other) {
  unlink_waiter(request);
  link_waiter(request, &other);
  grant_waiters(*request.lock);
}

void LockPartition::move_behind(LockRequest& request, LockRequest& other) {
  unlink_waiter(request);
  link_waiter(request, other.next_waiter);
  grant_waiters(*request.lock);
}

void LockPartition::remove_holder(LockRequest& request) {
  Lock& lock = *request.lock;
  (request.previous_holder ? request.previous_holder->next_holder : lock.holders) = request.next_holder;
  if (request.next_holder) request.next_holder->previous_holder = request.previous_holder;
  free_request(request);
}

void LockPartition::release(LockRequest& request, LockModeCode mode) {
  Lock& lock = *request.lock;
  if (lock.space == LockName::Space::kKeyValue) {
    request.components.clear();
    request.granted = 0;
  } else {
    INDIGO_CHECK(request.granted & mode_bit(mode));
    request.granted &= ~mode_bit(mode);
  }
  if (request.granted == 0) remove_holder(request);
  grant_waiters(lock);
  drop_if_unused(lock);
}

bool LockPartition::lower_gap(LockRequest& request, BasicMode mode) {
  Lock& lock = *request.lock;
  request.components.set_gap(mode);
  request.granted = request.components.mask();
  const bool gone = request.granted == 0;
  if (gone) remove_holder(request);
  grant_waiters(lock);
  drop_if_unused(lock);
  return gone;
}

void LockPartition::cancel(LockRequest& request) {
  Lock& lock = *request.lock;
  unqueue(request);
  if (request.granted == 0) free_request(request);
  grant_waiters(lock);
  drop_if_unused(lock);
}

}  // namespace indigo::storage
