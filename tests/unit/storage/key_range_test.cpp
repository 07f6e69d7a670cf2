#include "storage/key_range.h"

#include <gtest/gtest.h>

namespace indigo::storage {
namespace {

TEST(KeyRange, PrefixEndsBeforeTheNextSibling) {
  KeyRange range = KeyRange::prefix("ab");
  EXPECT_EQ(range.low, "ab");
  EXPECT_EQ(range.high, "ac");
  EXPECT_TRUE(range.has_low && range.has_high && range.low_inclusive && !range.high_inclusive);
}

TEST(KeyRange, PrefixOfAllOnesHasNoUpperBound) {
  EXPECT_FALSE(KeyRange::prefix("\xff\xff").has_high);
  EXPECT_EQ(KeyRange::prefix("a\xff").high, "b");
}

TEST(KeyRange, EmptyPrefixIsEverything) {
  KeyRange range = KeyRange::prefix("");
  EXPECT_FALSE(range.has_low || range.has_high);
}

TEST(KeyRange, PointIncludesBothEnds) {
  KeyRange range = KeyRange::point("k");
  EXPECT_EQ(range.low, range.high);
  EXPECT_TRUE(range.has_low && range.has_high && range.low_inclusive && range.high_inclusive);
}

}  // namespace
}  // namespace indigo::storage
