#include "storage/table/table_impl.h"

#include "storage/table/index_cursor.h"
#include "storage/table/table_cursor.h"

namespace indigo::storage {

TableImpl::TableImpl(StoreImpl& store, TableId id, log::DurableId durable_id, PagePool& pages)
    : store_(store),
      id_(id),
      durable_id_(durable_id),
      tree_(pages, store.nodes(), store.epochs(), *this),
      max_key_bytes_(pages.block_bytes() / 6),
      max_inline_bytes_(pages.block_bytes() / 8) {}

// Nobody uses the table any more; versions and overflow bodies hang from its leaves.
TableImpl::~TableImpl() {
  if (!has_overflow_.load(std::memory_order_relaxed) && dirty_.empty() && held_.empty()) return;
  tree_.for_each_leaf([this](Leaf* leaf) {
    for (size_t i = 0; i < leaf->status().count; i++) {
      RecordMeta m = leaf->meta(i);
      if (m.overflow()) store_.free_overflow(load_unaligned<OverflowBody*>(leaf->payload(m)));
      if (m.state() != RecordState::kClear) continue;
      for (auto* v = reinterpret_cast<SnapshotVersion*>(m.predecessor); v != nullptr;) {
        SnapshotVersion* next = v->next.load(std::memory_order_relaxed);
        retire_version(v);
        v = next;
      }
    }
  });
}

void TableImpl::record_moved(const RecordMeta& meta, Leaf* to) {
  if (meta.state() != RecordState::kClear) pending_of(meta)->leaf.store(to, std::memory_order_release);
}

void TableImpl::leaf_split(Leaf* from, Leaf* to) {
  if (from->queued) queue(to);
}

std::unique_ptr<Cursor> TableImpl::scan(Transaction& txn, const ReadView& view, const KeyRange& range,
                                        Direction direction) {
  return std::make_unique<TableCursor>(*this, static_cast<TransactionImpl&>(txn), view, range, direction);
}

std::unique_ptr<Cursor> TableImpl::scan_index(Transaction& txn, const ReadView& view, IndexId index,
                                              const KeyRange& range, Direction direction) {
  return std::make_unique<IndexCursor>(*this, static_cast<TransactionImpl&>(txn), view, find_index(index), range,
                                       direction);
}

bool TableImpl::index_usable(IndexId index, const ReadView& view) const {
  auto i = find_index(index);
  return i != nullptr && i->valid_from <= view.stamp;
}

Table::Statistics TableImpl::statistics() const {
  Statistics s;
  s.rows = static_cast<uint64_t>(std::max<int64_t>(0, row_count_.load(std::memory_order_relaxed)));
  s.leaf_count = tree_.leaf_count();
  s.bytes = s.leaf_count * tree_.node_bytes() +
            static_cast<uint64_t>(std::max<int64_t>(0, version_bytes_.load(std::memory_order_relaxed)));
  std::lock_guard lock(indexes_mutex_);
  for (const auto& index : *indexes_) s.bytes += index->index->memory_bytes();
  return s;
}

}  // namespace indigo::storage
