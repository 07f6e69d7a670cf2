#include "sql/view_text.h"

#include "catalog/descriptor/session_context.h"
#include "sql/analyze/analyzer.h"
#include "sql/deparse_query.h"
#include "sql/parse/parser.h"
#include "sql/stored/stored_tree.h"

namespace indigo::sql {
namespace {

Result<std::shared_ptr<const Query>> query_of(catalog::SessionContext& session, std::string_view stored) {
  if (is_stored_tree(stored)) {
    Analysis analysis(session, {});
    analysis.inline_functions = false;
    return load_query(analysis, stored, LoadFor::kPrinting);
  }
  INDIGO_ASSIGN(const auto parsed, parse(stored));
  AnalyzeInput input{parsed->statements()[0].node, stored};
  input.inline_functions = false;
  INDIGO_ASSIGN(AnalyzedStatement statement, analyze(session, input));
  return std::move(statement.query);
}

}  // namespace

std::optional<std::string> print_view(catalog::SessionContext& session, std::string_view stored,
                                      std::span<const std::string> column_names, bool pretty) {
  const auto query = query_of(session, stored);
  if (!query.ok() || *query == nullptr) return std::nullopt;
  auto text = deparse_query(session.catalog(), **query, column_names, pretty);
  if (!text.ok()) return std::nullopt;
  return std::move(*text);
}

}  // namespace indigo::sql
