#include "base/fiber/fiber.h"

#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory/memory_reserve.h"

namespace indigo {
namespace {

__attribute__((noinline)) bool recurse_to_limit(int depth) {
  volatile char frame[256];
  frame[0] = static_cast<char>(depth);
  if (!check_stack_depth().ok()) return true;
  return recurse_to_limit(depth + 1) && frame[0] == static_cast<char>(depth);
}

TEST(Fiber, SuspendsAndResumesWhereItWas) {
  std::vector<int> order;
  Fiber* self = nullptr;
  Fiber fiber(StackMemory(kFiberStackBytes), [&] {
    order.push_back(1);
    self->suspend();
    order.push_back(3);
  });
  self = &fiber;
  fiber.resume();
  order.push_back(2);
  EXPECT_FALSE(fiber.finished());
  fiber.resume();
  EXPECT_TRUE(fiber.finished());
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(Fiber, GoesOnAsAnotherThreadWithThatThreadsVariables) {
  bool within = false, behind = true, deep = true;
  Fiber* self = nullptr;
  Fiber fiber(StackMemory(kFiberStackBytes), [&] {
    {
      const MustNotFail scope;
      (void)check_stack_depth();
      self->suspend();
      within = MustNotFail::active();
    }
    behind = MustNotFail::active();
    deep = !check_stack_depth().ok();
  });
  self = &fiber;
  std::thread([&] {
    fiber.resume();
    EXPECT_FALSE(MustNotFail::active());
  }).join();
  fiber.resume();
  EXPECT_TRUE(within);
  EXPECT_FALSE(behind || deep || MustNotFail::active());
}

TEST(Fiber, ThousandsInterleave) {
  constexpr int kFibers = 2000;
  StackPool pool(kFiberStackBytes);
  std::vector<std::unique_ptr<Fiber>> fibers;
  int64_t sum = 0;
  for (int i = 0; i < kFibers; i++) {
    fibers.push_back(std::make_unique<Fiber>(pool.take(), [&, i] {
      for (int round = 0; round < 3; round++) {
        sum += i;
        fibers[i]->suspend();
      }
    }));
  }
  for (int round = 0; round < 4; round++)
    for (auto& fiber : fibers) fiber->resume();
  for (auto& fiber : fibers) EXPECT_TRUE(fiber->finished());
  EXPECT_EQ(sum, 3ll * kFibers * (kFibers - 1) / 2);
}

TEST(Fiber, DeepRecursionInsideIsRefusedAndTheStackIsReusable) {
  StackPool pool(kFiberStackBytes);
  for (int round = 0; round < 3; round++) {
    bool refused = false;
    Fiber fiber(pool.take(), [&] { refused = recurse_to_limit(0); });
    fiber.resume();
    EXPECT_TRUE(refused);
    pool.give(fiber.take_stack());
    EXPECT_EQ(pool.spare(), 1u);
  }
}

TEST(Fiber, TrimKeepsTheSuspendedFrames) {
  Fiber* self = nullptr;
  bool kept = false;
  Fiber fiber(StackMemory(kFiberStackBytes), [&] {
    char frame[20'000];
    for (size_t i = 0; i < sizeof frame; i++) frame[i] = static_cast<char>(i);
    recurse_to_limit(0);
    self->suspend();
    kept = true;
    for (size_t i = 0; i < sizeof frame; i++) kept = kept && frame[i] == static_cast<char>(i);
  });
  self = &fiber;
  fiber.resume();
  fiber.trim();
  fiber.resume();
  EXPECT_TRUE(kept);
}

TEST(Fiber, LargeStackWorksFromInside) {
  size_t inside = 0, after = 0, before = 0;
  Fiber fiber(StackMemory(kFiberStackBytes), [&] {
    before = stack_remaining();
    inside = run_on_large_stack([] { return stack_remaining(); });
    after = stack_remaining();
  });
  fiber.resume();
  EXPECT_GT(inside, 60u << 20);
  EXPECT_EQ(before, after);
  EXPECT_LT(before, kFiberStackBytes);
}

}  // namespace
}  // namespace indigo
