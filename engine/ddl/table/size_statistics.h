// pg_class.relpages and reltuples: how large a relation was when somebody last looked.
#pragma once

#include "engine/ddl/object_lookup.h"

namespace indigo::engine::ddl {

// PostgreSQL's pages: 8 KB of what pg_relation_size says, rounded up.
constexpr int32_t pages_of(uint64_t bytes) {
  constexpr uint64_t kPageBytes = 8192;
  const uint64_t pages = (bytes + kPageBytes - 1) / kPageBytes;
  return pages > INT32_MAX ? INT32_MAX : static_cast<int32_t>(pages);
}

// Of a table with `rows` rows and its indexes as they are now; with `index`: of that index alone.
Status update_size_statistics(DdlContext& c, const RelationPtr& relation, float rows, Oid index = kInvalidOid);
// A partitioned table, which has no pages of its own.
Status set_partitioned_size(DdlContext& c, const RelationPtr& relation, float rows);
// A foreign table, whose rows take so many bytes where they are.
Status set_foreign_size(DdlContext& c, const RelationPtr& relation, float rows, uint64_t bytes);
// Nothing is known of a table that was made empty, and of its indexes.
Status reset_size_statistics(DdlContext& c, const RelationPtr& relation);

}  // namespace indigo::engine::ddl
