#include <algorithm>
#include <cstring>

#include "base/sqlstate.h"
#include "catalog/descriptor/trigger_info.h"
#include "engine/exec/change/update.h"
#include "engine/exec/partition/partitioned_insert.h"

namespace indigo::engine::exec {
namespace {

void mark_target_columns(const sql::ExprPtr& e, std::vector<bool>& columns) {
  if (e == nullptr) return;
  if (const auto* c = sql::try_as<sql::ColumnExpr>(e); c != nullptr && c->input == 1) {
    if (c->column >= 0) columns[static_cast<size_t>(c->column)] = true;
  }
  sql::for_each_child(*e, [&](const sql::ExprPtr& child) { mark_target_columns(child, columns); });
}

// Part of the primary key, or of a key that foreign keys reference.
bool is_lockable_key(const catalog::RelationInfo& relation, size_t column) {
  const auto number = static_cast<int16_t>(column + 1);
  const auto has = [&](const std::vector<int16_t>& columns) {
    return std::find(columns.begin(), columns.end(), number) != columns.end();
  };
  return has(relation.key_columns) ||
         std::any_of(relation.referenced_by.begin(), relation.referenced_by.end(),
                     [&](const auto& constraint) { return has(constraint.foreign_columns); });
}

}  // namespace

RowUpdater::RowUpdater(QueryState& state, std::shared_ptr<const catalog::RelationInfo> relation)
    : state_(state), target_(state, std::move(relation)) {
  size_t n = target_.column_count();
  old_.columns.resize(n);
  new_.columns.resize(n);
  for (size_t c = 0; c < n; c++) columns_.push_back(&new_.columns[c]);
  assigned_.resize(n, nullptr);
}

RowUpdater::~RowUpdater() = default;

Result<std::unique_ptr<RowUpdater>> RowUpdater::make(Builder& b, const sql::ChangePlan& plan,
                                                     const std::vector<sql::Assignment>& assignments, bool need_row) {
  auto updater = std::make_unique<RowUpdater>(b.state(), plan.relation);
  updater->returned_ = ReturnedColumns(*plan.relation, plan.returned_system_columns);
  updater->returned_.begin(updater->new_, 1);
  for (size_t c = 0; c < updater->columns_.size(); c++) updater->columns_[c] = &updater->new_.columns[c];
  updater->target_.set_named_columns(plan.named_columns);
  updater->need_row_ = need_row;
  if (plan.root != nullptr) updater->target_.set_named_relation(plan.root);
  updater->before_ = updater->target_.triggers().before(catalog::kTriggerUpdate);
  if (plan.relation->triggers != nullptr) {
    std::vector<int> assigned;
    for (const sql::Assignment& a : assignments) assigned.push_back(a.column);
    updater->target_.triggers().set_updated(updated_columns(*plan.relation, assigned));
  }
  sql::ExprList values, computed;
  std::vector<bool> wanted(updater->target_.column_count());
  INDIGO_ASSIGN(updater->row_checks_, RowChecks::make(b, plan, sql::RowCheck::Kind::kUpdate));
  bool partial = plan.generated.empty() && plan.view_checks.empty() && updater->row_checks_.empty() && !need_row &&
                 !plan.relation->is_foreign() && !updater->target_.has_exclusions() && !updater->before_;
  for (const sql::Assignment& a : assignments) {
    auto column = static_cast<size_t>(a.column);
    values.push_back(a.value);
    updater->value_columns_.push_back(column);
    updater->assigned_[column] = updater->columns_[column];
    updater->changes_key_ |= updater->target_.is_key_column(column);
    mark_target_columns(a.value, wanted);
  }
  for (const sql::Assignment& a : plan.generated) {
    auto column = static_cast<size_t>(a.column);
    computed.push_back(a.value);
    updater->generated_columns_.push_back(column);
    updater->assigned_[column] = updater->columns_[column];
    updater->changes_key_ |= updater->target_.is_key_column(column);
  }
  if (plan.relation->is_partition && !plan.relation->is_foreign()) {
    INDIGO_ASSIGN(updater->partition_check_, PartitionCheck::make(b.state(), *plan.relation));
    std::vector<size_t> changed = updater->value_columns_;
    changed.insert(changed.end(), updater->generated_columns_.begin(), updater->generated_columns_.end());
    if (updater->partition_check_ != nullptr && !updater->before_ && !updater->partition_check_->reads(changed))
      updater->partition_check_ = nullptr;
  }
  if (updater->partition_check_ != nullptr) {
    partial = false;
    if (plan.root != nullptr && plan.root->is_partitioned()) updater->plan_moves(plan);
  }
  for (const sql::ExprPtr& check : plan.checks) mark_target_columns(check, wanted);
  updater->patch_ = !updater->before_ && updater->patches_few();
  updater->partial_ = partial && updater->patch_ && !updater->changes_key_;
  for (size_t c = 0; c < updater->assigned_.size(); c++) {
    if (updater->assigned_[c] != nullptr && is_lockable_key(*plan.relation, c)) updater->strong_columns_.push_back(c);
  }
  for (size_t c = 0; c < wanted.size(); c++) {
    if (wanted[c] || !updater->partial_) updater->wanted_.push_back(static_cast<uint16_t>(c));
  }
  updater->decoded_.resize(updater->wanted_.size());
  INDIGO_ASSIGN(updater->values_, b.compile_all(values));
  INDIGO_ASSIGN(updater->generated_, b.compile_all(computed));
  INDIGO_ASSIGN(updater->checks_, ChangeChecks::make(b, plan.checks, plan.check_names));
  INDIGO_ASSIGN(updater->view_checks_, ViewChecks::make(b, plan));
  if (plan.relation->is_foreign()) updater->plan_foreign(need_row || !plan.view_checks.empty());
  return updater;
}

// Each string that is patched moves what stands behind it: of many, a new image is cheaper.
bool RowUpdater::patches_few() const {
  const types::RowLayout& layout = target_.relation().layout;
  size_t strings = 0, patched = 0;
  for (size_t c = 0; c < assigned_.size(); c++) {
    if (layout.phys(c) != Phys::kStr) continue;
    strings++;
    patched += assigned_[c] != nullptr ? 1 : 0;
  }
  return patched <= 2 || 2 * patched <= strings;
}

// Rows that move are looked at where they arrive.
void RowUpdater::plan_moves(const sql::ChangePlan& plan) {
  moved_plan_.relation = plan.root;
  moved_plan_.returned_system_columns = plan.returned_system_columns;
  const std::vector<int> upper = matching_columns(*plan.relation, *plan.root);
  for (sql::RowCheck check : plan.row_checks) {
    if (check.kind != sql::RowCheck::Kind::kUpdate) continue;
    check.kind = sql::RowCheck::Kind::kInsert;
    check.condition = renumbered(check.condition, 1, upper);
    moved_plan_.row_checks.push_back(std::move(check));
  }
}

// Rows that leave the partition are checked where they arrive, not here.
uint32_t RowUpdater::check_rows(const Frame& frame, std::span<const storage::Claimed> claimed, Selection selection,
                                std::unique_ptr<Error>& error) {
  if (target_.is_foreign()) return selection.count;
  if (partial_) return check_partial(frame, claimed, selection, error);
  if (partition_check_ == nullptr) {
    if (!row_checks_.empty()) selection.count = row_checks_.run(frame, selection, error);
    if (selection.count > 0) selection.count = checks_.run(target_, frame, selection, columns_, error);
    return selection.count;
  }
  for (uint32_t i = 0; i < selection.count; i++) {
    const auto r = static_cast<uint16_t>(selection[i]);
    auto stays = partition_check_->holds(new_, r);
    if (!stays.ok()) {
      error = stays.take_error();
      return i;
    }
    if (!*stays) continue;
    if (!row_checks_.empty() && row_checks_.run(frame, {&r, 1}, error) == 0) return i;
    if (checks_.run(target_, frame, {&r, 1}, columns_, error) == 0) return i;
  }
  return selection.count;
}

uint32_t RowUpdater::check_partial(const Frame& frame, std::span<const storage::Claimed> claimed, Selection selection,
                                   std::unique_ptr<Error>& error) {
  const uint32_t good = checks_.run(target_, frame, selection, assigned_, error);
  if (good == selection.count) return good;
  // The message shows the whole row.
  const auto row = static_cast<uint16_t>(selection[good]);
  Chunk whole;
  whole.columns.resize(columns_.size());
  std::vector<const Vector*> pointers;
  for (size_t c = 0; c < whole.columns.size(); c++) {
    whole.columns[c].set_constant(assigned_[c] != nullptr ? assigned_[c]->datum(row)
                                                          : target_.relation().layout.column(claimed[row].row, c));
    pointers.push_back(&whole.columns[c]);
  }
  checks_.run(target_, Frame{{frame.inputs[0], &whole}, frame.extent}, {&row, 1}, pointers, error);
  return good;
}

void RowUpdater::load(std::span<const storage::Claimed> claimed, Selection selection) {
  if (wanted_.empty() || selection.count == 0) return;
  // Rows that are not selected are decoded too, from some selected image: their values are never looked at.
  uint32_t extent = extent_of(selection);
  images_.assign(extent, Bytes(claimed[selection[0]].row));
  for (uint32_t i = 0; i < selection.count; i++) images_[selection[i]] = claimed[selection[i]].row;
  target_.relation().layout.decode(images_, wanted_, decoded_);
  for (size_t i = 0; i < wanted_.size(); i++) old_.columns[wanted_[i]].reference(decoded_[i]);
}

Selection RowUpdater::update(const Chunk* source, std::span<const storage::Claimed> claimed, Selection selection,
                             std::unique_ptr<Error>& error) {
  written_.clear();
  command_ = state_.transaction().command();
  Frame frame{{source, &old_}, extent_of(selection)};
  selection.count = values_.evaluate(frame, selection, error);
  if (selection.count == 0) return {};
  for (const uint16_t c : wanted_) new_.columns[c].reference(old_.columns[c]);
  for (size_t i = 0; i < value_columns_.size(); i++) new_.columns[value_columns_[i]].reference(values_[i]);
  Frame new_frame{{source, &new_}, frame.extent};
  if (before_) {
    auto fired = fire_before(claimed[selection[0]], selection[0]);
    if (!fired.ok()) {
      error = fired.take_error();
      return {};
    }
    if (!*fired) return {};
  }
  if (!generated_.empty()) {
    std::unique_ptr<Error> failed;
    selection.count = generated_.evaluate(new_frame, selection, failed);
    if (failed != nullptr) error = std::move(failed);
    if (selection.count == 0) return {};
    for (size_t i = 0; i < generated_columns_.size(); i++) new_.columns[generated_columns_[i]].reference(generated_[i]);
  }
  selection.count = check_rows(new_frame, claimed, selection, error);
  if (strengthener_ != nullptr) {
    Status strong = strengthen(claimed, selection);
    if (!strong.ok()) error = strong.take_error();
    if (!strong.ok() || !blocked_.empty()) return {};
  }
  returned_.begin(new_, frame.extent);
  owns_rows_ = false;
  updating_ = selection;
  for (uint32_t i = 0; i < selection.count; i++) {
    auto stored = write(claimed[selection[i]], selection[i]);
    if (!stored.ok()) {
      error = stored.take_error();
      break;
    }
    if (*stored) written_.push_back(static_cast<uint16_t>(selection[i]));
  }
  Selection written{written_.data(), static_cast<uint32_t>(written_.size())};
  if (written.count > 0) written.count = view_checks_.run(target_, new_frame, written, columns_, error);
  return written;
}

Result<bool> RowUpdater::fire_before(const storage::Claimed& claimed, uint32_t row) {
  const types::RowLayout& layout = target_.relation().layout;
  layout.encode(columns_, row, triggered_);
  const std::string computed = triggered_;
  INDIGO_ASSIGN(const bool keeps, target_.triggers().fire(catalog::kTriggerBefore, catalog::kTriggerUpdate, claimed.row,
                                                          triggered_, {claimed.key, claimed.own}));
  if (!keeps) {
    if (!functions_ran() && !target_.is_foreign()) target_.table().unclaim(state_.transaction(), claimed.key);
    return false;
  }
  if (triggered_ == computed) return true;
  for (size_t c = 0; c < new_.columns.size() && c < layout.column_count(); c++) {
    new_.columns[c].set_constant(layout.column(triggered_, c));
  }
  return true;
}

std::vector<int16_t> updated_columns(const catalog::RelationInfo& relation, const std::vector<int>& assigned) {
  std::vector<int16_t> out;
  for (const int c : assigned) out.push_back(static_cast<int16_t>(c + 1));
  for (const types::ColumnInfo& c : relation.columns) {
    if (!c.dropped && c.generated != 0) out.push_back(c.number);
  }
  return out;
}

void RowUpdater::make_image(const storage::Claimed& claimed, uint32_t row) {
  const types::RowLayout& layout = target_.relation().layout;
  if (!patch_) return layout.encode(columns_, row, image_);
  image_.assign(claimed.row);
  for (const std::vector<size_t>* columns : {&value_columns_, &generated_columns_}) {
    for (const size_t c : *columns) layout.patch(image_, c, new_.columns[c].datum(row));
  }
}

Result<bool> RowUpdater::needs_strong_lock(const storage::Claimed& claimed, uint32_t row) {
  const types::RowLayout& layout = target_.relation().layout;
  for (const size_t c : strong_columns_) {
    if (!same_bits(layout.phys(c), layout.column(claimed.row, c), new_.columns[c].datum(row))) return true;
  }
  if (partition_check_ == nullptr) return false;
  INDIGO_ASSIGN(const bool stays, partition_check_->holds(new_, row));
  return !stays;
}

Status RowUpdater::strengthen(std::span<const storage::Claimed> claimed, Selection selection) {
  blocked_.clear();
  if (strong_columns_.empty() && partition_check_ == nullptr) return {};
  for (uint32_t i = 0; i < selection.count; i++) {
    const uint32_t row = selection[i];
    INDIGO_ASSIGN(const bool strong, needs_strong_lock(claimed[row], row));
    if (!strong) continue;
    INDIGO_ASSIGN(const bool taken, strengthener_->strengthen(state_, row));
    if (!taken) blocked_.push_back(static_cast<uint16_t>(row));
  }
  return {};
}

bool RowUpdater::functions_ran() const { return state_.transaction().command() != command_; }

Status RowUpdater::check_untouched(const storage::Claimed& claimed, uint32_t row, const char* act) {
  if (target_.is_foreign()) return {};
  if (claimer_ != nullptr) return claimer_->check_untouched(state_, row, mode_, act);
  if (!view_) return {};
  return check_row_untouched(state_, target_.relation(), *view_, claimed.key, mode_, act == nullptr ? "updated" : act);
}

// ---- foreign tables

void RowUpdater::plan_foreign(bool need_row) {
  ForeignChangeSpec& spec = target_.foreign_spec();
  spec.event = catalog::kTriggerUpdate;
  spec.places = returned_.has_place();
  spec.returning = need_row || spec.places || target_.triggers().after(catalog::kTriggerUpdate);
  for (size_t c = 0; c < assigned_.size(); c++) {
    if (!target_.relation().columns[c].dropped && (before_ || assigned_[c] != nullptr)) spec.columns.push_back(c);
  }
}

Result<bool> RowUpdater::write_foreign(const storage::Claimed& claimed, uint32_t row) {
  const types::RowLayout& layout = target_.relation().layout;
  layout.encode(columns_, row, image_);
  INDIGO_ASSIGN(ForeignChange* const change, target_.foreign());
  INDIGO_ASSIGN(const bool updated, change->update(claimed.key, image_));
  if (!updated) return false;
  if (target_.foreign_spec().returning) {
    for (size_t c = 0; c < layout.column_count(); c++) new_.columns[c].set_constant(layout.column(image_, c));
    returned_.set_foreign(state_, new_, row, target_.foreign_spec().places ? change->place_of(0) : Bytes());
  }
  INDIGO_TRY(target_.updated(claimed, {}, image_));
  return true;
}

Result<bool> RowUpdater::write(const storage::Claimed& claimed, uint32_t row) {
  if (target_.is_foreign()) return write_foreign(claimed, row);
  if (partition_check_ != nullptr) {
    INDIGO_ASSIGN(const bool stays, partition_check_->holds(new_, row));
    if (!stays) return move(claimed, row);
  }
  if (functions_ran()) INDIGO_TRY(check_untouched(claimed, row, nullptr));
  make_image(claimed, row);
  if (partial_) {
    INDIGO_TRY(target_.update(claimed.key, claimed.key, image_));
    INDIGO_TRY(target_.updated(claimed, claimed.key, image_));
    return true;
  }
  const bool rekeyed = changes_key_ || (before_ && !target_.relation().has_hidden_row_id());
  if (rekeyed) target_.key_of(columns_, row, key_);
  const Bytes key = rekeyed ? Bytes(key_) : Bytes(claimed.key);
  if (before_ && claimer_ != nullptr && !changes_key_ && key != Bytes(claimed.key)) {
    // A trigger has changed the key, which asks for a stronger lock.
    INDIGO_TRY(claimer_->check_untouched(state_, row, storage::RowLockMode::kUpdate));
  }
  if (target_.has_exclusions()) {
    std::unique_ptr<Error> violation;
    INDIGO_ASSIGN(const auto* excluded, target_.excluded(image_, claimed.row, claimed.key, violation));
    if (excluded != nullptr) return std::move(*violation);
  }
  INDIGO_TRY(target_.update(claimed.key, key, image_));
  returned_.set(state_, new_, row, {key, image_});
  INDIGO_TRY(target_.updated(claimed, key, image_));
  return true;
}

Result<bool> RowUpdater::move(const storage::Claimed& claimed, uint32_t row) {
  const RelationPtr& root = moved_plan_.relation;
  if (root == nullptr) return target_.partition_violation(columns_, row);
  if (mover_ == nullptr) INDIGO_TRY(plan_mover());
  for (size_t c = 0; c < moved_.columns.size(); c++) {
    if (moved_columns_[c] >= 0) {
      moved_.columns[c].reference(new_.columns[static_cast<size_t>(moved_columns_[c])]);
    } else {
      moved_.columns[c].set_constant(Datum::make_null(root->layout.phys(c)));
    }
  }
  std::string ignored;
  INDIGO_ASSIGN(const bool erases, target_.triggers().fire(catalog::kTriggerBefore, catalog::kTriggerDelete,
                                                           claimed.row, ignored, {claimed.key, claimed.own}));
  if (!erases) return false;
  if (functions_ran()) INDIGO_TRY(check_untouched(claimed, row, "deleted"));
  INDIGO_TRY(target_.erase_moved(claimed.key));
  INDIGO_TRY(target_.erased(claimed, true));
  INDIGO_TRY(target_.moved(root, claimed.row, moved_, row));
  const auto r = static_cast<uint16_t>(row);
  std::unique_ptr<Error> error;
  mover_->start_rows(moved_, {&r, 1}, false, error);
  Selection written;
  PartitionWriter* writer = nullptr;
  while (error == nullptr) {
    PartitionWriter* next = mover_->next(written, error);
    if (next == nullptr) break;
    if (written.count > 0) writer = next;
  }
  if (error != nullptr) return error;
  if (writer != nullptr) take_moved(*writer, row);
  return writer != nullptr;
}

Status RowUpdater::plan_mover() {
  const RelationPtr& root = moved_plan_.relation;
  moved_columns_ = matching_columns(*root, target_.relation());
  mover_ = std::make_unique<PartitionedInsert>(state_, moved_plan_, nullptr);
  mover_->set_moving(need_row_);
  Builder b(state_);
  INDIGO_TRY(mover_->prepare(b, {}));
  moved_.columns.resize(root->columns.size());
  return {};
}

void RowUpdater::take_moved(const PartitionWriter& writer, uint32_t row) {
  const Chunk& rows = writer.inserter->rows();
  returned_.take(new_, row, rows, writer.inserter->target().column_count());
  if (!need_row_) return;
  if (!owns_rows_) {
    for (size_t c = 0; c < columns_.size(); c++) {
      Vector& column = new_.columns[c];
      Vector copy(column.phys(), extent_of(updating_));
      for (uint32_t i = 0; i < updating_.count; i++) copy.copy_row(updating_[i], column, updating_[i]);
      column = std::move(copy);
    }
  }
  owns_rows_ = true;
  for (size_t c = 0; c < writer.columns.size(); c++) {
    const int own = writer.columns[c] < 0 ? -1 : moved_columns_[static_cast<size_t>(writer.columns[c])];
    if (own < 0) continue;
    Datum d = rows.columns[c].datum(row);
    if (d.phys == Phys::kStr && !d.null) d.str = state_.functions().arena().copy(d.str);
    new_.columns[static_cast<size_t>(own)].set_datum(row, d);
  }
}

}  // namespace indigo::engine::exec
