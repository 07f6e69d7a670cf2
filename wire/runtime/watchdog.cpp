#include "wire/runtime/watchdog.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <system_error>
#include <utility>

#include "base/fiber/thread_start.h"
#include "base/server_log.h"
#include "base/sqlstate.h"

namespace indigo::wire {

namespace {

// A piece that computes nothing waits for the system: for this long it may.
constexpr auto kBlocked = std::chrono::milliseconds(50);
// Looks at sleeping workers before the watchdog dozes.
constexpr int kLooksAwake = 200;

}  // namespace

Result<std::unique_ptr<Watchdog>> Watchdog::start(const Patience& patience, const std::vector<Worker*>& workers,
                                                  Describe describe) {
  std::unique_ptr<Watchdog> watchdog(new Watchdog(patience, workers, std::move(describe)));
  for (Worker* worker : workers) worker->set_observer(watchdog.get());
  try {
    watchdog->thread_ = std::thread([w = watchdog.get()] { w->run(); });
  } catch (const std::system_error& error) {
    for (Worker* worker : workers) worker->set_observer(nullptr);
    return Error(sqlstate::kInsufficientResources, std::string("could not start a thread: ") + error.what());
  }
  return watchdog;
}

Watchdog::Watchdog(const Patience& patience, const std::vector<Worker*>& workers, Describe describe)
    : patience_(patience), describe_(std::move(describe)) {
  for (Worker* worker : workers) watched_.push_back({.worker = worker});
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wanted_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Watchdog::on_awake() {
  if (!dozing_.load(std::memory_order_seq_cst) || !dozing_.exchange(false, std::memory_order_seq_cst)) return;
  {
    const std::lock_guard lock(mutex_);
    roused_ = true;
  }
  wanted_.notify_all();
}

bool Watchdog::all_asleep() const {
  return std::all_of(watched_.begin(), watched_.end(), [](const Watched& w) { return w.worker->asleep(); });
}

void Watchdog::run() {
  begin_thread("watchdog");
  const bool relieves = patience_.relieve_after > Clock::duration::zero();
  const Clock::duration between = relieves ? patience_.relieve_after : patience_.log_after / 4;
  int asleep = 0;
  std::unique_lock lock(mutex_);
  while (!ending_) {
    if (asleep < kLooksAwake) {
      wanted_.wait_for(lock, between, [this] { return ending_; });
    } else {
      asleep = 0;
      roused_ = false;
      dozing_.store(true, std::memory_order_seq_cst);
      if (all_asleep()) wanted_.wait(lock, [this] { return ending_ || roused_; });
      dozing_.store(false, std::memory_order_seq_cst);
    }
    lock.unlock();
    asleep = all_asleep() ? asleep + 1 : 0;
    for (Watched& watched : watched_) look(watched);
    lock.lock();
  }
}

void Watchdog::look(Watched& watched) {
  const engine::WorkerState state = watched.worker->state();
  if (!state.in_piece) return;
  if (state.pieces != watched.piece) {
    watched.piece = state.pieces;
    watched.seen_at = Clock::now();
    watched.computed = watched.worker->processor_time();
    watched.logged = false;
    return;
  }
  relieve(watched);
  tell(watched, state);
}

void Watchdog::relieve(const Watched& watched) {
  if (patience_.relieve_after == Clock::duration::zero() || !watched.worker->has_others()) return;
  // A thread that others keep from the processor is not to blame.
  const auto computed = watched.worker->processor_time() - watched.computed;
  if (computed >= patience_.relieve_after / 2 || Clock::now() - watched.seen_at >= kBlocked) {
    watched.worker->relieve(watched.piece);
  }
}

void Watchdog::tell(Watched& watched, const engine::WorkerState& state) {
  if (patience_.log_after == Clock::duration::zero() || watched.logged ||
      std::chrono::microseconds(state.piece_microseconds) < patience_.log_after) {
    return;
  }
  watched.logged = true;
  watched.worker->count_stall();
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), "worker %d has been in one piece of work for %.1f s", state.number,
                static_cast<double>(state.piece_microseconds) / 1e6);
  if (state.pid == 0) return log_warning(text.data());
  const std::string detail = "Its other sessions wait for session " + std::to_string(state.pid) + ".";
  const std::string statement = describe_(state.pid);
  log_record({.level = LogLevel::kWarning, .message = text.data(), .detail = detail, .statement = statement});
}

}  // namespace indigo::wire
