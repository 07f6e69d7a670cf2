#include <gtest/gtest.h>

#include "base/server_log.h"

namespace indigo {
namespace {

TEST(Log, WritesLinesFromTheLevelUp) {
  testing::internal::CaptureStderr();
  log_info("ready {} %s");
  log_debug("not shown");
  log_warning("careful");
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("LOG:  ready {} %s\n"), std::string::npos) << text;
  EXPECT_NE(text.find("WARNING:  careful\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("not shown"), std::string::npos) << text;
  set_log_level(LogLevel::kSilent);
  testing::internal::CaptureStderr();
  log_error("hidden");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  set_log_level(LogLevel::kInfo);
}

}  // namespace
}  // namespace indigo
