#include "wire/runtime/blocking_calls.h"

#include <system_error>

#include "base/fiber/thread_start.h"
#include "base/sqlstate.h"

namespace indigo::wire {

Result<std::unique_ptr<BlockingCalls>> BlockingCalls::start(int threads) {
  std::unique_ptr<BlockingCalls> calls(new BlockingCalls);
  try {
    for (int i = 0; i < threads; i++) calls->threads_.emplace_back([c = calls.get()] { c->serve(); });
  } catch (const std::system_error& failure) {
    return Error(sqlstate::kInsufficientResources, std::string("could not start a thread: ") + failure.what());
  }
  return calls;
}

BlockingCalls::~BlockingCalls() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wanted_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void BlockingCalls::run(Task& task, const std::function<void()>& call) {
  Job job{call, task};
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(&job);
  }
  wanted_.notify_one();
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (job.done) return;
    }
    task.sleep_until_woken();
  }
}

void BlockingCalls::serve() {
  begin_thread("blocking calls");
  std::unique_lock lock(mutex_);
  while (true) {
    wanted_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    Job* job = jobs_.front();
    jobs_.pop_front();
    lock.unlock();
    job->call();
    lock.lock();
    job->done = true;
    job->task.wake();
  }
}

}  // namespace indigo::wire
