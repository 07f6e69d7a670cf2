#include "base/process_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>

namespace indigo {

namespace {

// A limit in a file of its own; "max" and what cannot be read are none.
uint64_t limit_in(const std::string& path) {
  std::ifstream file(path);
  uint64_t bytes = 0;
  return file >> bytes && bytes > 0 ? bytes : UINT64_MAX;
}

uint64_t read_machine_memory() {
  uint64_t bytes = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  bytes = std::min(bytes, limit_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"));  // version 1
  // Version 2: "0::/path"; the limits of all groups above count too.
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::/")) continue;
    std::string path = line.substr(3);
    while (true) {
      bytes = std::min(bytes, limit_in("/sys/fs/cgroup" + path + "/memory.max"));
      size_t slash = path.rfind('/');
      if (slash == std::string::npos || path.empty()) break;
      path.resize(slash);
    }
  }
  return bytes;
}

}  // namespace

uint64_t process_memory_bytes() {
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[128];
  ssize_t size = read(file, text, sizeof(text));
  close(file);
  if (size <= 0) return 0;
  // Pages: all, resident, ...
  const char* end = text + size;
  const char* at = std::find(static_cast<const char*>(text), end, ' ');
  uint64_t pages = 0;
  if (at != end) std::from_chars(at + 1, end, pages);
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

uint64_t machine_memory_bytes() {
  static const uint64_t bytes = read_machine_memory();
  return bytes;
}

}  // namespace indigo
