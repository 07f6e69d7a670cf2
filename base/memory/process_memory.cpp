#include "base/memory/process_memory.h"

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
  return std::min(bytes, control_group_limit_bytes("/proc/self/cgroup", "/sys/fs/cgroup"));
}

}  // namespace

uint64_t control_group_limit_bytes(const std::string& groups_file, const std::string& root) {
  // In a container the group's own files are at the root, whatever its name outside is.
  uint64_t bytes = std::min(limit_in(root + "/memory/memory.limit_in_bytes"), limit_in(root + "/memory.max"));
  std::ifstream groups(groups_file);
  for (std::string line; std::getline(groups, line);) {  // "0::/path", or in version 1 "4:cpu,memory:/path"
    const size_t names = line.find(':') + 1, path_begin = line.find(':', names);
    if (names == 0 || path_begin == std::string::npos) continue;
    const std::string controllers = "," + line.substr(names, path_begin - names) + ",";
    std::string path = line.substr(path_begin + 1);
    if (controllers.find(",memory,") != std::string::npos) {
      bytes = std::min(bytes, limit_in(root + "/memory" + path + "/memory.limit_in_bytes"));
    }
    if (controllers != ",,") continue;
    while (true) {
      bytes = std::min(bytes, limit_in(root + path + "/memory.max"));
      const size_t slash = path.rfind('/');
      if (slash == std::string::npos || path.empty()) break;
      path.resize(slash);
    }
  }
  return bytes;
}

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
