// Looks after the workers: one that has been in one piece of work for too long is told of in the server's log, once for each
// piece. It sleeps for a quarter of that time between looks.
// Thread safety: start and destruction from one thread; the rest is its own thread's.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/error.h"
#include "wire/runtime/worker.h"

namespace indigo::wire {

class Watchdog {
 public:
  // What a session does, for the log; empty: unknown.
  using Describe = std::function<std::string(int32_t pid)>;

  // `workers` must stay until the watchdog has gone. Errors: 53000 when the system gives no thread.
  static Result<std::unique_ptr<Watchdog>> start(Clock::duration longest, std::vector<Worker*> workers,
                                                 Describe describe);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  Watchdog(Clock::duration longest, std::vector<Worker*> workers, Describe describe);
  void run();
  void look();

  const Clock::duration longest_;
  const std::vector<Worker*> workers_;
  const Describe describe_;
  std::vector<uint64_t> logged_;  // by worker: the last piece that was logged

  std::mutex mutex_;  // guards ending_
  std::condition_variable wanted_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace indigo::wire
