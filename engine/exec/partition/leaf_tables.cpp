#include "engine/exec/partition/leaf_tables.h"

#include <algorithm>

#include "catalog/catalog.h"
#include "catalog/database.h"
#include "engine/exec/errors.h"
#include "sql/partition/partition_map.h"
#include "storage/lock/lock_manager.h"
#include "storage/store.h"
#include "storage/transaction.h"

namespace indigo::engine::exec {
namespace {

using Relation = std::shared_ptr<const catalog::RelationInfo>;

class LeafWalk {
 public:
  LeafWalk(QueryState& state, std::span<const Datum> values, bool changes, const LeafVisitor& visit)
      : state_(state), values_(values), changes_(changes), visit_(visit) {}

  Result<bool> walk(const Relation& relation, const std::vector<int16_t>& columns) {
    if (!relation->is_partitioned()) return visit_(relation);
    INDIGO_TRY(state_.check());
    INDIGO_ASSIGN(const auto map, sql::partition::PartitionMap::of(state_.session(), *relation));
    std::vector<Datum> key;
    for (const catalog::PartitionKeyColumn& part : relation->partition_key->columns) {
      const auto at = part.column == 0 ? columns.end() : std::find(columns.begin(), columns.end(), part.column);
      if (at == columns.end()) break;
      key.push_back(values_[static_cast<size_t>(at - columns.begin())]);
    }
    if (key.size() == relation->partition_key->columns.size()) {
      std::string scratch;
      const int partition = map->find(state_.functions(), key, scratch);
      if (state_.functions().failed()) return state_.functions().take_error();
      if (partition < 0) return true;
      return enter(*relation, columns, relation->children[static_cast<size_t>(partition)]);
    }
    for (const int partition : map->in_order()) {
      INDIGO_ASSIGN(const bool more, enter(*relation, columns, relation->children[static_cast<size_t>(partition)]));
      if (!more) return false;
    }
    return true;
  }

 private:
  Result<bool> enter(const catalog::RelationInfo& parent, const std::vector<int16_t>& columns, Oid partition) {
    // Foreign keys look at the newest state, whatever the snapshot still has.
    const auto& gone = parent.detaching;
    if (std::find(gone.begin(), gone.end(), partition) != gone.end()) return true;
    storage::Transaction& txn = state_.transaction();
    storage::Store& store = state_.context().store;
    catalog::CatalogView& catalog = state_.session().catalog();
    const auto mode = changes_ ? storage::TableLockMode::kRowExclusive : storage::TableLockMode::kRowShare;
    const storage::StorageStatus status = store.locks().lock_table(
        store.lock_owner(txn), catalog::lock_object(catalog.database(), partition), mode, true, txn.lock_timeout());
    if (status != storage::StorageStatus::kOk) return storage_error(status, &parent);
    const Relation below = catalog.relation(partition);
    if (below == nullptr) return true;
    return walk(below, columns_by_name(parent, columns, *below));
  }

  QueryState& state_;
  std::span<const Datum> values_;
  bool changes_;
  const LeafVisitor& visit_;
};

}  // namespace

std::vector<int16_t> columns_by_name(const catalog::RelationInfo& from, std::span<const int16_t> columns,
                                     const catalog::RelationInfo& to) {
  std::vector<int16_t> out;
  for (const int16_t number : columns) {
    const types::ColumnInfo* column =
        &from == &to ? nullptr : to.find_column(from.columns[static_cast<size_t>(number) - 1].name);
    out.push_back(column == nullptr ? number : column->number);
  }
  return out;
}

Status for_each_leaf(QueryState& state, const Relation& relation, std::span<const int16_t> columns,
                     std::span<const Datum> values, bool changes, const LeafVisitor& visit) {
  LeafWalk walk(state, values, changes, visit);
  const auto done = walk.walk(relation, std::vector<int16_t>(columns.begin(), columns.end()));
  if (!done.ok()) return done.error();
  return {};
}

}  // namespace indigo::engine::exec
