// How values of any type are held (types/value/physical.h). The built-in types are known by their OIDs; for domains, enums and
// whatever else somebody has made, the catalog is asked: a number that is taken for text is a pointer to nowhere.
// Thread safety: as the catalog's view.
#pragma once

#include "types/function/context.h"
#include "types/function/registry.h"

namespace indigo::types {

inline Phys phys_of(CatalogContext& catalog, Oid type) {
  // From here on initdb numbers the domains of information_schema.
  constexpr Oid kFirstUnpinnedOid = 12000;
  if (type < kFirstUnpinnedOid) return physical_of(type);
  const auto info = catalog.type(type);
  return info != nullptr ? info->phys : Phys::kStr;
}
inline Phys phys_of(FuncContext& context, Oid type) { return phys_of(context.session().catalog(), type); }

}  // namespace indigo::types
