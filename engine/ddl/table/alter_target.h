// Which actions of ALTER TABLE (INDEX, VIEW, ...) fit which kinds of relations. Thread safety: pure.
#pragma once

#include "engine/ddl/object_lookup.h"
#include "sql/parse/parse_tree.h"

namespace indigo::engine::ddl {

// 42809 "ALTER action ADD COLUMN cannot be performed on relation "v"".
Status check_alter_target(const RelationInfo& relation, PgQuery__AlterTableType action);
// 42809 for a composite type, which ALTER TYPE alters.
Status check_not_type(const RelationInfo& relation);

}  // namespace indigo::engine::ddl
