#include "engine/exec/change/unique_recheck.h"

#include "catalog/catalog.h"
#include "catalog/database.h"
#include "engine/exec/change/change_target.h"
#include "engine/exec/change/moved_away.h"
#include "engine/exec/scan/key_lookup.h"
#include "storage/lock/lock_manager.h"
#include "storage/store.h"
#include "storage/table.h"

namespace indigo::engine::exec {

namespace {

const catalog::IndexInfo* index_of(const catalog::RelationInfo& relation, const catalog::ConstraintInfo& constraint) {
  for (const catalog::IndexInfo& index : relation.indexes) {
    if (index.oid == constraint.index) return &index;
  }
  return nullptr;
}

Datum value_of(const catalog::RelationInfo& relation, int16_t column, Bytes row) {
  return relation.layout.column(row, static_cast<size_t>(column) - 1);
}

Status lock_key(QueryState& state, const catalog::IndexInfo& index, Bytes key, bool many) {
  storage::Transaction& txn = state.transaction();
  storage::LockManager& locks = state.context().store.locks();
  storage::LockOwner& owner = state.context().store.lock_owner(txn);
  const auto whole = many ? storage::TableLockMode::kExclusive : storage::TableLockMode::kRowExclusive;
  storage::StorageStatus status = locks.lock_table(
      owner, catalog::lock_object(state.session().catalog().database(), index.oid), whole, true, txn.lock_timeout());
  if (status == storage::StorageStatus::kOk && !many) {
    status = locks.lock_key_value(owner, index.storage, key, true, txn.lock_timeout());
  }
  if (status != storage::StorageStatus::kOk) return storage_error(status, nullptr);
  return {};
}

}  // namespace

bool key_can_conflict(const catalog::RelationInfo& relation, const catalog::ConstraintInfo& constraint, Bytes row) {
  const catalog::IndexInfo* index = index_of(relation, constraint);
  if (index == nullptr) return false;
  if (index->nulls_not_distinct) return true;
  for (const int16_t column : constraint.columns) {
    if (value_of(relation, column, row).null) return false;
  }
  return true;
}

Status recheck_exclusion(QueryState& state, const ConstraintEvent& event) {
  INDIGO_ASSIGN(const auto check, ExclusionCheck::make(state, event.relation, *event.info()));
  INDIGO_ASSIGN(const auto other, check->find_other(event.new_row));
  if (!other) return {};
  return check->violation(event.new_row, *other);
}

Status recheck_key(QueryState& state, const ConstraintEvent& event, bool many) {
  const catalog::RelationInfo& relation = *event.relation;
  const catalog::ConstraintInfo& constraint = *event.info();
  const catalog::IndexInfo* index = index_of(relation, constraint);
  if (index == nullptr) return {};
  std::string key;
  for (size_t i = 0; i < index->columns.size(); i++) {
    index->key.append_column(i, value_of(relation, index->columns[i].column, event.new_row), key);
  }
  INDIGO_TRY(lock_key(state, *index, key, many));
  storage::Transaction& txn = state.transaction();
  const storage::ReadView view = txn.newest_view();
  auto cursor = relation.table->scan_index(txn, view, index->storage, storage::KeyRange::point(key));
  std::vector<std::string> holders;
  storage::RowRef refs[16];
  while (true) {
    size_t count = 0;
    storage::StorageStatus status = cursor->next(refs, count);
    if (status != storage::StorageStatus::kOk) return storage_error(status, &relation);
    if (count == 0) break;
    for (size_t i = 0; i < count; i++) holders.emplace_back(refs[i].key);
  }
  if (holders.size() < 2) return {};
  // Somebody may be about to remove one of them: its end decides.
  size_t left = 0;
  storage::Claimed claimed;
  for (const std::string& holder : holders) {
    storage::StorageStatus status =
        relation.table->lock_row(txn, view, holder, storage::RowLockMode::kKeyShare, storage::LockWait::kWait, claimed);
    if (status == storage::StorageStatus::kNotFound || status == storage::StorageStatus::kConflictDelete ||
        moved_away(txn, status)) {
      continue;
    }
    if (status != storage::StorageStatus::kOk && status != storage::StorageStatus::kConflict) {
      return storage_error(status, &relation);
    }
    left++;
  }
  if (left < 2) return {};
  storage::Duplicate duplicate{index->storage, holders.front()};
  return ChangeTarget(state, event.relation).unique_violation(duplicate, event.new_row);
}

}  // namespace indigo::engine::exec
