#include "engine/exec/scan/ring_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/exec/errors.h"
#include "engine/exec/scan/candidate_finder.h"
#include "types/oids.h"

namespace indigo::engine::exec {

namespace {

constexpr double kLeastGrowth = 1.4, kSomeMore = 1.2;
constexpr double kUsuallyWanted = 8, kRowsMore = 3;
constexpr size_t kBatch = 128;
constexpr double kNever = std::numeric_limits<double>::infinity();
// Rings that meet more than this part of a table are as much work as the table.
constexpr size_t kMostPart = 3;
// A ring may have this many times as many rows as are wanted, and some. After so many that had more all are met.
constexpr double kTooManyTimes = 8;
constexpr size_t kSome = 64, kMostNarrowed = 200;
// Parts of the radius: a ring is at least so much wider than the last, and none is looked for between two that differ so little.
constexpr double kLeastStep = 0x1p-10, kNoDifference = 0x1p-30;

// Of the kinds that operators of distances have; intervals as they are compared. Of oids it is an oid.
long double distance_of(const Datum& value, Oid of) {
  constexpr long double kMicrosecondsOfDay = 86'400'000'000, kDaysOfMonth = 30;
  switch (value.phys) {
    case Phys::kI16: return value.i16;
    case Phys::kI32: return of == oid::kOid ? static_cast<long double>(static_cast<Oid>(value.i32)) : value.i32;
    case Phys::kI64: return value.i64;
    case Phys::kF32: return value.f32;
    case Phys::kB16:
      return (value.interval.months * kDaysOfMonth + value.interval.days) * kMicrosecondsOfDay +
             value.interval.microseconds;
    default: return value.f64;
  }
}

}  // namespace

RingRows::RingRows(QueryState& state, storage::Table& table, IndexId index, size_t column,
                   const catalog::InvertedKey& key, const Datum& place, double wanted, DistancesOf distances_of,
                   std::unique_ptr<Error>& error)
    : state_(state),
      table_(table),
      index_(index),
      column_(column),
      key_(key),
      place_(place),
      wanted_(wanted),
      distances_of_(std::move(distances_of)),
      error_(error) {
  begin();
}

void RingRows::begin() {
  radius_ = -1;
  empty_ = 0;
  narrowed_ = 0;
  too_wide_ = kNever;
  first_ = key_.keys->rings->first(key_.column, place_.get());
  set_next(first_);
  all_met_ = false;
  given_so_far_ = 0;
  met_.clear();
  rows_.clear();
  bytes_ = 0;
}

// Of a heap whose front is the nearest: it is the greatest in this order.
bool RingRows::is_nearer(const Row& a, const Row& b) {
  if (a.known != b.known) return b.known;
  if (std::isnan(a.distance) || std::isnan(b.distance))
    return a.known && std::isnan(a.distance) > std::isnan(b.distance);
  return a.known && a.distance > b.distance;
}

storage::StorageStatus RingRows::next(std::span<storage::RowRef> out, size_t& count) {
  count = 0;
  given_.clear();
  const auto is_sure = [&] {
    return !rows_.empty() && (all_met_ || (rows_.front().known && rows_.front().distance <= radius_));
  };
  while (!is_sure() && !all_met_) {
    if (Status widened = widen(); !widened.ok()) {
      error_ = widened.take_error();
      return storage::StorageStatus::kOk;
    }
  }
  while (given_.size() < out.size() && is_sure()) {
    std::pop_heap(rows_.begin(), rows_.end(), is_nearer);
    given_.push_back(std::move(rows_.back()));
    rows_.pop_back();
  }
  for (const Row& row : given_) out[count++] = {row.key, row.image};
  given_so_far_ += count;
  return storage::StorageStatus::kOk;
}

// As many rows as are wanted, or twice those that have been.
double RingRows::aim() const {
  return std::max({wanted_, kUsuallyWanted, 2.0 * static_cast<double>(given_so_far_)}) + kRowsMore;
}

// The area that has them, if rows lie as close there as those that were met; `new_rows`: in the last ring.
double RingRows::growth(size_t new_rows) const {
  const double most = key_.keys->rings->most_growth;
  if (new_rows == 0) return most;
  return std::clamp(std::sqrt(aim() / static_cast<double>(met_.size())) * kSomeMore, std::min(kLeastGrowth, most),
                    most);
}

// The next ring's radius; `new_rows`: in the last one.
double RingRows::wider(size_t new_rows) const {
  if (key_.keys->rings->next != nullptr) return key_.keys->rings->next(radius_);
  const double times = growth(new_rows);
  if (met_.empty()) return radius_ * times;
  return radius_ + std::max((radius_ - empty_) * (times - 1), radius_ * kLeastStep);
}

// The next ring has too many rows: one between it and the last has perhaps less.
void RingRows::narrow() {
  narrowed_++;
  too_wide_ = next_;
  set_next(radius_ < 0 ? too_wide_ / key_.keys->rings->most_growth : too_wide_);
}

// Within the narrowest that had too many; where rows lie at one distance there is none between.
void RingRows::set_next(double wider) {
  takes_all_ = !key_.keys->rings->narrows() || narrowed_ >= kMostNarrowed;
  next_ = wider;
  if (too_wide_ == kNever || takes_all_) return;
  const double inner = std::max(radius_, 0.0);
  next_ = std::min(wider, inner + (too_wide_ - inner) / 2);
  takes_all_ = next_ - inner <= kNoDifference * std::max(inner, first_) || next_ >= too_wide_;
  if (takes_all_) next_ = too_wide_;
}

Status RingRows::widen() {
  INDIGO_TRY(state_.check());
  const types::KeyQuery around = key_.keys->rings->around(key_.column, place_.get(), next_);
  if (around.kind == types::KeyQuery::Kind::kAll || met_.size() * kMostPart > table_.statistics().rows)
    return meet_the_rest();
  types::KeyQuery query = around;
  types::put_before_keys(catalog::inverted_column_prefix(column_), query);
  const size_t before = met_.size();
  const size_t most = takes_all_ ? SIZE_MAX : before + kSome + static_cast<size_t>(kTooManyTimes * aim());
  INDIGO_ASSIGN(const storage::Candidates found,
                CandidateFinder(state_, table_, index_, state_.view()).find(query, most));
  if (found.all) {
    if (takes_all_) return meet_the_rest();
    narrow();
    return {};
  }
  INDIGO_TRY(meet_candidates(found.primary_keys));
  radius_ = next_;  // what lies within this ring is sure now
  if (met_.size() > before) too_wide_ = kNever;
  if (met_.empty()) empty_ = radius_;
  set_next(wider(met_.size() - before));
  return std::isfinite(next_) ? Status() : meet_the_rest();
}

Status RingRows::meet_candidates(const std::vector<std::string>& primary_keys) {
  std::vector<Bytes> keys;
  std::vector<std::string> images(kBatch);
  const auto found = std::make_unique<bool[]>(kBatch);
  std::vector<storage::RowRef> rows;
  for (size_t at = 0; at < primary_keys.size();) {
    keys.clear();
    rows.clear();
    for (; at < primary_keys.size() && keys.size() < kBatch; at++) {
      if (!met_.contains(primary_keys[at])) keys.push_back(primary_keys[at]);
    }
    const size_t n = keys.size();
    const storage::StorageStatus status = table_.get_many(state_.transaction(), state_.view(), keys,
                                                          std::span(images).first(n), std::span(found.get(), n));
    if (status != storage::StorageStatus::kOk) return storage_error(status, nullptr);
    for (size_t i = 0; i < n; i++) {
      if (found[i]) rows.push_back({keys[i], images[i]});
    }
    INDIGO_TRY(meet(rows));
  }
  return {};
}

Status RingRows::meet_the_rest() {
  const auto all =
      table_.scan(state_.transaction(), state_.view(), storage::KeyRange::all(), storage::Direction::kForward);
  std::vector<storage::RowRef> batch(kBatch), rows;
  for (size_t n = 1; n > 0;) {
    const storage::StorageStatus status = all->next(batch, n);
    if (status != storage::StorageStatus::kOk) return storage_error(status, nullptr);
    rows.clear();
    for (size_t i = 0; i < n; i++) {
      if (!met_.contains(std::string(batch[i].key))) rows.push_back(batch[i]);
    }
    INDIGO_TRY(meet(rows));
    INDIGO_TRY(state_.check());
  }
  all_met_ = true;
  return {};
}

Status RingRows::meet(std::span<const storage::RowRef> rows) {
  if (rows.empty()) return {};
  INDIGO_ASSIGN(const std::vector<Datum> distances, distances_of_(rows));
  for (size_t i = 0; i < rows.size(); i++) {
    const Datum& distance = distances[i];
    rows_.push_back({!distance.null, distance.null ? 0 : distance_of(distance, key_.column.type),
                     std::string(rows[i].key), std::string(rows[i].row)});
    std::push_heap(rows_.begin(), rows_.end(), is_nearer);
    met_.insert(std::string(rows[i].key));
    bytes_ += sizeof(Row) + rows[i].key.size() * 2 + rows[i].row.size();
  }
  return state_.check_memory(bytes_);
}

}  // namespace indigo::engine::exec
