// Shared statements live as long as a session uses them, and entries of those that are gone do not stay.
#include "engine/statement/shared_plans.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace indigo::engine {
namespace {

TEST(SharedPlans, LiveAsLongAsTheyAreUsed) {
  SharedPlans plans;
  EXPECT_EQ(plans.find("a"), nullptr);
  auto a = std::make_shared<const SharedPlan>();
  plans.add("a", a);
  EXPECT_EQ(plans.find("a"), a);
  const auto newer = std::make_shared<const SharedPlan>();
  plans.add("a", newer);
  EXPECT_EQ(plans.find("a"), newer);
  plans.add("b", a);
  a = nullptr;
  EXPECT_EQ(plans.find("b"), nullptr);
}

TEST(SharedPlans, EntriesOfThoseThatAreGoneDoNotStay) {
  SharedPlans plans;
  std::vector<SharedPlanPtr> used;
  for (int i = 0; i < 10000; i++) {
    auto plan = std::make_shared<const SharedPlan>();
    plans.add(std::to_string(i), plan);
    if (i % 100 == 0) used.push_back(std::move(plan));
  }
  EXPECT_LT(plans.size(), 1000U);
  for (int i = 0; i < 10000; i += 100) EXPECT_NE(plans.find(std::to_string(i)), nullptr);
}

}  // namespace
}  // namespace indigo::engine
