// The modes in which one owner holds a key-value lock: of the whole value, of the gap above it, and of each partition of its
// entries, packed into two or three bits each. 253 partitions fit into a cacheline, 29 into the first word; further words come
// when a partition in them is first taken.
//
// Thread safety: its lock's partition mutex.
// Source: Graefe and Kimura, Orthogonal key-value locking, section 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "storage/lock/lock_compatibility.h"

namespace indigo::storage {

inline constexpr uint16_t kMaxLockPartitions = 4093;
inline constexpr uint16_t kDefaultLockPartitions = 253;

class ModeVector {
 public:
  BasicMode whole() const { return static_cast<BasicMode>(head_ & 7); }
  BasicMode gap() const { return detail::absolute_mode((head_ >> kGapShift) & 3); }
  BasicMode partition(uint16_t index) const {
    const size_t bit = kPartitionShift + 2 * size_t{index}, word = bit / 64;
    if (word > more_.size()) return BasicMode::kN;
    return detail::absolute_mode(((word == 0 ? head_ : more_[word - 1]) >> (bit % 64)) & 3);
  }

  bool compatible_with(const KeyValueMode& mode) const {
    if (!compatible(whole(), mode.whole) || !compatible(gap(), mode.gap)) return false;
    return mode.partition == BasicMode::kN || compatible(partition(mode.partition_index), mode.partition);
  }
  bool covers_mode(const KeyValueMode& mode) const {
    if (!covers(gap(), mode.gap)) return false;
    if (whole() == BasicMode::kX) return true;
    if (!covers(whole(), mode.whole)) return false;
    if (mode.partition == BasicMode::kS && covers(whole(), BasicMode::kS)) return true;
    return covers(partition(mode.partition_index), mode.partition);
  }
  void add(const KeyValueMode& mode) {
    set_whole(supremum(whole(), mode.whole));
    set_gap(supremum(gap(), mode.gap));
    if (mode.partition == BasicMode::kN) return;
    const auto code = detail::absolute_code(supremum(partition(mode.partition_index), mode.partition));
    const size_t bit = kPartitionShift + 2 * size_t{mode.partition_index}, word = bit / 64;
    if (word > more_.size()) more_.resize(word);
    uint64_t& bits = word == 0 ? head_ : more_[word - 1];
    bits = (bits & ~(uint64_t{3} << (bit % 64))) | (uint64_t{code} << (bit % 64));
  }
  void set_whole(BasicMode mode) { head_ = (head_ & ~uint64_t{7}) | static_cast<uint64_t>(mode); }
  void set_gap(BasicMode mode) {
    head_ = (head_ & ~(uint64_t{3} << kGapShift)) | (uint64_t{detail::absolute_code(mode)} << kGapShift);
  }
  void clear() {
    head_ = 0;
    more_.clear();
  }

  // Bits as in lock_compatibility.h; 0: nothing is held.
  ModeMask mask() const {
    ModeMask mask = whole() == BasicMode::kN ? 0 : ModeMask{1} << static_cast<unsigned>(whole());
    if (gap() != BasicMode::kN)
      mask |= ModeMask{1} << (detail::kGapBits + static_cast<int>(detail::absolute_code(gap())));
    uint64_t shared = head_ >> kPartitionShift, exclusive = shared >> 1;
    for (const uint64_t word : more_) {
      shared |= word;
      exclusive |= word >> 1;
    }
    if ((shared & kEvenBits) != 0) mask |= ModeMask{1} << detail::kPartitionBits;
    if ((exclusive & kEvenBits) != 0) mask |= ModeMask{2} << detail::kPartitionBits;
    return mask;
  }

  // As pg_locks shows it: the whole's mode, the gap's, the partitions.
  std::string text() const;

 private:
  static constexpr size_t kGapShift = 3, kPartitionShift = 6;
  static constexpr uint64_t kEvenBits = 0x5555555555555555;
  uint64_t head_ = 0;
  std::vector<uint64_t> more_;
};

}  // namespace indigo::storage
