// Threads that do what recovery gives them, each its own jobs in their order. A job that takes long holds up who gives more,
// so what waits takes a bounded amount of memory.
// Thread safety: one user; jobs run on the threads. Invariant: after drain() everything that jobs did is seen by the user.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace indigo::engine {

class ReplayWorkers {
 public:
  using Job = std::function<void()>;

  explicit ReplayWorkers(unsigned threads);
  ~ReplayWorkers();  // what was given is done first
  ReplayWorkers(const ReplayWorkers&) = delete;
  ReplayWorkers& operator=(const ReplayWorkers&) = delete;

  unsigned count() const { return static_cast<unsigned>(workers_.size()); }
  void give(unsigned worker, Job job);
  // Waits until all of them have nothing left.
  void drain();

 private:
  static constexpr size_t kWaitingMost = 8;  // jobs of one worker
  struct Worker {
    std::mutex mutex;  // guards what follows
    std::condition_variable changed;
    std::deque<Job> jobs;
    bool busy = false, stop = false;
    std::thread thread;
  };

  static void run(Worker& worker);
  void stop();

  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace indigo::engine
