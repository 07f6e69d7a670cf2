// What one serializable transaction has read: single keys as 64-bit hashes, ranges as intervals.
//
// Thread safety: none; belongs to its transaction.
// Invariants:
// 1. (R6) Nothing is ever taken out, whatever is rolled back, but what a statement has read that begins again (R9); equal and
//    overlapping reads are merged now and then.
// 2. A hash stands for (space, key); two keys with one hash only make the test stricter.
// 3. Past kMaxPoints keys or kMaxRanges ranges it has read everything().
// 4. A scan's interval grows as it hands out rows: what a LIMIT did not look at was not read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "storage/key_range.h"
#include "storage/ssn/key_interval.h"

namespace indigo::storage {

uint64_t hash_read(uint64_t space, Bytes key);
// The part of a record that KEY SHARE reads: that it exists under its key.
// In the same partition of the KeySlots, so the bits that choose it are the same.
constexpr uint64_t key_part(uint64_t hash) { return hash ^ 0x9e3779b97f4a4015u; }

class ReadSet {
 public:
  struct Range {
    uint64_t space;
    KeyInterval interval;
  };
  struct Newer {
    uint64_t hash;
    uint64_t stamp;  // of the version that was read, above the snapshot
  };

  void add_point(uint64_t hash) {
    points_.push_back(hash);
    if (points_.size() >= merge_points_at_) merge_points();
  }
  void add_newer(uint64_t hash, uint64_t stamp) { newer_.push_back({hash, stamp}); }
  void add_key_part(uint64_t hash) { key_parts_.push_back(key_part(hash)); }

  // A scan: open_range when it begins, seen as it goes, close_range when it ends or begins again. Scans that are left
  // open count as they stand.
  static constexpr uint32_t kNoRange = UINT32_MAX;
  static constexpr size_t kMaxCertified = 4096;  // ranges that finish() leaves
  uint32_t open_range(uint64_t space);
  // Rows up to `last` were handed out.
  void seen_to(uint32_t scan, const KeyRange& range, Direction direction, Bytes last);
  void seen_all(uint32_t scan, const KeyRange& range);
  void close_range(uint32_t scan);

  // All reads, with the open scans' so far: for the commit. Many points are in order, and each is there once.
  void finish();
  const std::vector<uint64_t>& points() const { return points_; }
  const std::vector<Newer>& newer() const { return newer_; }
  const std::vector<uint64_t>& key_parts() const { return key_parts_; }  // hashes of key parts
  const std::vector<Range>& ranges() const { return ranges_; }
  const std::vector<Range>& open_ranges() const { return open_; }  // as far as they are; space 0: none
  bool everything() const { return everything_; }
  // What it has read is not known.
  void add_everything() { everything_ = true; }
  void clear();

  // For a mutation of R6: forgets what came after.
  struct Mark {
    size_t points = 0, newer = 0, key_parts = 0, ranges = 0;
    uint32_t merges = 0;
  };
  Mark mark() const { return {points_.size(), newer_.size(), key_parts_.size(), ranges_.size(), merges_}; }
  void forget_since(const Mark& mark);
  // What came after the mark, taken out, and put back. Only while it `is_tail`: nothing has been merged since, and no scan is
  // open.
  struct Tail {
    std::vector<uint64_t> points, key_parts;
    std::vector<Newer> newer;
    std::vector<Range> ranges;
  };
  bool is_tail(const Mark& mark) const {
    return mark.merges == merges_ && open_.size() == free_.size() && !everything_;
  }
  Tail take_tail(const Mark& mark);
  void put_back(Tail&& tail);

 private:
  static constexpr size_t kMergeAt = 1024;
  static constexpr size_t kMaxPoints = size_t{1} << 21, kMaxRanges = size_t{1} << 16;
  void merge_points();
  void merge_ranges();
  void join_neighbours();
  void add_range(Range&& range);

  std::vector<uint64_t> points_;
  std::vector<Newer> newer_;
  std::vector<uint64_t> key_parts_;
  std::vector<Range> ranges_;  // closed
  std::vector<Range> open_;
  std::vector<uint32_t> free_;  // places in open_
  bool everything_ = false;
  uint32_t merges_ = 0;
  size_t merge_points_at_ = kMergeAt;
  size_t merge_ranges_at_ = kMergeAt / 4;
};

}  // namespace indigo::storage
