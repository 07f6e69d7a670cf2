// What kind of statement a query is to its client: an UPDATE of a view with INSTEAD OF triggers inserts nothing.
// Thread safety: pure function.
#pragma once

#include "catalog/descriptor/trigger_info.h"
#include "sql/query.h"

namespace indigo::sql {

inline CommandKind statement_kind(const Query& query) {
  return query.instead_event == catalog::kTriggerUpdate   ? CommandKind::kUpdate
         : query.instead_event == catalog::kTriggerDelete ? CommandKind::kDelete
                                                          : query.command;
}

// NOTIFY in a rule, kept as a call of pg_notify() that shows no column (sql/rule/rule_tree.h).
inline bool is_notify(const Query& query) {
  return query.command == CommandKind::kSelect && query.from == nullptr && query.order_by.empty() &&
         query.targets.size() == 1 && query.targets[0].hidden && query.targets[0].expr->kind == ExprKind::kCall;
}

}  // namespace indigo::sql
