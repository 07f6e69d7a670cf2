// Which columns tell an old row from others, and so are told of it (ALTER TABLE ... REPLICA IDENTITY).
// Thread safety: plain data; the function as the catalog's view.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "catalog/descriptor/catalog_view.h"
#include "catalog/descriptor/relation_info.h"

namespace indigo::engine::replication {

struct ReplicaIdentity {
  char kind = 'd';               // pg_class.relreplident
  std::vector<int16_t> columns;  // attnums; of kind 'f' all; empty: old rows are not told

  bool has(int16_t column) const;
  bool none() const { return columns.empty(); }
};

std::shared_ptr<const ReplicaIdentity> replica_identity(catalog::CatalogView& catalog,
                                                        const catalog::RelationInfo& relation);

}  // namespace indigo::engine::replication
