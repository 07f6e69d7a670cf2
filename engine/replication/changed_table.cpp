#include "engine/replication/changed_table.h"

namespace indigo::engine::replication {

std::shared_ptr<const ChangedTable> changed_table(catalog::CatalogView& catalog,
                                                  const std::shared_ptr<const catalog::RelationInfo>& relation) {
  auto out = std::make_shared<ChangedTable>();
  out->version = catalog.version();
  static_cast<ReplicaIdentity&>(*out) = *replica_identity(catalog, *relation);
  const auto keep_types = [&](const catalog::RelationInfo& table) {
    for (const types::ColumnInfo& column : table.columns) {
      if (!column.dropped) out->types.keep(catalog, column.type.oid);
    }
  };
  keep_types(*relation);
  for (const catalog::RelationInfo* at = relation.get(); at->is_partition && !at->parents.empty();) {
    const auto parent = catalog.relation(at->parents[0]);
    if (parent == nullptr) break;
    keep_types(*parent);
    out->above.push_back({parent, replica_identity(catalog, *parent)});
    at = parent.get();
  }
  return out;
}

}  // namespace indigo::engine::replication
