#include "base/memory/process_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <fstream>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace indigo {

namespace {

struct Threshold {
  uint64_t own_percent;  // of the whole, or of what others have left of it
  uint64_t spare_part;   // the latter only when less than this part of the whole is left
};
constexpr Threshold kLittle{85, 16}, kVeryLittle{92, 32};

using SteadyClock = std::chrono::steady_clock;
constexpr int64_t kBetweenLooks = SteadyClock::duration(std::chrono::milliseconds(2)).count();
constexpr int64_t kBetweenLooksAtOthers = SteadyClock::duration(std::chrono::milliseconds(10)).count();

// A number in a file of its own; "max" and what cannot be read are none.
uint64_t number_in(const std::string& path) {
  std::ifstream file(path);
  uint64_t bytes = 0;
  return file >> bytes && bytes > 0 ? bytes : UINT64_MAX;
}

// The number behind a name at a line's begin; 0 when there is none.
uint64_t number_of(const std::string& path, std::string_view name) {
  std::ifstream file(path);
  for (std::string word; file >> word;) {
    uint64_t number = 0;
    if (word == name && file >> number) return number;
    file.clear();
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

struct ControlGroup {
  std::string directory;
  bool second_version;

  uint64_t limit_bytes() const {
    return number_in(directory + (second_version ? "/memory.max" : "/memory.limit_in_bytes"));
  }
  uint64_t spare_bytes() const {
    const uint64_t limit = limit_bytes();
    const uint64_t used = number_in(directory + (second_version ? "/memory.current" : "/memory.usage_in_bytes"));
    if (limit == UINT64_MAX || used == UINT64_MAX) return UINT64_MAX;
    const uint64_t files =
        number_of(directory + "/memory.stat", second_version ? "inactive_file" : "total_inactive_file");
    const uint64_t kept = used - std::min(used, files);
    return limit - std::min(limit, kept);
  }
};

std::vector<ControlGroup> control_groups(const std::string& groups_file, const std::string& root) {
  // In a container the group's own files are at the root, whatever its name outside is.
  std::vector<ControlGroup> all = {{root + "/memory", false}, {root, true}};
  std::ifstream groups(groups_file);
  for (std::string line; std::getline(groups, line);) {  // "0::/path", or in version 1 "4:cpu,memory:/path"
    const size_t names = line.find(':') + 1, path_begin = line.find(':', names);
    if (names == 0 || path_begin == std::string::npos) continue;
    const std::string controllers = "," + line.substr(names, path_begin - names) + ",";
    std::string path = line.substr(path_begin + 1);
    if (controllers.find(",memory,") != std::string::npos) all.push_back({root + "/memory" + path, false});
    if (controllers != ",,") continue;
    while (true) {
      all.push_back({root + path, true});
      const size_t slash = path.rfind('/');
      if (slash == std::string::npos || path.empty()) break;
      path.resize(slash);
    }
  }
  return all;
}

uint64_t least_spare_bytes(std::span<const ControlGroup> groups) {
  uint64_t bytes = UINT64_MAX;
  for (const ControlGroup& group : groups) bytes = std::min(bytes, group.spare_bytes());
  return bytes;
}

constexpr const char* kGroupsFile = "/proc/self/cgroup";
constexpr const char* kGroupsRoot = "/sys/fs/cgroup";

uint64_t read_machine_memory() {
  uint64_t bytes = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return std::min(bytes, control_group_limit_bytes(kGroupsFile, kGroupsRoot));
}

uint64_t spare_bytes() {
  static const std::vector<ControlGroup> limited = [] {
    std::vector<ControlGroup> groups = control_groups(kGroupsFile, kGroupsRoot);
    std::erase_if(groups, [](const ControlGroup& group) { return group.limit_bytes() == UINT64_MAX; });
    return groups;
  }();
  return std::min(machine_spare_bytes("/proc/meminfo"), least_spare_bytes(limited));
}

// True once in a while, for one of those who ask.
bool due(std::atomic<int64_t>& next, int64_t now, int64_t between) {
  int64_t at = next.load(std::memory_order_relaxed);
  return now >= at && next.compare_exchange_strong(at, now + between, std::memory_order_relaxed);
}

}  // namespace

uint64_t control_group_limit_bytes(const std::string& groups_file, const std::string& root) {
  uint64_t bytes = UINT64_MAX;
  for (const ControlGroup& group : control_groups(groups_file, root)) bytes = std::min(bytes, group.limit_bytes());
  return bytes;
}

uint64_t control_group_spare_bytes(const std::string& groups_file, const std::string& root) {
  return least_spare_bytes(control_groups(groups_file, root));
}

uint64_t machine_spare_bytes(const std::string& file) {
  const uint64_t kilobytes = number_of(file, "MemAvailable:");
  return kilobytes == 0 ? UINT64_MAX : (kilobytes + number_of(file, "SwapFree:")) * 1024;
}

MemoryLeft memory_left(uint64_t own, uint64_t spare, uint64_t whole) {
  const auto reached = [&](const Threshold& threshold) {
    const auto most_of = [&](uint64_t bytes) { return own / threshold.own_percent >= bytes / 100; };
    return most_of(whole) || (spare < whole / threshold.spare_part && most_of(own + spare));
  };
  return reached(kVeryLittle) ? MemoryLeft::kVeryLittle : reached(kLittle) ? MemoryLeft::kLittle : MemoryLeft::kEnough;
}

namespace {

MemoryLeft memory_left_now() {
  static std::atomic<int64_t> next_look{0}, next_look_at_others{0};
  static std::atomic<uint64_t> spare{UINT64_MAX};
  static std::atomic<MemoryLeft> left{MemoryLeft::kEnough};
  const int64_t now = SteadyClock::now().time_since_epoch().count();
  if (due(next_look_at_others, now, kBetweenLooksAtOthers)) spare.store(spare_bytes(), std::memory_order_relaxed);
  if (due(next_look, now, kBetweenLooks)) {
    left.store(memory_left(process_memory_bytes(), spare.load(std::memory_order_relaxed), machine_memory_bytes()),
               std::memory_order_relaxed);
  }
  return left.load(std::memory_order_relaxed);
}

}  // namespace

bool process_memory_is_short() { return memory_left_now() >= MemoryLeft::kLittle; }
bool process_memory_is_very_short() { return memory_left_now() == MemoryLeft::kVeryLittle; }

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
