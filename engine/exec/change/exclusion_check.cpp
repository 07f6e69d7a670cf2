#include "engine/exec/change/exclusion_check.h"

#include <utility>

#include "base/sqlstate.h"
#include "catalog/access_method.h"
#include "catalog/catalog.h"
#include "catalog/database.h"
#include "catalog/descriptor/class_order.h"
#include "catalog/descriptor/exclusion_info.h"
#include "engine/exec/change/moved_away.h"
#include "engine/exec/errors.h"
#include "engine/exec/row_text.h"
#include "engine/exec/scan/candidate_cursor.h"
#include "engine/exec/scan/candidate_finder.h"
#include "engine/exec/scan/index_key.h"
#include "engine/exec/scan/inverted_query.h"
#include "engine/exec/scan/key_lookup.h"
#include "sql/analyze/analyzer.h"
#include "sql/analyze/make.h"
#include "sql/plan/change/table_rules.h"
#include "storage/lock/lock_manager.h"
#include "storage/store.h"
#include "types/oids.h"

namespace indigo::engine::exec {
namespace {

using catalog::RelationInfo;

// The expression over the row as another input.
sql::ExprPtr over_input(const sql::ExprPtr& e, int input) {
  if (const auto* c = sql::try_as<sql::ColumnExpr>(e)) {
    auto copy = std::make_shared<sql::ColumnExpr>(*c);
    copy->input = input;
    return copy;
  }
  return sql::map_children(e, [&](const sql::ExprPtr& child) { return over_input(child, input); });
}

Result<sql::ExprPtr> operator_call(catalog::CatalogView& catalog, Oid oid, const sql::ExprPtr& left,
                                   const sql::ExprPtr& right) {
  const types::OperatorInfo* op = catalog.operator_by_oid(oid);
  if (op == nullptr) {
    return Error(sqlstate::kInternalError, "cache lookup failed for operator " + std::to_string(oid));
  }
  auto call = std::make_shared<sql::CallExpr>();
  call->function = op->function;
  call->op = oid;
  call->form = sql::CallExpr::Form::kOperator;
  call->type = {oid::kBool, -1, kInvalidOid};
  call->collation = left->type.collation;
  call->arguments = {left, right};
  return sql::ExprPtr(std::move(call));
}

}  // namespace

Result<std::unique_ptr<ExclusionCheck>> ExclusionCheck::make(QueryState& state, Relation relation,
                                                             const catalog::ConstraintInfo& constraint) {
  std::unique_ptr<ExclusionCheck> out(new ExclusionCheck(state));
  out->relation_ = std::move(relation);
  out->constraint_ = &constraint;
  const RelationInfo& table = *out->relation_;
  for (const catalog::IndexInfo& index : table.indexes) {
    if (index.oid == constraint.index) out->index_ = &index;
  }
  const std::vector<Oid> operators = catalog::exclusion_operators(constraint);
  if (out->index_ == nullptr || operators.size() != out->index_->columns.size()) {
    return Error(sqlstate::kInternalError, "the index of constraint \"" + constraint.name + "\" is missing");
  }
  const catalog::IndexInfo& index = *out->index_;
  catalog::CatalogView& catalog = state.session().catalog();
  const catalog::AccessMethod* method = catalog::access_method(index.method);
  out->by_key_ = method != nullptr && method->searchable() && index.storage != IndexId();
  sql::ExprList values, conditions;
  for (size_t i = 0; i < operators.size(); i++) {
    const catalog::IndexColumn& column = index.columns[i];
    sql::ExprPtr e;
    if (column.column > 0) {
      auto plain = std::make_shared<sql::ColumnExpr>();
      plain->input = 1;
      plain->column = column.column - 1;
      plain->type = table.columns[static_cast<size_t>(column.column) - 1].type;
      e = std::move(plain);
    } else {
      INDIGO_ASSIGN(const sql::ExprPtr analyzed,
                    sql::analyze_expression(state.session(), column.expression, out->relation_, types::TypeRef{}));
      e = sql::over_row(state.session().catalog(), analyzed, table);
    }
    values.push_back(e);
    INDIGO_ASSIGN(sql::ExprPtr call, operator_call(catalog, operators[i], over_input(e, 0), e));
    conditions.push_back(std::move(call));
    const bool own = catalog::keys_of_class(catalog, column.opclass) != nullptr;
    const int strategy =
        own ? catalog.strategy_in_class(column.opclass, operators[i]) : catalog.btree_strategy(operators[i]);
    out->by_key_ = out->by_key_ && strategy == 3;
    if (method != nullptr && method->inverted) {
      out->keys_.push_back(catalog::inverted_key(catalog, column));
      out->strategies_.push_back(catalog::inverted_strategy(catalog, out->keys_.back(), operators[i]));
    }
  }
  const auto cells = catalog::compound_column(out->keys_);
  out->by_scalars_ = cells && index.storage != IndexId();
  for (size_t i = 0; i < out->keys_.size() && out->by_scalars_; i++) {
    out->by_scalars_ = i == *cells || out->strategies_[i] == types::kScalarEqual;
  }
  Builder builder(state);
  if (!index.predicate.empty()) {
    INDIGO_ASSIGN(const sql::ExprPtr analyzed, sql::analyze_expression(state.session(), index.predicate, out->relation_,
                                                                       types::TypeRef{oid::kBool, -1, kInvalidOid}));
    const sql::ExprPtr predicate = sql::over_row(state.session().catalog(), analyzed, table);
    INDIGO_ASSIGN(out->predicate_, builder.compile_condition(predicate));
    conditions.push_back(over_input(predicate, 0));
  }
  INDIGO_ASSIGN(out->values_, builder.compile_all(values));
  INDIGO_ASSIGN(out->old_values_, builder.compile_all(values));
  INDIGO_ASSIGN(out->conflict_, builder.compile_condition(sql::make_and(std::move(conditions))));
  if (out->by_key_) {
    INDIGO_ASSIGN(out->extractor_,
                  make_index_key_extractor(state.session(), state.context().store, out->relation_, index, index.key));
  }
  for (size_t c = 0; c < table.columns.size(); c++) out->wanted_.push_back(static_cast<uint16_t>(c));
  out->decoded_.resize(out->wanted_.size());
  out->existing_.columns.resize(out->wanted_.size());
  out->row_.columns.resize(out->wanted_.size());
  return out;
}

Result<bool> ExclusionCheck::load(Bytes row) {
  for (size_t c = 0; c < row_.columns.size(); c++) row_.columns[c].set_constant(relation_->layout.column(row, c));
  const uint16_t first = 0;
  std::unique_ptr<Error> error;
  const Frame frame{{nullptr, &row_}, 1};
  if (predicate_) {
    const bool holds = predicate_.filter(frame, {&first, 1}, error).count == 1;
    if (error != nullptr) return std::move(*error);
    if (!holds) return false;
  }
  values_.evaluate(frame, {&first, 1}, error);
  if (error != nullptr) return std::move(*error);
  for (size_t i = 0; i < values_.size(); i++) {
    if (values_[i].is_null(0)) return false;
  }
  return true;
}

Result<bool> ExclusionCheck::changes(Bytes old_row, Bytes row) {
  Chunk old;
  old.columns.resize(row_.columns.size());
  for (size_t c = 0; c < old.columns.size(); c++) old.columns[c].set_constant(relation_->layout.column(old_row, c));
  const uint16_t first = 0;
  std::unique_ptr<Error> error;
  const Frame frame{{nullptr, &old}, 1};
  if (predicate_) {
    const bool held = predicate_.filter(frame, {&first, 1}, error).count == 1;
    if (error != nullptr) return std::move(*error);
    if (!held) return true;
  }
  old_values_.evaluate(frame, {&first, 1}, error);
  if (error != nullptr) return std::move(*error);
  INDIGO_ASSIGN(const bool present, load(row));
  if (!present) return false;
  for (size_t i = 0; i < values_.size(); i++) {
    const Datum before = old_values_[i].datum(0), after = values_[i].datum(0);
    if (before.null || !values_equal(state_, index_->columns[i].type, before, after)) return true;
  }
  return false;
}

Result<std::string> ExclusionCheck::lock_key(Bytes row) {
  std::string key;
  bool has_null = false;
  if (by_key_ && extractor_->extract(Bytes(), row, key, has_null) == storage::KeyExtractor::Outcome::kError) {
    return index_key_error(state_.session(), state_.context().store, relation_, row);
  }
  if (by_scalars_) {
    std::vector<Datum> values;
    for (size_t i = 0; i < values_.size(); i++) values.push_back(values_[i].datum(0));
    catalog::append_compound_prefix(keys_, values, key);
  }
  return key;
}

Status ExclusionCheck::lock(Bytes row) {
  storage::Transaction& txn = state_.transaction();
  storage::Store& store = state_.context().store;
  storage::LockOwner& owner = store.lock_owner(txn);
  INDIGO_ASSIGN(const std::string key, lock_key(row));
  const auto mode = key.empty() ? storage::TableLockMode::kExclusive : storage::TableLockMode::kRowExclusive;
  storage::StorageStatus status = store.locks().lock_table(
      owner, catalog::lock_object(state_.session().catalog().database(), index_->oid), mode, true, txn.lock_timeout());
  if (status == storage::StorageStatus::kOk && !key.empty()) {
    status = store.locks().lock_key_value(owner, index_->storage, key, true, txn.lock_timeout());
  }
  if (status != storage::StorageStatus::kOk) return storage_error(status, relation_.get());
  return {};
}

Result<std::unique_ptr<storage::Cursor>> ExclusionCheck::cursor(Bytes row) {
  storage::Transaction& txn = state_.transaction();
  storage::Table& table = *relation_->table;
  storage::ReadView view = txn.newest_view();
  view.command = txn.command() + 1;
  const bool usable = index_->storage != IndexId() && table.index_usable(index_->storage, view);
  if (usable && by_key_) {
    std::string key;
    bool has_null = false;
    if (extractor_->extract(Bytes(), row, key, has_null) != storage::KeyExtractor::Outcome::kKey) {
      return std::unique_ptr<storage::Cursor>();
    }
    return table.scan_index(txn, view, index_->storage, storage::KeyRange::point(key));
  }
  if (usable && !strategies_.empty()) {
    std::vector<InvertedQuestion> questions;
    for (size_t i = 0; i < strategies_.size(); i++) {
      if (strategies_[i] != 0) questions.push_back({i, strategies_[i], values_[i].datum(0)});
    }
    INDIGO_ASSIGN(const types::KeyQuery query, inverted_query(state_.functions(), keys_, questions));
    INDIGO_ASSIGN(storage::Candidates found, CandidateFinder(state_, table, index_->storage, view).find(query));
    if (!found.all) {
      return std::unique_ptr<storage::Cursor>(
          std::make_unique<CandidateCursor>(table, txn, view, std::move(found.primary_keys)));
    }
  }
  return table.scan(txn, view, storage::KeyRange::all());
}

Status ExclusionCheck::scan(Bytes row, std::vector<Met>& met, std::optional<std::string>& self) {
  INDIGO_ASSIGN(const std::unique_ptr<storage::Cursor> cursor, this->cursor(row));
  if (cursor == nullptr) return {};
  storage::RowRef refs[64];
  std::vector<Bytes> images;
  while (true) {
    size_t count = 0;
    const storage::StorageStatus status = cursor->next(refs, count);
    if (status != storage::StorageStatus::kOk) return storage_error(status, relation_.get());
    if (count == 0) return {};
    INDIGO_TRY(state_.check());
    images.clear();
    for (size_t i = 0; i < count; i++) images.push_back(refs[i].row);
    relation_->layout.decode(images, wanted_, decoded_);
    for (size_t c = 0; c < decoded_.size(); c++) existing_.columns[c].reference(decoded_[c]);
    std::unique_ptr<Error> error;
    const Selection found = conflict_.filter(Frame{{&existing_, &row_}, static_cast<uint32_t>(count)},
                                             {nullptr, static_cast<uint32_t>(count)}, error);
    if (error != nullptr) return std::move(*error);
    for (size_t i = 0; i < count; i++) {
      if (!self && refs[i].row == row) self = std::string(refs[i].key);
    }
    for (uint32_t i = 0; i < found.count; i++) {
      met.push_back({std::string(refs[found[i]].key), std::string(refs[found[i]].row)});
    }
  }
}

// Somebody may be about to remove a row: its end decides.
Result<std::optional<std::string>> ExclusionCheck::first_that_stays(const std::vector<Met>& met, Bytes own_key) {
  storage::Transaction& txn = state_.transaction();
  storage::Claimed claimed;
  for (const Met& m : met) {
    if (!own_key.empty() && Bytes(m.key) == own_key) continue;
    const storage::StorageStatus status = relation_->table->lock_row(
        txn, txn.newest_view(), m.key, storage::RowLockMode::kKeyShare, storage::LockWait::kWait, claimed);
    if (status == storage::StorageStatus::kNotFound || status == storage::StorageStatus::kConflictDelete ||
        moved_away(txn, status)) {
      continue;
    }
    if (status != storage::StorageStatus::kOk && status != storage::StorageStatus::kConflict) {
      return storage_error(status, relation_.get());
    }
    return std::optional<std::string>(m.row);
  }
  return std::optional<std::string>();
}

Result<std::optional<std::string>> ExclusionCheck::find(Bytes row, Bytes own_key) {
  INDIGO_ASSIGN(const bool present, load(row));
  if (!present) return std::optional<std::string>();
  INDIGO_TRY(lock(row));
  std::vector<Met> met;
  std::optional<std::string> self;
  INDIGO_TRY(scan(row, met, self));
  return first_that_stays(met, own_key);
}

Result<std::optional<std::string>> ExclusionCheck::find_other(Bytes row) {
  INDIGO_ASSIGN(const bool present, load(row));
  if (!present) return std::optional<std::string>();
  INDIGO_TRY(lock(row));
  std::vector<Met> met;
  std::optional<std::string> self;
  INDIGO_TRY(scan(row, met, self));
  if (!self) return std::optional<std::string>();
  return first_that_stays(met, *self);
}

Error ExclusionCheck::violation(Bytes row, Bytes other) const {
  Error error(catalog::kExclusionViolation,
              "conflicting key value violates exclusion constraint \"" + constraint_->name + "\"");
  storage::Store& store = state_.context().store;
  error.schema = relation_->schema_name;
  error.table = relation_->name;
  error.constraint = constraint_->name;
  std::vector<int16_t> columns;
  for (const catalog::IndexColumn& column : index_->columns) {
    if (column.column > 0) columns.push_back(column.column);
  }
  if (!may_read(state_, *relation_, columns)) return error;
  const auto mine = index_entry_text(state_.session(), store, relation_, *index_, row);
  const auto theirs = index_entry_text(state_.session(), store, relation_, *index_, other);
  if (mine && theirs) error.detail = "Key " + *mine + " conflicts with existing key " + *theirs + ".";
  return error;
}

}  // namespace indigo::engine::exec
