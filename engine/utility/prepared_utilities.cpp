// PREPARE, EXECUTE, DEALLOCATE.
#include <algorithm>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>

#include "base/sqlstate.h"
#include "engine/session/current_message.h"
#include "engine/session/portal/portals.h"
#include "engine/session/portal/preparation.h"
#include "engine/session/portal/prepared_statements.h"
#include "engine/session/session_parts.h"
#include "engine/session/statement_counter.h"
#include "engine/session/statement_runner.h"
#include "engine/settings/applied_settings.h"
#include "engine/statement/result_shape.h"
#include "engine/statement/text_tokens.h"
#include "engine/utility/execute_parameters.h"
#include "engine/utility/families.h"
#include "sql/analyze/analyzer.h"
#include "sql/parse/node.h"
#include "sql/parse/parse_tree.h"
#include "sql/parse/parser.h"
#include "sql/parse/text_position.h"

namespace indigo::engine {

namespace {

// Where the query of a PREPARE begins, in its text: behind AS, which none of its other words can be.
size_t begin_of_query(const ParsedStatement& prepare) {
  const std::string_view text = prepare.text();
  const auto is_space = [](char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); };
  for (auto at = static_cast<size_t>(prepare.location); at < text.size();) {
    const Token token = next_token(text, at);
    const std::string_view word = text.substr(at, token.end - at);
    at = token.end;
    if (token.kind != Token::Kind::kWord || !absl::EqualsIgnoreCase({word.data(), word.size()}, "as")) continue;
    while (at < text.size() && is_space(text[at])) at++;
    return at;
  }
  return text.size();
}

// The query alone, without the name and the other statements that its text has: whoever prepares it has the same text.
std::string_view text_of_query(const ParsedStatement& prepare, size_t begin) {
  const std::string_view whole = prepare.text();
  const size_t end =
      prepare.length > 0 ? static_cast<size_t>(prepare.location) + static_cast<size_t>(prepare.length) : whole.size();
  std::string_view text = whole.substr(begin, std::max(begin, end) - begin);
  while (!text.empty() && (absl::ascii_isspace(static_cast<unsigned char>(text.back())) || text.back() == ';')) {
    text.remove_suffix(1);
  }
  return text;
}

Result<PreparedPtr> prepare_named(const UtilityCall& call, std::span<const Oid> types) {
  const ParsedStatement& prepare = call.statement;
  const PgQuery__Node* const query = prepare.node->prepare_stmt->query;
  SessionParts& session = call.session;
  Preparation& preparation = session.preparation();
  const size_t begin = begin_of_query(prepare);
  const std::string_view text = text_of_query(prepare, begin);
  const int behind = sql::character_position(prepare.text(), static_cast<int>(begin)) - 1;
  const auto shared_with = [&](std::string_view of) -> Preparation::SharedStatement {
    return {.text = of, .whole_text = true, .parameter_types = types, .variable_parameters = true};
  };
  if (PreparedPtr found = preparation.find_shared(shared_with(text))) return behind_text(std::move(found), behind);
  auto parsed = std::make_shared<ParsedStatement>(prepare);
  parsed->variables = nullptr;  // it outlives the program that prepares it
  const auto tree = sql::parse(text, session.applied_settings().strings);
  const bool alone =
      tree.ok() && (*tree)->statements().size() == 1 && (*tree)->statements()[0].node->node_case == query->node_case;
  if (!alone) {
    parsed->node = query;
    return preparation.prepare_shared(parsed, types, true);
  }
  const auto& statement = (*tree)->statements()[0];
  *parsed = {*tree, statement.node, share_text(text), statement.location, statement.length};
  auto prepared = preparation.prepare(parsed, types, true, {}, {});
  if (!prepared.ok()) return behind_text(std::move(*prepared.take_error()), behind);
  return behind_text(preparation.share(shared_with(parsed->text()), *prepared), behind);
}

Status run_prepare(UtilityCall& call) {
  const auto& stmt = *call.node->prepare_stmt;
  auto& session = call.session;
  INDIGO_TRY(check_room_to_keep());
  NamedStatement statement;
  for (size_t i = 0; i < stmt.n_argtypes; i++) {
    INDIGO_ASSIGN(types::TypeRef type,
                  sql::analyze_type_name(session.context(), stmt.argtypes[i]->type_name, call.statement.text()));
    statement.parameter_types.push_back(type.oid);
  }
  INDIGO_ASSIGN(statement.prepared, prepare_named(call, statement.parameter_types));
  statement.parsed = statement.prepared->parsed;
  statement.source_text = call.statement.whole_text;
  const bool select_into = statement.parsed->node->node_case == PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT;
  if (statement.prepared->is_utility() && !select_into) {
    return Error(sqlstate::kFeatureNotSupported, "utility statements cannot be prepared");
  }
  // What is wrong with the statement comes first, though it has no name to be kept under.
  if (session.statements().contains(stmt.name)) {
    return Error(sqlstate::kDuplicatePreparedStatement,
                 "prepared statement \"" + std::string(stmt.name) + "\" already exists");
  }
  // As in PostgreSQL the block has the statement's tables locked from now on.
  if (session.block().in_block() && !select_into) INDIGO_TRY(session.runner().lock_named(*statement.prepared));
  statement.from_sql = true;
  statement.prepare_time = session.message().timestamp();
  session.statements().add(stmt.name, std::move(statement));
  return {};
}

Result<std::shared_ptr<const ResultShape>> describe_execute(SessionParts& session, const ParsedStatement& statement) {
  NamedStatement* const named = session.statements().find(statement.node->execute_stmt->name);
  if (named == nullptr || named->prepared == nullptr) return std::shared_ptr<const ResultShape>();
  INDIGO_TRY(session.begin_statement());
  // Where that fails it tells the columns as they were, and EXECUTE the error: behind those of its parameters.
  (void)session.preparation().refresh(named->prepared);
  return session.runner().shape_of(*named->prepared, {});
}

Status run_execute(UtilityCall& call) {
  const auto& stmt = *call.node->execute_stmt;
  auto& session = call.session;
  INDIGO_ASSIGN(NamedStatement * found, find_prepared(session, stmt.name));
  NamedStatement& named = *found;
  if (named.prepared == nullptr) return {};
  INDIGO_ASSIGN(auto values, execute_parameters(call, stmt, named));
  Portal portal;
  portal.source_text = named.source_text;
  session.portals().unused_name();  // PostgreSQL gives it one
  for (const OwnedDatum& v : values) portal.parameters.push_back(v.get());
  INDIGO_ASSIGN(portal.prepared, session.preparation().for_values(named.prepared, portal.parameters, named.plans));
  if (call.shape != nullptr && !portal.prepared->is_utility() &&
      !same_types(call.shape, portal.prepared->text_shape.get()))
    return result_type_changed();  // another statement has this name since the client has been told of the columns
  if (call.shape != nullptr) portal.shape = std::shared_ptr<const ResultShape>(std::shared_ptr<void>(), call.shape);
  StatementCounter::Run count(session.statement_counter(), portal.prepared, &portal.source_text);
  Status status = portal.prepared->is_utility() ? session.runner().run_utility(portal, call.sink)
                                                : session.runner().run_plan(portal, 0, call.sink);
  if (!status.ok()) session.portals().abandon(portal);
  if (status.ok()) count.ended(portal.tag);
  call.tag = portal.tag;
  return status;
}

Status run_deallocate(UtilityCall& call) {
  const char* name = call.node->deallocate_stmt->name;
  auto& statements = call.session.statements();
  if (name == nullptr || *name == '\0') {
    statements.clear();
    return {};
  }
  INDIGO_TRY(find_prepared(call.session, name));
  statements.erase(name);
  return {};
}

std::string deallocate_name(const PgQuery__Node& n) {
  return sql::has_text(n.deallocate_stmt->name) ? "DEALLOCATE" : "DEALLOCATE ALL";
}

constexpr UtilityStatement kPreparedStatements[] = {
    {.node = PG_QUERY__NODE__NODE_PREPARE_STMT,
     .name = "PREPARE",
     .run = run_prepare,
     .refused_when_restricted = "PREPARE"},
    {.node = PG_QUERY__NODE__NODE_EXECUTE_STMT, .name = "EXECUTE", .run = run_execute, .describe = describe_execute},
    {.node = PG_QUERY__NODE__NODE_DEALLOCATE_STMT,
     .name = "DEALLOCATE",
     .full_name = deallocate_name,
     .run = run_deallocate,
     .needs_transaction = false,
     .refused_when_restricted = "DEALLOCATE"},
};

}  // namespace

std::span<const UtilityStatement> prepared_utilities() { return kPreparedStatements; }

}  // namespace indigo::engine
