#include <gtest/gtest.h>

#include "base/log_lines.h"
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

TEST(Log, WritesEachChosenForm) {
  testing::internal::CaptureStderr();
  set_log_forms(0);
  log_info("nowhere");
  set_log_forms(kLogText | kLogJson);
  log_info("twice");
  set_log_forms(kLogText);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(text.find("nowhere"), std::string::npos) << text;
  EXPECT_NE(text.find("LOG:  twice\n{\"timestamp\":\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"message\":\"twice\",\"backend_type\":\"postmaster\",\"query_id\":0}\n"), std::string::npos)
      << text;
}

class LogLines : public testing::Test {
 protected:
  LogLines() {
    source_.pid = 255;
    source_.line = 3;
    source_.started = 1767225600;
    source_.backend_type = "checkpointer";
  }
  const LogTime now_ = LogTime(std::chrono::milliseconds(1767225661007));
  LogSource source_;
};

TEST_F(LogLines, JsonIsOneLineOfValidUtf8) {
  const std::string line =
      log_json({.level = LogLevel::kError, .message = "a\n\"b\\\t\x01\xff\xc3\xa4", .state = "22012"}, source_, now_);
  EXPECT_EQ(line,
            "{\"timestamp\":\"2026-01-01 00:01:01.007 UTC\",\"pid\":255,\"session_id\":\"6955b900.ff\",\"line_num\":3,"
            "\"session_start\":\"2026-01-01 00:00:00 UTC\",\"txid\":0,\"error_severity\":\"ERROR\","
            "\"state_code\":\"22012\",\"message\":\"a\\n\\\"b\\\\\\t\\u0001\xef\xbf\xbd\xc3\xa4\","
            "\"backend_type\":\"checkpointer\",\"query_id\":0}\n");
}

TEST_F(LogLines, CsvHasTwentySixFields) {
  source_.client = true;
  source_.user = "a,\"b\"";
  source_.remote_host = "::1";
  source_.remote_port = 5432;
  EXPECT_EQ(log_csv({.message = "x\ny", .statement = "select", .position = 7}, source_, now_),
            "2026-01-01 00:01:01.007 UTC,\"a,\"\"b\"\"\",,255,\"::1:5432\",6955b900.ff,3,\"\",2026-01-01 00:00:00 UTC,,"
            "0,LOG,00000,\"x\ny\",,,,,,\"select\",7,,\"\",\"checkpointer\",,0\n");
}

TEST_F(LogLines, TextHasALineForEachPart) {
  EXPECT_EQ(log_text({.message = "x\ny",
                      .detail = "d",
                      .hint = "h",
                      .internal_query = "q",
                      .context = "c",
                      .statement = "s",
                      .internal_position = 4},
                     source_, now_),
            "2026-01-01 00:01:01.007 UTC [255] LOG:  x\n\ty at character 4\n"
            "2026-01-01 00:01:01.007 UTC [255] DETAIL:  d\n"
            "2026-01-01 00:01:01.007 UTC [255] HINT:  h\n"
            "2026-01-01 00:01:01.007 UTC [255] QUERY:  q\n"
            "2026-01-01 00:01:01.007 UTC [255] CONTEXT:  c\n"
            "2026-01-01 00:01:01.007 UTC [255] STATEMENT:  s\n");
}

}  // namespace
}  // namespace indigo
