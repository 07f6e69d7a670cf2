#include "engine/exec/change/foreign_key_action.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "catalog/descriptor/trigger_info.h"
#include "engine/exec/change/change_target.h"
#include "engine/exec/change/foreign_key.h"
#include "engine/exec/change/trigger_host.h"
#include "engine/exec/change/update.h"
#include "engine/exec/partition/leaf_tables.h"
#include "engine/exec/scan/key_lookup.h"
#include "sql/analyze/analyzer.h"
#include "sql/plan/change/table_rules.h"
#include "storage/table.h"

namespace indigo::engine::exec {
namespace {

using catalog::ConstraintInfo;
using catalog::RelationInfo;

storage::ReadView claim_view(QueryState& state) {
  storage::Transaction& txn = state.transaction();
  return txn.isolation() == storage::Isolation::kReadCommitted ? txn.newest_view() : state.view();
}

}  // namespace

Result<bool> child_exists(QueryState& state, const catalog::RelationInfo& child, std::span<const int16_t> columns,
                          std::span<const Datum> values) {
  std::vector<std::string> keys;
  INDIGO_TRY(find_rows(state, child, columns, values, [&](Bytes key, Bytes) -> Result<bool> {
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
    if (row_matches(state, child, claimed.row, columns, values)) return true;
  }
  if (keys.size() == 16) return child_exists(state, child, columns, values);
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

// DELETE FROM ONLY "s"."t" WHERE $1 OPERATOR(pg_catalog.=) "a" AND ...
std::string ForeignKeyAction::statement() const {
  const auto quoted = [](std::string_view name) {
    std::string out = "\"";
    for (const char c : name) out.append(c == '"' ? 2 : 1, c);
    return out + '"';
  };
  // What a key of this type is compared as, where the operator is another type's.
  const auto cast = [&](const types::TypeRef& type) -> std::string {
    if (type.oid == oid::kVarchar) return "::pg_catalog.text";
    const auto info = state.session().catalog().type(type.oid);
    if (info == nullptr) return {};
    if (info->kind == 'e') return "::pg_catalog.anyenum";
    return info->element != kInvalidOid && info->category == 'A' ? "::pg_catalog.anyarray" : "";
  };
  const std::string table =
      (child->is_partitioned() ? "" : "ONLY ") + quoted(child->schema_name) + "." + quoted(child->name);
  const auto column = [&](size_t i) -> const catalog::ColumnInfo& {
    return child->columns[static_cast<size_t>(constraint.columns[i]) - 1];
  };
  std::string out = "DELETE FROM " + table;
  size_t parameter = 1;
  if (action != 'c' || !new_parent.empty()) {
    out = "UPDATE " + table + " SET ";
    const auto& only = constraint.delete_set_columns;
    bool first = true;
    for (size_t i = 0; i < constraint.columns.size(); i++) {
      if (new_parent.empty() && !only.empty() &&
          std::find(only.begin(), only.end(), constraint.columns[i]) == only.end())
        continue;
      out += std::string(first ? "" : ", ") + quoted(column(i).name) + " = ";
      out += action == 'c' ? "$" + std::to_string(parameter++) : action == 'n' ? "NULL" : "DEFAULT";
      first = false;
    }
  }
  for (size_t i = 0; i < constraint.columns.size(); i++) {
    const auto& theirs = parent.columns[static_cast<size_t>(constraint.foreign_columns[i]) - 1];
    out += (i == 0 ? " WHERE $" : " AND $") + std::to_string(parameter++) + cast(theirs.type) +
           " OPERATOR(pg_catalog.=) " + quoted(column(i).name) + cast(column(i).type);
  }
  return out;
}

bool ForeignKeyAction::runs_functions() const {
  if (state.context().triggers == nullptr) return false;
  return child->triggers != nullptr || child->is_partitioned() || !erases();
}

Status ForeignKeyAction::apply(std::span<const Datum> values) {
  const auto line = [this] { return "SQL statement \"" + statement() + "\""; };
  std::unique_ptr<TriggerHost::Place> place;
  if (runs_functions()) place = state.context().triggers->enter(line(), child->owner);
  Status status = change(values);
  if (status.ok()) return {};
  Error error = std::move(*status.take_error());
  error.add_context(line());
  return error;
}

Status ForeignKeyAction::change(std::span<const Datum> values) {
  struct Found {
    Relation leaf;
    std::vector<std::string> keys;
  };
  std::vector<Found> found;
  TableUses uses;
  const auto use = [&](const Relation& table) {
    if (runs_functions()) uses.add(state.context().triggers->tables_in_use(), table);
  };
  use(child);
  INDIGO_TRY(for_each_leaf(state, child, constraint.columns, values, true, [&](const Relation& leaf) -> Result<bool> {
    if (leaf != child) use(leaf);
    Found rows{leaf, {}};
    const auto columns = columns_by_name(*child, constraint.columns, *leaf);
    INDIGO_TRY(find_rows(state, *leaf, columns, values, [&](Bytes key, Bytes) -> Result<bool> {
      rows.keys.emplace_back(key);
      return true;
    }));
    if (!rows.keys.empty()) found.push_back(std::move(rows));
    return true;
  }));
  const int16_t event = erases() ? catalog::kTriggerDelete : catalog::kTriggerUpdate;
  if (child->triggers != nullptr) {
    const std::vector<int16_t> updated = constraint.columns;
    INDIGO_TRY(fire_before_statement(state, child, event, updated));
    state.foreign_keys().touch(child, event, updated);
  }
  for (const Found& rows : found) {
    INDIGO_TRY(erases() ? erase(rows.leaf, rows.keys, values) : update(rows.leaf, rows.keys, values));
  }
  return {};
}

Result<bool> ForeignKeyAction::claim(const RelationInfo& leaf, Bytes key, storage::RowLockMode mode,
                                     std::span<const int16_t> columns, std::span<const Datum> values,
                                     storage::Claimed& claimed) {
  storage::Transaction& txn = state.transaction();
  const storage::StorageStatus status =
      leaf.table->claim(txn, claim_view(state), key, mode, storage::LockWait::kWait, claimed);
  if (status == storage::StorageStatus::kNotFound) return false;
  if (status != storage::StorageStatus::kOk) return storage_error(status, &leaf);
  if (row_matches(state, leaf, claimed.row, columns, values)) return true;
  leaf.table->unclaim(txn, claimed.key);
  return false;
}

Status ForeignKeyAction::erase(const Relation& leaf, const std::vector<std::string>& keys,
                               std::span<const Datum> values) {
  const auto columns = columns_by_name(*child, constraint.columns, *leaf);
  ChangeTarget target(state, leaf);
  RowTriggers& triggers = target.triggers();
  storage::Claimed claimed;
  std::string ignored;
  for (const std::string& key : keys) {
    INDIGO_ASSIGN(const bool there, claim(*leaf, key, storage::RowLockMode::kUpdate, columns, values, claimed));
    if (!there) continue;
    if (triggers.before(catalog::kTriggerDelete)) {
      INDIGO_ASSIGN(const bool goes, triggers.fire(catalog::kTriggerBefore, catalog::kTriggerDelete, claimed.row,
                                                   ignored, {claimed.key, claimed.own}));
      if (!goes) {
        leaf->table->unclaim(state.transaction(), claimed.key);
        continue;
      }
    }
    INDIGO_TRY(target.erase(claimed.key));
    INDIGO_TRY(target.erased(claimed));
  }
  return {};
}

// As an UPDATE of the child would: generated columns, checks, triggers, and rows that belong into another partition then.
Status ForeignKeyAction::update(const Relation& leaf, const std::vector<std::string>& keys,
                                std::span<const Datum> values) {
  const auto columns = columns_by_name(*child, constraint.columns, *leaf);
  INDIGO_ASSIGN(const auto changes, new_values());
  sql::ChangePlan plan;
  plan.relation = leaf;
  plan.root = child;
  INDIGO_ASSIGN(sql::TableRules rules, sql::table_rules(state.session(), leaf));
  plan.generated = std::move(rules.generated);
  plan.checks = std::move(rules.checks);
  plan.check_names = std::move(rules.check_names);
  const std::vector<int> own = matching_columns(*child, *leaf);
  auto mode = storage::RowLockMode::kNoKeyUpdate;
  for (const auto& [column, value] : changes) {
    auto constant = std::make_shared<sql::ConstExpr>();
    constant->value = value;
    const int at = leaf == child ? static_cast<int>(column) : own[column];
    constant->type = leaf->columns[static_cast<size_t>(at)].type;
    plan.assignments.push_back({at, std::move(constant)});
    const auto number = static_cast<int16_t>(at + 1);
    for (const ConstraintInfo& k : leaf->referenced_by) {
      const auto& theirs = k.foreign_columns;
      if (std::find(theirs.begin(), theirs.end(), number) != theirs.end()) mode = storage::RowLockMode::kUpdate;
    }
  }
  Builder builder(state);
  INDIGO_ASSIGN(const auto updater, RowUpdater::make(builder, plan, plan.assignments, false));
  if (updater->may_change_key()) mode = storage::RowLockMode::kUpdate;
  updater->target().triggers().set_named(child);
  std::vector<storage::Claimed> claimed(1);
  const uint16_t first = 0;
  for (const std::string& key : keys) {
    INDIGO_ASSIGN(const bool there, claim(*leaf, key, mode, columns, values, claimed[0]));
    if (!there) continue;
    std::unique_ptr<Error> error;
    updater->load(claimed, {&first, 1});
    updater->update(nullptr, claimed, {&first, 1}, error);
    if (error != nullptr) return std::move(*error);
  }
  return {};
}

}  // namespace indigo::engine::exec
