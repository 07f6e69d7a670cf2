#include "wire/runtime/worker.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "base/fiber/thread_start.h"
#include "base/memory/memory_reserve.h"
#include "base/server_log.h"
#include "base/sqlstate.h"

namespace indigo::wire {

namespace {

using std::chrono::milliseconds;

// The worker whose loop this thread has, or had when its piece began.
thread_local Worker* current_worker = nullptr;
// The piece that runs on this thread; 0: none, it is in the loop.
thread_local uint64_t current_piece = 0;

constexpr uint64_t held(uint64_t piece) { return piece << 1; }
constexpr uint64_t open(uint64_t piece) { return piece << 1 | 1; }

// A task that did not run between two sweeps is idle.
constexpr auto kSweepPeriod = std::chrono::seconds(2);
// A busy worker looks this seldom whether a sweep is due.
constexpr uint32_t kPollsPerLook = 1024;
// To some milliseconds, for a few nanoseconds.
int64_t coarse_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Tasks that are away, of all workers. One alone keeps its thread's weight; the more there are, the less each newcomer gets, so
// that a crowd leaves the workers their processors. (All at the most would give way to other programs of the machine, too.)
std::atomic<int> tasks_away{0};
constexpr int kNicenessStep = 3, kMostNiceness = 15;

// Tasks to run before the sockets are asked again.
constexpr int kMaxRunsPerPoll = 256;

}  // namespace

Result<std::unique_ptr<Worker>> Worker::start(int index) {
  std::unique_ptr<Worker> worker(new Worker(index));
  worker->epoll_ = epoll_create1(EPOLL_CLOEXEC);
  worker->event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (worker->epoll_ < 0 || worker->event_ < 0) {
    return Error(sqlstate::kInsufficientResources, std::string("could not create an event loop: ") + strerror(errno));
  }
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  event.data.ptr = nullptr;
  epoll_ctl(worker->epoll_, EPOLL_CTL_ADD, worker->event_, &event);
  worker->begin_thread_with([w = worker.get()] { w->run(); });
  return worker;
}

Worker::Worker(int index) : index_(index) {}

Worker::~Worker() {
  stop();
  if (!threads_.empty()) (void)join(kNoDeadline);
  if (epoll_ >= 0) close(epoll_);
  if (event_ >= 0) close(event_);
}

void Worker::spawn(Task::Body body, Task::Refused refused) {
  Task* task = new Task(*this, std::move(body), std::move(refused));  // owned by the worker's list of tasks
  load_.fetch_add(1, std::memory_order_relaxed);
  enqueue(*task);
}

void Worker::interrupt_all(InterruptReason reason) {
  interrupt_all_.store(reason, std::memory_order_seq_cst);
  unpark();
}

void Worker::stop() {
  stopping_.store(true, std::memory_order_seq_cst);
  unpark();
}

bool Worker::join(Deadline deadline) {
  {
    std::unique_lock lock(end_mutex_);
    const auto ended = [this] { return ended_; };
    if (deadline == kNoDeadline) {
      end_.wait(lock, ended);
    } else if (!end_.wait_until(lock, deadline, ended)) {
      return false;
    }
  }
  // No other thread is added any more, and none waits: a task that is away counts for the load.
  for (LoopThread& loop_thread : threads_) {
    if (loop_thread.thread.joinable()) loop_thread.thread.join();
  }
  return true;
}

void Worker::begin_thread_with(std::function<void()> body) {
  LoopThread& loop_thread = threads_.emplace_back();
  try {
    loop_thread.thread = std::thread([this, &loop_thread, body = std::move(body)] {
      begin_thread(("worker " + std::to_string(index_)).c_str());
      body();
      loop_thread.ended.store(true, std::memory_order_release);
    });
  } catch (...) {
    threads_.pop_back();
    throw;
  }
}

void Worker::relieve(uint64_t piece) {
  const std::lock_guard lock(end_mutex_);
  if (ended_ || loop_.load(std::memory_order_relaxed) != open(piece)) return;
  for (auto it = threads_.begin(); it != threads_.end();) {
    if (it->ended.load(std::memory_order_acquire)) {
      it->thread.join();
      it = threads_.erase(it);
    } else {
      ++it;
    }
  }
  try {
    // It takes the loop when it is ready to go round: until then the piece may end as if nobody had come.
    begin_thread_with([this, piece] {
      if (take_loop(piece)) run();
    });
  } catch (const std::bad_alloc&) {
    return;
  } catch (const std::system_error&) {
    return;
  }
}

bool Worker::take_loop(uint64_t piece) {
  uint64_t expected = open(piece);
  if (!loop_.compare_exchange_strong(expected, held(piece), std::memory_order_acq_rel)) return false;
  running_->away_ = true;
  // Where there are not processors enough, the others go first. For good: the thread ends when its task comes home.
  const int niceness = std::min(kMostNiceness, kNicenessStep * tasks_away.fetch_add(1, std::memory_order_relaxed));
  if (niceness > 0) setpriority(PRIO_PROCESS, static_cast<id_t>(thread_id_), niceness);
  reliefs_.fetch_add(1, std::memory_order_relaxed);
  piece_began_.store(0, std::memory_order_release);
  return true;
}

bool Worker::hold_loop(uint64_t piece) {
  uint64_t expected = open(piece);
  return loop_.compare_exchange_strong(expected, held(piece), std::memory_order_acq_rel);
}

void Worker::let_loop(uint64_t piece) { loop_.store(open(piece), std::memory_order_release); }

std::chrono::nanoseconds Worker::processor_time() const {
  const clockid_t clock = clock_.load(std::memory_order_relaxed);
  timespec used{};
  if (clock == 0 || clock_gettime(clock, &used) != 0) return {};
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

void Worker::unpark() {
  if (parked_.load(std::memory_order_seq_cst) && parked_.exchange(false, std::memory_order_seq_cst)) {
    uint64_t one = 1;
    [[maybe_unused]] ssize_t written = write(event_, &one, sizeof one);
  }
}

void Worker::enqueue(Task& task) {
  if (current_worker == this) {
    const uint64_t piece = current_piece;
    if (piece == 0) return ready_.push(task);
    if (hold_loop(piece)) {
      ready_.push(task);
      return let_loop(piece);
    }
  }
  remote_.push(task);
  unpark();
}

bool Worker::watch(int fd, uint32_t epoll_events, IoHandler& handler) {
  epoll_event event{};
  event.events = epoll_events | EPOLLET;
  event.data.ptr = &handler;
  return epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) == 0;
}

void Worker::change(int fd, uint32_t epoll_events, IoHandler& handler) {
  epoll_event event{};
  event.events = epoll_events | EPOLLET;
  event.data.ptr = &handler;
  epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &event);
}

void Worker::unwatch(int fd) { epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr); }

void Worker::suspend(Task& task) { task.fiber_->suspend(); }

void Worker::yield(Task& task) {
  yielded_.push(task);
  task.fiber_->suspend();
}

void Worker::add_timer(Task& task, Deadline deadline) {
  const MustNotFail scope;  // the task counts as sleeping already
  task.timer_ = deadline;
  timers_.emplace(deadline, &task);
}

void Worker::remove_timer(Task& task) {
  timers_.erase({task.timer_, &task});
  task.timer_ = kNoDeadline;
}

void Worker::run() {
  const MustNotFail scope;  // fibers bring their own
  current_worker = this;
  clockid_t clock = 0;
  if (pthread_getcpuclockid(pthread_self(), &clock) != 0) clock = 0;
  clock_.store(clock, std::memory_order_relaxed);
  thread_id_ = gettid();
  while (!(stopping_.load(std::memory_order_seq_cst) && load_.load(std::memory_order_seq_cst) == 0)) {
    if (!turn()) return;
  }
  std::lock_guard lock(end_mutex_);
  ended_ = true;
  end_.notify_all();
}

bool Worker::turn() {
  remote_.drain(ready_);
  if (auto reason = interrupt_all_.load(std::memory_order_acquire); reason != interrupted_all_) {
    interrupted_all_ = reason;
    for (Task* task = tasks_; task; task = task->next_) task->interrupt(reason);
  }
  if (!run_ready()) return false;
  if (stopping_.load(std::memory_order_seq_cst) && load_.load(std::memory_order_seq_cst) == 0) return true;
  poll();
  if (!timers_.empty()) fire_timers();
  return true;
}

int Worker::timeout_ms() const {
  if (!ready_.empty() || !yielded_.empty()) return 0;
  // Sweeps need no precision, and this is asked for each round trip: no look at the clock without a timer.
  if (timers_.empty()) return next_sweep_ == kNoDeadline ? -1 : static_cast<int>(kSweepPeriod / milliseconds(1));
  auto left = std::chrono::ceil<milliseconds>(timers_.begin()->first - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, kSweepPeriod / milliseconds(1)));
}

void Worker::poll() {
  int timeout = timeout_ms();
  bool idle = ready_.empty() && yielded_.empty();
  if (timeout != 0) {
    parked_.store(true, std::memory_order_seq_cst);
    if (!remote_.empty() || interrupt_all_.load(std::memory_order_seq_cst) != interrupted_all_ ||
        (stopping_.load(std::memory_order_seq_cst) && load_.load(std::memory_order_seq_cst) == 0)) {
      timeout = 0;
    }
  }
  epoll_event events[128];
  int count = epoll_wait(epoll_, events, std::size(events), timeout);
  if (timeout != 0) {
    // seq_cst, before the observer looks whether it sleeps (watchdog.h).
    parked_.store(false, std::memory_order_seq_cst);
    if (WorkerObserver* observer = observer_.load(std::memory_order_acquire)) observer->on_awake();
  } else {
    parked_.store(false, std::memory_order_relaxed);
  }
  // No task runs in this loop, so every handler is still there.
  for (int i = 0; i < count; i++) {
    if (events[i].data.ptr) static_cast<IoHandler*>(events[i].data.ptr)->on_io(events[i].events);
  }
  bool look = (idle && count == 0) || ++polls_ % kPollsPerLook == 0;
  if (look && next_sweep_ != kNoDeadline && Clock::now() >= next_sweep_) sweep_idle();
  ready_.append(yielded_);
}

bool Worker::run_ready() {
  for (int runs = 0; runs < kMaxRunsPerPoll; runs++) {
    Task* task = ready_.pop();
    if (task == nullptr) return true;
    if (!run_task(*task)) return false;
  }
  return true;
}

bool Worker::run_task(Task& task) {
  if (!task.fiber_ && !adopt(task)) return true;
  if (task.timer_ != kNoDeadline) remove_timer(task);
  task.away_ = false;
  if (task.moving_to_ != nullptr) link(task);  // it has arrived
  Task::State queued = Task::State::kQueued;   // else it has yielded, and keeps its state
  task.state_.compare_exchange_strong(queued, Task::State::kRunning, std::memory_order_acq_rel);
  task.slice_began_.reset();
  task.idle_sweeps_ = 0;
  Waiter::set_current(&task);
  const uint64_t piece = pieces_.load(std::memory_order_relaxed) + 1;
  piece_session_.store(task.session_, std::memory_order_relaxed);
  pieces_.store(piece, std::memory_order_relaxed);
  piece_began_.store(coarse_nanoseconds(), std::memory_order_release);
  running_ = &task;
  task.piece_ = piece;
  task.held_ = false;
  task.memory_.enter();
  current_piece = piece;
  let_loop(piece);
  task.fiber_->resume();
  current_piece = 0;
  task.memory_.leave();
  Waiter::set_current(nullptr);
  if (task.going_home_) {
    go_home(task);
    return false;
  }
  piece_began_.store(0, std::memory_order_release);
  if (task.fiber_->finished()) {
    release(task);
  } else if (task.moving_to_ != nullptr) {
    hand_over(task);
  }
  if (next_sweep_ == kNoDeadline) next_sweep_ = Clock::now() + kSweepPeriod;
  return true;
}

// Its state stays kRunning or kNotified, as of one that has yielded: nobody else queues it.
void Worker::go_home(Task& task) {
  tasks_away.fetch_sub(1, std::memory_order_relaxed);
  current_worker = nullptr;
  task.going_home_ = false;
  remote_.push(task);
  unpark();
}

engine::WorkerState Worker::state() const {
  engine::WorkerState state;
  state.number = index_;
  state.sessions = load();
  state.stalls = stalls_.load(std::memory_order_relaxed);
  state.reliefs = reliefs_.load(std::memory_order_relaxed);
  const int64_t began = piece_began_.load(std::memory_order_acquire);
  state.pieces = pieces_.load(std::memory_order_relaxed);
  state.pid = piece_session_.load(std::memory_order_relaxed);
  state.in_piece = began != 0;
  if (state.in_piece) state.piece_microseconds = (coarse_nanoseconds() - began) / 1000;
  return state;
}

bool Worker::adopt(Task& task) {
  StackMemory stack = stacks_.take();
  if (stack.empty()) {
    log_error("no address space for another session's stack");
    if (task.refused_) task.refused_();
    delete &task;  // its body's captures close the socket
    load_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  task.fiber_.emplace(std::move(stack), [&task] {
    task.body_(task);
    task.hold_worker();
  });
  link(task);
  return true;
}

void Worker::link(Task& task) {
  task.moving_to_ = nullptr;
  task.previous_ = nullptr;
  task.next_ = tasks_;
  if (tasks_) tasks_->previous_ = &task;
  tasks_ = &task;
  if (interrupted_all_ != InterruptReason::kNone) task.interrupt(interrupted_all_);
}

void Worker::unlink(Task& task) {
  (task.previous_ ? task.previous_->next_ : tasks_) = task.next_;
  if (task.next_) task.next_->previous_ = task.previous_;
}

Worker* Worker::choose_peer() {
  for (size_t i = 0; i < peers_.size(); i++) {
    Worker* peer = peers_[next_peer_.fetch_add(1, std::memory_order_relaxed) % peers_.size()];
    if (peer->load() <= load()) return peer;
  }
  return nullptr;
}

void Worker::hand_over(Task& task) {
  Worker& target = *task.moving_to_;
  // Counted there first: a worker ends when it has seen stopping_, then no load; we add to the load, then look. All four
  // are seq_cst: either we see that it stops, or it sees our task.
  target.load_.fetch_add(1, std::memory_order_seq_cst);
  if (target.stopping_.load(std::memory_order_seq_cst)) {
    target.load_.fetch_sub(1, std::memory_order_seq_cst);
    target.unpark();
    task.moving_to_ = nullptr;
    yielded_.push(task);
    return;
  }
  unlink(task);
  task.worker_ = &target;
  target.enqueue(task);
  load_.fetch_sub(1, std::memory_order_relaxed);
}

void Worker::release(Task& task) {
  unlink(task);
  stacks_.give(task.fiber_->take_stack());
  delete &task;
  load_.fetch_sub(1, std::memory_order_relaxed);
}

void Worker::fire_timers() {
  Deadline now = Clock::now();
  while (!timers_.empty() && timers_.begin()->first <= now) {
    Task& task = *timers_.begin()->second;
    timers_.erase(timers_.begin());
    task.timer_ = kNoDeadline;
    if (task.make_queued()) {
      task.timed_out_ = true;
      ready_.push(task);
    }
  }
}

void Worker::sweep_idle() {
  bool again = false;
  for (Task* task = tasks_; task; task = task->next_) {
    if (task->idle_sweeps_ == 2 || task->away_) continue;
    if (++task->idle_sweeps_ == 2) {
      if (task->on_idle_) task->on_idle_();
      task->fiber_->trim();
    } else {
      again = true;
    }
  }
  next_sweep_ = again ? Clock::now() + kSweepPeriod : kNoDeadline;
}

}  // namespace indigo::wire
