#include "base/memory/memory_account.h"

#include <cstddef>

#include "base/memory/outside_account.h"
#include "base/memory/process_memory.h"

// jemalloc's, where it is linked.
extern "C" int mallctl(const char* name, void* old_value, size_t* old_size, void* new_value, size_t new_size)
    __attribute__((weak));

namespace indigo {

namespace {

thread_local MemoryAccount* running = nullptr;

// Both counts only grow.
struct ThreadCounts {
  const uint64_t* allocated = nullptr;
  const uint64_t* freed = nullptr;

  ThreadCounts() {
    if (mallctl == nullptr) return;
    size_t size = sizeof allocated;
    if (mallctl("thread.allocatedp", static_cast<void*>(&allocated), &size, nullptr, 0) != 0 ||
        mallctl("thread.deallocatedp", static_cast<void*>(&freed), &size, nullptr, 0) != 0) {
      allocated = nullptr;
    }
  }
  int64_t held() const { return allocated == nullptr ? 0 : static_cast<int64_t>(*allocated - *freed); }
};

int64_t held_by_thread() {
  thread_local const ThreadCounts counts;
  return counts.held();
}

}  // namespace

void MemoryAccount::enter() {
  running = this;
  entered_ = held_by_thread();
}

void MemoryAccount::leave() {
  bytes_ += held_by_thread() - entered_;
  running = nullptr;
}

OutsideAccount::OutsideAccount() : account_(running) {
  if (account_ != nullptr) account_->leave();
}

OutsideAccount::~OutsideAccount() {
  if (account_ != nullptr) account_->enter();
}

void MemoryAccount::mark(uint64_t limit_bytes) {
  MemoryAccount* const account = running;
  if (account == nullptr) return;
  account->marked_ = account->bytes_ + held_by_thread() - account->entered_;
  account->limit_ = static_cast<int64_t>(limit_bytes);
}

int64_t MemoryAccount::growth_bytes() {
  const MemoryAccount* const account = running;
  return account == nullptr ? 0 : account->bytes_ + held_by_thread() - account->entered_ - account->marked_;
}

int64_t MemoryAccount::held_bytes() {
  const MemoryAccount* const account = running;
  return account == nullptr ? 0 : account->bytes_ + held_by_thread() - account->entered_;
}

bool MemoryAccount::must_stop() {
  const int64_t growth = growth_bytes();
  if (growth <= kSomeBytes) return false;
  if (over_limit()) return true;
  if (!process_memory_is_short()) return false;
  return growth > kMuchBytes || held_bytes() > kMuchBytes || process_memory_is_very_short();
}

bool MemoryAccount::over_limit() {
  const MemoryAccount* const account = running;
  return account != nullptr && account->limit_ > 0 && held_bytes() > account->limit_;
}

}  // namespace indigo
