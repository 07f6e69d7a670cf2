#include "log/log.h"

#include <gtest/gtest.h>

#include "log/record_stream.h"

namespace indigo::log {
namespace {

TEST(NoneLog, NeverFailsAndNeverWaits) {
  auto log = Log::create_none();
  RecordStream stream(*log);
  EXPECT_EQ(stream.put(DurableId{1}, "key", std::string(size_t{3} << 20, 'x')), Log::Outcome::kOk);
  EXPECT_EQ(stream.prepare(), Log::Outcome::kOk);
  Lsn lsn = stream.append(CommitStamp{7});
  EXPECT_TRUE(log->wait_durable(lsn));
  EXPECT_EQ(lsn, Lsn{});
}

TEST(NoneLog, DoesNotAskForOperations) { EXPECT_FALSE(Log::create_none()->records()); }

}  // namespace
}  // namespace indigo::log
