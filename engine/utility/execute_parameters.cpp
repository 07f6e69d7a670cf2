#include "engine/utility/execute_parameters.h"

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/exec/gone.h"
#include "engine/session/evaluate.h"
#include "engine/session/portal/preparation.h"
#include "engine/session/session_parts.h"
#include "sql/analyze/analyzer.h"
#include "sql/parse/parse_tree.h"
#include "sql/parse/text_position.h"

namespace indigo::engine {

namespace {

// What a parameter's expression must not have.
std::optional<Error> misplaced(const sql::ExprPtr& e, std::string_view text) {
  using sql::ExprKind;
  const auto refused = [&](const SqlState& state, const char* message) {
    Error error(state, message);
    if (e->location >= 0) error.position = sql::character_position(text, e->location);
    return error;
  };
  switch (e->kind) {
    case ExprKind::kSubLink: return refused(sqlstate::kFeatureNotSupported, "cannot use subquery in EXECUTE parameter");
    case ExprKind::kAggregate:
      return refused(sqlstate::kGroupingError, "aggregate functions are not allowed in EXECUTE parameters");
    case ExprKind::kWindowCall:
      return refused(sqlstate::kWindowingError, "window functions are not allowed in EXECUTE parameters");
    default: break;
  }
  if (const auto* call = sql::try_as<sql::CallExpr>(e); call != nullptr && call->returns_set) {
    return refused(sqlstate::kFeatureNotSupported, "set-returning functions are not allowed in EXECUTE parameters");
  }
  std::optional<Error> found;
  sql::for_each_child(*e, [&](const sql::ExprPtr& c) {
    if (!found) found = misplaced(c, text);
  });
  return found;
}

}  // namespace

Result<NamedStatement*> find_prepared(SessionParts& session, std::string_view name) {
  if (NamedStatement* found = session.statements().find(name)) return found;
  return Error(sqlstate::kInvalidSqlStatementName, "prepared statement \"" + std::string(name) + "\" does not exist");
}

Result<std::vector<OwnedDatum>> execute_parameters(UtilityCall& call, const PgQuery__ExecuteStmt& stmt,
                                                   NamedStatement& named) {
  auto& session = call.session;
  const auto& types = named.prepared->parameter_types;
  if (types.empty()) {  // what is given is not looked at
    INDIGO_TRY(session.preparation().refresh(named.prepared));
    return std::vector<OwnedDatum>();
  }
  if (types.size() != stmt.n_params) {
    return Error(sqlstate::kSyntaxError,
                 "wrong number of parameters for prepared statement \"" + std::string(stmt.name) + "\"")
        .with_detail("Expected " + std::to_string(types.size()) + " parameters but got " +
                     std::to_string(stmt.n_params) + ".");
  }
  for (const auto& type : types) {
    if (session.session_catalog().type(type.oid) == nullptr) return gone_parameter_type(type.oid);
  }
  sql::ExprList expressions;
  for (size_t i = 0; i < stmt.n_params; i++) {
    INDIGO_ASSIGN(sql::ExprPtr e,
                  sql::analyze_expression(session.context(), stmt.params[i], call.statement.text(), nullptr, types[i]));
    if (auto error = misplaced(e, call.statement.text())) return *std::move(error);
    expressions.push_back(std::move(e));
  }
  INDIGO_ASSIGN(auto values, evaluate(session, expressions, call.parameters));
  // Only now: what is wrong with the parameters comes before what has become of the statement's tables.
  INDIGO_TRY(session.preparation().refresh(named.prepared));
  return values;
}

}  // namespace indigo::engine
