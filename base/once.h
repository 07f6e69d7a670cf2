// A step that is done once, by the first thread to arrive; the others wait. Instead of std::call_once, whose exceptions pass
// through a frame of the C library: it loads libgcc_s.so to unwind that, and ends the process when there is no memory or no
// such file.
//
// Thread safety: all functions. A step that throws has not been done, and the next caller tries again. It does not suspend.
#pragma once

#include <atomic>
#include <mutex>
#include <utility>

namespace indigo {

class Once {
 public:
  template <class Step>
  void call(Step&& step) {
    if (done_.load(std::memory_order_acquire)) return;  // pairs with the store below
    const std::lock_guard lock(mutex_);
    if (done_.load(std::memory_order_relaxed)) return;
    std::forward<Step>(step)();
    done_.store(true, std::memory_order_release);
  }

 private:
  std::atomic<bool> done_{false};
  std::mutex mutex_;
};

}  // namespace indigo
