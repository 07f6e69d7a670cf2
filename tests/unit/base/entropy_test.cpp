#include "base/entropy.h"

#include <sys/random.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace {
// The C library's function, replaced in this executable: how many calls still succeed; below zero: all.
thread_local int calls_left = -1;
thread_local int interrupted = 0;
}  // namespace

extern "C" int getentropy(void* buffer, size_t length) {
  if (interrupted > 0) {
    interrupted--;
    errno = EINTR;
    return -1;
  }
  if (length > 256 || calls_left == 0) {
    errno = EIO;
    return -1;
  }
  if (calls_left > 0) calls_left--;
  return getrandom(buffer, length, 0) == static_cast<ssize_t>(length) ? 0 : -1;
}

namespace indigo {
namespace {

TEST(Entropy, FillsAnyLength) {
  std::set<std::string> seen;
  for (size_t bytes : {0, 1, 16, 256, 257, 1000}) {
    std::string a(bytes + 1, 'x'), b(bytes + 1, 'x');
    ASSERT_TRUE(fill_random(a.data(), bytes));
    ASSERT_TRUE(fill_random(b.data(), bytes));
    EXPECT_EQ(a.back(), 'x');
    if (bytes >= 16) {
      EXPECT_NE(a, b);
    }
  }
}

TEST(Entropy, AFailureIsToldAndNotFilledUp) {
  char bytes[1000];
  for (int good : {0, 1, 3}) {
    calls_left = good;
    EXPECT_FALSE(fill_random(bytes, sizeof bytes)) << good;
  }
  calls_left = -1;
  interrupted = 2;
  EXPECT_TRUE(fill_random(bytes, sizeof bytes));
}

}  // namespace
}  // namespace indigo
