// Numbers for an enum's labels. A stored value and its index key are the label's OID, and OIDs compare as labels do, so a
// label that goes between two others takes an OID between theirs: new types spread theirs over a range of their own.
//
// pg_enum.oid is unique within pg_enum alone; the range lies above what the counter of OIDs gives out for long.
// Thread safety: as DdlContext.
#pragma once

#include <span>
#include <vector>

#include "engine/ddl/object_lookup.h"

namespace indigo::engine::ddl {

// For the labels of a new type, ascending.
std::vector<Oid> spread_label_oids(DdlContext& c, Oid type, size_t labels);
// For a label at `place` among `labels` (their OIDs, ascending) with these enumsortorders; kInvalidOid when no number is left
// there.
Oid label_oid_at(DdlContext& c, std::span<const Oid> labels, std::span<const float> orders, size_t place);

}  // namespace indigo::engine::ddl
