#include "base/fiber/sort_keys.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace indigo {
namespace {

TEST(SortKeys, AsTheirBytesAre) {
  std::mt19937_64 random(7);
  for (size_t count : {0, 1, 2, 100, 5000}) {
    std::vector<std::string> keys(count);
    for (std::string& key : keys) {
      key.resize(random() % 14);
      for (char& c : key) c = "\0\1a\xff"[random() % 4];
    }
    std::vector<std::string> wanted = keys;
    std::ranges::sort(wanted);
    sort_keys(keys);
    EXPECT_EQ(keys, wanted);
  }
}

}  // namespace
}  // namespace indigo
