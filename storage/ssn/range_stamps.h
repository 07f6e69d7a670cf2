// For every key of a partition: the latest stamp of a range read that covers it. An ordered list of disjoint segments, in memory of
// a fixed size.
//
// Thread safety: none; the partition's lock guards it.
// Invariants:
// 1. A segment with stamp s means that keys from its beginning up to the next segment's have stamp s; before the first it
//    is 0. Keys are ordered by space first, so one list serves all spaces of the partition.
// 2. A stamp may be greater than the latest read's, never smaller: when there is no room for more, neighbours become one;
//    long keys are cut so that intervals grow.
// Design: "Gaps"; this takes the place of scan_pstamp in leaves; Griffin's L_p (see README.md).
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "storage/ssn/key_interval.h"
#include "storage/ssn/short_key.h"

namespace indigo::storage {

class RangeStamps {
 public:
  static constexpr uint32_t kSegments = 256;

  RangeStamps();
  // Raises the stamp of every key of the interval to at least `stamp`. Nobody asks any more what stamps at or below `oldest` are.
  void raise(uint64_t space, const KeyInterval& interval, uint64_t stamp, uint64_t oldest);
  uint64_t at(const SpaceKey& key) const;
  // The greatest stamp of any key of the space.
  uint64_t greatest(uint64_t space) const;
  // Forgets stamps at or below `oldest`.
  void trim(uint64_t oldest);
  // Has it grown since the last trim(), so that one that is newer than `oldest` is worth its while?
  bool due(uint64_t oldest) const { return count_ >= trim_at_ && oldest <= trimmed_to_; }
  uint32_t size() const { return count_; }

 private:
  struct Segment {
    uint64_t stamp;
    ShortKey begin;
  };
  using Place = uint16_t;

  // How many segments begin at or before the key.
  uint32_t position(const SpaceKey& key) const;
  // Makes a segment begin at the key; which one it is. There is room.
  uint32_t split(const ShortKey& key);
  // Keeps those for which keep(position) holds.
  template <class Keep>
  void filter(Keep keep);
  Segment& segment(uint32_t position) { return memory_[order_[position]]; }
  const Segment& segment(uint32_t position) const { return memory_[order_[position]]; }
  void make_room(uint64_t oldest);

  uint32_t count_ = 0;
  uint32_t trim_at_ = kTrimAt;
  uint64_t trimmed_to_ = 0;
  static constexpr uint32_t kTrimAt = 16;
  // order_: places of the segments by key, then those that are free.
  std::unique_ptr<Place[]> order_ = std::make_unique_for_overwrite<Place[]>(kSegments);
  std::unique_ptr<Segment[]> memory_ = std::make_unique_for_overwrite<Segment[]>(kSegments);
};

}  // namespace indigo::storage
