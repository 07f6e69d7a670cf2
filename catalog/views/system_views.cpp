#include "catalog/views/system_views.h"

#include "catalog/generated/columns.h"
#include "catalog/tables/static_tables.h"
#include "types/oids.h"

namespace indigo::catalog {

Oid information_schema_oid() {
  const StaticTable& t = static_table_of(pg_namespace::kOid);
  for (uint32_t row = 0; row < t.row_count; row++) {
    if (t.columns[pg_namespace::c_nspname].string(row) == "information_schema")
      return t.columns[pg_namespace::c_oid].cell(row);
  }
  return kInvalidOid;
}

const SystemView* system_view(Oid schema, std::string_view name) {
  const auto find = [&](std::span<const SystemView> views) -> const SystemView* {
    for (const SystemView& v : views) {
      if (v.name == name) return &v;
    }
    return nullptr;
  };
  if (schema == oid::kPgCatalogSchema) {
    for (const auto views : {pg_catalog_views(), statistics_views(), monitoring_views(), storage_views()}) {
      if (const SystemView* v = find(views)) return v;
    }
    return nullptr;
  }
  if (schema != information_schema_oid()) return nullptr;
  for (const auto views :
       {information_schema_views(), information_schema_object_views(), information_schema_privilege_views(),
        information_schema_usage_views(), information_schema_foreign_views()}) {
    if (const SystemView* v = find(views)) return v;
  }
  return nullptr;
}

}  // namespace indigo::catalog
