// Unique indexes by whose whole keys rows are looked up many at once, instead of by a cursor over each key.
#pragma once

#include <memory>

#include "catalog/descriptor/relation_info.h"
#include "engine/exec/query_state.h"
#include "storage/unique_lookup.h"

namespace indigo::engine::exec {

// Has each key at most one visible row, which storage::UniqueLookup finds?
bool finds_one_row(const catalog::RelationInfo& relation, const catalog::IndexInfo& index);
// Of such an index. 40001 when it is younger than the statement's snapshot.
Result<std::unique_ptr<storage::UniqueLookup>> make_unique_lookup(QueryState& state,
                                                                  const catalog::RelationInfo& relation,
                                                                  const catalog::IndexInfo& index);
// The same test for other scans of an index.
Status check_index_usable(QueryState& state, const catalog::RelationInfo& relation, IndexId index);

}  // namespace indigo::engine::exec
