#include "sql/plan/path/foreign_paths.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "catalog/descriptor/foreign_source.h"
#include "sql/analyze/make.h"
#include "sql/plan/condition/selectivity.h"
#include "sql/plan/path/build_path.h"
#include "sql/plan/path/cost.h"
#include "sql/plan/path/path_choice.h"
#include "sql/plan/path/remote_conditions.h"
#include "sql/plan/rewrite/unused_outputs.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

constexpr double kUnknownRows = 1000;
constexpr int kNoUpperColumn = 1 << 20;  // nothing asks for it

bool is_changed(const Level& level, const Rel& rel) {
  return rel.entry == level.work.target && level.work.command != CommandKind::kInsert;
}

// What the rows are read for; 0: nothing else.
char purpose_of(Level& level, const Rel& rel) {
  if (is_changed(level, rel)) {
    return level.work.command == CommandKind::kDelete   ? catalog::kForeignDelete
           : level.work.command == CommandKind::kUpdate ? catalog::kForeignUpdate
                                                        : catalog::kForeignMerge;
  }
  char out = '\0';
  for (const RowLock& lock : level.work.row_locks) {
    if (lock.entry != rel.entry) continue;
    const bool shared = lock.mode < storage::RowLockMode::kNoKeyUpdate;
    out = std::max(out, shared ? catalog::kForeignLockShare : catalog::kForeignLockUpdate);
  }
  return out;
}

bool is_remote(Level& level, const RelationInfo& relation) {
  const auto handler = level.s.catalog().function(relation.foreign->handler);
  return handler != nullptr && handler->source == "postgres_fdw_handler";
}

// Whether the query asks where the other server has the rows.
bool reads_places(Level& level, const Rel& rel) {
  if (!level.read_columns) level.read_columns = read_vars(level);
  const auto& all = level.read_columns->pairs();
  return std::any_of(all.begin(), all.end(),
                     [&](const auto& read) { return read.first == rel.entry && read.second == kCtidColumn; });
}

// Whose connection reads the rows: in a view and in a rule's action its owner's. What is changed is the session's (docs/sql.md).
Oid reader_of(Level& level, const Rel& rel) {
  return is_changed(level, rel) || purpose_of(level, rel) != '\0' ? kInvalidOid : level.entry(rel.entry).used_as;
}

// As catalog::kForeignRows has them.
std::string columns_read(Level& level, const Rel& rel) {
  const bool known =
      level.work.command == CommandKind::kSelect && level.work.row_locks.empty() &&
      std::none_of(level.entries.begin(), level.entries.end(), [](const Entry* e) { return e->lateral; });
  if (!known || is_changed(level, rel)) return "*";
  if (!level.read_columns) level.read_columns = read_vars(level);
  std::string out;
  for (const auto& [entry, column] : level.read_columns->pairs()) {
    if (entry != rel.entry || column < 0) continue;
    const int own = rel.table == nullptr ? column : rel.table->column_of[static_cast<size_t>(column)];
    out += " " + std::to_string(own);
  }
  return out;
}

ExprPtr rows_of(Level& level, const Rel& rel, const RelationInfo& relation, bool places) {
  auto call = std::make_shared<CallExpr>();
  call->function = catalog::kForeignRows;
  call->type = {is_changed(level, rel) || places ? oid::kRecord : relation.row_type, -1, kInvalidOid};
  call->returns_set = true;
  call->strict = false;
  call->volatility = types::Volatility::kVolatile;
  call->arguments.push_back(make_const({oid::kOid}, Datum::of_oid(relation.oid)));
  RemoteCondition condition = is_remote(level, relation) ? remote_condition(level, rel) : RemoteCondition();
  if (const char purpose = purpose_of(level, rel); purpose != '\0') condition.text.insert(0, 1, purpose);
  if (places) condition.text.insert(0, 1, catalog::kForeignPlaces);
  call->arguments.push_back(make_const({oid::kText, -1, oid::kDefaultCollation}, Datum::of(Str(condition.text))));
  call->arguments.push_back(make_const({oid::kOid}, Datum::of_oid(reader_of(level, rel))));
  const std::string columns = columns_read(level, rel);
  call->arguments.push_back(make_const({oid::kText, -1, oid::kDefaultCollation}, Datum::of(Str(columns))));
  call->arguments.insert(call->arguments.end(), condition.parameters.begin(), condition.parameters.end());
  return call;
}

}  // namespace

const RelationInfo* foreign_table_of(Level& level, const Rel& rel) {
  if (rel.entry < 0) return nullptr;
  const RelationInfo* relation =
      rel.table != nullptr ? rel.table->relation.get() : level.entry(rel.entry).relation.get();
  return relation != nullptr && relation->is_foreign() ? relation : nullptr;
}

Status foreign_paths(Level& level, Rel& rel) {
  const RelationInfo& relation = *foreign_table_of(level, rel);
  if (is_changed(level, rel) && !level.work.current_of.empty())
    return Error(sqlstate::kFeatureNotSupported, "WHERE CURRENT OF is not supported for this table type");
  auto plan = std::make_shared<FunctionScanPlan>();
  plan->alias = level.entry(rel.entry).alias;
  const bool changed = is_changed(level, rel);
  const bool places = is_remote(level, relation) && reads_places(level, rel);
  plan->functions.push_back({rows_of(level, rel, relation, places),
                             static_cast<int>(relation.columns.size()) + (places ? 1 : 0) + (changed ? 1 : 0)});
  rel.plan_columns.clear();
  for (const auto& column : relation.columns) {
    plan->columns.push_back({column.dropped ? std::string() : column.name, column.type});
    const int own = column.number - 1;
    const int upper = rel.table == nullptr ? own : rel.table->upper_of[static_cast<size_t>(own)];
    rel.plan_columns.push_back(upper >= 0 ? upper : kNoUpperColumn);
  }
  if (places) {
    plan->columns.push_back({"ctid", {oid::kTid, -1, kInvalidOid}});
    rel.plan_columns.push_back(kCtidColumn);
  }
  if (changed) {
    plan->columns.push_back({"ctid", {oid::kBytea, -1, kInvalidOid}});
    rel.plan_columns.push_back(kRowKeyColumn);
  }
  plan->rows = relation.reltuples > 0 ? relation.reltuples : kUnknownRows;
  plan->total_cost = plan->rows * kRowCost;
  rel.plan = plan;
  rel.tuples = plan->rows;
  rel.rows = std::max(1.0, rel.tuples * clauses_selectivity(level, rel.restrictions));
  Path* p = level.new_path(Path::Kind::kPrebuilt);
  p->rels = rel.set;
  p->rel = &rel;
  p->rows = rel.rows;
  p->total = plan->total_cost + rel.tuples * clauses_cost(level, rel.restrictions);
  add_path(level, rel, p);
  return {};
}

}  // namespace indigo::sql::planning
