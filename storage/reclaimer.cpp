#include "storage/reclaimer.h"

#include <algorithm>
#include <chrono>

#include "base/fiber/thread_start.h"
#include "base/memory/memory_reserve.h"
#include "storage/store_impl.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

namespace {
// Between rounds: what a hot table leaves behind is taken in batches, and at most a tenth of one core goes into it.
constexpr std::chrono::milliseconds kIdlePause{10};
constexpr int kPausePerWork = 9;
}  // namespace

Reclaimer::Reclaimer(StoreImpl& store) : store_(store), thread_([this] { run(); }) {}

void Reclaimer::stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  condition_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Reclaimer::add_table(std::weak_ptr<TableImpl> table) {
  std::lock_guard lock(mutex_);
  // Forget the dead now and then.
  if (tables_.size() == tables_.capacity()) std::erase_if(tables_, [](const auto& t) { return t.expired(); });
  tables_.push_back(std::move(table));
}

void Reclaimer::notify() {
  std::lock_guard lock(mutex_);
  condition_.notify_all();
}

bool Reclaimer::run_round() {
  const MustNotFail scope;  // what it needs comes back with what it frees
  std::lock_guard round(round_mutex_);
  std::vector<std::weak_ptr<TableImpl>> tables;
  {
    std::lock_guard lock(mutex_);
    tables = tables_;
  }
  ActiveSnapshots active;
  store_.snapshots().collect(active);
  bool left = false;
  for (const auto& weak : tables) {
    if (auto table = weak.lock()) left = table->clean(active, false) || left;
  }
  left = store_.dropped_tables().destroy_due() || left;
  store_.epochs().collect();
  return left || store_.epochs().retired_count() > 0;
}

void Reclaimer::run() {
  begin_thread("reclaimer");
  std::unique_lock lock(mutex_);
  while (!stop_) {
    condition_.wait(lock, [this] { return stop_ || awake_.load(); });
    if (stop_) return;
    // What is queued while the round runs wakes it again.
    awake_.store(false);
    lock.unlock();
    auto start = std::chrono::steady_clock::now();
    bool left = run_round();
    if (!left) store_.trim();
    auto worked = std::chrono::steady_clock::now() - start;
    lock.lock();
    if (left) awake_.store(true);
    condition_.wait_for(lock, std::max<std::chrono::nanoseconds>(kIdlePause, worked * kPausePerWork),
                        [this] { return stop_; });
  }
}

}  // namespace indigo::storage
