#include "engine/replication/row_filter.h"

#include "engine/exec/builder.h"
#include "engine/session/statement_scope.h"
#include "sql/analyze/analyzer.h"
#include "sql/analyze/make.h"
#include "sql/plan/change/table_rules.h"
#include "types/oids.h"

namespace indigo::engine::replication {

RowFilter::RowFilter(SessionParts& session) : session_(session), state_(std::make_shared<sql::PlannedStatement>()) {}

Result<std::unique_ptr<RowFilter>> RowFilter::make(SessionParts& session,
                                                   const std::shared_ptr<const catalog::RelationInfo>& relation,
                                                   const std::vector<std::string>& conditions) {
  std::unique_ptr<RowFilter> out(new RowFilter(session));
  out->state_.begin(session.scope().execution_context(session.scope().current_view(), {}));
  sql::ExprList any;
  for (const std::string& condition : conditions) {
    INDIGO_ASSIGN(const sql::ExprPtr analyzed, sql::analyze_expression(session.context(), condition, relation,
                                                                       types::TypeRef{oid::kBool, -1, kInvalidOid}));
    any.push_back(sql::over_row(session.session_catalog(), analyzed, *relation));
  }
  exec::Builder builder(out->state_);
  INDIGO_ASSIGN(out->condition_, builder.compile_condition(sql::make_or(std::move(any))));
  out->row_.columns.resize(relation->columns.size());
  out->row_.selection = {nullptr, 1};
  return out;
}

Result<bool> RowFilter::holds(std::span<const Datum> values) {
  state_.begin(session_.scope().execution_context(session_.scope().current_view(), {}));
  for (size_t c = 0; c < values.size(); c++) row_.columns[c].set_constant(values[c]);
  const uint16_t first = 0;
  std::unique_ptr<Error> error;
  const exec::Frame frame{{nullptr, &row_}, 1};
  const bool held = condition_.filter(frame, {&first, 1}, error).count == 1;
  if (error != nullptr) return std::move(*error);
  return held;
}

}  // namespace indigo::engine::replication
