// All owners of one LockManager, for those who must look at every one: strong table locks, pg_locks.
// Thread safety: all functions. Its mutex is the last one taken (graph, partition, registry).
#pragma once

#include <mutex>

#include "storage/lock/lock_owner.h"

namespace indigo::storage {

class OwnerRegistry {
 public:
  void add(OwnerImpl& owner) {
    std::lock_guard guard(mutex_);
    owner.registry_next = first_;
    if (first_) first_->registry_previous = &owner;
    first_ = &owner;
  }
  void remove(OwnerImpl& owner) {
    std::lock_guard guard(mutex_);
    (owner.registry_previous ? owner.registry_previous->registry_next : first_) = owner.registry_next;
    if (owner.registry_next) owner.registry_next->registry_previous = owner.registry_previous;
  }
  template <class Visit>
  void for_each(Visit visit) const {
    std::lock_guard guard(mutex_);
    for (OwnerImpl* owner = first_; owner; owner = owner->registry_next) visit(*owner);
  }
  // The session of a transaction's owner; zero when there is none.
  uint64_t session_of(TxnId txn) const {
    uint64_t session = 0;
    for_each([&](const OwnerImpl& owner) {
      if (txn && owner.txn() == txn) session = owner.session_number();
    });
    return session;
  }

 private:
  mutable std::mutex mutex_;  // guards the list
  OwnerImpl* first_ = nullptr;
};

inline OwnerImpl::OwnerImpl(TxnId txn, uint64_t session_number, OwnerRegistry& all)
    : txn_id(txn.value), session(session_number), registry(all) {
  registry.add(*this);
}
inline OwnerImpl::~OwnerImpl() { registry.remove(*this); }

}  // namespace indigo::storage
