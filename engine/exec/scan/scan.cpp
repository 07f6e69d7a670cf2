#include "engine/exec/scan/scan.h"

#include <algorithm>

#include "engine/exec/execution.h"
#include "storage/table.h"

namespace indigo::engine::exec {
namespace {

constexpr uint32_t kFirstBatch = 32;
constexpr uint32_t kListBatch = 64;

void mark_columns(const sql::ExprPtr& e, std::vector<bool>& columns) {
  if (e == nullptr) return;
  if (const auto* c = sql::try_as<sql::ColumnExpr>(e)) columns[static_cast<size_t>(c->column)] = true;
  sql::for_each_child(*e, [&](const sql::ExprPtr& child) { mark_columns(child, columns); });
}

}  // namespace

ScanOperator::ScanOperator(QueryState& state, const sql::ScanPlan& plan, KeyBoundsEvaluator bounds, Condition filter)
    : state_(state),
      plan_(plan),
      bounds_(std::move(bounds)),
      filter_(std::move(filter)),
      decoder_(*plan.relation, plan.scan_columns) {
  chunk_.columns.resize(plan.scan_columns.size());
  if (filter_) {
    in_filter_.resize(plan.scan_columns.size());
    mark_columns(plan.filter, in_filter_);
  }
}

Status ScanOperator::open(Open mode) {
  if (mode == Open::kFresh) {
    cursor_ = nullptr;
    forget();
  }
  started_ = finished_ = cursor_ready_ = false;
  left_ = {};
  list_at_ = 0;
  batch_ = 0;
  error_ = nullptr;
  return {};
}

void ScanOperator::close() {
  cursor_ = nullptr;
  cursor_ready_ = false;
  finished_ = true;
  left_ = {};
}

void ScanOperator::count_scan() {
  if (ScanCounts* const counts = state_.context().scans; counts != counts_) {
    counts_ = counts;
    count_ = counts == nullptr ? nullptr : &counts->of(counted_as());
  }
  if (count_ != nullptr) count_->add(1, 0);
}

Status ScanOperator::start() {
  started_ = true;
  count_scan();
  arena_.reset();
  ArenaScope scope(state_, arena_);
  INDIGO_ASSIGN(bool any, bounds_.evaluate());
  if (!any) finished_ = true;
  return {};
}

// Puts the cursor on the next range; false when there is none.
Result<bool> ScanOperator::next_range() {
  const size_t count = bounds_.range_count();
  if (list_at_ == count) return false;
  const bool backward = plan_.direction == storage::Direction::kBackward;
  const storage::KeyRange& range = bounds_.range(backward ? count - 1 - list_at_ : list_at_);
  list_at_++;
  if (cursor_ == nullptr) {
    INDIGO_ASSIGN(cursor_, make_cursor(range));
  } else {
    cursor_->rebind(range, state_.view(), plan_.direction);
  }
  cursor_ready_ = true;
  return true;
}

void ScanOperator::take(uint32_t count) {
  if (count_ != nullptr) count_->add(0, count);
  std::span<const storage::RowRef> rows(refs_.data(), count);
  Selection all{nullptr, count};
  if (!filter_) {
    decoder_.decode(rows, chunk_, arena_);
    left_ = all;
    return;
  }
  if (count == 1) {
    decoder_.decode(rows, chunk_, arena_);
    left_ = filter_.filter(Frame{{&chunk_, nullptr}, count}, all, error_);
  } else {
    decoder_.decode_some(rows, in_filter_, true, chunk_, arena_);
    left_ = filter_.filter(Frame{{&chunk_, nullptr}, count}, all, error_);
    if (left_.count > count / 4) {
      decoder_.decode_some(rows, in_filter_, false, chunk_, arena_);
    } else if (left_.count > 0) {
      decoder_.decode_selected(rows, left_, in_filter_, false, chunk_, arena_);
    }
  }
  counters().filtered += count - left_.count;
}

Result<bool> ScanOperator::look_up_point() {
  rows_.resize(std::max<size_t>(rows_.size(), 1));
  refs_.resize(std::max<size_t>(refs_.size(), 1));
  storage::StorageStatus status =
      plan_.relation->table->get(state_.transaction(), state_.view(), bounds_.key(), rows_[0]);
  if (status == storage::StorageStatus::kNotFound) return false;
  if (status != storage::StorageStatus::kOk) return storage_error(status, plan_.relation.get());
  refs_[0] = {bounds_.key(), rows_[0]};
  return true;
}

Status ScanOperator::look_up_keys(std::span<const Bytes> keys, std::span<storage::RowRef> rows, std::span<bool> found) {
  rows_.resize(std::max(rows_.size(), keys.size()));
  storage::StorageStatus status =
      plan_.relation->table->get_many(state_.transaction(), state_.view(), keys, {rows_.data(), keys.size()}, found);
  if (status != storage::StorageStatus::kOk) return storage_error(status, plan_.relation.get());
  for (size_t i = 0; i < keys.size(); i++) rows[i] = {keys[i], rows_[i]};
  return {};
}

// Several keys at once: storage overlaps their cache misses.
Result<uint32_t> ScanOperator::look_up_list(uint32_t wanted) {
  const auto all = bounds_.keys();
  bool backward = plan_.direction == storage::Direction::kBackward;
  uint32_t n = static_cast<uint32_t>(std::min<size_t>(std::min(wanted, kListBatch), all.size() - list_at_));
  refs_.resize(std::max<size_t>(refs_.size(), n));
  keys_.resize(n);
  if (found_ == nullptr) found_ = std::make_unique<bool[]>(kListBatch);
  for (uint32_t i = 0; i < n; i++) keys_[i] = all[backward ? all.size() - 1 - (list_at_ + i) : list_at_ + i];
  list_at_ += n;
  INDIGO_TRY(look_up_keys(keys_, {refs_.data(), n}, {found_.get(), n}));
  uint32_t hits = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (found_[i]) refs_[hits++] = refs_[i];
  }
  return hits;
}

Result<Chunk*> ScanOperator::next(uint32_t max_rows) {
  if (!started_) INDIGO_TRY(start());
  ArenaScope scope(state_, arena_);
  while (left_.count == 0) {
    if (error_ != nullptr) return std::move(error_);
    if (finished_) return nullptr;
    arena_.reset();
    if (has_look_up() && bounds_.is_point()) {
      finished_ = true;
      INDIGO_ASSIGN(bool found, look_up_point());
      if (!found) return nullptr;
      take(1);
      continue;
    }
    batch_ =
        filter_.is_volatile() ? max_rows : std::max(std::min(max_rows, kFirstBatch), std::min(batch_ * 2, kChunkRows));
    if (!filter_) batch_ = std::min(batch_, max_rows);
    if (looks_up_lists() && bounds_.is_list()) {
      INDIGO_ASSIGN(uint32_t hits, look_up_list(batch_));
      if (list_at_ == bounds_.keys().size()) finished_ = true;
      if (hits > 0) take(hits);
      continue;
    }
    if (!cursor_ready_) {
      INDIGO_ASSIGN(bool more, next_range());
      if (!more) {
        finished_ = true;
        return nullptr;
      }
    }
    if (batch_ > kFirstBatch) INDIGO_TRY(state_.check());
    if (refs_.size() < batch_) refs_.resize(batch_);
    size_t count = 0;
    storage::StorageStatus status = cursor_->next({refs_.data(), batch_}, count);
    if (status != storage::StorageStatus::kOk) return storage_error(status, plan_.relation.get());
    if (count == 0) {
      cursor_ready_ = false;
      continue;
    }
    take(static_cast<uint32_t>(count));
  }
  uint32_t n = std::min(left_.count, max_rows);
  chunk_.selection = {left_.rows, n};
  if (left_.rows == nullptr && n < left_.count) {
    // Cannot happen without a filter: batches are no larger than what is wanted.
    n = left_.count;
    chunk_.selection.count = n;
  }
  left_ = {left_.rows == nullptr ? nullptr : left_.rows + n, left_.count - n};
  return &chunk_;
}

}  // namespace indigo::engine::exec
