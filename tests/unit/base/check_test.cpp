#include "base/check.h"

#include <gtest/gtest.h>

namespace indigo {
namespace {

TEST(Check, EndsTheProcessInEveryBuildAndSaysWhere) {
  int evaluated = 0;
  INDIGO_CHECK(++evaluated == 1);
  EXPECT_EQ(evaluated, 1);
  EXPECT_DEATH(INDIGO_CHECK(evaluated == 2), "broken invariant: evaluated == 2 at .*check_test.cpp");
}

}  // namespace
}  // namespace indigo
