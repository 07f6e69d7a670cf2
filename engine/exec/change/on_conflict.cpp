#include "engine/exec/change/on_conflict.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "catalog/tables/system_columns.h"
#include "engine/exec/change/claim_rows.h"
#include "engine/exec/change/moved_away.h"
#include "engine/exec/scan/row_decoder.h"

namespace indigo::engine::exec {
namespace {

// The system columns among the columns of input 0, which are those behind the table's own `count`.
void add_system_columns(const sql::ExprPtr& e, int count, std::vector<int>& out) {
  if (e == nullptr) return;
  if (const auto* c = sql::try_as<sql::ColumnExpr>(e); c != nullptr && c->input == 0 && c->column >= count) {
    const int column = count - 1 - c->column;
    if (std::find(out.begin(), out.end(), column) == out.end()) out.push_back(column);
  }
  sql::for_each_child(*e, [&](const sql::ExprPtr& child) { add_system_columns(child, count, out); });
}

}  // namespace

OnConflictHandler::OnConflictHandler(QueryState& state, const sql::OnConflict& plan, RowInserter& inserter)
    : state_(state),
      plan_(plan),
      inserter_(inserter),
      probe_(state, inserter.target()),
      deferrable_(probe_.has_deferrable(plan.arbiters)) {}

Result<std::unique_ptr<OnConflictHandler>> OnConflictHandler::make(Builder& b, const sql::InsertPlan& p,
                                                                   RowInserter& inserter) {
  auto handler = std::make_unique<OnConflictHandler>(b.state(), *p.on_conflict, inserter);
  for (const sql::ExprPtr& premise : p.on_conflict->premises) {
    INDIGO_ASSIGN(Condition condition, b.compile_condition(premise));
    handler->premises_.push_back(std::move(condition));
  }
  if (p.on_conflict->update) {
    INDIGO_ASSIGN(handler->where_, b.compile_condition(p.on_conflict->where));
    INDIGO_ASSIGN(handler->row_checks_, RowChecks::make(b, p, sql::RowCheck::Kind::kConflict));
    INDIGO_ASSIGN(handler->updater_, RowUpdater::make(b, p, p.on_conflict->assignments, true));
    handler->claimed_.resize(1);
    const auto count = static_cast<int>(inserter.columns().size());
    add_system_columns(p.on_conflict->where, count, handler->system_columns_);
    for (const sql::Assignment& a : p.on_conflict->assignments)
      add_system_columns(a.value, count, handler->system_columns_);
  }
  return handler;
}

Status OnConflictHandler::before(Bytes key, Bytes row) {
  if (!premises_.empty()) INDIGO_TRY(check_premises());
  if (!deferrable_) return {};
  INDIGO_TRY(probe_.find(plan_.arbiters, key, row));  // a duplicate is met by the insertion, too
  return {};
}

bool OnConflictHandler::skips(Oid index) const {
  const auto& arbiters = plan_.arbiters;
  return !plan_.update && (arbiters.empty() || std::find(arbiters.begin(), arbiters.end(), index) != arbiters.end());
}

Result<ConflictHandler::Answer> OnConflictHandler::conflict(const storage::Duplicate& met, uint32_t row) {
  storage::Duplicate duplicate = met;
  const catalog::IndexInfo* index = inserter_.target().index_of(met);
  if (!plan_.arbiters.empty() && (index == nullptr || std::find(plan_.arbiters.begin(), plan_.arbiters.end(),
                                                                index->oid) == plan_.arbiters.end())) {
    std::string key, image;
    inserter_.target().key_of(inserter_.columns(), row, key);
    inserter_.target().relation().layout.encode(inserter_.columns(), row, image);
    INDIGO_ASSIGN(auto found, probe_.find(plan_.arbiters, key, image));
    if (!found) return Answer::kViolation;
    duplicate = *std::move(found);
  }
  if (!plan_.update) return invisible_conflict(duplicate.primary_key);
  storage::Transaction& txn = state_.transaction();
  storage::Table& table = inserter_.target().table();
  auto mode = updater_->may_change_key() ? storage::RowLockMode::kUpdate : storage::RowLockMode::kNoKeyUpdate;
  storage::ReadView view = state_.view();
  if (txn.isolation() == storage::Isolation::kReadCommitted) view.stamp = txn.newest_view().stamp;
  storage::StorageStatus status =
      table.claim(txn, view, duplicate.primary_key, mode, storage::LockWait::kWait, claimed_[0]);
  if (status == storage::StorageStatus::kNotFound && claimed_[0].self_modified) {
    return Error(sqlstate::kCardinalityViolation, "ON CONFLICT DO UPDATE command cannot affect row a second time")
        .with_hint(
            "Ensure that no rows proposed for insertion within the same command have duplicate constrained values.");
  }
  if (status == storage::StorageStatus::kNotFound || moved_away(txn, status)) return Answer::kRetry;
  if (status != storage::StorageStatus::kOk) return storage_error(status, &inserter_.target().relation());
  // Input 0: the excluded row, input 1: the existing one; both as row 0.
  const size_t count = inserter_.columns().size();
  excluded_.columns.resize(system_columns_.empty() ? count : count + std::size(catalog::kSystemColumns));
  for (size_t c = 0; c < count; c++) excluded_.columns[c].set_constant(inserter_.rows().columns[c].datum(row));
  for (const int column : system_columns_) {
    const storage::RowRef existing{claimed_[0].key, claimed_[0].row};
    excluded_.columns[count + static_cast<size_t>(-column) - 1].set_constant(
        system_value(inserter_.target().relation(), existing, column, state_.functions().arena()));
  }
  updater_->load(claimed_, {nullptr, 1});
  updater_->watch(view, mode);
  const uint64_t command = txn.command();
  std::unique_ptr<Error> error;
  if (where_) {
    Selection passed = where_.filter(Frame{{&excluded_, &updater_->old_rows()}, 1}, {nullptr, 1}, error);
    if (error != nullptr) return error;
    if (passed.count == 0) {
      table.unclaim(txn, claimed_[0].key);
      return Answer::kSkip;
    }
  }
  if (txn.command() != command) {
    INDIGO_TRY(check_row_untouched(state_, inserter_.target().relation(), view, claimed_[0].key, mode, "updated"));
  }
  if (!row_checks_.empty()) {
    row_checks_.run(Frame{{&excluded_, &updater_->old_rows()}, 1}, {nullptr, 1}, error);
    if (error != nullptr) return error;
  }
  Selection done = updater_->update(&excluded_, claimed_, {nullptr, 1}, error);
  if (error != nullptr) return error;
  if (done.count == 0) return Answer::kSkip;
  Arena& arena = state_.functions().arena();
  for (size_t c = 0; c < inserter_.rows().columns.size(); c++) {
    Datum d = updater_->new_rows().columns[c].datum(0);
    if (d.phys == Phys::kStr && !d.null) d.str = arena.copy(d.str);
    inserter_.rows().columns[c].set_datum(row, d);
  }
  inserter_.returned().set_changed(inserter_.rows(), row);
  return Answer::kChanged;
}

// DO NOTHING above READ COMMITTED must not skip a row because of one that it cannot see.
Result<ConflictHandler::Answer> OnConflictHandler::invisible_conflict(const std::string& key) {
  storage::Transaction& txn = state_.transaction();
  if (txn.isolation() == storage::Isolation::kReadCommitted) return Answer::kSkip;
  storage::ReadView view = state_.view();
  view.command = txn.command() + 1;
  std::string row;
  storage::StorageStatus status = inserter_.target().table().get(txn, view, key, row);
  if (status == storage::StorageStatus::kOk) return Answer::kSkip;
  // A newer one makes a dependency that cannot be kept, too: what is told is that it is newer.
  if (status == storage::StorageStatus::kSerialization) status = storage::StorageStatus::kConflict;
  if (status == storage::StorageStatus::kNotFound) status = storage::StorageStatus::kConflict;
  return storage_error(status, &inserter_.target().relation());
}

// As PostgreSQL, which plans with the parameters' values.
Status OnConflictHandler::check_premises() {
  static constexpr uint16_t kRow = 0;
  for (Condition& premise : premises_) {
    std::unique_ptr<Error> error;
    const bool holds = premise.filter(Frame{{nullptr, nullptr}, 1}, {&kRow, 1}, error).count == 1;
    if (error != nullptr) return error;
    if (!holds) return Error(sqlstate::kInvalidColumnReference, sql::OnConflict::kNoArbiter);
  }
  return {};
}

}  // namespace indigo::engine::exec
