#include "base/sqlstate.h"
#include "catalog/descriptor/trigger_info.h"
#include "engine/exec/change/insert.h"

namespace indigo::engine::exec {

RowInserter::RowInserter(QueryState& state, std::shared_ptr<const catalog::RelationInfo> relation)
    : state_(state), target_(state, std::move(relation)) {
  size_t n = target_.column_count();
  rows_.columns.resize(n);
  nulls_.resize(n);
  for (size_t c = 0; c < n; c++) {
    nulls_[c].set_constant(Datum::make_null(target_.relation().layout.phys(c)));
    columns_.push_back(&rows_.columns[c]);
  }
}

Result<std::unique_ptr<RowInserter>> RowInserter::make(Builder& b, const sql::ChangePlan& plan,
                                                       const std::vector<sql::Assignment>& assignments, bool routed) {
  auto inserter = std::make_unique<RowInserter>(b.state(), plan.relation);
  inserter->returned_ = ReturnedColumns(*plan.relation, plan.returned_system_columns);
  inserter->target_.set_named_columns(plan.named_columns);
  sql::ExprList values, computed;
  for (const sql::Assignment& a : assignments) {
    values.push_back(a.value);
    inserter->value_columns_.push_back(static_cast<size_t>(a.column));
  }
  for (const sql::Assignment& a : plan.generated) {
    computed.push_back(a.value);
    inserter->generated_columns_.push_back(static_cast<size_t>(a.column));
  }
  INDIGO_ASSIGN(inserter->values_, b.compile_all(values));
  INDIGO_ASSIGN(inserter->generated_, b.compile_all(computed));
  INDIGO_ASSIGN(inserter->view_checks_, ViewChecks::make(b, plan));
  if (plan.relation->is_foreign()) {
    inserter->plan_foreign(plan);
    return inserter;
  }
  INDIGO_ASSIGN(inserter->checks_, ChangeChecks::make(b, plan.checks, plan.check_names));
  INDIGO_ASSIGN(inserter->row_checks_, RowChecks::make(b, plan, sql::RowCheck::Kind::kInsert));
  // BEFORE triggers may make another partition's row of one that belongs here.
  if (!routed || inserter->target_.triggers().before(catalog::kTriggerInsert)) {
    INDIGO_ASSIGN(inserter->partition_check_, PartitionCheck::make(b.state(), *plan.relation));
  }
  return inserter;
}

Status RowInserter::compute_values(const Chunk& source, Selection& selection, std::unique_ptr<Error>& error) {
  Frame frame{{&source, &rows_}, extent_of(selection)};
  selection.count = values_.evaluate(frame, selection, error);
  if (selection.count == 0) return {};
  for (size_t c = 0; c < nulls_.size(); c++) rows_.columns[c].reference(nulls_[c]);
  for (size_t i = 0; i < value_columns_.size(); i++) rows_.columns[value_columns_[i]].reference(values_[i]);
  return {};
}

Selection RowInserter::compute(const Chunk& source, Selection selection, std::unique_ptr<Error>& error) {
  reserve_columns(extent_of(selection));
  Status done = compute_values(source, selection, error);
  if (!done.ok()) {
    error = done.take_error();
    return {};
  }
  if (!filter_ || selection.count == 0) return selection;
  std::unique_ptr<Error> failed;
  selection = filter_.filter(Frame{{&source, &rows_}, extent_of(selection)}, selection, failed);
  if (failed != nullptr) error = std::move(failed);
  return selection;
}

// Computes the new rows and cuts the selection at the first row that fails.
Status RowInserter::prepare(const Chunk& source, Selection& selection, std::unique_ptr<Error>& error) {
  INDIGO_TRY(compute_values(source, selection, error));
  return check_rows(source, selection, error);
}

Status RowInserter::check_rows(const Chunk& source, Selection& selection, std::unique_ptr<Error>& error) {
  if (selection.count == 0) return {};
  Frame frame{{&source, &rows_}, extent_of(selection)};
  if (!generated_.empty()) {
    std::unique_ptr<Error> failed;
    selection.count = generated_.evaluate(frame, selection, failed);
    if (failed != nullptr) error = std::move(failed);
    if (selection.count == 0) return {};
    for (size_t i = 0; i < generated_columns_.size(); i++)
      rows_.columns[generated_columns_[i]].reference(generated_[i]);
  }
  if (filter_) {
    std::unique_ptr<Error> failed;
    selection = filter_.filter(frame, selection, failed);
    if (failed != nullptr) error = std::move(failed);
    if (selection.count == 0) return {};
  }
  if (!row_checks_.empty()) {
    selection.count = row_checks_.run(frame, selection, error);
    if (selection.count == 0) return {};
  }
  if (target_.is_foreign()) return {};
  selection.count = checks_.run(target_, frame, selection, columns_, error);
  if (partition_check_ != nullptr) check_partition(selection, error);
  return {};
}

void RowInserter::check_partition(Selection& selection, std::unique_ptr<Error>& error) {
  for (uint32_t i = 0; i < selection.count; i++) {
    auto holds = partition_check_->holds(rows_, selection[i]);
    if (holds.ok() && *holds) continue;
    error =
        holds.ok() ? std::make_unique<Error>(target_.partition_violation(columns_, selection[i])) : holds.take_error();
    selection.count = i;
  }
}

void RowInserter::own_rows(uint32_t extent, Selection selection) {
  for (size_t c = 0; c < columns_.size(); c++) {
    Vector& column = rows_.columns[c];
    Vector copy(column.phys(), extent);
    for (uint32_t i = 0; i < selection.count; i++) copy.copy_row(selection[i], column, selection[i]);
    column = std::move(copy);
  }
}

// New columns move the old ones: columns_ follows.
void RowInserter::reserve_columns(uint32_t extent) {
  returned_.begin(rows_, extent);
  for (size_t c = 0; c < columns_.size(); c++) columns_[c] = &rows_.columns[c];
}

Selection RowInserter::insert(const Chunk& source, Selection selection, ConflictHandler* handler,
                              std::unique_ptr<Error>& error) {
  inserted_ = 0;
  written_.clear();
  Selection all = selection;
  reserve_columns(extent_of(selection));
  if (target_.triggers().before(catalog::kTriggerInsert)) return insert_each(source, selection, handler, error);
  Status prepared = prepare(source, selection, error);
  if (!prepared.ok()) {
    error = prepared.take_error();
    return {};
  }
  write(selection, all, handler, error);
  Selection written{written_.data(), static_cast<uint32_t>(written_.size())};
  if (written.count > 0) {
    written.count = view_checks_.run(target_, Frame{{&source, &rows_}, extent_of(written)}, written, columns_, error);
  }
  return written;
}

Selection RowInserter::insert_each(const Chunk& source, Selection selection, ConflictHandler* handler,
                                   std::unique_ptr<Error>& error) {
  std::unique_ptr<Error> later;  // of a row behind those that are computed
  Selection computed = selection;
  Status done = compute_values(source, computed, later);
  if (!done.ok()) {
    error = done.take_error();
    return {};
  }
  if (filter_ && computed.count > 0) {
    std::unique_ptr<Error> failed;
    computed = filter_.filter(Frame{{&source, &rows_}, extent_of(computed)}, computed, failed);
    if (failed != nullptr) later = std::move(failed);
  }
  std::vector<uint16_t> wanted;  // the filter's own list is used again below
  for (uint32_t i = 0; i < computed.count; i++) wanted.push_back(static_cast<uint16_t>(computed[i]));
  if (!wanted.empty()) {
    own_rows(extent_of(selection), {wanted.data(), static_cast<uint32_t>(wanted.size())});
  }
  Condition filter = std::move(filter_);
  filter_ = Condition();
  const Selection all = selection;
  kept_generated_.clear();
  uint64_t consumed = 0;
  for (const uint16_t r : wanted) {
    while (consumed < all.count && all[static_cast<uint32_t>(consumed)] < r) consumed++;
    auto fired = fire_before(r);
    if (!fired.ok()) {
      error = fired.take_error();
      break;
    }
    if (!*fired) continue;
    Selection one{&r, 1};
    Status checked = check_rows(source, one, error);
    if (!checked.ok()) error = checked.take_error();
    if (error != nullptr) break;
    keep_generated(r, extent_of(selection));
    write({&r, 1}, {&r, 1}, handler, error);
    if (error != nullptr) break;
  }
  if (error == nullptr) {
    error = std::move(later);
    if (error == nullptr) consumed = all.count;
  }
  consumed_ = consumed;
  filter_ = std::move(filter);
  Selection written{written_.data(), static_cast<uint32_t>(written_.size())};
  if (written.count > 0) {
    written.count = view_checks_.run(target_, Frame{{&source, &rows_}, extent_of(written)}, written, columns_, error);
  }
  return written;
}

// Generated columns are computed row by row: earlier rows keep theirs, for RETURNING.
void RowInserter::keep_generated(uint32_t row, uint32_t extent) {
  const bool first = kept_generated_.empty();
  kept_generated_.resize(generated_columns_.size());
  for (size_t i = 0; i < generated_columns_.size(); i++) {
    if (first) {
      kept_generated_[i].init(generated_[i].phys(), extent);
      // The rows behind are encoded for their triggers before they are computed.
      for (uint32_t r = 0; r < extent; r++) kept_generated_[i].set_datum(r, Datum::make_null(generated_[i].phys()));
    }
    Datum d = generated_[i].datum(row);
    if (d.phys == Phys::kStr && !d.null) d.str = state_.functions().arena().copy(d.str);
    kept_generated_[i].set_datum(row, d);
    rows_.columns[generated_columns_[i]].reference(kept_generated_[i]);
  }
}

Result<bool> RowInserter::fire_before(uint32_t row) {
  const types::RowLayout& layout = target_.relation().layout;
  layout.encode(columns_, row, image_);
  std::string given = image_, made = image_;
  INDIGO_ASSIGN(const bool keeps,
                target_.triggers().fire(catalog::kTriggerBefore, catalog::kTriggerInsert, Bytes(), made));
  if (!keeps || made == given) return keeps;
  Arena& arena = state_.functions().arena();
  for (size_t c = 0; c < layout.column_count(); c++) {
    Datum d = layout.column(made, c);
    if (d.phys == Phys::kStr && !d.null) d.str = arena.copy(d.str);
    rows_.columns[c].set_datum(row, d);
  }
  return true;
}

void RowInserter::write(Selection selection, Selection all, ConflictHandler* handler, std::unique_ptr<Error>& error) {
  consumed_ = 0;
  auto pass_to = [&](uint32_t row) {  // rows before this one are done with
    while (consumed_ < all.count && all[static_cast<uint32_t>(consumed_)] < row) consumed_++;
  };
  if (target_.is_foreign()) {
    if (Status done = write_foreign(selection); !done.ok()) {
      error = done.take_error();
    } else if (selection.count > 0) {
      pass_to(selection[selection.count - 1] + 1);
    }
    return;
  }
  if (handler != nullptr && selection.count > 0 && !target_.triggers().before(catalog::kTriggerInsert))
    own_rows(extent_of(selection), selection);
  for (uint32_t i = 0; i < selection.count; i++) {
    uint32_t r = selection[i];
    pass_to(r);
    target_.key_of(columns_, r, key_);
    target_.relation().layout.encode(columns_, r, image_);
    while (true) {
      if (handler != nullptr) {
        Status seen = handler->before(key_, image_);
        if (!seen.ok()) {
          error = seen.take_error();
          return;
        }
      }
      std::unique_ptr<Error> violation;
      if (target_.has_exclusions()) {
        auto excluded = target_.excluded(image_, Bytes(), Bytes(), violation);
        if (!excluded.ok()) {
          error = excluded.take_error();
          return;
        }
        if (*excluded != nullptr && handler == nullptr) {
          error = std::move(violation);
          return;
        }
        if (*excluded != nullptr && handler->skips((*excluded)->index)) break;
      }
      auto done = target_.insert(key_, image_, duplicate_);
      if (!done.ok()) {
        error = done.take_error();
        return;
      }
      if (*done && violation != nullptr) {  // no arbiter was in the way
        error = std::move(violation);
        return;
      }
      if (*done) {
        Status told = target_.inserted(key_, image_, moving_);
        if (!told.ok()) {
          error = told.take_error();
          return;
        }
        returned_.set(state_, rows_, r, {key_, image_});
        inserted_++;
        written_.push_back(static_cast<uint16_t>(r));
        break;
      }
      Result<ConflictHandler::Answer> answer = ConflictHandler::Answer::kViolation;
      if (handler != nullptr) answer = handler->conflict(duplicate_, r);
      if (!answer.ok()) {
        error = answer.take_error();
        return;
      }
      if (*answer == ConflictHandler::Answer::kRetry) continue;
      if (*answer == ConflictHandler::Answer::kViolation) {
        error = std::make_unique<Error>(target_.unique_violation(duplicate_, image_));
        return;
      }
      if (*answer == ConflictHandler::Answer::kChanged) written_.push_back(static_cast<uint16_t>(r));
      break;
    }
  }
  if (selection.count > 0) pass_to(selection[selection.count - 1] + 1);
}

// ---- foreign tables

void RowInserter::plan_foreign(const sql::ChangePlan& plan) {
  ForeignChangeSpec& spec = target_.foreign_spec();
  spec.event = catalog::kTriggerInsert;
  spec.places = returned_.has_place();
  spec.returning =
      !plan.returning.empty() || !plan.view_checks.empty() || target_.triggers().after(catalog::kTriggerInsert);
  spec.one_by_one = spec.returning || target_.triggers().before(catalog::kTriggerInsert);
}

Status RowInserter::write_foreign(Selection selection) {
  if (selection.count == 0) return {};
  INDIGO_ASSIGN(ForeignChange* const change, target_.foreign());
  const ForeignChangeSpec& spec = target_.foreign_spec();
  std::vector<std::string> rows(selection.count);
  for (uint32_t i = 0; i < selection.count; i++) target_.relation().layout.encode(columns_, selection[i], rows[i]);
  INDIGO_ASSIGN(size_t left, change->insert(rows));
  inserted_ += left;
  if (spec.returning && !target_.triggers().before(catalog::kTriggerInsert)) own_rows(extent_of(selection), selection);
  for (uint32_t i = 0; i < selection.count && left > 0; i++) {
    if (rows[i].empty()) continue;
    left--;
    if (spec.returning) {
      take_row(selection[i], rows[i]);
      returned_.set_foreign(state_, rows_, selection[i], spec.places ? change->place_of(i) : Bytes());
    }
    INDIGO_TRY(target_.inserted({}, rows[i], moving_));
    written_.push_back(static_cast<uint16_t>(selection[i]));
  }
  return {};
}

// The row as the other server has it.
void RowInserter::take_row(uint32_t row, Bytes image) {
  Arena& arena = state_.functions().arena();
  for (size_t c = 0; c < columns_.size(); c++) {
    Datum d = target_.relation().layout.column(image, c);
    if (d.phys == Phys::kStr && !d.null) d.str = arena.copy(d.str);
    rows_.columns[c].set_datum(row, d);
  }
}

}  // namespace indigo::engine::exec
