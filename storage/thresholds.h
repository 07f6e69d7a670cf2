// The thresholds of a table's leaves: when they are split, merged and compacted, and which rows lie outside of them. Each has
// its name, unit, range and default here and nowhere else; WITH (...) sets them (engine/ddl/table/storage_options.h).
//
//   threshold      option             unit                range      default
//   fill_percent   fillfactor         percent of a leaf   10..100    100
//   merge_percent  leaf_merge_fill    percent of a leaf   0..90      60
//   dead_percent   leaf_dead_share    percent of a leaf   0..100     12
//   inline_bytes   toast_tuple_target bytes of a row      128..8160  an eighth of the leaf
//
// "Of a leaf" is of what is behind its header. They may be changed at any time: all of them concern what is done next, none
// what is there. What follows from them (and from the leaf's size) is computed here, too.
// Thread safety: a plain value.
// Source: Index-Organized 4.3 (leaves, overflow) and 5.1 (compaction and merging); the defaults are measured (bench/README.md).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace indigo::storage {

struct Bounds {
  uint32_t least, most;
};

inline constexpr Bounds kLeafBytes{4096, 131072};  // leaf_size; a power of two
inline constexpr uint32_t kDefaultLeafBytes = 16 * 1024;

// Aligned to its size: only then do all compilers read and write it in one instruction when it is atomic.
struct alignas(uint64_t) LeafThresholds {
  static constexpr Bounds kFill{10, 100}, kMerge{0, 90}, kDead{0, 100}, kInline{128, 8160};

  // How full ascending inserts leave a leaf; the rest is for rows that grow and for later ones between.
  uint8_t fill_percent = 100;
  // Neighbours that together take no more than this become one leaf (0: none do), nor more than fill_percent.
  uint8_t merge_percent = 60;
  // A full leaf whose dead bytes are more than this is compacted; else it is split.
  uint8_t dead_percent = 12;
  // Larger rows have a body of their own outside of the leaf, which keeps its address. 0: the default.
  uint32_t inline_bytes = 0;

  size_t fill_bytes(size_t usable) const { return usable * fill_percent / 100; }
  size_t merge_bytes(size_t usable) const { return usable * std::min(merge_percent, fill_percent) / 100; }
  size_t dead_bytes(size_t usable) const { return usable * dead_percent / 100; }
  // A leaf with less in use may be worth a merge: two thirds of what both may have.
  size_t small_bytes(size_t leaf_bytes) const { return merge_bytes(leaf_bytes) * 2 / 3; }
  // With less still, it is looked at for that reason alone.
  size_t emptied_bytes(size_t leaf_bytes) const { return merge_bytes(leaf_bytes) * 5 / 12; }
  // A row that lies within a leaf of this size: such that, with a longest key (a sixth of the leaf) and two such fences,
  // there is room for it twice. Then one record and a new or larger one always find room.
  uint32_t largest_inline(size_t leaf_bytes) const {
    const auto by_default = static_cast<uint32_t>(leaf_bytes / 8);
    const auto most = std::max(by_default, static_cast<uint32_t>(leaf_bytes / 6) - kRoomForMetas);
    return inline_bytes == 0 ? by_default : std::min(inline_bytes, most);
  }

 private:
  static constexpr uint32_t kRoomForMetas = 96;  // half of the header and of two metas
};

}  // namespace indigo::storage
