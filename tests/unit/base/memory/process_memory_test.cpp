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
    std::filesystem::remove_all(directory_.path() + "/fs");
  }
  void file(const std::string& name, const std::string& text) {
    const std::filesystem::path path = directory_.path() + "/" + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << "\n";
  }
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

}  // namespace
}  // namespace indigo
