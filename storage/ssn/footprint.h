// Which partitions of the certifier a transaction has to do with, and the holding of their locks.
//
// Plain values; the locks' order is README.md's: points before ranges, each kind ascending.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>

#include "storage/ssn/key_slots.h"
#include "storage/ssn/point_partition.h"
#include "storage/ssn/range_map.h"
#include "storage/ssn/range_partition.h"

namespace indigo::storage {

struct Partitions {
  std::array<PointPartition, KeySlots::kPartitions> points;
  std::array<RangePartition, RangeMap::kPartitions> ranges;
};

// Calls f with the number of each bit that is set, ascending.
template <class F>
void for_each_bit(uint64_t mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<uint32_t>(std::countr_zero(mask)));
}

struct Footprint {
  static_assert(KeySlots::kPartitions == 64 && RangeMap::kPartitions == 64);
  static Footprint everything() { return {~uint64_t{0}, ~uint64_t{0}}; }

  void add_point(uint64_t hash) { points |= uint64_t{1} << KeySlots::partition_of(hash); }

  void lock(Partitions& all) const {
    for_each_bit(points, [&](uint32_t i) { all.points[i].lock.lock(); });
    for_each_bit(ranges, [&](uint32_t i) { all.ranges[i].lock.lock(); });
  }
  void unlock(Partitions& all) const {
    for_each_bit(ranges, [&](uint32_t i) { all.ranges[i].lock.unlock(); });
    for_each_bit(points, [&](uint32_t i) { all.points[i].lock.unlock(); });
  }

  uint64_t points = 0, ranges = 0;
};

}  // namespace indigo::storage
