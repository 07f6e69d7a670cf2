// ALTER TABLE ... ATTACH PARTITION and INHERIT.
#pragma once

#include "engine/ddl/drop/dependency.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status attach_partition(DdlContext& c, const RelationPtr& parent, const PgQuery__PartitionCmd& cmd);
Status add_inheritance(DdlContext& c, const RelationPtr& child, const PgQuery__RangeVar* parent);

}  // namespace indigo::engine::ddl
