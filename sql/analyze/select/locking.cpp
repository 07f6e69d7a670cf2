// FOR UPDATE, FOR NO KEY UPDATE, FOR SHARE, FOR KEY SHARE; NOWAIT and SKIP LOCKED.
#include "sql/analyze/select/select.h"
#include "sql/parse/node.h"

namespace indigo::sql {
namespace {

using storage::LockWait;
using storage::RowLockMode;

struct Strength {
  PgQuery__LockClauseStrength strength;
  RowLockMode mode;
  const char* name;
};
constexpr Strength kStrengths[] = {
    {PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORKEYSHARE, RowLockMode::kKeyShare, "FOR KEY SHARE"},
    {PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORSHARE, RowLockMode::kShare, "FOR SHARE"},
    {PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORNOKEYUPDATE, RowLockMode::kNoKeyUpdate, "FOR NO KEY UPDATE"},
    {PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORUPDATE, RowLockMode::kUpdate, "FOR UPDATE"},
};

struct Lock {
  RowLockMode mode = RowLockMode::kUpdate;
  LockWait wait = LockWait::kWait;
  const char* name = "FOR UPDATE";
};

Lock lock_of(const PgQuery__LockingClause& clause) {
  Lock out;
  for (const Strength& s : kStrengths) {
    if (s.strength == clause.strength) {
      out.mode = s.mode;
      out.name = s.name;
    }
  }
  if (clause.wait_policy == PG_QUERY__LOCK_WAIT_POLICY__LockWaitSkip) out.wait = LockWait::kSkip;
  if (clause.wait_policy == PG_QUERY__LOCK_WAIT_POLICY__LockWaitError) out.wait = LockWait::kNoWait;
  return out;
}

Status check_lockable(const Scope& scope, const Query& q, const Lock& lock) {
  const char* with = q.set_operation                                   ? "is not allowed with UNION/INTERSECT/EXCEPT"
                     : q.distinct || !q.distinct_on.empty()            ? "is not allowed with DISTINCT clause"
                     : !q.group_by.empty() || !q.grouping_sets.empty() ? "is not allowed with GROUP BY clause"
                     : q.having                                        ? "is not allowed with HAVING clause"
                     : q.has_aggregates                                ? "is not allowed with aggregate functions"
                     : q.has_windows                                   ? "is not allowed with window functions"
                     : q.has_set_functions ? "is not allowed with set-returning functions in the target list"
                                           : nullptr;
  if (with == nullptr) return {};
  return scope.error(sqlstate::kFeatureNotSupported, std::string(lock.name) + " " + with);
}

// The stronger of two locks on one entry wins, and the stricter way to wait.
void add_lock(Query& q, int entry, const Lock& lock) {
  for (RowLock& existing : q.row_locks) {
    if (existing.entry != entry) continue;
    existing.mode = std::max(existing.mode, lock.mode);
    existing.wait = std::max(existing.wait, lock.wait);
    return;
  }
  q.row_locks.push_back({entry, lock.mode, lock.wait});
}

Status lock_entry(const Scope& scope, Query& q, int number, const Lock& lock);

// FOR UPDATE of a subquery locks everything that it reads.
Status lock_all(const Scope& scope, Query& q, const Lock& lock) {
  INDIGO_TRY(check_stack_depth());
  INDIGO_TRY(check_lockable(scope, q, lock));
  for (size_t i = 0; i < q.entries.size(); i++) {
    const EntryKind kind = q.entries[i].kind;
    if (kind != EntryKind::kTable && kind != EntryKind::kSubquery) continue;
    INDIGO_TRY(lock_entry(scope, q, static_cast<int>(i), lock));
  }
  return {};
}

Status lock_entry(const Scope& scope, Query& q, int number, const Lock& lock) {
  Entry& entry = q.entries[number];
  if (entry.kind == EntryKind::kTable) {
    if (entry.relation->kind == catalog::RelationKind::kSequence) {
      return scope.error(sqlstate::kWrongObjectType, "cannot lock rows in sequence \"" + entry.relation->name + "\"");
    }
    if (entry.relation->kind == catalog::RelationKind::kMaterializedView) {
      return scope.error(sqlstate::kWrongObjectType,
                         "cannot lock rows in materialized view \"" + entry.relation->name + "\"");
    }
    add_lock(q, number, lock);
    return {};
  }
  auto copy = std::make_shared<Query>(*entry.subquery);
  INDIGO_TRY(lock_all(scope, *copy, lock));
  entry.subquery = std::move(copy);
  return {};
}

Error cannot_lock(const Scope& scope, const Lock& lock, const char* what, int location) {
  return scope.error(sqlstate::kFeatureNotSupported, std::string(lock.name) + " cannot be applied to " + what,
                     location);
}

Status lock_named(Scope& scope, const PgQuery__RangeVar& name, const Lock& lock) {
  Query& q = *scope.query;
  if (has_text(name.schemaname) || has_text(name.catalogname)) {
    return scope.error(sqlstate::kSyntaxError, std::string(lock.name) + " must specify unqualified relation names",
                       name.location);
  }
  for (size_t i = 0; i < q.entries.size(); i++) {
    if (q.entries[i].alias != name.relname) continue;
    switch (q.entries[i].kind) {
      case EntryKind::kTable:
      case EntryKind::kSubquery: return lock_entry(scope, q, static_cast<int>(i), lock);
      case EntryKind::kFunction: return cannot_lock(scope, lock, "a function", name.location);
      case EntryKind::kValues: return cannot_lock(scope, lock, "VALUES", name.location);
      case EntryKind::kCte: return cannot_lock(scope, lock, "a WITH query", name.location);
      default: return cannot_lock(scope, lock, "a join", name.location);
    }
  }
  for (const NamespaceItem& item : scope.names)
    if (item.entry < 0 && item.name == name.relname) return cannot_lock(scope, lock, "a join", name.location);
  return scope.error(
      sqlstate::kUndefinedTable,
      "relation \"" + std::string(name.relname) + "\" in " + lock.name + " clause not found in FROM clause",
      name.location);
}

}  // namespace

const char* lock_name(PgQuery__LockClauseStrength strength) {
  for (const Strength& s : kStrengths) {
    if (s.strength == strength) return s.name;
  }
  return "FOR UPDATE";
}

Status transform_locking(Scope& scope, NodeList list) {
  for (const PgQuery__Node* n : list) {
    const PgQuery__LockingClause& clause = *n->locking_clause;
    const Lock lock = lock_of(clause);
    INDIGO_TRY(check_lockable(scope, *scope.query, lock));
    const NodeList names = nodes(clause.n_locked_rels, clause.locked_rels);
    if (names.empty()) {
      INDIGO_TRY(lock_all(scope, *scope.query, lock));
    }
    for (const PgQuery__Node* name : names) {
      INDIGO_TRY(lock_named(scope, *name->range_var, lock));
    }
  }
  return {};
}

}  // namespace indigo::sql
