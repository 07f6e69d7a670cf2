#include "storage/ssn/range_stamps.h"

#include <algorithm>

namespace indigo::storage {

RangeStamps::RangeStamps() {
  for (uint32_t i = 0; i < kSegments; i++) order_[i] = static_cast<Place>(i);
}

uint32_t RangeStamps::position(const SpaceKey& key) const {
  uint32_t low = 0, high = count_;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (segment(middle).begin.view() <= key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

uint64_t RangeStamps::at(const SpaceKey& key) const {
  const uint32_t after = position(key);
  return after == 0 ? 0 : segment(after - 1).stamp;
}

uint64_t RangeStamps::greatest(uint64_t space) const {
  const uint32_t first = position({space, {}});
  uint64_t greatest = first == 0 ? 0 : segment(first - 1).stamp;
  for (uint32_t i = first; i < count_ && segment(i).begin.space() == space; i++) {
    greatest = std::max(greatest, segment(i).stamp);
  }
  return greatest;
}

uint32_t RangeStamps::split(const ShortKey& key) {
  const uint32_t after = position(key.view());
  if (after > 0 && segment(after - 1).begin.view() == key.view()) return after - 1;
  const Place place = order_[count_];
  std::copy_backward(&order_[after], &order_[count_], &order_[count_ + 1]);
  order_[after] = place;
  count_++;
  segment(after) = {after == 0 ? 0 : segment(after - 1).stamp, key};
  return after;
}

void RangeStamps::raise(uint64_t space, const KeyInterval& interval, uint64_t stamp, uint64_t oldest) {
  if (interval.empty()) return;
  ShortKey low, high;
  low.assign_down({space, interval.low});
  if (interval.unbounded) {
    high.assign_up({space + 1, {}});
  } else {
    high.assign_up({space, interval.high});
  }
  if (count_ >= trim_at_) trim(oldest);
  if (count_ + 2 > kSegments) make_room(oldest);
  uint32_t first = split(low), end = split(high);
  bool same = false;  // as the one before
  for (uint32_t i = first; i < end; i++) {
    segment(i).stamp = std::max(segment(i).stamp, stamp);
    same = same || (i > first && segment(i).stamp == segment(i - 1).stamp);
  }
  if (!same) return;
  filter([&](uint32_t i) { return i <= first || i >= end || segment(i).stamp != segment(i - 1).stamp; });
}

template <class Keep>
void RangeStamps::filter(Keep keep) {
  // keep() looks at its neighbour to the left: so the places are gathered before any is moved.
  std::array<Place, kSegments> kept, freed;
  uint32_t n = 0, f = 0;
  for (uint32_t i = 0; i < count_; i++) {
    if (keep(i)) {
      kept[n++] = order_[i];
    } else {
      freed[f++] = order_[i];
    }
  }
  std::copy_n(kept.begin(), n, &order_[0]);
  std::copy_n(freed.begin(), f, &order_[n]);
  count_ = n;
}

void RangeStamps::trim(uint64_t oldest) {
  for (uint32_t i = 0; i < count_; i++) {
    if (segment(i).stamp <= oldest) segment(i).stamp = 0;
  }
  filter([this](uint32_t i) { return segment(i).stamp != (i == 0 ? 0 : segment(i - 1).stamp); });
  trimmed_to_ = oldest;
  trim_at_ = std::clamp(count_ * 2, kTrimAt, kSegments);
}

void RangeStamps::make_room(uint64_t oldest) {
  trim(oldest);
  if (count_ + 2 <= kSegments / 2) return;
  // Pairs of neighbours become one.
  for (uint32_t i = 0; i + 1 < count_; i += 2) segment(i).stamp = std::max(segment(i).stamp, segment(i + 1).stamp);
  filter([](uint32_t i) { return i % 2 == 0; });
}

}  // namespace indigo::storage
