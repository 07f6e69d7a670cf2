#include "base/once.h"

#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace indigo {
namespace {

TEST(Once, AStepThatThrowsIsTriedAgainAndThenDoneOnce) {
  Once once;
  int tries = 0;
  const auto step = [&] {
    if (++tries < 3) throw std::runtime_error("not yet");
  };
  EXPECT_THROW(once.call(step), std::runtime_error);
  EXPECT_THROW(once.call(step), std::runtime_error);
  once.call(step);
  once.call(step);
  EXPECT_EQ(tries, 3);
}

TEST(Once, OthersWaitForTheStep) {
  for (int round = 0; round < 100; round++) {
    Once once;
    int value = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++) {
      threads.emplace_back([&] {
        once.call([&] { value++; });
        EXPECT_EQ(value, 1);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace indigo
