// FOR UPDATE and its relatives: LockRows over the row keys of the locked tables, with what must be read again and checked again
// when a row has changed.
#include <algorithm>

#include "base/sqlstate.h"
#include "sql/analyze/make.h"
#include "sql/plan/change/recheck.h"
#include "sql/plan/finish/finish.h"
#include "sql/plan/path/build_path.h"
#include "sql/plan/resolve.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

// A foreign table's rows are locked by who reads them (foreign_paths.cpp).
bool is_lockable(const Level& level, const RowLock& lock) {
  const Entry& entry = level.entry(lock.entry);
  return entry.kind == EntryKind::kTable && !entry.relation->is_foreign() &&
         level.rel_of[static_cast<size_t>(lock.entry)] >= 0;
}

const Rel& rel_of(Level& level, const RowLock& lock) {
  return level.base(level.rel_of[static_cast<size_t>(lock.entry)]);
}

// The tables that a locked one stands for.
Status add_leaves(Level& level, const RowLock& lock, Resolver& resolve, LockRowsPlan::Lock& out) {
  const Rel& rel = rel_of(level, lock);
  if (!rel.has_leaves) return {};
  INDIGO_ASSIGN(const ExprPtr table, resolve(make_var(lock.entry, kTableOidColumn, {oid::kOid, -1, kInvalidOid})));
  const LockRowsPlan::Lock of_all = out;
  for (const ScannedTable* leaf : rel.leaves) {
    level.s.depend(leaf->relation, storage::TableLockMode::kRowShare);
    LockRowsPlan::Lock of_leaf = of_all;
    of_leaf.relation = leaf->relation;
    for (auto& [input, column] : of_leaf.refresh) column = leaf->column_of[static_cast<size_t>(column)];
    out.tables.push_back(std::move(of_leaf));
  }
  out.table_column = as<ColumnExpr>(*table).column;
  return {};
}

}  // namespace

void need_row_locks(Level& level, VarSet& needed) {
  if (level.work.row_locks.empty()) return;
  for (const RowLock& lock : level.work.row_locks) {
    if (!is_lockable(level, lock)) continue;
    needed.add(lock.entry, kRowKeyColumn);
    if (rel_of(level, lock).has_leaves) needed.add(lock.entry, kTableOidColumn);
  }
  for (const ExprPtr& e : level.recheck) needed.add_vars(e);
}

Status add_row_locks(Level& level, Stage& stage) {
  if (level.work.row_locks.empty()) return {};
  auto plan = make_above<LockRowsPlan>(stage.built.plan);
  Resolver resolve(stage.built.layout);
  for (const RowLock& lock : level.work.row_locks) {
    if (!is_lockable(level, lock)) continue;
    const Entry& entry = level.entry(lock.entry);
    if (level.nullable.contains(RelSet::one(level.rel_of[static_cast<size_t>(lock.entry)]))) {
      static constexpr const char* kModes[] = {"FOR KEY SHARE", "FOR SHARE", "FOR NO KEY UPDATE", "FOR UPDATE"};
      return Error(sqlstate::kFeatureNotSupported, std::string(kModes[static_cast<int>(lock.mode)]) +
                                                       " cannot be applied to the nullable side of an outer join");
    }
    level.s.depend(entry.relation, storage::TableLockMode::kRowShare);
    level.s.out->read_only = false;
    LockRowsPlan::Lock out;
    out.relation = entry.relation;
    out.mode = lock.mode;
    out.wait = lock.wait;
    INDIGO_ASSIGN(ExprPtr key, resolve(make_var(lock.entry, kRowKeyColumn, {oid::kBytea, -1, kInvalidOid})));
    out.key_column = as<ColumnExpr>(*key).column;
    out.refresh = refreshed_columns(stage.built.layout, lock.entry);
    INDIGO_TRY(add_leaves(level, lock, resolve, out));
    plan->locks.push_back(std::move(out));
  }
  INDIGO_ASSIGN(plan->recheck, resolve_all(resolve, level.recheck));
  if (plan->locks.empty()) return {};
  stage.built.plan = plan;
  return {};
}

}  // namespace indigo::sql::planning
