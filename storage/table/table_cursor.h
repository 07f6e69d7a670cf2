// A range scan of the primary tree. It copies a leaf, validates it once, decides the visibility of every record in it
// under one epoch guard, and hands out images from the copy.
//
// Thread safety: one session. Holds neither latch nor guard between calls; goes on by key.
// Invariants:
// 1. rows_ are the visible records of the copied leaf within the range, in the direction of the scan.
// 2. Keys of short records lie byte-wise where the copy has their prefix.
#pragma once

#include <string>
#include <vector>

#include "base/arena.h"
#include "storage/table.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

class TableCursor final : public Cursor {
 public:
  TableCursor(TableImpl& table, TransactionImpl& txn, const ReadView& view, const KeyRange& range, Direction direction);

  StorageStatus next(std::span<RowRef> out, size_t& count) override;
  void rebind(const KeyRange& range, const ReadView& view, Direction direction) override;

 private:
  // Reads the next leaf into rows_, which may stay empty.
  void fill();
  bool read_leaf(const Leaf* leaf, uint64_t version);
  // Positions [from, to) of the leaf's records that lie in the range.
  void bounds(const Leaf* leaf, size_t count, size_t& from, size_t& to) const;
  // Copies records [from, to); false when the leaf changed meanwhile.
  bool copy_records(const Leaf* leaf, uint64_t version, size_t from, size_t to);
  void reserve_bodies(size_t n);
  void add_row(const Leaf* leaf, RecordMeta& m);

  TableImpl& table_;
  TransactionImpl& txn_;
  ReadView view_;
  KeyRange range_;
  Direction direction_;
  bool at_start_ = true;  // nothing read yet: the range's own bound says where to begin
  bool at_end_ = false;
  std::string continue_key_;  // the fence where the last leaf ended

  std::vector<RecordMeta> metas_;
  std::unique_ptr<char[]> bodies_;  // the leaf's bodies, or those of a few records; metas_ have their offsets here
  size_t bodies_capacity_ = 0;
  std::vector<RowRef> rows_;
  size_t next_row_ = 0;
  Arena outside_{1024};  // images that do not lie in the copy
  bool outside_used_ = false;
};

}  // namespace indigo::storage
