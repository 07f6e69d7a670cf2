#include "storage/table/read_record.h"

#include <algorithm>

#include "storage/txn/descriptor.h"

namespace indigo::storage {

namespace {

ReadOutcome leaf_image(const RecordSource& source, const RecordMeta& m, Bytes& image) {
  if (!m.overflow()) return ReadOutcome::kInLeaf;
  if (!source.leaf->sound(m)) return ReadOutcome::kRetry;
  OverflowBody* body;
  copy_from_shared(&body, source.payload(m), sizeof body);
  if (!source.validate()) return ReadOutcome::kRetry;
  image = body->bytes();
  return ReadOutcome::kOutside;
}

ReadOutcome pending_image(const RecordSource& source, const RecordMeta& m, const PendingEntry& e, Bytes& image) {
  if (e.tombstone) return ReadOutcome::kNone;
  if (e.overflow != nullptr) {
    image = e.overflow->bytes();
    return ReadOutcome::kOutside;
  }
  if (e.in_leaf) return leaf_image(source, m, image);
  image = e.image;
  return ReadOutcome::kOutside;
}

ReadOutcome committed_image(const RecordSource& source, const RecordMeta& m, uint64_t predecessor, const ReadView& view,
                            Bytes& image) {
  if (m.stamp <= view.stamp.value) return m.visible() ? leaf_image(source, m, image) : ReadOutcome::kNone;
  const auto* chain = reinterpret_cast<const SnapshotVersion*>(predecessor);
  return read_version(SnapshotVersion::find(chain, view.stamp.value), image);
}

}  // namespace

ReadOutcome read_in_process_or_older(const RecordSource& source, const RecordMeta& meta, const Descriptor* self,
                                     const ReadView& view, Bytes& image) {
  const RecordMeta m = source.tree.foreign(source.leaf) ? meta.committed_only() : meta;
  // From here on pointers out of the meta are followed: it has to be whole.
  if (!source.validate()) return ReadOutcome::kRetry;
  if (m.state() == RecordState::kClear) return committed_image(source, m, m.predecessor, view, image);

  const auto& pending = *reinterpret_cast<const PendingVersion*>(m.predecessor);
  const PendingEntry* e = nullptr;
  if (pending.owner == self) {
    e = pending.visible_to(view.command);  // R2
  } else {
    CommitStamp c = pending.owner->committed();
    if (c && c <= view.stamp) e = pending.top.load(std::memory_order_acquire);
  }
  if (e != nullptr) return pending_image(source, m, *e, image);
  if (m.state() == RecordState::kInserting) return ReadOutcome::kNone;
  return committed_image(source, m, pending.base_predecessor.load(std::memory_order_acquire), view, image);
}

uint64_t stamp_in_process_or_older(const RecordMeta& m, const Descriptor* self, const ReadView& view) {
  if (m.state() != RecordState::kClear) {
    const auto& pending = *reinterpret_cast<const PendingVersion*>(m.predecessor);
    if (pending.owner != self) {
      const CommitStamp c = pending.owner->committed();
      if (c && c <= view.stamp) return c.value;
    }
    if (m.state() == RecordState::kInserting) return 0;
  }
  return std::min(m.stamp, view.stamp.value);  // of a chain: the view's own
}

uint64_t newest_stamp(const RecordMeta& m, const Descriptor* self) {
  if (m.state() == RecordState::kClear) return m.stamp;
  const auto& pending = *reinterpret_cast<const PendingVersion*>(m.predecessor);
  if (pending.owner == self) return 0;
  CommitStamp c = pending.owner->committed();
  return c ? c.value : m.stamp;
}

}  // namespace indigo::storage
