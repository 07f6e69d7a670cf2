// A range scan of the primary tree. It copies a leaf, validates it once, decides the visibility of every record in it
// under one epoch guard, and hands out images from the copy.
//
// Thread safety: one session. Holds neither latch nor guard between calls; goes on by key.
// Invariants:
// 1. What was handed out or waits in rows_ are the visible records of the copied part of a leaf, in the scan's direction.
// 2. Keys of short records lie byte-wise where the copy has their prefix.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "storage/ssn/range_read.h"
#include "storage/table.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

// Prefetches the leaf that a scan comes to next while the rows of this one are decided, some lines for each, so that
// memory and processor work at the same time. A scan moves what memory can deliver: 20 GB/s on one core of the machine
// that this was written on, where it halves the time of a long scan.
class LeafAhead {
 public:
  // `leaf` may be null. It is read without validation: what it says is a hint.
  void begin(const Leaf* leaf, size_t rows) {
    leaf_ = leaf;
    at_ = end_ = bodies_ = bodies_end_ = nullptr;
    if (leaf == nullptr) return;
    Leaf::Status s = leaf_->status();
    size_t size = leaf_->node_bytes();
    lines_per_row_ = std::clamp<size_t>(size / kLine / std::max<size_t>(rows, 1), 3, 12);
    const char* base = reinterpret_cast<const char*>(leaf_);
    at_ = base + kLine;
    end_ = base + std::min(Leaf::kHeaderBytes + s.count * sizeof(RecordMeta), size);
    bodies_ = base + size - std::min<size_t>(s.block_bytes, size);
    bodies_end_ = base + size;
  }
  void step() {
    for (size_t i = 0; i < lines_per_row_; i++) {
      if (at_ >= end_) {
        if (bodies_ == bodies_end_) return;
        at_ = std::exchange(bodies_, bodies_end_);
        end_ = bodies_end_;
      }
      __builtin_prefetch(at_, 0, 2);
      at_ += kLine;
    }
  }

  // The header of the leaf after the next, for the next begin().
  void end() const {
    if (leaf_ != nullptr) leaf_->successor_prefetch();
  }

 private:
  static constexpr size_t kLine = 64;
  const Leaf* leaf_ = nullptr;
  size_t lines_per_row_ = 0;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  const char* bodies_ = nullptr;
  const char* bodies_end_ = nullptr;
};

class TableCursor final : public Cursor {
 public:
  TableCursor(TableImpl& table, TransactionImpl& txn, const ReadView& view, const KeyRange& range, Direction direction);

  StorageStatus next(std::span<RowRef> out, size_t& count) override;
  void rebind(const KeyRange& range, const ReadView& view, Direction direction) override;

 private:
  // Reads the next records into `out`, or into rows_ when there are more. `count` may stay 0.
  void fill(std::span<RowRef> out, size_t& count);
  bool read_leaf(const Leaf* leaf, uint64_t version, std::span<RowRef> out, size_t& count);
  // Positions [from, to) of the leaf's records that lie in the range; `fence`: where the leaf ends in scan direction.
  void bounds(const Leaf* leaf, size_t count, bool has_fence, size_t& from, size_t& to) const;
  // The whole leaf's bodies.
  void copy_bodies(const Leaf* leaf);
  // With them, if all of records [from, to) are plain (nobody works on them, the view sees the leaf's image): writes rows,
  // to be validated. False when they are not.
  bool collect_plain(const Leaf* leaf, size_t from, size_t to, RowRef* rows, size_t& visible);
  // Copies records [from, to); false when the leaf changed meanwhile.
  bool copy_records(const Leaf* leaf, uint64_t version, size_t from, size_t to);
  // Writes the visible ones of the copied records to `rows`; answers how many they are.
  size_t collect(const Leaf* leaf, size_t n, RowRef* rows);
  // Older images that the view sees in place of the leaf's: older_, for the copied records that newer_than_view() names, in
  // order.
  void find_older(size_t n);
  bool newer_than_view(const RecordMeta& m) const {
    return !foreign_ && m.state() == RecordState::kClear && m.stamp > view_.stamp.value;
  }
  // False when the view does not see it.
  bool see(const Leaf* leaf, RecordMeta& m, const Descriptor* self, RowRef& row);
  void reserve_bodies(size_t n);

  TableImpl& table_;
  TransactionImpl& txn_;
  ReadView view_;
  KeyRange range_;
  Direction direction_;
  bool at_start_ = true;  // nothing read yet: the range's own bound says where to begin
  bool at_end_ = false;
  size_t batch_ = kFirstBatch;  // how many records to read at least, whatever the caller asks for
  std::string continue_key_;    // where to go on: a fence, or the key of a record
  std::string fence_;

  static constexpr size_t kFirstBatch = 16;
  bool foreign_ = false;  // the leaf is
  bool plain_ = true;     // the last leaf was
  std::unique_ptr<RecordMeta[]> metas_;
  std::unique_ptr<uint64_t[]> keys_;  // of plain records: their first eight bytes
  size_t keys_capacity_ = 0;
  size_t metas_capacity_ = 0;
  std::unique_ptr<char[]> bodies_;  // the leaf's bodies, or those of a few records; metas_ have their offsets here
  size_t bodies_capacity_ = 0;
  std::vector<RowRef> rows_;  // what did not fit into the caller's span
  size_t next_row_ = 0;
  LeafAhead ahead_;
  RangeRead read_;
  std::vector<const SnapshotVersion*> older_;
  size_t next_older_ = 0;
  Arena outside_{1024};  // images that do not lie in the copy
  bool outside_used_ = false;
};

}  // namespace indigo::storage
