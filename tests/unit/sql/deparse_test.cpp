// Every expression of tests/unit/sql/deparse/expressions.expressions prints as tests/oracle/record_deparse recorded it from
// PostgreSQL, plain and pretty; and what was printed reads back as the same expression.
#include "sql/deparse.h"

#include <fstream>
#include <iostream>

#include <gtest/gtest.h>

#include "sql/parse/parser.h"
#include "tests/unit/sql/analyze_harness.h"
#include "types/oids.h"

namespace indigo::sql::testing {
namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> out;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) out.push_back(line);
  return out;
}

std::string one_line(std::string s) {
  for (size_t at = 0; (at = s.find('\n', at)) != std::string::npos;) s.replace(at, 1, "\\n");
  return s;
}

TEST(Deparse, AgreesWithPostgres) {
  Harness harness;
  const auto expressions = lines_of("tests/unit/sql/deparse/expressions.expressions");
  const auto expected = lines_of("tests/unit/sql/deparse/expressions.expected");
  ASSERT_EQ(expressions.size() * 2, expected.size());
  const auto relation = harness.catalog().find_relation("public", "ta");
  int unsupported = 0;
  for (size_t i = 0; i < expressions.size(); i++) {
    auto e = analyze_to_print(harness.session(), "(" + expressions[i] + ") is null", relation,
                              {oid::kBool, -1, kInvalidOid});
    if (!e.ok()) {
      unsupported++;
      EXPECT_EQ(e.error().state.text(), "0A000") << expressions[i] << ": " << e.error().message;
      continue;
    }
    DeparseOptions options;
    options.relation = relation.get();
    options.always_qualify = false;
    const std::string plain = *deparse(harness.catalog(), **e, options);
    EXPECT_EQ(one_line(plain), expected[2 * i]) << expressions[i];
    options.pretty = true;
    EXPECT_EQ(one_line(*deparse(harness.catalog(), **e, options)), expected[2 * i + 1]) << expressions[i];
    // Stored text means the same.
    const std::string stored = *deparse(harness.catalog(), **e, relation.get());
    auto again = analyze_to_print(harness.session(), stored, relation, {oid::kBool, -1, kInvalidOid});
    ASSERT_TRUE(again.ok()) << stored << ": " << again.error().message;
    EXPECT_EQ(*deparse(harness.catalog(), **again, relation.get()), stored);
  }
  std::cout << expressions.size() - unsupported << " of " << expressions.size() << " compared\n";
}

// What has no text is an error, never a question mark in a definition.
TEST(Deparse, RefusesWhatHasNoText) {
  Harness harness;
  const auto message = [&](const Expr& e) {
    const auto text = deparse(harness.catalog(), e, DeparseOptions());
    return text.ok() ? *text : std::string(text.error().state.text()) + " " + text.error().message;
  };
  EXPECT_EQ(message(SubPlanExpr()).substr(0, 5), "XX000");
  CallExpr call;
  call.function = Oid{4000000000};
  EXPECT_EQ(message(call), "XX000 cache lookup failed for function 4000000000");
  call.form = CallExpr::Form::kOperator;
  call.op = Oid{4000000000};
  call.arguments = {std::make_shared<ParamExpr>(), std::make_shared<ParamExpr>()};
  EXPECT_EQ(message(call), "XX000 cache lookup failed for operator 4000000000");
}

}  // namespace
}  // namespace indigo::sql::testing
