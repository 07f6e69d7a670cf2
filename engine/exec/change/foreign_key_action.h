// What happens to the children of a changed parent row: CASCADE, SET NULL, SET DEFAULT; and whether children are left.
// The children's table may be partitioned: rows are looked for in its partitions, and an action may move them.
// Thread safety: none.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/error.h"
#include "catalog/descriptor/relation_info.h"
#include "engine/exec/query_state.h"
#include "storage/table.h"

namespace indigo::engine::exec {

// Whether a row of a child that stores rows has these values in its foreign key's columns; such a row is locked first, so that
// a concurrent change counts.
Result<bool> child_exists(QueryState& state, const catalog::RelationInfo& child, std::span<const int16_t> columns,
                          std::span<const Datum> values);
// Whether the newest state still has exactly this row.
Result<bool> row_is_current(QueryState& state, const catalog::RelationInfo& relation, Bytes row);

struct ForeignKeyAction {
  using Relation = std::shared_ptr<const catalog::RelationInfo>;

  QueryState& state;
  Relation child;
  const catalog::ConstraintInfo& constraint;
  const catalog::RelationInfo& parent;
  char action;       // c n d
  Bytes new_parent;  // empty: the parent row was deleted

  // An error has the statement in its context that PostgreSQL runs for the action.
  Status apply(std::span<const Datum> values);

 private:
  bool erases() const { return action == 'c' && new_parent.empty(); }
  // Of triggers, also of a partition's own; of defaults, checks and generated columns.
  bool runs_functions() const;
  Status change(std::span<const Datum> values);
  std::string statement() const;
  Result<std::vector<std::pair<size_t, OwnedDatum>>> new_values();
  // Claims a row that still has the values; false: there is none any more.
  Result<bool> claim(const catalog::RelationInfo& leaf, Bytes key, storage::RowLockMode mode,
                     std::span<const int16_t> columns, std::span<const Datum> values, storage::Claimed& claimed);
  Status erase(const Relation& leaf, const std::vector<std::string>& keys, std::span<const Datum> values);
  Status update(const Relation& leaf, const std::vector<std::string>& keys, std::span<const Datum> values);
};

}  // namespace indigo::engine::exec
