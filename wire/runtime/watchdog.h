// Looks after the workers. One that keeps its other sessions waiting in one piece of work is relieved of its loop
// (wire/runtime/worker.h): when that piece has computed for half of `relieve_after` since it was seen first, or after 50 ms if it
// computes nothing, as in a system call that waits. What is not relieved and takes `log_after` is told of in the server's log,
// once for each piece.
//
// It looks every `relieve_after` while the workers have work, and dozes when they have slept for a while: it sets dozing_, then
// looks whether all are asleep; a worker that wakes up is not asleep any more, then looks at dozing_. All four are seq_cst:
// one of the two sees the other.
// Thread safety: start and destruction from one thread, on_awake() from any; the rest is its own thread's.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/error.h"
#include "wire/runtime/worker.h"

namespace indigo::wire {

class Watchdog final : public WorkerObserver {
 public:
  struct Patience {
    Clock::duration relieve_after{};  // zero: never
    Clock::duration log_after{};      // zero: never
  };
  // What a session does, for the log; empty: unknown.
  using Describe = std::function<std::string(int32_t pid)>;

  // `workers` must stay until the watchdog has gone, and have ended before. Errors: 53000 when the system gives no thread.
  static Result<std::unique_ptr<Watchdog>> start(const Patience& patience, const std::vector<Worker*>& workers,
                                                 Describe describe);
  ~Watchdog() override;
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void on_awake() override;

 private:
  // A worker, and its last piece that was seen.
  struct Watched {
    Worker* worker = nullptr;
    uint64_t piece = 0;
    Deadline seen_at;
    std::chrono::nanoseconds computed{};  // when it was seen first
    bool logged = false;
  };

  Watchdog(const Patience& patience, const std::vector<Worker*>& workers, Describe describe);
  void run();
  bool all_asleep() const;
  void look(Watched& watched);
  void relieve(const Watched& watched);
  void tell(Watched& watched, const engine::WorkerState& state);

  const Patience patience_;
  const Describe describe_;
  std::vector<Watched> watched_;
  std::atomic<bool> dozing_{false};

  std::mutex mutex_;  // guards the two
  std::condition_variable wanted_;
  bool ending_ = false;
  bool roused_ = false;
  std::thread thread_;
};

}  // namespace indigo::wire
