// Threads that are not workers, waking and interrupting tasks at random.
#pragma once

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "wire/runtime/task.h"

namespace indigo::wire {

// Returns when the storm is over. It begins when all tasks have `started`; the tasks must live as long.
inline void wake_storm(std::vector<std::atomic<Task*>>& tasks, const std::atomic<size_t>& started, uint64_t seed) {
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 3; t++) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(seed * 31 + t);
      while (started < tasks.size()) std::this_thread::yield();
      for (int n = 0; n < 20'000; n++) {
        Task* task = tasks[random() % tasks.size()];
        if (random() % 8 == 0) {
          task->interrupt(InterruptReason::kCancel);
        } else {
          task->wake();
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace indigo::wire
