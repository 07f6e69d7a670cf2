#include "base/memory/memory_reserve.h"

#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <new>
#include <thread>

#include "base/check.h"
#include "base/once.h"

// jemalloc's, where it is linked.
extern "C" int mallctl(const char* name, void* old_value, size_t* old_size, void* new_value, size_t new_size)
    __attribute__((weak));

namespace indigo {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr auto kLongestWait = std::chrono::seconds(30);
constexpr auto kPause = std::chrono::milliseconds(1);
// Attempts that are further apart than this are not one wait.
constexpr auto kApart = std::chrono::seconds(1);

// A mapping: when it is given back, every allocator of the process can have it.
std::atomic<void*> reserve{nullptr};
std::atomic<bool> reserve_out{false};

void wait_for_others() {
  thread_local SteadyClock::time_point began, last;
  const auto now = SteadyClock::now();
  if (now - last > kApart) began = now;
  last = now;
  INDIGO_CHECK(now - began < kLongestWait && "memory for what must not fail");
  std::this_thread::sleep_for(kPause);
}

}  // namespace

int MustNotFail::suspend() {
  const int depth = nesting;
  nesting = 0;
  return depth;
}

void MustNotFail::resume(int depth) { nesting = depth; }

bool return_free_memory() {
  constexpr SteadyClock::rep kLeastPause = SteadyClock::duration(std::chrono::milliseconds(20)).count();
  static std::atomic<SteadyClock::rep> last{0};
  if (mallctl == nullptr) return false;
  SteadyClock::rep before = last.load(std::memory_order_relaxed);
  const SteadyClock::rep now = SteadyClock::now().time_since_epoch().count();
  if (now - before < kLeastPause || !last.compare_exchange_strong(before, now, std::memory_order_relaxed)) return false;
  return mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0) == 0;  // 4096: all arenas
}

void no_memory() {
  if (return_free_memory()) return;
  if (!MustNotFail::active()) throw std::bad_alloc();
  void* taken = reserve.exchange(nullptr);
  if (taken == nullptr) return wait_for_others();
  reserve_out.store(true, std::memory_order_relaxed);
  munmap(taken, kMemoryReserveBytes);
}

void install_memory_reserve() {
  static Once once;
  once.call([] {
    refill_memory_reserve();
    std::set_new_handler(no_memory);
  });
}

void refill_memory_reserve() {
  if (reserve.load(std::memory_order_relaxed) != nullptr) return;
  void* more = mmap(nullptr, kMemoryReserveBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (more == MAP_FAILED) return;
  void* none = nullptr;
  if (!reserve.compare_exchange_strong(none, more)) munmap(more, kMemoryReserveBytes);
  reserve_out.store(false, std::memory_order_relaxed);
}

bool memory_reserve_out() {
  if (!reserve_out.load(std::memory_order_relaxed)) return false;
  refill_memory_reserve();
  if (reserve_out.load(std::memory_order_relaxed) && return_free_memory()) refill_memory_reserve();
  return reserve_out.load(std::memory_order_relaxed);
}

}  // namespace indigo
