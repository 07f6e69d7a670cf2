#include "tests/allocations/failing_memory.h"

#include <execinfo.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>

#include "base/memory/memory_reserve.h"

// glibc's own.
extern "C" {
void* __libc_malloc(size_t bytes);                      // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(size_t count, size_t bytes);        // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void* old, size_t bytes);          // NOLINT(bugprone-reserved-identifier)
void* __libc_memalign(size_t alignment, size_t bytes);  // NOLINT(bugprone-reserved-identifier)
extern char __executable_start;                         // NOLINT(bugprone-reserved-identifier)
}

namespace indigo::allocations {

namespace {

constexpr int kMostFrames = 40;

std::atomic<bool> refusing{false}, all_after_it{false};
std::atomic<Whose> refused_whose{Whose::kMine};
std::atomic<int64_t> left{0}, refused{0};
thread_local bool asked = false;   // this thread called refuse()
thread_local bool within = false;  // the backtrace
std::array<void*, kMostFrames> frames;
std::atomic<int> frame_count{0};

bool refuses() {
  if (!refusing.load(std::memory_order_relaxed) || within || MustNotFail::active()) return false;
  if (asked != (refused_whose.load(std::memory_order_relaxed) == Whose::kMine)) return false;
  const int64_t before = left.fetch_sub(1, std::memory_order_relaxed);
  if (before > 0 || (before < 0 && !all_after_it.load(std::memory_order_relaxed))) return false;
  if (refused.fetch_add(1, std::memory_order_relaxed) == 0) {
    within = true;
    frame_count.store(backtrace(frames.data(), kMostFrames));
    within = false;
  }
  errno = ENOMEM;
  return true;
}

}  // namespace

void refuse(int64_t n, bool all, Whose whose) {
  asked = true;
  refused = 0;
  frame_count = 0;
  left = n;
  all_after_it = all;
  refused_whose = whose;
  refusing = true;
}

int64_t give() {
  refusing = false;
  return refused.load();
}

void print_refused() {
  std::array<char, 64> text;
  for (int i = 0; i < frame_count.load(); i++) {
    const auto at = reinterpret_cast<uintptr_t>(frames[i]) - reinterpret_cast<uintptr_t>(&__executable_start);
    const int length = std::snprintf(text.data(), text.size(), "refused at 0x%zx\n", static_cast<size_t>(at));
    (void)!write(STDERR_FILENO, text.data(), static_cast<size_t>(length));
  }
}

}  // namespace indigo::allocations

using indigo::allocations::refuses;

extern "C" {

void* malloc(size_t bytes) { return refuses() ? nullptr : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return refuses() ? nullptr : __libc_calloc(count, bytes); }
void* realloc(void* old, size_t bytes) { return refuses() ? nullptr : __libc_realloc(old, bytes); }
void* memalign(size_t alignment, size_t bytes) { return refuses() ? nullptr : __libc_memalign(alignment, bytes); }
void* aligned_alloc(size_t alignment, size_t bytes) { return refuses() ? nullptr : __libc_memalign(alignment, bytes); }
int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  void* made = refuses() ? nullptr : __libc_memalign(alignment, bytes);
  if (made == nullptr) return ENOMEM;
  *memory = made;
  return 0;
}
void* mmap(void* address, size_t bytes, int protection, int flags, int fd, off_t offset) noexcept {
  if ((flags & MAP_ANONYMOUS) != 0 && (flags & MAP_FIXED) == 0 && refuses()) return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, bytes, protection, flags, fd, offset));
}

}  // extern "C"
