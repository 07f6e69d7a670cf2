#include "base/fiber/stack.h"

#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "base/sqlstate.h"

namespace indigo {
namespace {

// Recurses until the check says stop; answers the depth reached.
__attribute__((noinline)) Result<int> recurse(int depth) {
  volatile char frame[512];
  frame[0] = static_cast<char>(depth);
  INDIGO_TRY(check_stack_depth());
  INDIGO_ASSIGN(int reached, recurse(depth + 1));
  return reached + frame[0] - frame[0];
}

__attribute__((noinline)) int descend(int levels) {
  volatile char frame[1024];
  frame[0] = 1;
  return levels == 0 ? 0 : descend(levels - 1) + frame[0];
}

TEST(Stack, EndlessRecursionEndsInStatementTooComplex) {
  auto result = recurse(0);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().state, sqlstate::kStatementTooComplex);
  EXPECT_EQ(result.error().message, "stack depth limit exceeded");
}

TEST(Stack, EveryThreadKnowsItsOwnStack) {
  std::thread([] {
    EXPECT_GT(stack_remaining(), 100'000u);
    EXPECT_FALSE(recurse(0).ok());
    EXPECT_TRUE(check_stack_depth().ok());
  }).join();
}

TEST(Stack, LargeStackHoldsWhatTheRunningOneCannot) {
  size_t before = stack_remaining();
  size_t inside = run_on_large_stack([] { return stack_remaining(); });
  EXPECT_GT(inside, 60u << 20);
  EXPECT_EQ(run_on_large_stack([] { return descend(20'000); }), 20'000);
  EXPECT_EQ(stack_remaining(), before);
}

TEST(Stack, LargeStackNestsAndMovesResults) {
  std::string text = run_on_large_stack([] {
    int inner = run_on_large_stack([] { return 41; });
    return std::string(100, 'x') + std::to_string(inner + 1);
  });
  EXPECT_EQ(text.substr(100), "42");
  int calls = 0;
  run_on_large_stack([&] { calls++; });
  EXPECT_EQ(calls, 1);
}

// What a sanitizer keeps of each call ends with it: its own tables have no end that it looks at.
TEST(Stack, LargeStackIsUsedAgainAndAgain) {
  int calls = 0;
  for (int i = 0; i < 200'000; i++) run_on_large_stack([&] { calls++; });
  EXPECT_EQ(calls, 200'000);
}

TEST(Stack, LargeStackOfEachThreadIsItsOwn) {
  int sum = 0;
  std::thread([&] { run_on_large_stack([&] { sum = descend(10'000); }); }).join();
  EXPECT_EQ(sum, 10'000);
}

}  // namespace
}  // namespace indigo
