// The tasks that are ready to run on one worker: a plain queue for the worker's own thread and a lock-free inbox for
// the others. Both are intrusive (Task::next_ready_): queueing allocates nothing.
#pragma once

#include <atomic>

#include "wire/runtime/task.h"

namespace indigo::wire {

// First in, first out. Thread safety: none.
class RunQueue {
 public:
  bool empty() const { return first_ == nullptr; }
  void push(Task& task) {
    task.next_ready_ = nullptr;
    (first_ ? last_->next_ready_ : first_) = &task;
    last_ = &task;
  }
  Task* pop() {
    Task* task = first_;
    if (task) first_ = task->next_ready_;
    return task;
  }
  void append(RunQueue& other) {
    if (other.empty()) return;
    (first_ ? last_->next_ready_ : first_) = other.first_;
    last_ = other.last_;
    other.first_ = nullptr;
  }

 private:
  Task* first_ = nullptr;
  Task* last_ = nullptr;
};

// Many producers, one consumer.
class RemoteQueue {
 public:
  // seq_cst pairs with Worker's `parked_`: either the worker sees the task or we see it parked.
  void push(Task& task) {
    Task* head = head_.load(std::memory_order_relaxed);
    do {
      task.next_ready_ = head;
    } while (!head_.compare_exchange_weak(head, &task, std::memory_order_seq_cst, std::memory_order_relaxed));
  }
  bool empty() const { return head_.load(std::memory_order_seq_cst) == nullptr; }
  // Moves everything to `out`, oldest first.
  void drain(RunQueue& out) {
    if (head_.load(std::memory_order_relaxed) == nullptr) return;
    Task* newest = head_.exchange(nullptr, std::memory_order_acquire);
    Task* oldest = nullptr;
    while (newest) {
      Task* next = newest->next_ready_;
      newest->next_ready_ = oldest;
      oldest = newest;
      newest = next;
    }
    while (oldest) {
      Task* next = oldest->next_ready_;
      out.push(*oldest);
      oldest = next;
    }
  }

 private:
  std::atomic<Task*> head_{nullptr};
};

}  // namespace indigo::wire
