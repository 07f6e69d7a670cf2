// Analysis by example: every line of tests/unit/sql/analysis/*.statements gives what PostgreSQL gave when
// tests/oracle/record_analysis recorded the .expected file beside it: columns, types, parameters, or the error.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <gtest/gtest.h>

#include "tests/unit/sql/analyze_harness.h"

namespace indigo::sql::testing {
namespace {

std::vector<std::string> lines_of(const std::filesystem::path& path, bool comments) {
  std::vector<std::string> out;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (comments && (line.empty() || line[0] == '#')) continue;
    out.push_back(line);
  }
  return out;
}

class Analysis : public ::testing::TestWithParam<std::string> {};

TEST_P(Analysis, AgreesWithPostgres) {
  Harness harness;
  const std::filesystem::path base = "tests/unit/sql/analysis/" + GetParam();
  const auto statements = lines_of(std::filesystem::path(base).replace_extension(".statements"), true);
  const auto expected = lines_of(std::filesystem::path(base).replace_extension(".expected"), false);
  ASSERT_EQ(statements.size(), expected.size());
  ASSERT_FALSE(statements.empty());
  int unsupported = 0;
  for (size_t i = 0; i < statements.size(); i++) {
    const std::string actual = harness.describe(statements[i]);
    // What the function library lacks is its own tests' business.
    if (actual.starts_with("ERROR 0A000") && actual.ends_with("is not supported")) {
      unsupported++;
      continue;
    }
    EXPECT_EQ(actual, expected[i]) << statements[i];
  }
  std::cout << statements.size() - unsupported << " of " << statements.size() << " compared\n";
}

std::vector<std::string> files() {
  std::vector<std::string> out;
  for (const auto& f : std::filesystem::directory_iterator("tests/unit/sql/analysis")) {
    if (f.path().extension() == ".statements") out.push_back(f.path().filename().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

INSTANTIATE_TEST_SUITE_P(Files, Analysis, ::testing::ValuesIn(files()),
                         [](const auto& info) { return info.param.substr(0, info.param.find('.')); });

}  // namespace
}  // namespace indigo::sql::testing
