#include "engine/session/evaluate.h"

#include "catalog/descriptor/session_catalog.h"
#include "engine/session/required_privileges.h"
#include "engine/session/session_parts.h"
#include "engine/session/statement_scope.h"
#include "storage/transaction.h"

namespace indigo::engine {

Result<std::vector<OwnedDatum>> evaluate(SessionParts& session, const sql::ExprList& expressions,
                                         std::span<const Datum> parameters) {
  INDIGO_TRY(check_functions(session.session_catalog(), expressions));
  auto root = std::make_shared<sql::ResultPlan>();
  auto plan = std::make_shared<sql::PlannedStatement>();
  for (const auto& e : expressions) {
    root->projection.push_back(e);
    root->columns.push_back({"", e->type});
    plan->targets.push_back({e, "", false, kInvalidOid, 0});
  }
  root->rows = 1;
  plan->root = std::move(root);
  const storage::ReadView view = session.transaction().view();
  const ActiveView active(session.scope().active_view(), view, plan.get());
  auto execution = Execution::create(plan);
  INDIGO_TRY(execution->open(session.scope().execution_context(view, parameters)));
  INDIGO_ASSIGN(const Chunk* chunk, execution->next(0));
  std::vector<OwnedDatum> values;
  if (chunk != nullptr && chunk->rows() > 0) {
    for (const Vector& column : chunk->columns) values.emplace_back(column.datum(chunk->selection[0]));
  }
  execution->close();
  return values;
}

}  // namespace indigo::engine
