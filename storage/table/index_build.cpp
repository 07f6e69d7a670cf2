// CREATE INDEX: from the newest versions, while a table lock keeps writers away.
#include <algorithm>

#include "storage/index/btree_index.h"
#include "storage/index/index_factory.h"
#include "storage/index_build_watch.h"
#include "storage/index_drop.h"
#include "storage/table/new_entries.h"
#include "storage/table/table_cursor.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

StorageStatus TableImpl::create_index(Transaction& transaction, IndexId id, const IndexOptions& options,
                                      std::shared_ptr<const KeyExtractor> extractor, Duplicate* duplicate) {
  return create_index(static_cast<TransactionImpl&>(transaction), id, create_btree_index, options, std::move(extractor),
                      duplicate, nullptr);
}

StorageStatus create_index(Table& table, Transaction& txn, IndexId id, IndexFactory make, const IndexOptions& options,
                           std::shared_ptr<const KeyExtractor> extractor, Duplicate* duplicate,
                           IndexBuildWatch* watch) {
  return static_cast<TableImpl&>(table).create_index(static_cast<TransactionImpl&>(txn), id, make, options,
                                                     std::move(extractor), duplicate, watch);
}

StorageStatus TableImpl::create_index(TransactionImpl& txn, IndexId id, IndexFactory make, const IndexOptions& options,
                                      std::shared_ptr<const KeyExtractor> extractor, Duplicate* duplicate,
                                      IndexBuildWatch* watch) {
  auto index = std::make_shared<TableIndex>();
  index->id = id;
  index->options = options;
  index->extractor = std::move(extractor);
  const IndexFactory tree = create_btree_index;
  if (make == tree && store_.ordered_index() != nullptr) make = store_.ordered_index();
  index->index = take_mapped_index(options, make);
  const bool mapped = index->index != nullptr;
  if (!mapped) {
    index->index =
        make({store_.epochs(), store_.pauses(), store_.memory(), store_.index_service(), store_.hydralist_replicas()});
  }
  index->index->set_fill(options.fill_percent);
  index->index->set_graph(options.graph);
  // No writer is open but this transaction, so every committed version is at or below the stable stamp.
  index->valid_from = store_.clock().stable();
  if (!mapped) {
    const StorageStatus filled = fill_index(txn, *index, duplicate, watch);
    if (filled != StorageStatus::kOk) return filled;
  }

  std::lock_guard lock(indexes_mutex_);
  auto list = std::make_shared<IndexList>(*indexes_);
  list->push_back(std::move(index));
  indexes_ = std::move(list);
  indexes_raw_.store(indexes_.get(), std::memory_order_release);
  return StorageStatus::kOk;
}

// What an image has of it, if it is to be the structure that is there.
std::unique_ptr<Index> TableImpl::take_mapped_index(const IndexOptions& options, IndexFactory make) {
  const auto found = mapped_indexes_.find(options.file);
  const IndexFactory tree = create_btree_index, inverted = create_inverted_index;
  if (options.file == 0 || found == mapped_indexes_.end() || make != (found->second->inverted() ? inverted : tree)) {
    return nullptr;
  }
  std::unique_ptr<Index> out = std::move(found->second);
  mapped_indexes_.erase(found);
  return out;
}

StorageStatus TableImpl::fill_index(TransactionImpl& txn, TableIndex& index, Duplicate* duplicate,
                                    IndexBuildWatch* watch) {
  const IndexOptions& options = index.options;
  const bool inverted = index.index->inverted();
  NewEntries entries(inverted);
  std::string key;
  uint64_t in_index = 0, scanned = 0;  // bytes; rows
  using Step = IndexBuildWatch::Step;
  if (watch != nullptr) watch->began(Step::kScan, this->rows());
  TableCursor cursor(*this, txn, txn.newest_view(), KeyRange::all(), Direction::kForward);
  std::vector<RowRef> rows(512);
  for (;;) {
    size_t n = 0;
    if (StorageStatus status = cursor.next(rows, n); status != StorageStatus::kOk) return status;
    if (n == 0) break;
    for (size_t i = 0; i < n; i++) {
      bool has_null = false;
      auto outcome = index.extractor->extract(rows[i].key, rows[i].row, key, has_null);
      if (outcome == KeyExtractor::Outcome::kError) return StorageStatus::kKeyError;
      if (outcome == KeyExtractor::Outcome::kNotIndexed) continue;
      entries.begin_row(rows[i].key, has_null);
      const auto add = [&](Bytes one) {
        in_index += one.size() + rows[i].key.size();
        entries.add(one);
        return true;
      };
      if (inverted) {
        for_each_key_beyond(key, {}, add);
      } else {
        add(key);
      }
    }
    scanned += n;
    if (watch != nullptr) watch->advanced(scanned);
    if (entries.full() || store_.memory().full(in_index + entries.bytes())) return StorageStatus::kOutOfMemory;
    if (Waiter::current().interrupted() != InterruptReason::kNone) return StorageStatus::kInterrupted;
    Waiter::current().yield_if_due();
  }
  // In order, insertion appends; and equal keys lie side by side.
  if (watch != nullptr) watch->began(Step::kSort, entries.size());
  entries.sort();
  if (const Bytes* found = options.unique ? entries.first_duplicate(!options.nulls_not_distinct) : nullptr;
      found != nullptr) {
    if (duplicate != nullptr) *duplicate = {index.id, std::string(*found)};
    return StorageStatus::kDuplicateKey;
  }
  const size_t most = index.index->build_batch();
  std::vector<IndexEntry> batch;
  if (watch != nullptr) watch->began(Step::kLoad, entries.size());
  for (size_t loaded = 0;;) {
    entries.next(most, batch);
    if (batch.empty()) break;
    StorageStatus s = index.index->insert_ascending(batch);
    if (s != StorageStatus::kOk) return s;
    loaded += batch.size();
    if (watch != nullptr) watch->advanced(loaded);
    if (Waiter::current().interrupted() != InterruptReason::kNone) return StorageStatus::kInterrupted;
    Waiter::current().yield_if_due();
  }
  return StorageStatus::kOk;
}

void TableImpl::set_index_fill(IndexId id, uint8_t percent) {
  if (const auto index = find_index(id); index != nullptr) index->index->set_fill(percent);
}

void set_index_leaving(Table& table, IndexId id, bool leaving) {
  auto* const own = dynamic_cast<TableImpl*>(&table);
  const auto index = own == nullptr ? nullptr : own->find_index(id);
  if (index != nullptr) index->leaving.store(leaving, std::memory_order_relaxed);
}

void TableImpl::drop_index(IndexId id) {
  std::lock_guard lock(indexes_mutex_);
  auto list = std::make_shared<IndexList>(*indexes_);
  std::erase_if(*list, [id](const auto& index) { return index->id == id; });
  indexes_ = std::move(list);
  indexes_raw_.store(indexes_->empty() ? nullptr : indexes_.get(), std::memory_order_release);
}

}  // namespace indigo::storage
