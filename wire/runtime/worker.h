// One thread that runs sessions: an epoll set, a queue of ready tasks, timers. Ready tasks are served before the thread
// asks the system for more, and it sleeps in epoll_wait only when there is nothing to do.
//
// Wake-ups from other threads: the producer pushes into `remote_`, then looks at `parked_`; the worker sets `parked_`,
// then looks at `remote_`, then sleeps. Both sequences are seq_cst, so one of the two sees the other. Thread safety:
// spawn, enqueue, interrupt_all, stop, load, state, count_stall from any thread; the rest from the worker's own tasks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/fiber/stack_memory.h"
#include "engine/worker_states.h"
#include "wire/runtime/run_queue.h"
#include "wire/runtime/task.h"

namespace indigo::wire {

// What an epoll event reaches. Called on the worker's thread, outside any task.
class IoHandler {
 public:
  virtual ~IoHandler() = default;
  virtual void on_io(uint32_t epoll_events) = 0;
};

class Worker {
 public:
  static Result<std::unique_ptr<Worker>> start(int index);
  ~Worker();  // stop()s and joins; every task must be able to end

  // Runs `body` as a task. The task is destroyed when it returns.
  void spawn(Task::Body body, Task::Refused refused = nullptr);
  // The others, for tasks that move. Before the first spawn().
  void set_peers(std::vector<Worker*> peers) { peers_ = std::move(peers); }
  // Another worker that has no more tasks than this one, each in its turn; nullptr: there is none. Own thread.
  Worker* choose_peer();
  // Tasks not yet ended.
  uint32_t load() const { return load_.load(std::memory_order_relaxed); }
  engine::WorkerState state() const;
  // The log tells of the piece of work that this worker is in.
  void count_stall() { stalls_.fetch_add(1, std::memory_order_relaxed); }
  // Interrupts every task, also those that come later.
  void interrupt_all(InterruptReason reason);
  // The thread ends when its last task has.
  void stop();
  // Waits for the thread's end until the deadline.
  bool join(Deadline deadline);

  // epoll, edge-triggered. `handler` must stay until unwatch().
  bool watch(int fd, uint32_t epoll_events, IoHandler& handler);
  void change(int fd, uint32_t epoll_events, IoHandler& handler);
  void unwatch(int fd);

  // ---- for Task
  void enqueue(Task& task);
  void suspend(Task& task);
  void yield(Task& task);
  void add_timer(Task& task, Deadline deadline);
  void remove_timer(Task& task);

 private:
  explicit Worker(int index);
  void run();
  void poll();
  void run_ready();
  void run_task(Task& task);
  void fire_timers();
  void sweep_idle();
  bool adopt(Task& task);
  void link(Task& task);
  void unlink(Task& task);
  void hand_over(Task& task);
  void release(Task& task);
  void unpark();
  int timeout_ms() const;

  const int index_;
  int epoll_ = -1;
  int event_ = -1;  // eventfd, edge-triggered: written to unpark, never read
  RemoteQueue remote_;
  alignas(64) std::atomic<bool> parked_{false};
  std::atomic<bool> stopping_{false};
  std::atomic<InterruptReason> interrupt_all_{InterruptReason::kNone};  // wanted
  std::atomic<uint32_t> load_{0};

  // The piece of work that runs. The worker writes, began last and first; relaxed but for piece_began_, whose release pairs with
  // the acquire in state(): a reader that finds a beginning finds that piece's session, or a later one's.
  std::atomic<int64_t> piece_began_{0};  // of the coarse clock, in nanoseconds; 0: none runs
  std::atomic<int32_t> piece_session_{0};
  std::atomic<uint64_t> pieces_{0};
  std::atomic<uint64_t> stalls_{0};

  std::vector<Worker*> peers_;

  // The worker's thread only.
  size_t next_peer_ = 0;
  RunQueue ready_;
  RunQueue yielded_;
  std::set<std::pair<Deadline, Task*>> timers_;
  StackPool stacks_{kFiberStackBytes};
  Task* tasks_ = nullptr;
  uint32_t polls_ = 0;
  InterruptReason interrupted_all_ = InterruptReason::kNone;  // done
  Deadline next_sweep_ = kNoDeadline;                         // kNoDeadline: nothing has run since the last one
  std::thread thread_;
  std::mutex end_mutex_;  // guards ended_
  std::condition_variable end_;
  bool ended_ = false;
};

}  // namespace indigo::wire
