// What a range type's row in pg_range says of its bounds.
// Thread safety: as the catalog view.
#pragma once

#include <optional>

#include "catalog/descriptor/catalog_view.h"
#include "types/range/range.h"
#include "types/value/key_codec.h"

namespace indigo::catalog {

struct RangePart {
  Oid subtype = kInvalidOid;
  types::ElementOrder order;
  types::KeyColumn element;
  Oid canonical = kInvalidOid;
  // Nothing that the bounds' type and form do not say by themselves (types/io/held_order.h).
  bool plain() const;
};

// `type` is a range type or a multirange type; none: it is being made, and has no row yet.
std::optional<RangePart> range_part(CatalogView& catalog, const types::TypeInfo& type);

}  // namespace indigo::catalog
