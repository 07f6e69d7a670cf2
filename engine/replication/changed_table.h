// A table as it was when a change to it was made, with everything that output plugins ask of it: the catalog may have another one
// of its number by the time of reading, with other columns of other types, or none.
//
// Invariant: the identity that a RowChange has is one of these, so what has a change has the whole.
// Thread safety: immutable once made; shared by pointer.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "catalog/descriptor/catalog_view.h"
#include "catalog/descriptor/relation_info.h"
#include "engine/replication/replica_identity.h"
#include "engine/replication/row_change.h"
#include "engine/replication/types_then.h"

namespace indigo::engine::replication {

struct TableThen {
  std::shared_ptr<const catalog::RelationInfo> relation;
  std::shared_ptr<const ReplicaIdentity> identity;
};

struct ChangedTable : ReplicaIdentity {
  std::vector<TableThen> above;  // the partitioned tables that it is a part of, the nearest first
  TypesThen types;               // of the columns of all of these
  uint64_t version = 0;          // of the catalog that it was looked up in
};

std::shared_ptr<const ChangedTable> changed_table(catalog::CatalogView& catalog,
                                                  const std::shared_ptr<const catalog::RelationInfo>& relation);
inline const ChangedTable& table_of(const ReplicaIdentity& identity) {
  return static_cast<const ChangedTable&>(identity);
}
inline const ChangedTable& table_of(const RowChange& change) { return table_of(*change.identity); }

}  // namespace indigo::engine::replication
