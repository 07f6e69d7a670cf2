// Background reclamation: cuts versions that no snapshot can see, purges tombstones, merges emptied leaves, and
// drives the epochs. One thread per Store; it sleeps while there is nothing to do, and stops promptly.
//
// Thread safety: all functions. Tables list their dirty leaves themselves (TableImpl::clean); the reclaimer knows tables.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace indigo::storage {

class StoreImpl;
class TableImpl;

class Reclaimer {
 public:
  explicit Reclaimer(StoreImpl& store);
  ~Reclaimer() { stop(); }
  void stop();

  void add_table(std::weak_ptr<TableImpl> table);
  // There is something to clean.
  void wake() {
    if (!awake_.exchange(true)) notify();
  }
  // One round over all tables, by the caller. True when something is left to do.
  bool run_round();

 private:
  void run();
  void notify();

  StoreImpl& store_;
  std::mutex round_mutex_;  // one round at a time
  std::mutex mutex_;        // guards tables_ and stop_
  std::condition_variable condition_;
  std::vector<std::weak_ptr<TableImpl>> tables_;
  bool stop_ = false;
  std::atomic<bool> awake_{false};
  std::thread thread_;
};

}  // namespace indigo::storage
