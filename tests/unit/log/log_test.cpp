#include "log/log.h"

#include <gtest/gtest.h>

namespace indigo::log {
namespace {

TEST(NoneLog, NeverFailsAndNeverWaits) {
  auto log = Log::create_none();
  EXPECT_TRUE(log->reserve(size_t{1} << 40));
  Operation operation{TableId{1}, "key", "row"};
  Lsn lsn = log->append(CommitStamp{7}, {&operation, 1});
  log->wait_durable(lsn);  // comes back
  EXPECT_EQ(lsn, Lsn{});
}

TEST(NoneLog, DoesNotAskForOperations) { EXPECT_FALSE(Log::create_none()->records()); }

}  // namespace
}  // namespace indigo::log
