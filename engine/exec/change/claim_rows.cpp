#include "engine/exec/change/claim_rows.h"

#include <algorithm>

#include "engine/exec/change/foreign_host.h"
#include "engine/exec/change/moved_away.h"
#include "engine/exec/errors.h"
#include "storage/okvl/search.h"
#include "storage/table.h"

namespace indigo::engine::exec {

bool is_joined_source(const sql::Plan& source) {
  const sql::Plan* p = &source;
  while (true) {
    switch (p->kind) {
      case sql::PlanKind::kTableScan:
      case sql::PlanKind::kIndexScan: return false;
      case sql::PlanKind::kAppend:  // of tables below the target: no row is in two of them
        return std::any_of(p->inputs.begin(), p->inputs.end(), [](const auto& i) { return is_joined_source(*i); });
      case sql::PlanKind::kResult:  // of no table, or a condition that is asked once before what is below it
        if (p->inputs.empty()) return false;
        p = p->inputs[0].get();
        break;
      case sql::PlanKind::kFilter:
      case sql::PlanKind::kProject:
      case sql::PlanKind::kSort:
      case sql::PlanKind::kLimit:
      case sql::PlanKind::kLockRows:
      case sql::PlanKind::kMaterialize:
      case sql::PlanKind::kSubqueryScan: p = p->inputs[0].get(); break;
      default: return true;
    }
  }
}

namespace {

Error changed_by_trigger(const char* act) {
  return Error(SqlState("27000"), std::string("tuple to be ") + act +
                                      " was already modified by an operation triggered by the current command")
      .with_hint("Consider using an AFTER trigger instead of a BEFORE trigger to propagate changes to other rows.");
}

}  // namespace

Result<RowClaimer> RowClaimer::make(Builder& b, const std::shared_ptr<const catalog::RelationInfo>& relation,
                                    int key_column, const sql::ExprPtr& recheck,
                                    const std::vector<std::pair<int, int>>& refresh, bool joined) {
  RowClaimer c;
  c.relation_ = relation;
  c.key_column_ = static_cast<size_t>(key_column);
  INDIGO_ASSIGN(c.recheck_, b.compile_condition(recheck));
  c.refresh_ = refresh;
  c.joined_ = joined;
  return c;
}

void RowClaimer::announce(QueryState& state) const {
  // A partitioned table has no rows of its own: its partitions' claimers announce theirs.
  if (relation_->table != nullptr) storage::search_to_change(state.transaction(), *relation_->table);
}

Selection RowClaimer::claim(QueryState& state, const Chunk*& source, Selection selection, storage::RowLockMode mode,
                            std::unique_ptr<Error>& error) {
  uint32_t extent = extent_of(selection);
  if (claimed_.size() < extent) claimed_.resize(extent);
  rows_.clear();
  seen_->clear();
  self_modified_ = false;
  if (watches_ || relation_->is_foreign()) begin_run(state);
  if (relation_->is_foreign()) return claim_foreign(state, source->columns[key_column_], selection);
  storage::Transaction& txn = state.transaction();
  const Vector& keys = source->columns[key_column_];
  for (uint32_t i = 0; i < selection.count; i++) {
    uint32_t r = selection[i];
    if (keys.is_null(r)) continue;
    Str key = keys.get<Str>(r);
    // Rows are claimed before any of the chunk is changed: storage cannot tell the second one yet.
    if (joined_ && !seen_->insert(std::string(key)).second) continue;
    storage::Claimed& claimed = claimed_[r];
    storage::StorageStatus status =
        relation_->table->claim(txn, state.view(), key, mode, storage::LockWait::kWait, claimed);
    if (status == storage::StorageStatus::kNotFound) {  // gone, or changed by this very command: a row changes once
      self_modified_ |= claimed.self_modified;
      if (watches_ && claimed.self_modified && !handled_->contains(std::string(key))) {
        error = std::make_unique<Error>(changed_by_trigger(claim_act_));
        break;
      }
      continue;
    }
    if (status != storage::StorageStatus::kOk) {
      error = std::make_unique<Error>(claim_error(txn, status, *relation_));
      break;
    }
    if (claimed.changed) {
      auto keep = recheck(source, r);
      if (!keep.ok()) {
        error = keep.take_error();
        break;
      }
      if (!*keep) {
        relation_->table->unclaim(txn, claimed.key);
        continue;
      }
    }
    if (watches_) handled_->insert(std::string(key));
    rows_.push_back(static_cast<uint16_t>(r));
  }
  return {rows_.data(), static_cast<uint32_t>(rows_.size())};
}

void RowClaimer::begin_run(QueryState& state) {
  if (handled_ != nullptr && handled_run_ == state.run()) return;
  handled_ = std::make_unique<std::unordered_set<std::string>>();
  handled_run_ = state.run();
}

Selection RowClaimer::claim_foreign(QueryState&, const Vector& keys, Selection selection) {
  for (uint32_t i = 0; i < selection.count; i++) {
    const uint32_t r = selection[i];
    if (keys.is_null(r)) continue;
    const ForeignRowKey key = split_foreign_row_key(keys.get<Str>(r));
    if (!handled_->insert(std::string(key.place)).second) continue;
    storage::Claimed& claimed = claimed_[r];
    claimed = {};
    claimed.key = key.place;
    claimed.row = key.image;
    rows_.push_back(static_cast<uint16_t>(r));
  }
  return {rows_.data(), static_cast<uint32_t>(rows_.size())};
}

Status RowClaimer::check_untouched(QueryState& state, uint32_t row, storage::RowLockMode mode, const char* act) {
  if (relation_->is_foreign()) return {};
  return check_row_untouched(state, *relation_, state.view(), claimed_[row].key, mode, act == nullptr ? act_ : act);
}

Status check_row_untouched(QueryState& state, const catalog::RelationInfo& relation, const storage::ReadView& view,
                           const std::string& key, storage::RowLockMode mode, const char* act) {
  storage::Claimed again;
  const storage::StorageStatus status =
      relation.table->claim(state.transaction(), view, key, mode, storage::LockWait::kWait, again);
  if (status == storage::StorageStatus::kNotFound) return changed_by_trigger(act);
  if (status != storage::StorageStatus::kOk) return change_error(status, relation);
  return {};
}

Result<bool> RowClaimer::strengthen(QueryState& state, uint32_t row) {
  storage::Claimed again;
  const storage::StorageStatus status =
      relation_->table->claim(state.transaction(), state.view(), claimed_[row].key, storage::RowLockMode::kUpdate,
                              storage::LockWait::kNoWait, again);
  if (status == storage::StorageStatus::kWouldBlock) return false;
  if (status != storage::StorageStatus::kOk) return claim_error(state.transaction(), status, *relation_);
  return true;
}

void RowClaimer::unclaim(QueryState& state, uint32_t row) {
  relation_->table->unclaim(state.transaction(), claimed_[row].key);
}

// The condition again, over the newest version.
Result<bool> RowClaimer::recheck(const Chunk*& source, uint32_t row) {
  if (source != copy_.get()) {  // the refreshed columns must be writable
    // Of all its rows: who claims them one by one goes on with the copy.
    const Selection all = source->selection;
    uint32_t extent = extent_of(all);
    copy_->columns.resize(source->columns.size());
    for (size_t c = 0; c < source->columns.size(); c++) {
      const Vector& from = source->columns[c];
      copy_->columns[c].init(from.phys(), extent);
      for (uint32_t i = 0; i < all.count; i++) copy_->columns[c].copy_row(all[i], from, all[i]);
    }
    copy_->selection = all;
    source = copy_.get();
  }
  const types::RowLayout& layout = relation_->layout;
  Bytes image = claimed_[row].row;
  for (auto [input, column] : refresh_) {
    copy_->columns[static_cast<size_t>(input)].set_datum(row, layout.column(image, static_cast<size_t>(column)));
  }
  copy_->columns[key_column_].set_datum(row, Datum::of(Str(claimed_[row].key)));
  if (!recheck_) return true;
  target_row_->columns.resize(layout.column_count());
  for (size_t c = 0; c < layout.column_count(); c++) {
    target_row_->columns[c].init(layout.phys(c), row + 1);
    target_row_->columns[c].set_datum(row, layout.column(image, c));
  }
  auto r = static_cast<uint16_t>(row);
  std::unique_ptr<Error> error;
  Selection passed = recheck_.filter(Frame{{source, target_row_.get()}, row + 1}, {&r, 1}, error);
  if (error != nullptr) return error;
  return passed.count == 1;
}

}  // namespace indigo::engine::exec
