#include "storage/index/index_service.h"

#include <algorithm>
#include <chrono>

#include "base/fiber/thread_start.h"
#include "base/memory/memory_reserve.h"

namespace indigo::storage {

namespace {
// From the first change that waits to the round: what comes meanwhile is merged with it.
constexpr std::chrono::milliseconds kGather{4};
// Pause after a round, of its own time: writers and scans that need more do it themselves.
constexpr int kPausePerWork = 1;
}  // namespace

void IndexService::stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  condition_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void IndexService::add(ServicedIndex& index) {
  std::lock_guard lock(mutex_);
  indexes_.push_back(&index);
  start();
}

// Without a thread writers and scans do it all themselves; the next change tries again.
void IndexService::start() {
  if (thread_.joinable() || stop_) return;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::exception&) {
    return;
  }
}

void IndexService::remove(ServicedIndex& index) {
  std::unique_lock lock(mutex_);
  std::erase(indexes_, &index);
  condition_.wait(lock, [&] { return std::find(serving_.begin(), serving_.end(), &index) == serving_.end(); });
}

void IndexService::notify() {
  std::lock_guard lock(mutex_);
  if (!indexes_.empty()) start();
  condition_.notify_all();
}

void IndexService::run_round() {
  const MustNotFail scope;
  std::unique_lock lock(mutex_);
  const std::vector<ServicedIndex*> all = indexes_;
  for (ServicedIndex* index : all) {
    if (std::find(indexes_.begin(), indexes_.end(), index) == indexes_.end()) continue;
    serving_.push_back(index);
    lock.unlock();
    index->serve();
    lock.lock();
    serving_.erase(std::find(serving_.begin(), serving_.end(), index));
    condition_.notify_all();  // remove() may be waiting
  }
}

void IndexService::run() {
  begin_thread("index-service");
  std::unique_lock lock(mutex_);
  while (!stop_) {
    condition_.wait(lock, [this] { return stop_ || awake_.load(); });
    condition_.wait_for(lock, kGather, [this] { return stop_ || hurried_.load(); });
    if (stop_) return;
    // What is posted while the round runs wakes it again.
    awake_.store(false);
    hurried_.store(false);
    lock.unlock();
    const auto start = std::chrono::steady_clock::now();
    run_round();
    const auto worked = std::chrono::steady_clock::now() - start;
    lock.lock();
    condition_.wait_for(lock, worked * kPausePerWork, [this] { return stop_ || hurried_.load(); });
  }
}

}  // namespace indigo::storage
