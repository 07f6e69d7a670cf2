// For every key of one space: the latest stamp of a range read that covers it. A map of disjoint segments.
//
// Thread safety: none; the Certifier's lock guards it.
// Invariants:
// 1. segments_[k] = s means that keys from k up to the next segment's have stamp s; before the first it is 0.
// 2. A stamp may be greater than the latest read's, never smaller: too many segments become one.
// Design: "Gaps"; this takes the place of scan_pstamp in leaves (see README.md).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/bytes.h"
#include "storage/ssn/key_interval.h"

namespace indigo::storage {

class RangeStamps {
 public:
  // Raises the stamp of every key in the interval to at least `stamp`.
  void raise(const KeyInterval& interval, uint64_t stamp);
  uint64_t at(Bytes key) const;
  // Are there enough segments for trim() to be worth it?
  bool due() const { return segments_.size() >= trim_at_; }
  // Forgets stamps at or below `oldest`.
  void trim(uint64_t oldest);
  bool empty() const { return segments_.empty(); }
  size_t size() const { return segments_.size(); }

 private:
  static constexpr size_t kMaxSegments = size_t{1} << 16;
  using Segments = std::map<std::string, uint64_t, std::less<>>;
  // Makes a segment begin at `key`.
  Segments::iterator split(Bytes key);

  Segments segments_;
  size_t trim_at_ = 64;
};

}  // namespace indigo::storage
