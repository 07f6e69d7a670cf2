// Partitions between the two transactions of ALTER TABLE ... DETACH PARTITION ... CONCURRENTLY (engine/ddl/partition/detach.h):
// who has an older snapshot goes on with them, all others have a table without them.
// Thread safety: as the view.
#pragma once

#include <memory>
#include <span>

#include "catalog/descriptor/catalog_view.h"

namespace indigo::catalog {

// The partitioned table with these of its RelationInfo::detaching among its children.
std::shared_ptr<const RelationInfo> with_partitions(CatalogView& catalog, const RelationInfo& relation,
                                                    std::span<const Oid> detaching);
// With all of them that are not there already: rows of such a partition still keep its bound, and no new bound overlaps it.
std::shared_ptr<const RelationInfo> with_detaching(CatalogView& catalog,
                                                   const std::shared_ptr<const RelationInfo>& relation);

}  // namespace indigo::catalog
