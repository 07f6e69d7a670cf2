#include "storage/ssn/read_set.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <absl/hash/hash.h>

#include "base/mutation.h"

namespace indigo::storage {

uint64_t hash_read(uint64_t space, Bytes key) { return absl::HashOf(space, key); }

void ReadSet::merge_points() {
  merges_++;
  std::sort(points_.begin(), points_.end());
  points_.erase(std::unique(points_.begin(), points_.end()), points_.end());
  if (points_.size() > kMaxPoints) {
    everything_ = true;
    points_ = {};
  }
  merge_points_at_ = std::max(kMergeAt, points_.size() * 2);
}

uint32_t ReadSet::open_range(uint64_t space) {
  uint32_t scan;
  if (free_.empty()) {
    scan = static_cast<uint32_t>(open_.size());
    open_.emplace_back();
  } else {
    scan = free_.back();
    free_.pop_back();
  }
  open_[scan] = {space, {}};
  return scan;
}

void ReadSet::seen_to(uint32_t scan, const KeyRange& range, Direction direction, Bytes last) {
  KeyInterval& i = open_[scan].interval;
  if (i.empty()) i = interval_of(range);
  if (direction == Direction::kForward) {
    assign_next_key(i.high, last);
    i.unbounded = false;
  } else {
    i.low.assign(last);
  }
}

void ReadSet::seen_all(uint32_t scan, const KeyRange& range) { open_[scan].interval = interval_of(range); }

void ReadSet::close_range(uint32_t scan) {
  add_range(std::move(open_[scan]));
  open_[scan].space = 0;
  free_.push_back(scan);
}

void ReadSet::add_range(Range&& range) {
  if (range.interval.empty() || mutated(Mutation::kNoGapCheck)) return;
  if (range.interval.is_point()) {
    add_point(hash_read(range.space, range.interval.low));
    return;
  }
  ranges_.push_back(std::move(range));
  if (ranges_.size() >= merge_ranges_at_) merge_ranges();
}

void ReadSet::merge_ranges() {
  merges_++;
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
    return a.space != b.space ? a.space < b.space : a.interval.low < b.interval.low;
  });
  size_t kept = 0;
  for (size_t i = 1; i < ranges_.size(); i++) {
    Range& last = ranges_[kept];
    Range& next = ranges_[i];
    if (last.space == next.space && (last.interval.unbounded || next.interval.low <= last.interval.high)) {
      last.interval.unbounded = last.interval.unbounded || next.interval.unbounded;
      if (!last.interval.unbounded && next.interval.high > last.interval.high) {
        last.interval.high = std::move(next.interval.high);
      }
    } else if (++kept != i) {
      ranges_[kept] = std::move(next);
    }
  }
  if (!ranges_.empty()) ranges_.resize(kept + 1);
  if (ranges_.size() > kMaxRanges) {
    everything_ = true;
    ranges_ = {};
  }
  merge_ranges_at_ = std::max(kMergeAt / 4, ranges_.size() * 2);
}

void ReadSet::finish() {
  for (Range& r : open_) {
    if (r.space != 0) add_range(std::move(r));
  }
  open_.clear();
  free_.clear();
  if (ranges_.size() > 1) merge_ranges();
  while (ranges_.size() > kMaxCertified) {
    const size_t before = ranges_.size();
    join_neighbours();
    if (ranges_.size() == before) break;  // one for each space
  }
  constexpr size_t kFewPoints = 64;
  if (points_.size() > kFewPoints) merge_points();
}

// In order, and disjoint: every other one takes the one after it in, and what lies between.
void ReadSet::join_neighbours() {
  size_t kept = 0;
  for (size_t i = 0; i < ranges_.size(); kept++) {
    const size_t next = i + 1;
    if (kept != i) ranges_[kept] = std::move(ranges_[i]);
    if (next < ranges_.size() && ranges_[next].space == ranges_[kept].space) {
      ranges_[kept].interval.high = std::move(ranges_[next].interval.high);
      ranges_[kept].interval.unbounded = ranges_[next].interval.unbounded;
      i = next + 1;
    } else {
      i = next;
    }
  }
  ranges_.resize(kept);
}

void ReadSet::clear() {
  constexpr size_t kKeep = 4096;
  points_.clear();
  if (points_.capacity() > kKeep) points_.shrink_to_fit();
  newer_.clear();
  key_parts_.clear();
  ranges_.clear();
  if (ranges_.capacity() > kKeep) ranges_.shrink_to_fit();
  open_.clear();
  free_.clear();
  everything_ = false;
  merges_ = 0;
  merge_points_at_ = kMergeAt;
  merge_ranges_at_ = kMergeAt / 4;
}

namespace {

template <class T>
std::vector<T> tail_of(std::vector<T>& all, size_t from) {
  const auto begin = all.begin() + static_cast<ptrdiff_t>(from);
  std::vector<T> out(std::make_move_iterator(begin), std::make_move_iterator(all.end()));
  all.erase(begin, all.end());
  return out;
}

template <class T>
void append(std::vector<T>& all, std::vector<T>&& tail) {
  all.insert(all.end(), std::make_move_iterator(tail.begin()), std::make_move_iterator(tail.end()));
}

}  // namespace

ReadSet::Tail ReadSet::take_tail(const Mark& mark) {
  return {tail_of(points_, mark.points), tail_of(key_parts_, mark.key_parts), tail_of(newer_, mark.newer),
          tail_of(ranges_, mark.ranges)};
}

void ReadSet::put_back(Tail&& tail) {
  append(points_, std::move(tail.points));
  append(key_parts_, std::move(tail.key_parts));
  append(newer_, std::move(tail.newer));
  append(ranges_, std::move(tail.ranges));
}

void ReadSet::forget_since(const Mark& mark) {
  points_.resize(std::min(points_.size(), mark.points));
  ranges_.resize(std::min(ranges_.size(), mark.ranges));
}

}  // namespace indigo::storage
