#include "engine/exec/scan/unique_index.h"

#include "base/sqlstate.h"
#include "storage/table.h"

namespace indigo::engine::exec {

bool finds_one_row(const catalog::RelationInfo& relation, const catalog::IndexInfo& index) {
  return index.unique && index.immediate && !index.nulls_not_distinct && index.storage && relation.table != nullptr &&
         storage::UniqueLookup::possible(*relation.table);
}

Status check_index_usable(QueryState& state, const catalog::RelationInfo& relation, IndexId index) {
  if (relation.table->index_usable(index, state.view())) return {};
  // Only a plan made from a newer catalog than the snapshot gets here.
  return Error(sqlstate::kSerializationFailure, "could not serialize access due to concurrent update")
      .with_detail("The index was created after the transaction's snapshot.");
}

Result<std::unique_ptr<storage::UniqueLookup>> make_unique_lookup(QueryState& state,
                                                                  const catalog::RelationInfo& relation,
                                                                  const catalog::IndexInfo& index) {
  INDIGO_TRY(check_index_usable(state, relation, index.storage));
  return std::make_unique<storage::UniqueLookup>(*relation.table, index.storage);
}

}  // namespace indigo::engine::exec
