// WHEN conditions as definitions keep them. Thread safety: as the DdlContext.
#pragma once

#include "catalog/descriptor/trigger_info.h"
#include "engine/ddl/expression.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

// 42P17 or 0A000 for rows and columns that a trigger of this type does not have.
Result<StoredExpression> store_trigger_condition(DdlContext& c, const PgQuery__Node* node, const RelationPtr& relation,
                                                 int16_t type);
// What `source` keeps, for a partition that has columns of these names.
Result<StoredExpression> copy_trigger_condition(DdlContext& c, std::string_view stored, const RelationInfo& source,
                                                const RelationPtr& relation);

// The row of pg_constraint that a constraint trigger has: its OID.
Result<Oid> insert_trigger_constraint(DdlContext& c, const RelationInfo& relation, const std::string& name,
                                      bool deferrable, bool deferred);

}  // namespace indigo::engine::ddl
