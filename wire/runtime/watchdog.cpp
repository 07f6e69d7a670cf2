#include "wire/runtime/watchdog.h"

#include <array>
#include <cstdio>
#include <system_error>
#include <utility>

#include "base/fiber/thread_start.h"
#include "base/server_log.h"
#include "base/sqlstate.h"

namespace indigo::wire {

Result<std::unique_ptr<Watchdog>> Watchdog::start(Clock::duration longest, std::vector<Worker*> workers,
                                                  Describe describe) {
  std::unique_ptr<Watchdog> watchdog(new Watchdog(longest, std::move(workers), std::move(describe)));
  try {
    watchdog->thread_ = std::thread([w = watchdog.get()] { w->run(); });
  } catch (const std::system_error& error) {
    return Error(sqlstate::kInsufficientResources, std::string("could not start a thread: ") + error.what());
  }
  return watchdog;
}

Watchdog::Watchdog(Clock::duration longest, std::vector<Worker*> workers, Describe describe)
    : longest_(longest), workers_(std::move(workers)), describe_(std::move(describe)), logged_(workers_.size()) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wanted_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Watchdog::run() {
  begin_thread("watchdog");
  std::unique_lock lock(mutex_);
  while (!wanted_.wait_for(lock, longest_ / 4, [this] { return ending_; })) {
    lock.unlock();
    look();
    lock.lock();
  }
}

void Watchdog::look() {
  for (size_t i = 0; i < workers_.size(); i++) {
    const engine::WorkerState state = workers_[i]->state();
    if (!state.in_piece || std::chrono::microseconds(state.piece_microseconds) < longest_ ||
        state.pieces == logged_[i]) {
      continue;
    }
    logged_[i] = state.pieces;
    workers_[i]->count_stall();
    std::array<char, 128> text{};
    std::snprintf(text.data(), text.size(), "worker %d has been in one piece of work for %.1f s", state.number,
                  static_cast<double>(state.piece_microseconds) / 1e6);
    log_warning(text.data());
    if (state.pid == 0) continue;
    log_addition("DETAIL", "Its other sessions wait for session " + std::to_string(state.pid) + ".");
    if (const std::string statement = describe_(state.pid); !statement.empty()) log_addition("STATEMENT", statement);
  }
}

}  // namespace indigo::wire
