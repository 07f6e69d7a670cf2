#include "base/process_memory.h"

#include <memory>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace indigo
