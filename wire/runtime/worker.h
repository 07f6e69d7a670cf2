// What runs sessions: an epoll set, a queue of ready tasks, timers, and a thread that goes round in their loop. Ready tasks are
// served before the thread asks the system for more, and it sleeps in epoll_wait only when there is nothing to do.
//
// A piece of work that takes too long (a kernel over a value of 500 MB) loses the loop to another thread: relieve(). `loop_` says
// whose it is: 2p + 1 while piece p runs, in which the loop stands still and may be taken; 2p when the piece's thread holds it, and
// after it was taken. A task that runs holds it (hold_loop) for whatever touches the loop's state, its own suspension first
// of all; when it cannot, the loop was taken and the task is away (task.h): its thread runs it on until it comes home, and ends.
// hold_loop and take_loop acquire, let_loop and the piece's beginning release: each sees the loop as the last one left it.
//
// Wake-ups from other threads: the producer pushes into `remote_`, then looks at `parked_`; the worker sets `parked_`,
// then looks at `remote_`, then sleeps. Both sequences are seq_cst, so one of the two sees the other. Thread safety:
// spawn, enqueue, interrupt_all, stop, load, state, count_stall, relieve from any thread; the rest from the worker's own tasks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
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

// Told when a worker goes from sleep to work.
class WorkerObserver {
 public:
  virtual ~WorkerObserver() = default;
  virtual void on_awake() = 0;
};

class Worker {
 public:
  static Result<std::unique_ptr<Worker>> start(int index);
  ~Worker();  // stop()s and joins; every task must be able to end, and nobody relieves it any more

  // Runs `body` as a task. The task is destroyed when it returns.
  void spawn(Task::Body body, Task::Refused refused = nullptr);
  // The others, for tasks that move. Before the first spawn().
  void set_peers(std::vector<Worker*> peers) { peers_ = std::move(peers); }
  // `observer` must stay until the worker has ended. nullptr: none. Before the first spawn().
  void set_observer(WorkerObserver* observer) { observer_.store(observer, std::memory_order_release); }
  // Another worker that has no more tasks than this one, each in its turn; nullptr: there is none. Own thread.
  Worker* choose_peer();
  // Tasks not yet ended.
  uint32_t load() const { return load_.load(std::memory_order_relaxed); }
  engine::WorkerState state() const;
  // The log tells of the piece of work that this worker is in.
  void count_stall() { stalls_.fetch_add(1, std::memory_order_relaxed); }
  // It has nothing to do.
  bool asleep() const { return parked_.load(std::memory_order_seq_cst); }
  // Whether others wait for the piece that runs.
  bool has_others() const { return load() > 1; }
  // What the thread that has the loop has computed since its beginning; zero when it is not known.
  std::chrono::nanoseconds processor_time() const;
  // If this piece still runs, another thread takes the loop from it. Not when the system has none.
  void relieve(uint64_t piece);
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
  // While the piece runs, by what it runs: others do not take the loop until let_loop(). False: somebody has.
  bool hold_loop(uint64_t piece);
  void let_loop(uint64_t piece);
  void suspend(Task& task);
  void yield(Task& task);
  void add_timer(Task& task, Deadline deadline);

 private:
  struct LoopThread {
    std::thread thread;
    std::atomic<bool> ended{false};  // release, the thread's last: whoever finds it may join at once
  };

  explicit Worker(int index);
  void begin_thread_with(std::function<void()> body);
  void run();
  bool take_loop(uint64_t piece);
  // False: the loop was taken from this thread.
  bool turn();
  void poll();
  bool run_ready();
  bool run_task(Task& task);
  void go_home(Task& task);
  void remove_timer(Task& task);
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

  std::atomic<uint64_t> loop_{0};
  std::atomic<clockid_t> clock_{0};  // of the thread that has the loop; 0: not known
  pid_t thread_id_ = 0;              // that one; with the loop
  std::atomic<WorkerObserver*> observer_{nullptr};

  // The piece of work that runs. The worker writes, began last and first; relaxed but for piece_began_, whose release pairs with
  // the acquire in state(): a reader that finds a beginning finds that piece's session, or a later one's.
  std::atomic<int64_t> piece_began_{0};  // of the coarse clock, in nanoseconds; 0: none runs
  std::atomic<int32_t> piece_session_{0};
  std::atomic<uint64_t> pieces_{0};
  std::atomic<uint64_t> stalls_{0};
  std::atomic<uint64_t> reliefs_{0};

  std::vector<Worker*> peers_;
  std::atomic<size_t> next_peer_{0};

  // With the loop only.
  Task* running_ = nullptr;  // or the last one that ran
  RunQueue ready_;
  RunQueue yielded_;
  std::set<std::pair<Deadline, Task*>> timers_;
  StackPool stacks_{kFiberStackBytes};
  Task* tasks_ = nullptr;
  uint32_t polls_ = 0;
  InterruptReason interrupted_all_ = InterruptReason::kNone;  // done
  Deadline next_sweep_ = kNoDeadline;                         // kNoDeadline: nothing has run since the last one

  std::mutex end_mutex_;  // guards what follows
  std::condition_variable end_;
  bool ended_ = false;
  std::list<LoopThread> threads_;  // that have the loop, or had it
};

}  // namespace indigo::wire
