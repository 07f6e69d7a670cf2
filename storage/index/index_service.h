// The background service of secondary indexes: an index that holds changes back for a second structure registers here, and is
// asked from time to time to bring that up to date. One thread per Store, which starts with the first index that needs it, sleeps
// while nothing waits, and pauses between rounds.
//
// Thread safety: all functions.
// Invariants:
// 1. After remove() no thread is in the index's serve(), and none will be.
// 2. After wake() a round begins that sees what was posted before it.
// 3. serve() is called under no mutex of the service: it may wait while writers are kept out (EpochManager), and the
//    thread that keeps them out may add indexes, but removes none.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace indigo::storage {

class ServicedIndex {
 public:
  // A slice of what waits: a few milliseconds at most, under no latch or guard. Never fails.
  virtual void serve() = 0;

 protected:
  ~ServicedIndex() = default;
};

class IndexService {
 public:
  IndexService() = default;
  ~IndexService() { stop(); }
  IndexService(const IndexService&) = delete;
  IndexService& operator=(const IndexService&) = delete;
  void stop();

  void add(ServicedIndex& index);
  void remove(ServicedIndex& index);
  // Something waits; it may take a while to be more.
  void wake() {
    // Relaxed: posting happens under a lock that serve() takes after awake_ was reset, or before.
    if (!awake_.load(std::memory_order_relaxed) && !awake_.exchange(true)) notify();
  }
  // Much waits.
  void hurry() {
    if (!hurried_.load(std::memory_order_relaxed) && !hurried_.exchange(true)) {
      awake_.store(true);
      notify();
    }
  }
  // One slice of each index, by the caller.
  void run_round();

 private:
  void run();
  void start();
  void notify();

  std::mutex mutex_;  // guards what follows, but not while serve() runs
  std::condition_variable condition_;
  std::vector<ServicedIndex*> indexes_;
  std::vector<ServicedIndex*> serving_;  // by some thread
  bool stop_ = false;
  std::thread thread_;
  std::atomic<bool> awake_{false}, hurried_{false};
};

}  // namespace indigo::storage
