#include "engine/settings/settings.h"

#include <gtest/gtest.h>

#include "base/sqlstate.h"

namespace indigo::engine {
namespace {

std::vector<std::string> boot_values() {
  std::vector<std::string> values;
  for (const auto& definition : setting_table()) values.emplace_back(definition.boot_value);
  return values;
}

class SettingsTest : public testing::Test {
 protected:
  std::string show(std::string_view name) { return *settings.show(name); }
  Status set(std::string_view name, std::string_view value, Settings::Scope scope = Settings::Scope::kSession) {
    return settings.set(name, value, scope, true);
  }
  const std::vector<std::string> defaults = boot_values();
  Settings settings{defaults};
};

TEST_F(SettingsTest, UnitsAreReadAndShownAsPostgresDoes) {
  EXPECT_TRUE(set("work_mem", "64MB").ok());
  EXPECT_EQ(show("work_mem"), "64MB");
  EXPECT_TRUE(set("work_mem", "65537").ok());
  EXPECT_EQ(show("work_mem"), "65537kB");
  EXPECT_TRUE(set("statement_timeout", "61000").ok());
  EXPECT_EQ(show("statement_timeout"), "61s");
  EXPECT_TRUE(set("statement_timeout", "1min").ok());
  EXPECT_EQ(show("statement_timeout"), "1min");
}

TEST_F(SettingsTest, BadValuesAreRefusedWithPostgresMessages) {
  auto bad_unit = set("work_mem", "1x");
  ASSERT_FALSE(bad_unit.ok());
  EXPECT_EQ(bad_unit.error().message, "invalid value for parameter \"work_mem\": \"1x\"");
  EXPECT_EQ(bad_unit.error().hint, "Valid units for this parameter are \"B\", \"kB\", \"MB\", \"GB\", and \"TB\".");
  EXPECT_EQ(set("work_mem", "1").error().message,
            "1 kB is outside the valid range for parameter \"work_mem\" (64 .. 2147483647)");
  EXPECT_EQ(set("enable_seqscan", "maybe").error().message, "parameter \"enable_seqscan\" requires a Boolean value");
  EXPECT_EQ(set("port", "1").error().state, sqlstate::kCantChangeRuntimeParam);
  EXPECT_EQ(set("nonexist", "1").error().state, sqlstate::kUndefinedObject);
}

TEST_F(SettingsTest, LocalValuesEndWithTheTransaction) {
  settings.begin();
  EXPECT_TRUE(set("work_mem", "8MB").ok());
  EXPECT_TRUE(set("work_mem", "16MB", Settings::Scope::kLocal).ok());
  EXPECT_EQ(show("work_mem"), "16MB");
  settings.commit();
  EXPECT_EQ(show("work_mem"), "8MB");
}

TEST_F(SettingsTest, RollbackRestoresAndSavepointsNest) {
  settings.begin();
  EXPECT_TRUE(set("work_mem", "8MB").ok());
  uint32_t mark = settings.mark();
  EXPECT_TRUE(set("work_mem", "16MB").ok());
  EXPECT_TRUE(set("my.setting", "x").ok());
  settings.rollback_to(mark);
  EXPECT_EQ(show("work_mem"), "8MB");
  EXPECT_EQ(show("my.setting"), "");  // known from its first mention on, as in PostgreSQL
  settings.rollback();
  EXPECT_EQ(show("work_mem"), "4MB");
}

TEST_F(SettingsTest, CustomSettingsNeedADot) {
  EXPECT_TRUE(set("app.user", "7").ok());
  EXPECT_EQ(show("app.user"), "7");
  EXPECT_FALSE(set("app", "7").ok());
  EXPECT_FALSE(set("app.", "7").ok());
}

TEST_F(SettingsTest, ResetReturnsToTheStartValue) {
  EXPECT_TRUE(settings.set_default("work_mem", "9MB", false).ok());
  const Status denied = settings.set_default("log_statement", "all", false);
  ASSERT_FALSE(denied.ok());
  EXPECT_EQ(denied.error().state, sqlstate::kInsufficientPrivilege);
  EXPECT_TRUE(settings.set_default("log_statement", "all", true).ok());
  EXPECT_TRUE(set("work_mem", "1GB").ok());
  EXPECT_TRUE(settings.reset("work_mem", Settings::Scope::kSession, true).ok());
  EXPECT_EQ(show("work_mem"), "9MB");
}

}  // namespace
}  // namespace indigo::engine
