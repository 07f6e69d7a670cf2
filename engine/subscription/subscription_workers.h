// The subscriptions of all databases at work: a thread for each that is enabled, and one that starts and ends them as
// pg_subscription says. A server without subscriptions has none of these threads.
//
// Invariants:
// 1. Who changes pg_subscription asks for a Change first, and lets it go when his transaction has ended; then the rows are
//    looked at again, and a worker whose row has changed, or that was named, begins anew.
// 2. While a Change names a subscription its worker does not run: what it holds (locks, the publisher's slot) is free.
// 3. A worker that has failed is started again after wal_retrieve_retry_interval, at once when something has changed.
// 4. At most max_logical_replication_workers at a time; others wait until one ends.
// Thread safety: all functions.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/fiber/wait_point.h"
#include "engine/subscription/apply_worker.h"

namespace indigo::engine::subscription {

class SubscriptionWorkers {
 public:
  explicit SubscriptionWorkers(InstanceImpl& instance);
  ~SubscriptionWorkers();

  // A server that may have subscriptions from before begins with this.
  void look();
  // Ends all workers and waits for them; nothing starts any more.
  void stop();

  // Waits until the worker of `stopped` (kInvalidOid: of none) has ended. An interrupt of the session's.
  Result<std::shared_ptr<void>> change(Oid stopped);

  struct Shown {
    Oid subscription = kInvalidOid;
    bool running = false;
    std::shared_ptr<const WorkerStatus> status;
  };
  std::vector<Shown> shown() const;

 private:
  struct Worker;
  struct Change;
  void launch();
  bool round();  // false: the rows could not be read
  void start(const Subscription& subscription);
  Result<std::vector<Subscription>> read_all();
  void end(Worker& worker);  // under mutex_
  void release(Oid stopped);

  InstanceImpl& instance_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  WaitPoint ended_;  // a worker has
  bool stop_ = false, look_ = false;
  Deadline next_look_ = kNoDeadline;
  std::map<Oid, std::unique_ptr<Worker>> workers_;
  std::multiset<Oid> held_;  // of changes that have not ended
  std::map<Oid, std::shared_ptr<WorkerStatus>> statuses_;
  std::map<Oid, Deadline> not_before_;
  std::thread thread_;
};

}  // namespace indigo::engine::subscription
