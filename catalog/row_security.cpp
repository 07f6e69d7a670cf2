#include "catalog/row_security.h"

namespace indigo::catalog {

RowSecurity row_security_of(CatalogView& catalog, const RelationInfo& relation, Oid role) {
  if (!relation.row_security) return RowSecurity::kNone;
  if (catalog.bypasses_row_security(role)) return RowSecurity::kExempt;
  if (!relation.force_row_security && catalog.has_privileges_of(role, relation.owner)) return RowSecurity::kExempt;
  return RowSecurity::kActive;
}

}  // namespace indigo::catalog
