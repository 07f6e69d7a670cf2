// WHEN of a trigger: an expression over two rows of the trigger's relation, OLD (entry 0) and NEW (entry 1).
// Thread safety: one analysis belongs to one session.
#pragma once

#include <memory>
#include <string_view>

#include "base/error.h"
#include "catalog/descriptor/session_context.h"
#include "sql/expr.h"
#include "sql/parse/tree_names.h"

namespace indigo::sql {

inline constexpr int kOldEntry = 0, kNewEntry = 1;

// As it is written, a boolean. Calls of functions in language SQL stay calls: it is kept, not run.
Result<ExprPtr> analyze_trigger_condition(catalog::SessionContext& session, const PgQuery__Node* node,
                                          std::string_view text,
                                          const std::shared_ptr<const catalog::RelationInfo>& relation);
// What is kept, to be run or (`print`) to be printed or copied.
Result<ExprPtr> load_trigger_condition(catalog::SessionContext& session, std::string_view tree,
                                       const catalog::RelationInfo& relation, bool print);
// The same with OLD's columns as input 0 and NEW's as input 1. System columns lie behind the relation's own, in this order.
inline constexpr SystemColumn kConditionSystemColumns[] = {kCtidColumn, kXminColumn, kCminColumn,
                                                           kXmaxColumn, kCmaxColumn, kTableOidColumn};
bool reads_system_columns(const ExprPtr& condition);
ExprPtr over_old_and_new(const ExprPtr& condition, const catalog::RelationInfo& relation);
// As SQL text: old.a, new.a.
std::string print_trigger_condition(catalog::SessionContext& session, std::string_view tree,
                                    const catalog::RelationInfo& relation, bool pretty);

}  // namespace indigo::sql
