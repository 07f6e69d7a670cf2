// TRUNCATE: new empty trees and indexes, transactional; with RESTART IDENTITY new counters.
#pragma once

#include "engine/ddl/drop/dependency.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status execute_truncate(DdlContext& c, const PgQuery__TruncateStmt& s);

}  // namespace indigo::engine::ddl
