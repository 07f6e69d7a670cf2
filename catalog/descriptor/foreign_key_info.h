// Foreign keys that reference a partitioned table, in the descriptors.
//
// The constraint of the referencing table has one below it for each partition of the referenced one, again of the referencing
// table: these hold the triggers of the partitions, whose rows go or change. Rows that come look at the constraint above all.
// A partition of a referencing table has a constraint, too, for the rows that come there; what happens to referenced rows is the
// business of the constraint of its partitioned table.
#pragma once

#include <algorithm>

#include "catalog/descriptor/relation_info.h"

namespace indigo::catalog {

// Was the constraint made for a partition of the table that another of `relation`'s constraints references?
inline bool is_reference_to_partition(const RelationInfo& relation, const ConstraintInfo& constraint) {
  return constraint.kind == 'f' && constraint.parent != kInvalidOid &&
         std::any_of(relation.constraints.begin(), relation.constraints.end(),
                     [&](const ConstraintInfo& k) { return k.oid == constraint.parent; });
}

}  // namespace indigo::catalog
