#include "engine/replication/row_filter.h"

#include <algorithm>

#include "engine/exec/builder.h"
#include "engine/session/statement_scope.h"
#include "sql/analyze/analyzer.h"
#include "sql/analyze/make.h"
#include "sql/plan/change/table_rules.h"
#include "types/oids.h"

namespace indigo::engine::replication {

namespace {

bool is_as_then(const catalog::RelationInfo& now, const catalog::RelationInfo& then, size_t column) {
  if (column >= now.columns.size() || column >= then.columns.size() || then.columns[column].dropped) return false;
  return now.columns[column].type.oid == then.columns[column].type.oid &&
         now.layout.phys(column) == then.layout.phys(column);
}

bool asks_only_for_columns_as_then(const sql::ExprPtr& e, const catalog::RelationInfo& now,
                                   const catalog::RelationInfo& then) {
  if (const auto* column = sql::try_as<sql::ColumnExpr>(e))
    return is_as_then(now, then, static_cast<size_t>(column->column));
  bool out = true;
  sql::for_each_child(
      *e, [&](const sql::ExprPtr& child) { out = out && (!child || asks_only_for_columns_as_then(child, now, then)); });
  return out;
}

}  // namespace

RowFilter::RowFilter(SessionParts& session) : session_(session), state_(std::make_shared<sql::PlannedStatement>()) {}

Result<std::unique_ptr<RowFilter>> RowFilter::make(SessionParts& session, const catalog::RelationInfo& then,
                                                   const std::vector<std::string>& conditions) {
  const auto now = session.session_catalog().relation(then.oid);
  if (now == nullptr) return std::unique_ptr<RowFilter>();
  std::unique_ptr<RowFilter> out(new RowFilter(session));
  out->state_.begin(session.scope().execution_context(session.scope().current_view(), {}));
  sql::ExprList any;
  for (const std::string& condition : conditions) {
    INDIGO_ASSIGN(const sql::ExprPtr analyzed, sql::analyze_expression(session.context(), condition, now,
                                                                       types::TypeRef{oid::kBool, -1, kInvalidOid}));
    any.push_back(sql::over_row(session.session_catalog(), analyzed, *now));
  }
  const sql::ExprPtr all = sql::make_or(std::move(any));
  if (!asks_only_for_columns_as_then(all, *now, then)) return std::unique_ptr<RowFilter>();
  exec::Builder builder(out->state_);
  INDIGO_ASSIGN(out->condition_, builder.compile_condition(all));
  out->row_.columns.resize(std::max(now->columns.size(), then.columns.size()));
  out->row_.selection = {nullptr, 1};
  return out;
}

Result<bool> RowFilter::holds(std::span<const Datum> values) {
  state_.begin(session_.scope().execution_context(session_.scope().current_view(), {}));
  for (size_t c = 0; c < std::min(values.size(), row_.columns.size()); c++) row_.columns[c].set_constant(values[c]);
  const uint16_t first = 0;
  std::unique_ptr<Error> error;
  const exec::Frame frame{{nullptr, &row_}, 1};
  const bool held = condition_.filter(frame, {&first, 1}, error).count == 1;
  if (error != nullptr) return std::move(*error);
  return held;
}

}  // namespace indigo::engine::replication
