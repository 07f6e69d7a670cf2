#include "storage/table/table_impl.h"

#include "base/mutation.h"
#include "storage/index_entries.h"
#include "storage/okvl/locked_cursor.h"
#include "storage/table/index_cursor.h"
#include "storage/table/table_cursor.h"
#include "storage/table_options.h"

namespace indigo::storage {

TableImpl::TableImpl(StoreImpl& store, TableId id, log::DurableId durable_id, NodeMemory& memory,
                     const TableOptions& options)
    : store_(store), id_(id), durable_id_(durable_id), tree_(memory, *this), max_key_bytes_(tree_.node_bytes() / 6) {
  set_thresholds(options.thresholds);
}

TableImpl::TableImpl(StoreImpl& store, TableId id, log::DurableId durable_id, NodeMemory& memory,
                     const MappedRows& rows)
    : store_(store),
      id_(id),
      durable_id_(durable_id),
      tree_(memory, *this, rows.leaves, store.next_generation()),
      max_key_bytes_(tree_.node_bytes() / 6),
      next_row_id_(rows.next_row_id),
      row_count_(rows.rows) {}

TableImpl::TableImpl(TableImpl& source, TableId id, log::DurableId durable_id, uint64_t source_generation,
                     uint64_t generation)
    : store_(source.store_),
      id_(id),
      durable_id_(durable_id),
      tree_(source.tree_, *this, source_generation, generation),
      max_key_bytes_(source.max_key_bytes_),
      next_row_id_(source.next_row_id_.load(std::memory_order_relaxed)),
      row_count_(source.row_count_.load(std::memory_order_relaxed)) {
  stillness_.raise(source.stillness_.newest());
  large_rows_.newest = source.large_rows_.newest.load(std::memory_order_relaxed);
}

// The table is not in use any more.
TableImpl::~TableImpl() {
  if (dirty_.empty() && held_.empty()) return;
  free_chains();
  for (const auto& list : {dirty_, held_}) {
    for (Leaf* leaf : list) {
      if (leaf->status().frozen) tree_.release_replaced(leaf);
    }
  }
}

// Versions hang from its own leaves, also from those that clones share.
void TableImpl::free_chains() {
  tree_.for_each_own_leaf([this](Leaf* leaf) {
    for (size_t i = 0; i < leaf->status().count; i++) {
      RecordMeta m = leaf->meta(i);
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

void TableImpl::record_copied(const Leaf& from, const RecordMeta& meta) {
  if (!meta.overflow()) return;
  auto* body = load_unaligned<OverflowBody*>(from.payload(meta));
  body->references.fetch_add(1, std::memory_order_relaxed);
}

std::unique_ptr<Cursor> TableImpl::scan(Transaction& txn, const ReadView& view, const KeyRange& range,
                                        Direction direction) {
  auto& transaction = static_cast<TransactionImpl&>(txn);
  if (transaction.locks_reads(view)) {
    return std::make_unique<LockedCursor>(*this, transaction, view, nullptr, range, direction);
  }
  return std::make_unique<TableCursor>(*this, transaction, view, range, direction);
}

std::unique_ptr<Cursor> TableImpl::scan_index(Transaction& txn, const ReadView& view, IndexId index,
                                              const KeyRange& range, Direction direction) {
  auto& transaction = static_cast<TransactionImpl&>(txn);
  std::shared_ptr<TableIndex> found = find_index(index);
  if (found != nullptr && transaction.locks_reads(view)) {
    return std::make_unique<LockedCursor>(*this, transaction, view, std::move(found), range, direction);
  }
  return std::make_unique<IndexCursor>(*this, transaction, view, std::move(found), range, direction);
}

std::unique_ptr<Cursor> scan_index_entries(Table& table, Transaction& txn, const ReadView& view, IndexId index,
                                           const KeyRange& range, Direction direction) {
  auto* own = dynamic_cast<TableImpl*>(&table);
  auto& transaction = static_cast<TransactionImpl&>(txn);
  if (own == nullptr || transaction.locks_reads(view)) return nullptr;
  return std::make_unique<IndexCursor>(*own, transaction, view, own->find_index(index), range, direction, true);
}

std::optional<uint64_t> TableImpl::entries_are_rows(const TransactionImpl& txn, const ReadView& view,
                                                    const TableIndex& index) const {
  if (txn.serializable() != nullptr || view.stamp == kMaxStamp || !index.index->counts_exactly()) return std::nullopt;
  const std::optional<uint64_t> moment = stillness_.moment(view.stamp.value);
  const int64_t rows = row_count_.load(std::memory_order_relaxed);
  if (!moment || rows < 0 || index.index->entry_count() != static_cast<uint64_t>(rows)) return std::nullopt;
  return moment;
}

bool TableImpl::index_usable(IndexId index, const ReadView& view) const {
  auto i = find_index(index);
  return i != nullptr && (i->valid_from <= view.stamp || mutated(Mutation::kIndexForAll));
}

}  // namespace indigo::storage
