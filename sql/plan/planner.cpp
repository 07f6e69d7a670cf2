// The steps of planning a statement, in order.
#include "sql/plan/planner.h"

#include <algorithm>

#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "catalog/descriptor/session_context.h"
#include "sql/partition/lock_pruning.h"
#include "sql/plan/change/cursor_rows.h"
#include "sql/plan/change/recheck.h"
#include "sql/plan/condition/distinct_values.h"
#include "sql/plan/finish/finish.h"
#include "sql/plan/level.h"
#include "sql/plan/path/base_relations.h"
#include "sql/plan/path/path_choice.h"
#include "sql/plan/rewrite/null_rows.h"
#include "sql/statement_kind.h"

namespace indigo::sql {
namespace planning {

Result<PlanPtr> plan_level(Level& level, std::shared_ptr<const Query> query) {
  INDIGO_TRY(check_stack_depth());
  INDIGO_TRY(resolve_ctes(level, query));
  query = with_null_rows(query);
  load(level, std::move(query));
  move_having(level);
  INDIGO_TRY(keep_recheck(level));
  INDIGO_TRY(pull_up(level));
  INDIGO_TRY(prepare(level));
  if (!level.work.set_operation) {
    if (!level.from->children.empty() || !level.from->conditions.empty()) {
      INDIGO_TRY(number_relations(level));
      reduce_outer_joins(level);
      INDIGO_TRY(distribute_conditions(level));
    }
    const double limit = limit_rows(level);
    if (limit > 0) level.tuple_fraction = level.tuple_fraction > 0 ? std::min(level.tuple_fraction, limit) : limit;
    level.startup_matters = level.tuple_fraction > 0 || level.work.limit || level.rels.size() == 1;
    note_wanted_orders(level);
    INDIGO_TRY(make_base_relations(level));
    INDIGO_TRY(search_joins(level));
  }
  if (level.work.command == CommandKind::kSelect) return finish_select(level);
  return finish_change(level);
}

Result<PlanPtr> plan_query(Statement& s, Level* parent, std::shared_ptr<const Query> query, double tuple_fraction) {
  Level level(s, parent);
  level.tuple_fraction = tuple_fraction;
  INDIGO_ASSIGN(PlanPtr plan, plan_level(level, std::move(query)));
  if (!level.work.set_operation) {
    ExprList outputs;
    for (const TargetEntry& t : level.work.targets) {
      if (!t.hidden) outputs.push_back(t.expr);
    }
    note_distinct_outputs(level, plan, outputs);
  }
  return plan;
}

}  // namespace planning

Result<std::shared_ptr<const PlannedStatement>> plan(catalog::SessionContext& session, const PlanInput& input) {
  planning::Statement s(session, input.sample_parameters);
  if (input.switches != nullptr) s.settings = *input.switches;
  PlannedStatement& out = *s.out;
  const Query& query = *input.statement.query;
  out.command = statement_kind(query);
  out.catalog_version = session.catalog().version();
  out.parameter_types = input.statement.parameter_types;
  out.parameter_types.insert(out.parameter_types.end(), input.statement.lifted_types.begin(),
                             input.statement.lifted_types.end());
  const auto& rows = query.command == CommandKind::kSelect ? query.targets : query.returning;
  out.targets.reserve(rows.size());
  for (const TargetEntry& t : rows) {
    if (!t.hidden) out.targets.push_back(t);
  }
  std::shared_ptr<const Query> root = input.statement.query;
  if (input.for_cursor) root = planning::with_row_keys(root, out);
  planning::Level level(s, nullptr);
  INDIGO_ASSIGN(out.root, planning::plan_level(level, std::move(root)));
  if (input.switches != nullptr) *input.switches = s.settings;
  if (input.for_cursor) planning::check_cursor_tables(out);
  for (TargetEntry& t : out.targets) t.expr = nullptr;
  out.always_locked = out.relations.size();
  if (s.prunes) partition::find_lock_prunings(out);
  return std::shared_ptr<const PlannedStatement>(std::move(s.out));
}

}  // namespace indigo::sql
