// ALTER TABLE over inheritance: what a command means for a table that inherits, and for those that inherit from it.
#pragma once

#include <functional>

#include "engine/ddl/drop/dependency.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

// Runs one command on one table.
using AlterOne = std::function<Status(const RelationPtr& relation)>;

// Runs the command on the relation and, as the command wants it, on the tables below. `recurse`: not ALTER TABLE ONLY.
Status alter_with_children(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd, bool recurse,
                           const AlterOne& run);

}  // namespace indigo::engine::ddl
