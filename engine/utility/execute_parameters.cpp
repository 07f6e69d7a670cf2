#include "engine/utility/execute_parameters.h"

#include "base/sqlstate.h"
#include "engine/session/evaluate.h"
#include "sql/analyze/analyzer.h"
#include "sql/parse/text_position.h"

namespace indigo::engine {

namespace {

const sql::Expr* find_sublink(const sql::ExprPtr& e) {
  if (e->kind == sql::ExprKind::kSubLink) return e.get();
  const sql::Expr* found = nullptr;
  sql::for_each_child(*e, [&](const sql::ExprPtr& c) { found = found != nullptr ? found : find_sublink(c); });
  return found;
}

}  // namespace

Result<NamedStatement*> find_prepared(SessionImpl& session, std::string_view name) {
  auto at = session.statements().find(name);
  if (at != session.statements().end()) return &at->second;
  return Error(sqlstate::kInvalidSqlStatementName, "prepared statement \"" + std::string(name) + "\" does not exist");
}

Result<std::vector<OwnedDatum>> execute_parameters(UtilityCall& call, const PgQuery__ExecuteStmt& stmt,
                                                   NamedStatement& named) {
  auto& session = call.session;
  INDIGO_TRY(session.refresh(named.prepared));
  const auto& types = named.prepared->parameter_types;
  if (types.size() != stmt.n_params) {
    return Error(sqlstate::kSyntaxError,
                 "wrong number of parameters for prepared statement \"" + std::string(stmt.name) + "\"")
        .with_detail("Expected " + std::to_string(types.size()) + " parameters but got " +
                     std::to_string(stmt.n_params) + ".");
  }
  sql::ExprList expressions;
  for (size_t i = 0; i < stmt.n_params; i++) {
    INDIGO_ASSIGN(sql::ExprPtr e,
                  sql::analyze_expression(session, stmt.params[i], call.statement.text, nullptr, types[i]));
    if (const sql::Expr* link = find_sublink(e)) {
      Error error(sqlstate::kFeatureNotSupported, "cannot use subquery in EXECUTE parameter");
      if (link->location >= 0) error.position = sql::character_position(call.statement.text, link->location);
      return error;
    }
    expressions.push_back(std::move(e));
  }
  return evaluate(session, expressions, call.parameters);
}

}  // namespace indigo::engine
