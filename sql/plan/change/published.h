// What publications ask of tables whose rows are changed: that subscribers can tell the old row by its replica identity.
// Thread safety: one session.
#pragma once

#include "base/error.h"
#include "catalog/descriptor/session_context.h"

namespace indigo::sql::planning {

// 55000 for a table without a replica identity, when a publication has its updates (`update`) or deletes; 42P10 when a row
// filter or a list of columns does not go with the identity. Nothing for partitioned tables: their partitions are asked.
Status check_published(catalog::SessionContext& session, const catalog::RelationInfo& relation, bool update);

}  // namespace indigo::sql::planning
