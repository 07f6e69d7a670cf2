// A catalog for the analyzer's tests: PostgreSQL's built-in objects plus the schema of tests/oracle/analysis_schema.sql as
// hand-made descriptors. Statements become one line each: result columns and parameter types, or the error.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "catalog/descriptor/session_context.h"
#include "sql/analyze/analyzer.h"

namespace indigo::sql::testing {

class Harness {
 public:
  Harness();
  ~Harness();

  catalog::SessionContext& session();
  catalog::CatalogView& catalog();

  // "a:integer, b:text" and " params(integer)" where there are some, "no result", or
  // "ERROR 42703 @8 message | detail | hint".
  std::string describe(std::string_view statement);
  Result<AnalyzedStatement> analyze(std::string_view statement, std::span<const LiftedLiteral> lifted = {});
  static std::string error_text(const Error& error);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace indigo::sql::testing
