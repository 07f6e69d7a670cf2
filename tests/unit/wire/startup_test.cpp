#include "wire/session/startup.h"

#include <gtest/gtest.h>

#include "base/sqlstate.h"

namespace indigo::wire {
namespace {

TEST(StartupParameters, UserDatabaseAndSettings) {
  auto request = read_parameters({{"user", "u"}, {"application_name", "a"}, {"_pq_.x", "1"}});
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->options.user, "u");
  EXPECT_EQ(request->options.database, "u");
  EXPECT_EQ(request->options.settings.at("application_name"), "a");
  EXPECT_EQ(request->unknown_options, std::vector<std::string>{"_pq_.x"});
}

TEST(StartupParameters, ASettingOfItsOwnWinsOverOptions) {
  auto request = read_parameters({{"user", "u"}, {"work_mem", "1MB"}, {"options", "-c work_mem=2MB -c jit=off"}});
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->options.settings.at("work_mem"), "1MB");
  EXPECT_EQ(request->options.settings.at("jit"), "off");
}

TEST(StartupParameters, Refusals) {
  EXPECT_EQ(read_parameters({}).error().message, "no PostgreSQL user name specified in startup packet");
  EXPECT_EQ(read_parameters({{"user", "u"}, {"replication", "maybe"}}).error().state, sqlstate::kInvalidParameterValue);
  EXPECT_EQ(read_parameters({{"user", "u"}, {"replication", "true"}}).error().state, sqlstate::kFeatureNotSupported);
  EXPECT_TRUE(read_parameters({{"user", "u"}, {"replication", "database"}})->options.replication);
  EXPECT_TRUE(read_parameters({{"user", "u"}, {"replication", "false"}}).ok());
  EXPECT_EQ(read_parameters({{"user", "\xff"}}).error().state, sqlstate::kCharacterNotInRepertoire);
}

TEST(StartupParameters, LongNamesAreCutAtACharacter) {
  std::string name = std::string(62, 'x') + "\u00e9";
  auto request = read_parameters({{"user", name}});
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->options.user, std::string(62, 'x'));
}

TEST(StartupOptions, WordsEscapesAndForms) {
  std::map<std::string, std::string> settings;
  ASSERT_TRUE(read_command_line_options(" -c a=1  -cb=2 --long-name=x\\ y\\\\z ", settings).ok());
  EXPECT_EQ(settings, (std::map<std::string, std::string>{{"a", "1"}, {"b", "2"}, {"long_name", "x y\\z"}}));
  EXPECT_EQ(read_command_line_options("-Q", settings).error().message,
            "invalid command-line argument for server process: -Q");
  EXPECT_FALSE(read_command_line_options("-c a", settings).ok());
  EXPECT_FALSE(read_command_line_options("-c", settings).ok());
  EXPECT_FALSE(read_command_line_options("--=1", settings).ok());
}

}  // namespace
}  // namespace indigo::wire
