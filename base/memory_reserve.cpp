#include "base/memory_reserve.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>

#include "base/check.h"

namespace indigo {

namespace {

std::atomic<void*> reserve{nullptr};

// Called by operator new when there is no memory: returns to have it try again, or throws.
void out_of_memory() {
  if (!MustNotFail::active()) throw std::bad_alloc();
  void* taken = reserve.exchange(nullptr);
  INDIGO_CHECK(taken != nullptr && "memory for what must not fail");
  std::free(taken);
}

}  // namespace

int MustNotFail::suspend() {
  const int depth = nesting;
  nesting = 0;
  return depth;
}

void MustNotFail::resume(int depth) { nesting = depth; }

void install_memory_reserve() {
  static std::once_flag once;
  std::call_once(once, [] {
    refill_memory_reserve();
    std::set_new_handler(out_of_memory);
  });
}

void refill_memory_reserve() {
  if (reserve.load(std::memory_order_relaxed) != nullptr) return;
  void* more = std::malloc(kMemoryReserveBytes);
  void* none = nullptr;
  if (more != nullptr && !reserve.compare_exchange_strong(none, more)) std::free(more);
}

}  // namespace indigo
