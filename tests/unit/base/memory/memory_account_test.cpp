#include "base/memory/memory_account.h"

#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "base/memory/outside_account.h"

namespace indigo {
namespace {

// Of which jemalloc counts at least so much; another allocator counts nothing.
constexpr int64_t kBlockBytes = 3 << 20;
std::unique_ptr<char[]> block() {
  auto bytes = std::make_unique<char[]>(kBlockBytes);
  bytes[0] = 1;
  return bytes;
}

TEST(MemoryAccount, NothingRuns) {
  MemoryAccount::mark();
  const auto held = block();
  EXPECT_EQ(MemoryAccount::growth_bytes(), 0);
  EXPECT_FALSE(MemoryAccount::must_stop());
}

TEST(MemoryAccount, DoesNotCountOutside) {
  const OutsideAccount none_runs;
  auto of_others = block();
  MemoryAccount account;
  account.enter();
  MemoryAccount::mark();
  const auto held = block();
  const int64_t before = MemoryAccount::growth_bytes();
  {
    const OutsideAccount scope;
    of_others.reset();
    EXPECT_EQ(MemoryAccount::growth_bytes(), 0);
  }
  EXPECT_EQ(MemoryAccount::growth_bytes(), before);
  account.leave();
}

TEST(MemoryAccount, CountsWhatItsFlowAllocatesOnWhateverThread) {
  MemoryAccount account, other;
  account.enter();
  const auto before = block();
  MemoryAccount::mark();
  EXPECT_EQ(MemoryAccount::growth_bytes(), 0);
  auto held = block();
  const bool counts = MemoryAccount::growth_bytes() != 0;
  const auto expect_blocks = [&](int64_t blocks) {
    EXPECT_GE(MemoryAccount::growth_bytes(), counts ? blocks * kBlockBytes : 0);
    EXPECT_LT(MemoryAccount::growth_bytes(), (blocks + 1) * kBlockBytes);
  };
  expect_blocks(1);
  account.leave();

  // Another flow's memory is its own.
  other.enter();
  MemoryAccount::mark();
  const auto of_other = block();
  expect_blocks(1);
  other.leave();

  std::unique_ptr<char[]> elsewhere;
  std::thread thread([&] {
    account.enter();
    elsewhere = block();
    expect_blocks(2);
    account.leave();
  });
  thread.join();

  account.enter();
  expect_blocks(2);
  MemoryAccount::mark();  // what is held from before is no growth, but held
  EXPECT_EQ(MemoryAccount::growth_bytes(), 0);
  EXPECT_GE(MemoryAccount::held_bytes(), counts ? 2 * kBlockBytes : 0);
  account.leave();
  EXPECT_EQ(MemoryAccount::held_bytes(), 0);  // nothing runs
}

TEST(MemoryAccount, WhatIsGivenBackDoesNotCount) {
  MemoryAccount account;
  account.enter();
  MemoryAccount::mark();
  auto held = block(), kept = block();
  const bool counts = MemoryAccount::growth_bytes() != 0;
  const auto expect_blocks = [&](int64_t blocks) {
    EXPECT_GE(MemoryAccount::growth_bytes(), counts ? blocks * kBlockBytes : 0);
    EXPECT_LT(MemoryAccount::growth_bytes(), (blocks + 1) * kBlockBytes);
  };
  expect_blocks(2);
  held.reset();
  expect_blocks(1);
  EXPECT_FALSE(MemoryAccount::must_stop());  // not much
  account.leave();
}

}  // namespace
}  // namespace indigo
