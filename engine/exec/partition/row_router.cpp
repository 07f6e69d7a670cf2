#include "engine/exec/partition/row_router.h"

#include "base/sqlstate.h"
#include "catalog/catalog.h"
#include "catalog/database.h"
#include "catalog/descriptor/foreign_source.h"
#include "catalog/descriptor/trigger_info.h"
#include "engine/exec/change/foreign_host.h"
#include "engine/exec/change/statement_state.h"
#include "storage/lock/lock_manager.h"
#include "storage/store.h"
#include "storage/table.h"

namespace indigo::engine::exec {

Result<size_t> RowRouter::add_level(Table table) {
  Level level;
  const std::vector<int> columns = matching_columns(*table.relation, *root_);
  level.targets.assign(table.relation->children.size(), -1);
  INDIGO_ASSIGN(PartitionKeyReader key, PartitionKeyReader::make(state_, table.relation, columns));
  level.key = std::move(key);
  level.table = std::move(table);
  levels_.push_back(std::move(level));
  return levels_.size() - 1;
}

Error RowRouter::changed(const catalog::RelationInfo& relation) {
  return Error(sqlstate::kSerializationFailure,
               "could not serialize access due to a concurrent definition of \"" + relation.name + "\"");
}

Result<bool> RowRouter::lock(Table& table) {
  if (table.locked_in == state_.run()) return true;
  storage::Transaction& txn = state_.transaction();
  storage::Store& store = state_.context().store;
  const storage::StorageStatus status = store.locks().lock_table(
      store.lock_owner(txn), catalog::lock_object(state_.session().catalog().database(), table.relation->oid),
      storage::TableLockMode::kRowExclusive, true, txn.lock_timeout());
  if (status != storage::StorageStatus::kOk) return storage_error(status, table.relation.get());
  const bool found_before = table.locked_in != 0;
  table.locked_in = state_.run();
  state_.changes().use(state_.context().triggers, table.relation);
  if (!found_before) return true;
  const RelationPtr now = state_.session().catalog().relation(table.relation->oid);
  return now != nullptr && now->table == table.relation->table &&
         now->indexes.size() == table.relation->indexes.size() && now->children == table.relation->children;
}

Status RowRouter::check_foreign(const catalog::RelationInfo& partition) {
  ForeignHost* host = state_.context().foreign;
  if (host != nullptr) return host->check(partition, catalog::kTriggerInsert);
  return Error(sqlstate::kFeatureNotSupported, "cannot insert into foreign table \"" + partition.name + "\"");
}

Status RowRouter::look_up(Level& level, int partition) {
  const Oid oid = level.key->table().children[static_cast<size_t>(partition)];
  catalog::CatalogView& catalog = state_.session().catalog();
  Table found{catalog.relation(oid), 0};
  if (found.relation == nullptr) return changed(level.key->table());
  INDIGO_TRY(catalog::check_reachable(*found.relation));
  if (found.relation->is_foreign()) INDIGO_TRY(check_foreign(*found.relation));
  INDIGO_ASSIGN([[maybe_unused]] const bool as_it_was, lock(found));
  // What the lock's holder before may have changed.
  found.relation = catalog.relation(oid);
  if (found.relation == nullptr) return changed(level.key->table());
  if (found.relation->is_partitioned()) {
    INDIGO_ASSIGN(const size_t number, add_level(std::move(found)));
    level.targets[static_cast<size_t>(partition)] = static_cast<int>(2 * number);
    return {};
  }
  if (found.relation->table == nullptr && !found.relation->is_foreign()) return changed(*found.relation);
  tables_.push_back(std::move(found));
  level.targets[static_cast<size_t>(partition)] = static_cast<int>(2 * tables_.size() - 1);
  return {};
}

Result<size_t> RowRouter::route(const Chunk& rows, uint32_t row) {
  if (levels_.empty()) INDIGO_TRY(add_level({root_, 0}));
  size_t at = 0;
  while (true) {
    INDIGO_ASSIGN(const int partition, levels_[at].key->find(rows, row));
    if (partition < 0) return levels_[at].key->not_found();
    if (levels_[at].targets[static_cast<size_t>(partition)] < 0) INDIGO_TRY(look_up(levels_[at], partition));
    const int target = levels_[at].targets[static_cast<size_t>(partition)];
    const auto number = static_cast<size_t>(target / 2);
    const bool stores = target % 2 != 0;
    INDIGO_ASSIGN(const bool as_it_was, lock(stores ? tables_[number] : levels_[number].table));
    if (!as_it_was) {  // what was made for it no longer fits: it is another table now
      levels_[at].targets[static_cast<size_t>(partition)] = -1;
      continue;
    }
    if (stores) return number;
    at = number;
  }
}

}  // namespace indigo::engine::exec
