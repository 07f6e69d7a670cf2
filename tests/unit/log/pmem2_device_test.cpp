// The real device on a real file.
#include "log/pmem2_device.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/sqlstate.h"
#include "tests/unit/temporary_directory.h"

namespace indigo::log {
namespace {

constexpr uint32_t kBlock = 4 << 20;  // more than libpmem2 aligns by: where it leaves a hole, that is where others map

class Pmem2DeviceTest : public testing::Test {
 protected:
  void TearDown() override { unlink(path().c_str()); }
  std::string path() const { return directory_.path() + "/device"; }
  std::unique_ptr<Device> open(bool create) {
    auto device = open_pmem2_device(path(), kBlock, create);
    EXPECT_TRUE(device.ok()) << device.error().message;
    return device.ok() ? std::move(*device) : nullptr;
  }

  TemporaryDirectory directory_;
};

TEST_F(Pmem2DeviceTest, BlocksStayWhereTheyAreAndComeBack) {
  {
    auto device = open(true);
    std::vector<char*> blocks;
    for (uint32_t i = 0; i < 5; i++) {
      ASSERT_TRUE(device->grow().ok());
      blocks.push_back(device->block(i));
      device->write(device->block(i) + i, "indigo", 6);
    }
    for (uint32_t i = 0; i < 5; i++) EXPECT_EQ(device->block(i), blocks[i]);
    EXPECT_TRUE(device->sync().ok());
  }
  auto device = open(false);
  ASSERT_EQ(device->block_count(), 5U);
  for (uint32_t i = 0; i < 5; i++) EXPECT_EQ(std::memcmp(device->block(i) + i, "indigo", 6), 0);
  EXPECT_TRUE(device->sync_all().ok());
}

// As a disk that fails does to a mapping: behind the end of a file there is nothing that a page could be read from or written to.
TEST_F(Pmem2DeviceTest, AStoreThatTheDeviceCannotTakeIsAnErrorOfTheNextSync) {
  auto device = open(true);
  auto other = open_pmem2_device(path() + ".other", kBlock, true);
  ASSERT_TRUE(device->grow().ok() && device->grow().ok() && other.ok() && (*other)->grow().ok());
  device->write(device->block(0), "indigo", 6);
  EXPECT_TRUE(device->sync().ok());
  ASSERT_EQ(truncate(path().c_str(), 4096), 0);
  EXPECT_FALSE(device->faulted());
  device->write(device->block(0), "indigo", 6);
  EXPECT_FALSE(device->faulted());
  device->write(device->block(1) + 5000, "indigo", 6);
  EXPECT_TRUE(device->faulted());
  EXPECT_EQ(std::memcmp(device->block(1) + 5000, "indigo", 6), 0);
  EXPECT_EQ(device->block(1)[100'000], 0);
  for (const Status& status : {device->sync(), device->sync_all()}) {
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().state, sqlstate::kIoError);
  }
  (*other)->write((*other)->block(0), "indigo", 6);
  EXPECT_TRUE((*other)->sync().ok());
  unlink((path() + ".other").c_str());
}

// A file system that refuses MAP_SYNC late leaves a hole for a moment where the block is to be mapped, if it is done in two steps.
TEST_F(Pmem2DeviceTest, GrowingOverwritesNobodysMemory) {
  auto device = open(true);
  std::atomic<bool> stop{false}, overwritten{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; t++) {
    threads.emplace_back([&] {
      while (!stop) {
        std::vector<char*> mine;
        for (int i = 0; i < 2; i++) {
          void* at = mmap(nullptr, kBlock, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
          if (at == MAP_FAILED) continue;
          mine.push_back(static_cast<char*>(at));
          *mine.back() = 'm';
        }
        for (char* at : mine) {
          if (*at != 'm') overwritten = true;
          if (!overwritten) munmap(at, kBlock);
        }
      }
    });
  }
  for (int i = 0; i < 40; i++) ASSERT_TRUE(device->grow().ok());
  stop = true;
  for (auto& t : threads) t.join();
  EXPECT_FALSE(overwritten);
}

}  // namespace
}  // namespace indigo::log
