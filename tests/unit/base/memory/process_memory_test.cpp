#include "base/memory/process_memory.h"

#include <filesystem>
#include <fstream>
#include <memory>

#include <gtest/gtest.h>

#include "tests/unit/temporary_directory.h"

namespace indigo {
namespace {

TEST(ProcessMemory, CountsWhatIsTouched) {
  const uint64_t before = process_memory_bytes();
  ASSERT_GT(before, 1u << 20);
  constexpr size_t kBytes = 64 << 20;
  auto touched = std::make_unique_for_overwrite<char[]>(kBytes);
  for (size_t i = 0; i < kBytes; i += 4096)
    static_cast<volatile char*>(touched.get())[i] = 1;  // no memset to leave out
  EXPECT_GT(process_memory_bytes(), before + kBytes / 2);
}

TEST(ProcessMemory, TheMachineHasMoreThanTheProcess) {
  EXPECT_GT(machine_memory_bytes(), process_memory_bytes());
  EXPECT_LT(machine_memory_bytes(), UINT64_C(1) << 50);
  EXPECT_EQ(machine_memory_bytes(), machine_memory_bytes());
}

class ControlGroups : public ::testing::Test {
 protected:
  ~ControlGroups() override {
    std::filesystem::remove(directory_.path() + "/groups");
    std::filesystem::remove(directory_.path() + "/meminfo");
    std::filesystem::remove_all(directory_.path() + "/fs");
  }
  void file(const std::string& name, const std::string& text) {
    const std::filesystem::path path = directory_.path() + "/" + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << "\n";
  }
  uint64_t spare() { return control_group_spare_bytes(directory_.path() + "/groups", directory_.path() + "/fs"); }
  uint64_t limit() { return control_group_limit_bytes(directory_.path() + "/groups", directory_.path() + "/fs"); }

  TemporaryDirectory directory_;
};

TEST_F(ControlGroups, NoneIsNoLimit) {
  EXPECT_EQ(limit(), UINT64_MAX);
  file("groups", "0::/");
  EXPECT_EQ(limit(), UINT64_MAX);
  file("groups", "garbage\n\n:\n::\n0::");
  file("fs/memory.max", "max");
  EXPECT_EQ(limit(), UINT64_MAX);
}

// Version 2: the least limit of the group and of those above it.
TEST_F(ControlGroups, TheLeastOfAGroupAndThoseAboveItCounts) {
  file("groups", "0::/system.slice/indigo.service");
  file("fs/system.slice/indigo.service/memory.max", "max");
  EXPECT_EQ(limit(), UINT64_MAX);
  file("fs/system.slice/memory.max", "3000000000");
  EXPECT_EQ(limit(), 3000000000U);
  file("fs/system.slice/indigo.service/memory.max", "536870912");
  EXPECT_EQ(limit(), 536870912U);
  file("fs/memory.max", "1000000");
  EXPECT_EQ(limit(), 1000000U);
}

TEST_F(ControlGroups, VersionOne) {
  file("groups", "5:cpu,cpuacct:/a\n4:pids,memory:/docker/c0ffee\n1:name=systemd:/a");
  file("fs/memory/memory.limit_in_bytes", "9223372036854771712");
  file("fs/memory/docker/c0ffee/memory.limit_in_bytes", "268435456");
  file("fs/memory/a/memory.limit_in_bytes", "1");
  EXPECT_EQ(limit(), 268435456U);
  // A container sees its own group at the root.
  file("fs/memory/memory.limit_in_bytes", "134217728");
  EXPECT_EQ(limit(), 134217728U);
}

// What others of the group use counts; files that the system may drop do not.
TEST_F(ControlGroups, SpareIsWhatIsNotUsed) {
  EXPECT_EQ(spare(), UINT64_MAX);
  file("groups", "0::/ci");
  file("fs/ci/memory.max", "max");
  file("fs/ci/memory.current", "900000000");
  EXPECT_EQ(spare(), UINT64_MAX);
  file("fs/ci/memory.max", "1000000000");
  EXPECT_EQ(spare(), 100'000'000u);
  file("fs/ci/memory.stat", "anon 700000000\nfile 200000000\ninactive_file 150000000\nactive_file 50000000");
  EXPECT_EQ(spare(), 250'000'000u);
  file("fs/ci/memory.current", "2000000000");
  EXPECT_EQ(spare(), 0u);
}

TEST_F(ControlGroups, SpareOfTheFirstVersion) {
  file("groups", "4:memory:/ci");
  file("fs/memory/ci/memory.limit_in_bytes", "1000000000");
  file("fs/memory/ci/memory.usage_in_bytes", "600000000");
  file("fs/memory/ci/memory.stat", "inactive_file 5\ntotal_inactive_file 100000000");
  EXPECT_EQ(spare(), 500'000'000u);
}

TEST_F(ControlGroups, SpareOfTheMachine) {
  file("meminfo",
       "MemTotal:       24000000 kB\nMemFree:         100 kB\nMemAvailable:    3000 kB\nSwapFree:    1000 kB");
  EXPECT_EQ(machine_spare_bytes(directory_.path() + "/meminfo"), 4'096'000u);
  EXPECT_EQ(machine_spare_bytes(directory_.path() + "/nothing"), UINT64_MAX);
  EXPECT_LT(machine_spare_bytes("/proc/meminfo"), UINT64_C(1) << 50);
}

TEST(ProcessMemory, OthersUseOfTheMachineCounts) {
  constexpr uint64_t kGigabyte = UINT64_C(1) << 30, kWhole = 16 * kGigabyte;
  const auto left = [](uint64_t own, uint64_t spare) { return memory_left(own, spare, kWhole); };
  EXPECT_EQ(left(kGigabyte, 14 * kGigabyte), MemoryLeft::kEnough);
  EXPECT_EQ(left(14 * kGigabyte, 2 * kGigabyte), MemoryLeft::kLittle);
  EXPECT_EQ(left(15 * kGigabyte, 2 * kGigabyte), MemoryLeft::kVeryLittle);
  // Others have half.
  EXPECT_EQ(left(7 * kGigabyte, 2 * kGigabyte), MemoryLeft::kEnough);
  EXPECT_EQ(left(7 * kGigabyte, kGigabyte * 9 / 10), MemoryLeft::kLittle);
  EXPECT_EQ(left(8 * kGigabyte, kGigabyte / 10), MemoryLeft::kVeryLittle);
  EXPECT_EQ(left(8 * kGigabyte, 0), MemoryLeft::kVeryLittle);
  // Others have nearly all: it is not the process that is large.
  EXPECT_EQ(left(kGigabyte / 10, kGigabyte / 10), MemoryLeft::kEnough);
  EXPECT_EQ(left(kGigabyte, UINT64_MAX - 2 * kGigabyte), MemoryLeft::kEnough);  // nobody knows
}

}  // namespace
}  // namespace indigo
