// Those who have connected and have not shown yet who they are. Their number is bounded: when one more comes, the one that has
// been here longest has to go, so that a flood of silent connections keeps out no client that speaks. After a failure a client
// waits before it may try again: longer each time, by address.
// Thread safety: all functions, from any thread.
#pragma once

#include <chrono>
#include <list>
#include <mutex>
#include <string>
#include <unordered_map>

#include "wire/runtime/task.h"

namespace indigo::wire {

class Anteroom {
 public:
  static constexpr size_t kMostGuests = 1024;

  // A task's stay, from its first byte to its session.
  class Stay {
   public:
    Stay(Anteroom& room, Task& task);
    ~Stay() { leave(); }
    Stay(const Stay&) = delete;
    Stay& operator=(const Stay&) = delete;
    void leave();

   private:
    Anteroom* room_;  // null: it has left
    std::list<Task*>::iterator place_;
  };

  // Notes a failure of this address (empty: the unix socket's), and answers how long its client is to wait: nothing for the
  // first few, then twice as long each time up to a few seconds. A minute without a failure is a new beginning.
  Clock::duration failed(const std::string& address);

 private:
  struct Failures {
    uint32_t count = 0;
    Deadline last;
  };
  static constexpr size_t kMostAddresses = 4096;

  std::mutex mutex_;         // guards both
  std::list<Task*> guests_;  // by age
  std::unordered_map<std::string, Failures> failures_;
};

}  // namespace indigo::wire
