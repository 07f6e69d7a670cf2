#include "sql/view_text.h"

#include "sql/analyze/analyzer.h"
#include "sql/deparse_query.h"
#include "sql/parse/parser.h"

namespace indigo::sql {
namespace {

constexpr std::string_view kJoinedForm = "\n-- as joined: ";

std::shared_ptr<const Query> analyzed(SessionContext& session, std::string_view text) {
  const auto parsed = parse(text);
  if (!parsed.ok() || (*parsed)->statements().empty()) return nullptr;
  const auto statement = analyze(session, {(*parsed)->statements()[0].node, text});
  return statement.ok() ? statement->query : nullptr;
}

}  // namespace

std::string with_joined_form(std::string text, std::string_view joined) {
  if (joined.find('\n') == std::string_view::npos) text.append(kJoinedForm).append(joined);
  return text;
}

std::optional<std::string> print_view(SessionContext& session, std::string_view stored,
                                      std::span<const std::string> column_names, bool pretty) {
  const auto query = analyzed(session, stored);
  if (query == nullptr) return std::nullopt;
  catalog::CatalogView& catalog = session.catalog();
  const auto spelled_out = deparse_query(catalog, *query, column_names, pretty, JoinForm::kOn);
  if (const size_t at = stored.rfind(kJoinedForm); at != std::string_view::npos) {
    const auto joined = analyzed(session, stored.substr(at + kJoinedForm.size()));
    const auto same = joined == nullptr ? Result<std::string>(std::string())
                                        : deparse_query(catalog, *joined, column_names, pretty, JoinForm::kOn);
    if (same.ok() && spelled_out.ok() && *same == *spelled_out) {
      const auto text = deparse_query(catalog, *joined, column_names, pretty, JoinForm::kAsWritten);
      if (text.ok()) return *text;
    }
  }
  if (!spelled_out.ok()) return std::nullopt;
  return *spelled_out;
}

}  // namespace indigo::sql
