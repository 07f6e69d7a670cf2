#include "log/mapping_faults.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include "base/once.h"

namespace indigo::log {

namespace {

constexpr size_t kMostFiles = 4096;  // a server has the log it writes; recovery and tests have some more
// Added and removed at any time; read by the handler.
std::array<std::atomic<MappedFile*>, kMostFiles> files;
std::atomic<int> handlers{0};  // under way: pairs with remove_mapped_file
struct sigaction before;
uintptr_t page_bytes = 4096;

bool replace_page(const void* address) {
  const uintptr_t page = reinterpret_cast<uintptr_t>(address) / page_bytes * page_bytes;
  return mmap(reinterpret_cast<void*>(page), page_bytes, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

void handle(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  bool ours = false;
  handlers.fetch_add(1);
  for (auto& slot : files) {
    MappedFile* const file = slot.load();
    if (file == nullptr || !file->contains(static_cast<const char*>(info->si_addr))) continue;
    file->note_fault();  // before the instruction goes on
    ours = replace_page(info->si_addr);
    break;
  }
  handlers.fetch_sub(1);
  errno = saved;
  if (ours) return;
  if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr) {
    before.sa_sigaction(signal, info, context);
  } else {
    sigaction(SIGBUS, &before, nullptr);  // the instruction is tried again, with that effect
  }
}

}  // namespace

void add_mapped_file(MappedFile& file) {
  static Once once;
  once.call([] {
    page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &before);
  });
  for (auto& slot : files) {
    MappedFile* none = nullptr;
    if (slot.load(std::memory_order_relaxed) == nullptr && slot.compare_exchange_strong(none, &file)) return;
  }
}

void remove_mapped_file(MappedFile& file) {
  for (auto& slot : files) {
    if (slot.load(std::memory_order_relaxed) == &file) slot.store(nullptr);
  }
  while (handlers.load() != 0) {
  }
}

}  // namespace indigo::log
