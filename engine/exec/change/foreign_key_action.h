// What happens to the children of a changed parent row: CASCADE, SET NULL, SET DEFAULT; and whether children are left.
// Thread safety: none.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/error.h"
#include "catalog/descriptor/relation_info.h"
#include "engine/exec/query_state.h"

namespace indigo::engine::exec {

// Whether some child row has these foreign-key values; such a row is locked first, so that a concurrent change counts.
Result<bool> child_exists(QueryState& state, const catalog::RelationInfo& child,
                          const catalog::ConstraintInfo& constraint, std::span<const Datum> values);
// Whether the newest state still has exactly this row.
Result<bool> row_is_current(QueryState& state, const catalog::RelationInfo& relation, Bytes row);

struct ForeignKeyAction {
  QueryState& state;
  std::shared_ptr<const catalog::RelationInfo> child;
  const catalog::ConstraintInfo& constraint;
  const catalog::RelationInfo& parent;
  char action;       // c n d
  Bytes new_parent;  // empty: the parent row was deleted

  Status apply(std::span<const Datum> values);

 private:
  Result<std::vector<std::pair<size_t, OwnedDatum>>> new_values();
};

}  // namespace indigo::engine::exec
