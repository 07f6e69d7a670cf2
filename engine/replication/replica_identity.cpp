#include "engine/replication/replica_identity.h"

#include <algorithm>

#include "catalog/generated/columns.h"
#include "catalog/tables/system_table.h"
#include "types/value/datum.h"

namespace indigo::engine::replication {

bool ReplicaIdentity::has(int16_t column) const {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

std::shared_ptr<const ReplicaIdentity> replica_identity(catalog::CatalogView& catalog,
                                                        const catalog::RelationInfo& relation) {
  namespace pg_class = catalog::pg_class;
  namespace pg_index = catalog::pg_index;
  auto out = std::make_shared<ReplicaIdentity>();
  const Datum key[] = {Datum::of_oid(relation.oid)};
  catalog.system_table_rows(pg_class::kOid, -1, key, [&](const catalog::RowReader& row) {
    out->kind = row.chr(pg_class::c_relreplident);
    return false;
  });
  if (out->kind == 'f') {
    for (const types::ColumnInfo& column : relation.columns) {
      if (!column.dropped) out->columns.push_back(column.number);
    }
  }
  for (const catalog::IndexInfo& index : relation.indexes) {
    bool chosen = out->kind == 'd' && index.primary && index.immediate;
    if (out->kind == 'i') {
      const Datum of_index[] = {Datum::of_oid(index.oid)};
      catalog.system_table_rows(pg_index::kOid, -1, of_index, [&](const catalog::RowReader& row) {
        chosen = row.flag(pg_index::c_indisreplident);
        return false;
      });
    }
    if (!chosen) continue;
    for (const catalog::IndexColumn& column : index.columns) out->columns.push_back(column.column);
  }
  return out;
}

}  // namespace indigo::engine::replication
