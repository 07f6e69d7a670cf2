#include "storage/ssn/range_stamps.h"

#include <algorithm>

namespace indigo::storage {

uint64_t RangeStamps::at(Bytes key) const {
  auto after = segments_.upper_bound(key);
  return after == segments_.begin() ? 0 : std::prev(after)->second;
}

RangeStamps::Segments::iterator RangeStamps::split(Bytes key) {
  auto after = segments_.upper_bound(key);
  if (after == segments_.begin()) return segments_.emplace_hint(after, key, 0);
  auto covering = std::prev(after);
  if (covering->first == key) return covering;
  return segments_.emplace_hint(after, key, covering->second);
}

void RangeStamps::raise(const KeyInterval& interval, uint64_t stamp) {
  if (interval.empty()) return;
  auto end = interval.unbounded ? segments_.end() : split(interval.high);
  auto at = split(interval.low);
  uint64_t before = 0;
  for (bool first = true; at != end; first = false) {
    at->second = std::max(at->second, stamp);
    bool same = !first && at->second == before;
    before = at->second;
    at = same ? segments_.erase(at) : std::next(at);
  }
}

void RangeStamps::trim(uint64_t oldest) {
  uint64_t before = 0;
  for (auto at = segments_.begin(); at != segments_.end();) {
    if (at->second <= oldest) at->second = 0;
    bool same = at->second == before;
    before = at->second;
    at = same ? segments_.erase(at) : std::next(at);
  }
  if (segments_.size() > kMaxSegments) {
    uint64_t greatest = 0;
    for (const auto& [key, stamp] : segments_) greatest = std::max(greatest, stamp);
    segments_.clear();
    segments_[{}] = greatest;
  }
  trim_at_ = std::max<size_t>(64, segments_.size() * 2);
}

}  // namespace indigo::storage
