// Whether row security restricts a role's use of a table.
// Thread safety: as the catalog view.
#pragma once

#include "catalog/descriptor/catalog_view.h"

namespace indigo::catalog {

enum class RowSecurity : uint8_t {
  kNone,    // the table has none
  kExempt,  // this role is free of it: a superuser, one with BYPASSRLS, or the owner without FORCE
  kActive
};

RowSecurity row_security_of(CatalogView& catalog, const RelationInfo& relation, Oid role);

}  // namespace indigo::catalog
