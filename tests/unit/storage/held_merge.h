// A pause point at which the merge of an index is held until it is released (storage/pause_points.h).
#pragma once

#include <condition_variable>
#include <mutex>

#include "storage/pause_points.h"

namespace indigo::storage {

// Holds the first merge that comes by the point for the `nth` time.
class HeldMerge final : public PausePoints {
 public:
  explicit HeldMerge(int nth) : left_(nth) {}
  void wait_until_held() {
    std::unique_lock lock(mutex_);
    condition_.wait(lock, [this] { return held_; });
  }
  void let_go() {
    std::lock_guard lock(mutex_);
    go_ = true;
    condition_.notify_all();
  }

 private:
  void reached(PausePoint point) override {
    if (point != PausePoint::kMergeEntry) return;
    std::unique_lock lock(mutex_);
    if (--left_ != 0) return;
    held_ = true;
    condition_.notify_all();
    condition_.wait(lock, [this] { return go_; });
  }

  std::mutex mutex_;  // guards what follows
  std::condition_variable condition_;
  int left_;
  bool held_ = false, go_ = false;
};

}  // namespace indigo::storage
