// A range scan of the primary tree. It copies what the caller asks for of a leaf, validates it once, decides the visibility
// of every record in it, and hands out images from the copy. A forward scan whose caller wants more continues to the next
// leaf under the same epoch guard, as long as its buffers have room.
//
// Thread safety: one session. Holds neither latch nor guard between calls; continues by key.
// Invariants:
// 1. What was handed out or waits in rows_ are the visible records of the copied parts of leaves, in the scan's direction.
// 2. Keys of short records lie byte-wise in keys_, or where the copied meta has their prefix.
// 3. The number of rows that a call asks for is a hint: what it does not ask for is not read, unless it asks for few again
//    and again.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/memory/arena.h"
#include "storage/ssn/range_read.h"
#include "storage/table.h"
#include "storage/table/leaf_ahead.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

class TableCursor final : public Cursor {
 public:
  TableCursor(TableImpl& table, TransactionImpl& txn, const ReadView& view, const KeyRange& range, Direction direction);

  ~TableCursor() override;
  StorageStatus next(std::span<RowRef> out, size_t& count) override;
  void rebind(const KeyRange& range, const ReadView& view, Direction direction) override;

 private:
  // Reads the next records into `out`, or into rows_ when there are more. `count` may stay 0.
  void fill(std::span<RowRef> out, size_t& count);
  Leaf* find(uint64_t& version) const;  // where to continue
  // Reads from this leaf into `out`, or rows_. False, with nothing changed, when the leaf changed meanwhile, or (with
  // `plain_only`) has records that are not plain.
  bool read_leaf(const Leaf* leaf, uint64_t version, bool plain_only, std::span<RowRef> out, size_t& count);
  // Positions [from, to) of the leaf's records that lie in the range; `fence`: where the leaf ends in scan direction.
  void bounds(const Leaf* leaf, size_t count, bool has_fence, size_t& from, size_t& to) const;
  // How many records to read when `asked` are asked for.
  size_t most_records(size_t asked);
  // Does the leaf that the scan reaches next have something of the range? Else clears `more`.
  void end_at_range(bool& more) const;
  // Copies the bodies of records [from, to), if all are plain (no transaction works on them, the view sees the leaf's image), and
  // writes rows and the newest stamp, to be validated. False when they are not.
  bool collect_plain(const Leaf* leaf, size_t from, size_t to, RowRef* rows, size_t& visible, uint64_t& newest);
  template <bool kWhole>
  bool collect_plain(const Leaf* leaf, size_t from, size_t to, RowRef* rows, size_t& visible, uint64_t& newest);
  // Copies all bodies of the leaf; answers where the leaf's first byte would lie.
  const char* copy_bodies(const Leaf* leaf);
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
  void reserve(size_t node_bytes);
  // Is little enough copied so far that another leaf beside it stays in the first cache?
  bool room(size_t node_bytes) const {
    return bodies_used_ * 2 <= node_bytes && keys_used_ + node_bytes / sizeof(RecordMeta) <= keys_capacity_;
  }

  TableImpl& table_;
  TransactionImpl& txn_;
  ReadView view_;
  KeyRange range_;
  Direction direction_;
  bool at_start_ = true;  // nothing read yet: the range's own bound says where to begin
  bool at_end_ = false;
  size_t batch_ = 0;          // how many records to read at least, whatever the caller asks for
  size_t asked_ = 0;          // what the last call asked for
  size_t most_ = 0;           // how many records to read now
  std::string continue_key_;  // where to continue: a fence, or the key of a record
  std::string fence_;
  Leaf* next_leaf_ = nullptr;  // under the guard: where a forward scan continues, probably

  static constexpr size_t kFirstBatch = 16;
  static constexpr size_t kLeavesAtOnce = 2;  // for which the buffers have room
  bool foreign_ = false;                      // the leaf is
  bool plain_ = true;                         // the last leaf was
  // Of as many bytes as a leaf has, never initialized: metas_ are those that were copied into them.
  std::unique_ptr<std::byte[]> meta_bytes_;
  RecordMeta* metas_ = nullptr;
  std::unique_ptr<uint64_t[]> keys_;  // of plain records: their first eight bytes
  size_t keys_capacity_ = 0, keys_used_ = 0;
  std::unique_ptr<char[]> bodies_;  // of the copied records; metas_ have their offsets here
  size_t bodies_capacity_ = 0, bodies_used_ = 0;
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
