#include "engine/durability/replay_workers.h"

#include "base/fiber/thread_start.h"

namespace indigo::engine {

ReplayWorkers::ReplayWorkers(unsigned threads) {
  for (unsigned i = 0; i < threads; i++) {
    Worker& worker = *workers_.emplace_back(std::make_unique<Worker>());
    try {
      worker.thread = std::thread([&worker] { run(worker); });
    } catch (const std::exception&) {
      stop();
      throw;
    }
  }
}

ReplayWorkers::~ReplayWorkers() { stop(); }

void ReplayWorkers::stop() {
  for (const auto& worker : workers_) {
    {
      std::lock_guard lock(worker->mutex);
      worker->stop = true;
    }
    worker->changed.notify_all();
  }
  for (const auto& worker : workers_) {
    if (worker->thread.joinable()) worker->thread.join();
  }
}

void ReplayWorkers::give(unsigned index, Job job) {
  Worker& worker = *workers_[index];
  {
    std::unique_lock lock(worker.mutex);
    worker.changed.wait(lock, [&] { return worker.jobs.size() < kWaitingMost; });
    worker.jobs.push_back(std::move(job));
  }
  worker.changed.notify_all();
}

void ReplayWorkers::drain() {
  for (const auto& worker : workers_) {
    std::unique_lock lock(worker->mutex);
    worker->changed.wait(lock, [&] { return worker->jobs.empty() && !worker->busy; });
  }
}

void ReplayWorkers::run(Worker& worker) {
  begin_thread("recovery");
  std::unique_lock lock(worker.mutex);
  for (;;) {
    worker.changed.wait(lock, [&] { return worker.stop || !worker.jobs.empty(); });
    if (worker.jobs.empty()) return;
    {
      const Job job = std::move(worker.jobs.front());
      worker.jobs.pop_front();
      worker.busy = true;
      lock.unlock();
      worker.changed.notify_all();
      job();
    }  // what it held is given up, before anybody is told that it is done
    lock.lock();
    worker.busy = false;
    worker.changed.notify_all();
  }
}

}  // namespace indigo::engine
