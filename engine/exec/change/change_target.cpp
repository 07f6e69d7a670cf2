#include "engine/exec/change/change_target.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "base/sqlstate.h"
#include "catalog/descriptor/trigger_info.h"
#include "engine/exec/change/foreign_key.h"
#include "engine/exec/errors.h"
#include "engine/exec/partition/partition_key_reader.h"
#include "engine/exec/row_text.h"
#include "engine/exec/scan/index_key.h"
#include "engine/replication/session_changes.h"
#include "storage/moved_rows.h"
#include "storage/table.h"

namespace indigo::engine::exec {

ChangeTarget::ChangeTarget(QueryState& state, std::shared_ptr<const catalog::RelationInfo> relation)
    : state_(state), relation_(std::move(relation)), triggers_(state, relation_) {
  for (size_t c = 0; c < relation_->columns.size(); c++) {
    if (relation_->columns[c].not_null && !relation_->columns[c].dropped) not_null_.push_back(c);
  }
  for (const catalog::ConstraintInfo& c : relation_->constraints) {
    has_foreign_keys_ |= c.kind == 'f';
    has_deferrable_keys_ |= c.deferrable && (c.kind == 'p' || c.kind == 'u' || c.kind == 'x');
    has_exclusions_ |= c.kind == 'x' && !c.deferrable;
  }
  has_references_ = !relation_->referenced_by.empty();
}

void ChangeTarget::key_of(std::span<const Vector* const> columns, uint32_t row, std::string& key) const {
  key.clear();
  if (relation_->has_hidden_row_id()) {
    uint64_t id = big_endian(relation_->table->next_row_id());
    key.append(reinterpret_cast<const char*>(&id), sizeof id);
    return;
  }
  for (size_t i = 0; i < relation_->key_columns.size(); i++) {
    relation_->key.append_column(i, columns[static_cast<size_t>(relation_->key_columns[i]) - 1]->datum(row), key);
  }
}

bool ChangeTarget::is_key_column(size_t column) const {
  return std::find(relation_->key_columns.begin(), relation_->key_columns.end(), static_cast<int16_t>(column + 1)) !=
         relation_->key_columns.end();
}

void ChangeTarget::set_named_relation(const std::shared_ptr<const catalog::RelationInfo>& relation) {
  named_relation_ = relation == relation_ ? nullptr : relation;
}

bool same_bits(Phys phys, const Datum& a, const Datum& b) {
  if (a.null || b.null) return a.null == b.null;
  if (phys == Phys::kStr) return a.str == b.str;
  return std::memcmp(&a.block, &b.block, phys_bytes(phys)) == 0;
}

Error ChangeTarget::failing_row(Error error, std::span<const Vector* const> columns, uint32_t row) const {
  if (named_relation_ != nullptr) {
    const std::vector<int> own = matching_columns(*named_relation_, *relation_);
    std::vector<const Vector*> shown;
    std::vector<int> named;
    for (size_t c = 0; c < own.size(); c++) {
      shown.push_back(own[c] >= 0 ? columns[static_cast<size_t>(own[c])] : nullptr);
      if (std::find(named_columns_.begin(), named_columns_.end(), own[c]) != named_columns_.end())
        named.push_back(static_cast<int>(c));
    }
    if (auto text = failing_row_text(state_, *named_relation_, shown, row, named))
      error.detail = "Failing row contains " + *text + ".";
    return error;
  }
  if (auto text = failing_row_text(state_, *relation_, columns, row, named_columns_)) {
    error.detail = "Failing row contains " + *text + ".";
  }
  return error;
}

Error ChangeTarget::named(Error error, const std::string& constraint, const std::string& column) const {
  error.schema = relation_->schema_name;
  error.table = relation_->name;
  error.constraint = constraint;
  error.column = column;
  return error;
}

std::unique_ptr<Error> ChangeTarget::check_not_null(std::span<const Vector* const> columns, uint32_t row) const {
  for (size_t c : not_null_) {
    if (columns[c] == nullptr || !columns[c]->is_null(row)) continue;
    const std::string& name = relation_->columns[c].name;
    Error error(sqlstate::kNotNullViolation, "null value in column \"" + name + "\" of relation \"" + relation_->name +
                                                 "\" violates not-null constraint");
    return std::make_unique<Error>(named(failing_row(std::move(error), columns, row), "", name));
  }
  return nullptr;
}

Error ChangeTarget::partition_violation(std::span<const Vector* const> columns, uint32_t row) const {
  Error error(sqlstate::kCheckViolation,
              "new row for relation \"" + relation_->name + "\" violates partition constraint");
  return named(failing_row(std::move(error), columns, row));
}

Error ChangeTarget::check_violation(const std::string& constraint, std::span<const Vector* const> columns,
                                    uint32_t row) const {
  Error error(sqlstate::kCheckViolation,
              "new row for relation \"" + relation_->name + "\" violates check constraint \"" + constraint + "\"");
  return named(failing_row(std::move(error), columns, row), constraint);
}

Result<bool> ChangeTarget::insert(Bytes key, Bytes row, storage::Duplicate& duplicate) {
  storage::StorageStatus status = table().insert(state_.transaction(), key, row, &duplicate);
  if (status == storage::StorageStatus::kOk) return true;
  if (status == storage::StorageStatus::kDuplicateKey) return false;
  return failure(status, row);
}

Error ChangeTarget::failure(storage::StorageStatus status, Bytes row) const {
  if (status != storage::StorageStatus::kKeyError) return change_error(status, *relation_);
  return index_key_error(state_.session(), state_.context().store, relation_, row);
}

Status ChangeTarget::update(Bytes key, Bytes new_key, Bytes row) {
  storage::Duplicate duplicate;
  storage::StorageStatus status = key == new_key
                                      ? table().update(state_.transaction(), key, row, &duplicate)
                                      : table().update_key(state_.transaction(), key, new_key, row, &duplicate);
  if (status == storage::StorageStatus::kOk) return {};
  if (status == storage::StorageStatus::kDuplicateKey) return unique_violation(duplicate, row);
  return failure(status, row);
}

Status ChangeTarget::erase(Bytes key) {
  storage::StorageStatus status = table().erase(state_.transaction(), key);
  if (status == storage::StorageStatus::kOk) return {};
  return storage_error(status, relation_.get());
}

Status ChangeTarget::erase_moved(Bytes key) {
  const storage::StorageStatus status = storage::erase_moved(table(), state_.transaction(), key);
  if (status == storage::StorageStatus::kOk) return {};
  return storage_error(status, relation_.get());
}

Status ChangeTarget::check_foreign() {
  if (!is_foreign()) return {};
  ForeignHost* host = state_.context().foreign;
  if (host != nullptr) return host->check(*relation_, foreign_spec_.event);
  return Error(sqlstate::kFeatureNotSupported, "cannot change foreign table \"" + relation_->name + "\"");
}

Result<ForeignChange*> ChangeTarget::foreign() {
  if (foreign_ == nullptr || foreign_run_ != state_.run()) {
    INDIGO_TRY(check_foreign());
    INDIGO_ASSIGN(foreign_, state_.context().foreign->change(relation_, foreign_spec_));
    foreign_run_ = state_.run();
  }
  return foreign_.get();
}

const catalog::IndexInfo* ChangeTarget::index_of(const storage::Duplicate& duplicate) const {
  for (const catalog::IndexInfo& index : relation_->indexes) {
    if (index.storage == duplicate.index) return &index;
  }
  return nullptr;
}

Error ChangeTarget::unique_violation(const storage::Duplicate& duplicate, Bytes row) const {
  const catalog::IndexInfo* index = index_of(duplicate);
  std::string name = index != nullptr ? index->name : relation_->name + "_pkey";
  Error error(sqlstate::kUniqueViolation, "duplicate key value violates unique constraint \"" + name + "\"");
  if (index != nullptr) {
    std::vector<int16_t> columns;
    for (const catalog::IndexColumn& c : index->columns) columns.push_back(c.column);
    if (may_read(state_, *relation_, columns)) {
      const auto key = index_entry_text(state_.session(), state_.context().store, relation_, *index, row);
      if (key) error.detail = "Key " + *key + " already exists.";
    }
  }
  return named(std::move(error), name);
}

// Null while no slot asks for changes of the table.
replication::SessionChanges* ChangeTarget::gathering() const {
  replication::SessionChanges* changes = state_.context().changes;
  return changes != nullptr && changes->wanted(*relation_) ? changes : nullptr;
}

Status ChangeTarget::inserted(Bytes key, Bytes row, bool moved) {
  if (auto* changes = gathering()) [[unlikely]]
    INDIGO_TRY(changes->inserted(relation_, row));
  if (has_deferrable_keys_) INDIGO_TRY(state_.foreign_keys().key_written(state_, relation_, Bytes(), row));
  if (has_foreign_keys_) INDIGO_TRY(state_.foreign_keys().child_written(state_, relation_, Bytes(), row));
  if (!triggers_.after(catalog::kTriggerInsert)) return {};
  return triggers_.queue(catalog::kTriggerInsert, Bytes(), row,
                         moved ? catalog::kTriggerUpdate : catalog::kTriggerInsert, {}, {key, true});
}

Status ChangeTarget::updated(const storage::Claimed& old, Bytes new_key, Bytes new_row) {
  const Bytes old_row = old.row;
  if (auto* changes = gathering()) [[unlikely]]
    INDIGO_TRY(changes->updated(relation_, old_row, new_row));
  if (has_deferrable_keys_) INDIGO_TRY(state_.foreign_keys().key_written(state_, relation_, old_row, new_row));
  if (has_references_) INDIGO_TRY(state_.foreign_keys().parent_updated(state_, relation_, old_row, new_row));
  if (has_foreign_keys_) INDIGO_TRY(state_.foreign_keys().child_written(state_, relation_, old_row, new_row));
  if (!triggers_.after(catalog::kTriggerUpdate)) return {};
  return triggers_.queue(catalog::kTriggerUpdate, old_row, new_row, catalog::kTriggerUpdate, {old.key, old.own},
                         {new_key, true});
}

Status ChangeTarget::erased(const storage::Claimed& old, bool moved) {
  const Bytes old_row = old.row;
  if (auto* changes = gathering()) [[unlikely]]
    INDIGO_TRY(changes->erased(relation_, old_row));
  if (has_references_) INDIGO_TRY(state_.foreign_keys().parent_erased(state_, relation_, old_row, moved));
  if (!triggers_.after(catalog::kTriggerDelete)) return {};
  return triggers_.queue(catalog::kTriggerDelete, old_row, Bytes(),
                         moved ? catalog::kTriggerUpdate : catalog::kTriggerDelete, {old.key, old.own}, {});
}

Status ChangeTarget::moved(const std::shared_ptr<const catalog::RelationInfo>& root, Bytes old_row, const Chunk& moved,
                           uint32_t row) {
  if (root->referenced_by.empty() && !has_references_) return {};
  std::vector<Vector> old_values(root->columns.size());
  std::vector<const Vector*> before, after;
  const std::vector<int> own = matching_columns(*root, *relation_);
  for (size_t c = 0; c < root->columns.size(); c++) {
    old_values[c].set_constant(own[c] < 0 ? Datum::make_null(root->layout.phys(c))
                                          : relation_->layout.column(old_row, static_cast<size_t>(own[c])));
    before.push_back(&old_values[c]);
    after.push_back(&moved.columns[c]);
  }
  std::string old_image, new_image;
  root->layout.encode(before, 0, old_image);
  root->layout.encode(after, row, new_image);
  return state_.foreign_keys().parent_moved(state_, root, *relation_, old_image, new_image);
}

Result<const catalog::ConstraintInfo*> ChangeTarget::excluded(Bytes row, Bytes old_row, Bytes own_key,
                                                              std::unique_ptr<Error>& violation) {
  if (exclusions_.empty()) {
    for (const catalog::ConstraintInfo& k : relation_->constraints) {
      if (k.kind != 'x' || k.deferrable) continue;
      INDIGO_ASSIGN(auto check, ExclusionCheck::make(state_, relation_, k));
      exclusions_.push_back(std::move(check));
    }
  }
  for (const auto& check : exclusions_) {
    if (!old_row.empty()) {
      INDIGO_ASSIGN(const bool changes, check->changes(old_row, row));
      if (!changes) continue;
    }
    INDIGO_ASSIGN(const auto other, check->find(row, own_key));
    if (!other) continue;
    violation = std::make_unique<Error>(check->violation(row, *other));
    return &check->constraint();
  }
  return nullptr;
}

Result<ChangeChecks> ChangeChecks::make(Builder& b, const sql::ExprList& checks,
                                        const std::vector<std::string>& names) {
  ChangeChecks c;
  INDIGO_ASSIGN(c.checks_, b.compile_all(checks));
  c.names_ = names;
  return c;
}

uint32_t ChangeChecks::run(const ChangeTarget& target, const Frame& frame, Selection selection,
                           std::span<const Vector* const> columns, std::unique_ptr<Error>& error) {
  for (uint32_t i = 0; i < selection.count; i++) {
    if (auto violation = target.check_not_null(columns, selection[i])) {
      error = std::move(violation);
      selection.count = i;
    }
  }
  if (checks_.empty() || selection.count == 0) return selection.count;
  std::unique_ptr<Error> failed;
  uint32_t good = checks_.evaluate(frame, selection, failed);
  if (failed != nullptr) error = std::move(failed);
  for (uint32_t i = 0; i < good; i++) {
    for (size_t c = 0; c < checks_.size(); c++) {
      uint32_t r = selection[i];
      if (checks_[c].is_null(r) || checks_[c].get<bool>(r)) continue;
      error = std::make_unique<Error>(target.check_violation(names_[c], columns, r));
      return i;
    }
  }
  return good;
}

}  // namespace indigo::engine::exec
