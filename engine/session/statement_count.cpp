#include "engine/session/statement_count.h"

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>
#include <absl/strings/strip.h>

#include "catalog/descriptor/session_catalog.h"
#include "engine/instance_impl.h"
#include "engine/session/session_parts.h"
#include "engine/session/statement_statistics.h"
#include "engine/settings/applied_settings.h"
#include "sql/parse/fingerprint.h"
#include "sql/parse/parse_tree.h"

namespace indigo::engine {

namespace {

// What PostgreSQL leaves to the statements that these name.
bool is_only_named(const PgQuery__Node* node) {
  return node == nullptr || node->node_case == PG_QUERY__NODE__NODE_PREPARE_STMT ||
         node->node_case == PG_QUERY__NODE__NODE_EXECUTE_STMT ||
         node->node_case == PG_QUERY__NODE__NODE_DEALLOCATE_STMT;
}

std::string_view own_text(const ParsedStatement& parsed) {
  const std::string_view whole = parsed.text();
  const auto begin = static_cast<size_t>(parsed.location);
  const std::string_view part =
      parsed.length > 0 ? whole.substr(begin, static_cast<size_t>(parsed.length)) : whole.substr(begin);
  absl::string_view text = absl::StripAsciiWhitespace({part.data(), part.size()});
  while (absl::ConsumeSuffix(&text, ";")) text = absl::StripTrailingAsciiWhitespace(text);
  return {text.data(), text.size()};
}

// "INSERT 0 5"
int64_t rows_of(std::string_view tag) {
  const size_t space = tag.rfind(' ');
  int64_t rows = 0;
  if (space == std::string_view::npos) return 0;
  const std::string_view number = tag.substr(space + 1);
  return absl::SimpleAtoi(absl::string_view(number.data(), number.size()), &rows) ? rows : 0;
}

}  // namespace

StatementCount::StatementCount(SessionParts& parts, const PreparedPtr& statement) : parts_(parts) {
  if (!parts.applied_settings().counts_statements || is_only_named(statement->parsed->node)) return;
  statement_ = statement;
  since_ = std::chrono::steady_clock::now();
}

void StatementCount::ended(std::string_view tag) {
  if (statement_ == nullptr) return;
  const auto time = std::chrono::steady_clock::now() - since_;
  if (statement_->fingerprint == nullptr)
    statement_->fingerprint = std::make_shared<const sql::Fingerprint>(sql::fingerprint(own_text(*statement_->parsed)));
  const sql::Fingerprint& print = *statement_->fingerprint;
  const StatementStatistics::Key key{parts_.user(), parts_.session_catalog().database(),
                                     static_cast<int64_t>(print.number)};
  parts_.instance().statement_statistics().count(key, print.text, time, rows_of(tag));
}

}  // namespace indigo::engine
