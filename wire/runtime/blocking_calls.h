// Threads for calls that would hold a worker and with it all of its sessions: a private key's operation, a name's look-up,
// a password's thousands of digests.
// Invariant: run() returns after its call has, whatever interrupts come; a call may use what lies on the fiber's stack.
// Thread safety: run() from any task.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/error.h"
#include "wire/runtime/task.h"

namespace indigo::wire {

class BlockingCalls {
 public:
  // Errors: 53000 when the system gives no thread.
  static Result<std::unique_ptr<BlockingCalls>> start(int threads);
  ~BlockingCalls();  // no task may be in run()
  BlockingCalls(const BlockingCalls&) = delete;
  BlockingCalls& operator=(const BlockingCalls&) = delete;

  // Runs `call`, which does not throw, on another thread while the task sleeps.
  void run(Task& task, const std::function<void()>& call);

 private:
  struct Job {
    const std::function<void()>& call;
    Task& task;
    bool done = false;  // under mutex_, so that the task is woken before it can find out and end
  };
  BlockingCalls() = default;
  void serve();

  std::mutex mutex_;  // guards jobs_, ending_ and each job's done
  std::condition_variable wanted_;
  std::deque<Job*> jobs_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace indigo::wire
