#include "storage/holders.h"

#include <algorithm>
#include <vector>

#include "base/fiber/wait_point.h"
#include "storage/lock/lock_compatibility.h"
#include "storage/lock/lock_manager.h"
#include "storage/store.h"
#include "storage/transaction.h"

namespace indigo::storage {

namespace {

using std::chrono::milliseconds;

std::vector<TxnId> holders_of(const LockManager& locks, TxnId waiter, uint64_t object, TableLockMode mode) {
  std::vector<TxnId> out;
  for (const LockInfo& lock : locks.snapshot()) {
    const bool in_the_way = lock.granted && lock.name.space == LockName::Space::kTable && lock.name.object == object &&
                            lock.holder != waiter && !compatible(mode, static_cast<TableLockMode>(lock.mode));
    if (in_the_way && std::find(out.begin(), out.end(), lock.holder) == out.end()) out.push_back(lock.holder);
  }
  return out;
}

// A place in the wait-for graph.
class Waiting {
 public:
  Waiting(LockManager& locks, TxnId waiter, TxnId holder)
      : locks_(locks), waiter_(waiter), status_(locks.begin_wait(waiter, holder)) {}
  ~Waiting() {
    if (status_ == StorageStatus::kOk) locks_.end_wait(waiter_);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  StorageStatus status() const { return status_; }

 private:
  LockManager& locks_;
  const TxnId waiter_;
  const StorageStatus status_;
};

}  // namespace

StorageStatus wait_for_holders(Store& store, Transaction& txn, uint64_t object, TableLockMode mode) {
  LockManager& locks = store.locks();
  store.lock_owner(txn);  // by which the graph knows the transaction's session
  const TxnId waiter = txn.id();
  const milliseconds timeout = txn.lock_timeout();
  const Deadline deadline = timeout.count() > 0 ? Clock::now() + timeout : kNoDeadline;
  for (const TxnId holder : holders_of(locks, waiter, object, mode)) {
    // Nobody tells of a lock's release who is not in its queue, so that one looks: for no more than a tenth of the time.
    while (true) {
      const auto begin = Clock::now();
      const auto now = holders_of(locks, waiter, object, mode);
      const auto pause = std::max<Clock::duration>(milliseconds{4}, 10 * (Clock::now() - begin));
      if (std::find(now.begin(), now.end(), holder) == now.end()) break;
      const Waiting waiting(locks, waiter, holder);
      if (waiting.status() != StorageStatus::kOk) return waiting.status();
      const Deadline look = Clock::now() + pause;
      if (Waiter::current().sleep(std::min(look, deadline)) == WaitResult::kInterrupted)
        return StorageStatus::kInterrupted;
      if (Clock::now() >= deadline) return StorageStatus::kLockTimeout;
    }
  }
  return StorageStatus::kOk;
}

}  // namespace indigo::storage
