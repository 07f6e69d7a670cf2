#include "wire/command/arenas.h"

#include <algorithm>
#include <cstddef>
#include <thread>

extern "C" int mallctl(const char* name, void* old_value, size_t* old_size, void* new_value, size_t new_size)
    __attribute__((weak));

namespace indigo::wire {

void make_arenas() {
  constexpr unsigned kBackgroundThreads = 12;  // beside the workers
  if (mallctl == nullptr) return;
  bool begin = true;
  mallctl("background_thread", nullptr, nullptr, &begin, sizeof begin);
  unsigned most = 0, own = 0;
  size_t size = sizeof most;
  if (mallctl("opt.narenas", &most, &size, nullptr, 0) != 0 || mallctl("thread.arena", &own, &size, nullptr, 0) != 0)
    return;
  const unsigned wanted = std::min(most, std::thread::hardware_concurrency() + kBackgroundThreads);
  for (unsigned arena = 0; arena < wanted; arena++) {
    if (mallctl("thread.arena", nullptr, nullptr, &arena, sizeof arena) != 0) break;
  }
  mallctl("thread.arena", nullptr, nullptr, &own, sizeof own);
}

}  // namespace indigo::wire
