// CREATE INDEX: from the newest versions, while a table lock keeps writers away.
#include <algorithm>

#include "storage/index/btree_index.h"
#include "storage/table/table_cursor.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

namespace {

struct NewEntry {
  std::string key, primary_key;
  bool has_null;
};

}  // namespace

StorageStatus TableImpl::create_index(Transaction& transaction, IndexId id, const IndexOptions& options,
                                      std::shared_ptr<const KeyExtractor> extractor, Duplicate* duplicate) {
  auto& txn = static_cast<TransactionImpl&>(transaction);
  auto index = std::make_shared<TableIndex>();
  index->id = id;
  index->options = options;
  index->extractor = std::move(extractor);
  index->index = create_btree_index(store_.epochs());
  // No writer is open but this transaction, so every committed version is at or below the stable stamp.
  index->valid_from = store_.clock().stable();

  std::vector<NewEntry> entries;
  TableCursor cursor(*this, txn, txn.newest_view(), KeyRange::all(), Direction::kForward);
  std::vector<RowRef> rows(512);
  for (;;) {
    size_t n;
    cursor.next(rows, n);
    if (n == 0) break;
    for (size_t i = 0; i < n; i++) {
      NewEntry e;
      auto outcome = index->extractor->extract(rows[i].key, rows[i].row, e.key, e.has_null);
      if (outcome == KeyExtractor::Outcome::kError) return StorageStatus::kKeyError;
      if (outcome == KeyExtractor::Outcome::kNotIndexed) continue;
      e.primary_key = rows[i].key;
      entries.push_back(std::move(e));
    }
    if (Waiter::current().interrupted() != InterruptReason::kNone) return StorageStatus::kInterrupted;
    Waiter::current().yield_if_due();
  }
  // In order, insertion appends; and equal keys lie side by side.
  std::sort(entries.begin(), entries.end(), [](const NewEntry& a, const NewEntry& b) {
    int c = a.key.compare(b.key);
    return c != 0 ? c < 0 : a.primary_key < b.primary_key;
  });
  for (size_t i = 0; i < entries.size(); i++) {
    const NewEntry& e = entries[i];
    bool conflicts = options.unique && (!e.has_null || options.nulls_not_distinct);
    if (conflicts && i > 0 && entries[i - 1].key == e.key) {
      if (duplicate != nullptr) *duplicate = {id, e.primary_key};
      return StorageStatus::kDuplicateKey;
    }
    StorageStatus s = index->index->insert(e.key, e.primary_key);
    if (s != StorageStatus::kOk) return s;
    if (i % 1024 == 1023) Waiter::current().yield_if_due();
  }

  std::lock_guard lock(indexes_mutex_);
  auto list = std::make_shared<IndexList>(*indexes_);
  list->push_back(std::move(index));
  indexes_ = std::move(list);
  indexes_raw_.store(indexes_.get(), std::memory_order_release);
  return StorageStatus::kOk;
}

void TableImpl::drop_index(IndexId id) {
  std::lock_guard lock(indexes_mutex_);
  auto list = std::make_shared<IndexList>(*indexes_);
  std::erase_if(*list, [id](const auto& index) { return index->id == id; });
  indexes_ = std::move(list);
  indexes_raw_.store(indexes_->empty() ? nullptr : indexes_.get(), std::memory_order_release);
}

}  // namespace indigo::storage
