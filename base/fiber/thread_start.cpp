#include "base/fiber/thread_start.h"

#include <pthread.h>
#include <sys/mman.h>

#include <chrono>
#include <new>
#include <thread>

#include "base/fiber/thread_owned.h"

namespace indigo {

namespace {
// Without the allocator: is there room for what it needs?
bool memory_is_available() {
  constexpr size_t kBytes = size_t{1} << 20;
  void* const probe = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED) return false;
  munmap(probe, kBytes);
  return true;
}
}  // namespace

void begin_thread(const char* name) {
  pthread_setname_np(pthread_self(), name);
  for (int i = 0; i < 100 && !memory_is_available(); i++) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ::operator delete(::operator new(1, std::nothrow));
  ThreadEnd::prepare();
}

}  // namespace indigo
