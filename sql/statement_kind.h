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

}  // namespace indigo::sql
