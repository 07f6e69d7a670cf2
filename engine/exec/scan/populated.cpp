#include "engine/exec/scan/populated.h"

#include "base/sqlstate.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/system_table.h"

namespace indigo::engine::exec {

Status check_populated(catalog::CatalogView& catalog, const catalog::RelationInfo& relation) {
  if (relation.kind != catalog::RelationKind::kMaterializedView) return {};
  bool populated = true;
  const Datum oid = Datum::of_oid(relation.oid);
  catalog.system_table_rows(catalog::pg_class::kOid, -1, {&oid, 1}, [&](const catalog::RowReader& row) {
    populated = row.flag(catalog::pg_class::c_relispopulated);
    return false;
  });
  if (populated) return {};
  return Error(sqlstate::kObjectNotInPrerequisiteState,
               "materialized view \"" + relation.name + "\" has not been populated")
      .with_hint("Use the REFRESH MATERIALIZED VIEW command.");
}

}  // namespace indigo::engine::exec
