#include "engine/exec/change/foreign_key_action.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "catalog/descriptor/trigger_info.h"
#include "engine/exec/change/change_target.h"
#include "engine/exec/change/foreign_key.h"
#include "engine/exec/change/update.h"
#include "engine/exec/scan/key_lookup.h"
#include "sql/analyze/analyzer.h"
#include "storage/table.h"

namespace indigo::engine::exec {
namespace {

storage::ReadView claim_view(QueryState& state) {
  storage::Transaction& txn = state.transaction();
  return txn.isolation() == storage::Isolation::kReadCommitted ? txn.newest_view() : state.view();
}

}  // namespace

Result<bool> child_exists(QueryState& state, const catalog::RelationInfo& child,
                          const catalog::ConstraintInfo& constraint, std::span<const Datum> values) {
  std::vector<std::string> keys;
  INDIGO_TRY(find_rows(state, child, constraint.columns, values, [&](Bytes key, Bytes) -> Result<bool> {
    keys.emplace_back(key);
    return keys.size() < 16;  // one that stays is enough
  }));
  storage::Transaction& txn = state.transaction();
  storage::Claimed claimed;
  for (const std::string& key : keys) {
    storage::StorageStatus status = child.table->lock_row(txn, txn.newest_view(), key, storage::RowLockMode::kKeyShare,
                                                          storage::LockWait::kWait, claimed);
    if (status == storage::StorageStatus::kNotFound) continue;
    if (status != storage::StorageStatus::kOk) return storage_error(status, &child);
    if (row_matches(state, child, claimed.row, constraint.columns, values)) return true;
  }
  if (keys.size() == 16) return child_exists(state, child, constraint, values);
  return false;
}

Result<bool> row_is_current(QueryState& state, const catalog::RelationInfo& relation, Bytes row) {
  storage::Transaction& txn = state.transaction();
  if (!relation.has_hidden_row_id()) {
    std::string key, image;
    for (size_t i = 0; i < relation.key_columns.size(); i++) {
      relation.key.append_column(i, relation.layout.column(row, static_cast<size_t>(relation.key_columns[i]) - 1), key);
    }
    storage::StorageStatus status = relation.table->get(txn, txn.newest_view(), key, image);
    if (status == storage::StorageStatus::kNotFound) return false;
    if (status != storage::StorageStatus::kOk) return storage_error(status, &relation);
    return Bytes(image) == row;
  }
  auto cursor = relation.table->scan(txn, txn.newest_view(), storage::KeyRange::all());
  storage::RowRef refs[64];
  while (true) {
    size_t count = 0;
    storage::StorageStatus status = cursor->next(refs, count);
    if (status != storage::StorageStatus::kOk) return storage_error(status, &relation);
    if (count == 0) return false;
    for (size_t i = 0; i < count; i++) {
      if (refs[i].row == row) return true;
    }
  }
}

// The child's columns that change, with what they become.
Result<std::vector<std::pair<size_t, OwnedDatum>>> ForeignKeyAction::new_values() {
  std::vector<std::pair<size_t, OwnedDatum>> changes;
  for (size_t i = 0; i < constraint.columns.size(); i++) {
    auto column = static_cast<size_t>(constraint.columns[i]) - 1;
    Phys phys = child->layout.phys(column);
    if (action == 'c') {
      auto from = static_cast<size_t>(constraint.foreign_columns[i]) - 1;
      Datum value = parent.layout.column(new_parent, from);
      if (value.null) {
        value.phys = phys;
      } else {
        INDIGO_ASSIGN(bool fits,
                      convert_key_value(state, parent.columns[from].type, child->columns[column].type, phys, value));
        if (!fits) return Error(sqlstate::kNumericValueOutOfRange, "integer out of range");
      }
      changes.emplace_back(column, OwnedDatum(value));
      continue;
    }
    const auto& only = constraint.delete_set_columns;
    if (new_parent.empty() && !only.empty() && std::find(only.begin(), only.end(), constraint.columns[i]) == only.end())
      continue;
    Datum value = Datum::make_null(phys);
    if (action == 'd' && child->columns[column].default_expr.has_value()) {
      INDIGO_ASSIGN(sql::ExprPtr expr, sql::analyze_expression(state.session(), *child->columns[column].default_expr,
                                                               nullptr, child->columns[column].type));
      Builder builder(state);
      INDIGO_ASSIGN(ExpressionSet set, builder.compile_all({expr}));
      INDIGO_TRY(set.evaluate_constant());
      value = set[0].datum(0);
      changes.emplace_back(column, OwnedDatum(value));
      continue;
    }
    changes.emplace_back(column, OwnedDatum(value));
  }
  return changes;
}

Status ForeignKeyAction::apply(std::span<const Datum> values) {
  std::vector<std::string> keys;
  INDIGO_TRY(find_rows(state, *child, constraint.columns, values, [&](Bytes key, Bytes) -> Result<bool> {
    keys.emplace_back(key);
    return true;
  }));
  if (keys.empty()) return {};
  bool erase = action == 'c' && new_parent.empty();
  ChangeTarget target(state, child);
  RowTriggers& triggers = target.triggers();
  const int16_t event = erase ? catalog::kTriggerDelete : catalog::kTriggerUpdate;
  std::vector<std::pair<size_t, OwnedDatum>> changes;
  bool key_changes = false;
  if (!erase) {
    INDIGO_ASSIGN(changes, new_values());
    std::vector<int> assigned;
    for (const auto& [column, value] : changes) {
      key_changes |= target.is_key_column(column);
      assigned.push_back(static_cast<int>(column));
    }
    if (child->triggers != nullptr) triggers.set_updated(updated_columns(*child, assigned));
  }
  if (child->triggers != nullptr) {
    const std::vector<int16_t> updated = constraint.columns;
    INDIGO_TRY(fire_before_statement(state, child, event, updated));
    state.foreign_keys().touch(child, event, updated);
  }
  storage::Transaction& txn = state.transaction();
  storage::Claimed claimed;
  std::vector<Vector> row(target.column_count());
  std::vector<const Vector*> columns;
  for (Vector& v : row) columns.push_back(&v);
  std::string image, new_key, triggered;
  for (const std::string& key : keys) {
    auto mode = erase || key_changes ? storage::RowLockMode::kUpdate : storage::RowLockMode::kNoKeyUpdate;
    storage::StorageStatus status =
        child->table->claim(txn, claim_view(state), key, mode, storage::LockWait::kWait, claimed);
    if (status == storage::StorageStatus::kNotFound) continue;
    if (status != storage::StorageStatus::kOk) return storage_error(status, child.get());
    if (!row_matches(state, *child, claimed.row, constraint.columns, values)) {
      child->table->unclaim(txn, claimed.key);
      continue;
    }
    if (erase) {
      if (triggers.before(event)) {
        INDIGO_ASSIGN(const bool goes, triggers.fire(catalog::kTriggerBefore, event, claimed.row, image));
        if (!goes) {
          child->table->unclaim(txn, claimed.key);
          continue;
        }
      }
      INDIGO_TRY(target.erase(claimed.key));
      INDIGO_TRY(target.erased(claimed.row));
      continue;
    }
    for (size_t c = 0; c < row.size(); c++) row[c].set_constant(child->layout.column(claimed.row, c));
    for (const auto& [column, value] : changes) row[column].set_constant(value.get());
    if (triggers.before(event)) {
      child->layout.encode(columns, 0, triggered);
      INDIGO_ASSIGN(const bool goes, triggers.fire(catalog::kTriggerBefore, event, claimed.row, triggered));
      if (!goes) {
        child->table->unclaim(txn, claimed.key);
        continue;
      }
      for (size_t c = 0; c < row.size(); c++) row[c].set_constant(child->layout.column(triggered, c));
    }
    if (auto violation = target.check_not_null(columns, 0)) return violation;
    child->layout.encode(columns, 0, image);
    if (key_changes || (triggers.before(event) && !child->has_hidden_row_id())) {
      target.key_of(columns, 0, new_key);
    } else {
      new_key = claimed.key;
    }
    INDIGO_TRY(target.update(claimed.key, new_key, image));
    INDIGO_TRY(target.updated(claimed.row, image));
  }
  return {};
}

}  // namespace indigo::engine::exec
