// CREATE INDEX: from the newest versions, while a table lock keeps writers away.
#include <algorithm>
#include <cstring>
#include <functional>

#include "base/fiber/long_sort.h"
#include "base/memory/arena.h"
#include "storage/index/btree_index.h"
#include "storage/index/index_factory.h"
#include "storage/index_build_watch.h"
#include "storage/index_drop.h"
#include "storage/table/table_cursor.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

namespace {

// An entry to be: its key and primary key stand one behind the other in an arena.
struct NewEntry {
  uint64_t head;  // the key's first 8 bytes, big-endian, padded with zeros
  const char* bytes;
  uint32_t key_length, primary_length;
  bool has_null;

  Bytes key() const { return {bytes, key_length}; }
  Bytes primary_key() const { return {bytes + key_length, primary_length}; }
  friend bool operator<(const NewEntry& a, const NewEntry& b) {
    if (a.head != b.head) return a.head < b.head;
    int c = a.key().compare(b.key());
    return c != 0 ? c < 0 : a.primary_key() < b.primary_key();
  }
};

NewEntry new_index_entry(Arena& arena, Bytes key, Bytes primary_key, bool has_null) {
  char head[8] = {};
  std::memcpy(head, key.data(), std::min(key.size(), sizeof head));
  auto* bytes = static_cast<char*>(arena.allocate(key.size() + primary_key.size(), 1));
  std::memcpy(bytes, key.data(), key.size());
  std::memcpy(bytes + key.size(), primary_key.data(), primary_key.size());
  return {big_endian(load_unaligned<uint64_t>(head)), bytes, static_cast<uint32_t>(key.size()),
          static_cast<uint32_t>(primary_key.size()), has_null};
}

}  // namespace

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
  index->index =
      make({store_.epochs(), store_.pauses(), store_.memory(), store_.index_service(), store_.hydralist_replicas()});
  index->index->set_fill(options.fill_percent);
  index->index->set_graph(options.graph);
  // No writer is open but this transaction, so every committed version is at or below the stable stamp.
  index->valid_from = store_.clock().stable();

  constexpr size_t kArenaBytes = 1 << 16;
  Arena arena(kArenaBytes);
  std::vector<NewEntry> entries;
  std::string key;
  uint64_t bytes = 0, scanned = 0;
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
      auto outcome = index->extractor->extract(rows[i].key, rows[i].row, key, has_null);
      if (outcome == KeyExtractor::Outcome::kError) return StorageStatus::kKeyError;
      if (outcome == KeyExtractor::Outcome::kNotIndexed) continue;
      const auto add = [&](Bytes one) {
        bytes += sizeof(NewEntry) + 2 * (one.size() + rows[i].key.size());  // here and in the index
        entries.push_back(new_index_entry(arena, one, rows[i].key, has_null));
        return true;
      };
      if (index->index->inverted()) {
        for_each_key_beyond(key, {}, add);
      } else {
        add(key);
      }
    }
    scanned += n;
    if (watch != nullptr) watch->advanced(scanned);
    if (store_.memory().full(bytes)) return StorageStatus::kOutOfMemory;
    if (Waiter::current().interrupted() != InterruptReason::kNone) return StorageStatus::kInterrupted;
    Waiter::current().yield_if_due();
  }
  // In order, insertion appends; and equal keys lie side by side.
  constexpr uint64_t kUnitsOfComparison = 20;
  if (watch != nullptr) watch->began(Step::kSort, entries.size());
  long_sort(entries.begin(), entries.end(), kUnitsOfComparison, std::less<>());
  if (options.unique) {
    for (size_t i = 1; i < entries.size(); i++) {
      bool conflicts = !entries[i].has_null || options.nulls_not_distinct;
      if (!conflicts || entries[i - 1].key() != entries[i].key()) continue;
      if (duplicate != nullptr) *duplicate = {id, std::string(entries[i].primary_key())};
      return StorageStatus::kDuplicateKey;
    }
  }
  const size_t most = index->index->build_batch();
  std::vector<IndexEntry> batch;
  if (watch != nullptr) watch->began(Step::kLoad, entries.size());
  for (size_t i = 0; i < entries.size();) {
    batch.clear();
    for (; i < entries.size() && batch.size() < most; i++) {
      batch.push_back({entries[i].key(), entries[i].primary_key()});
    }
    StorageStatus s = index->index->insert_ascending(batch);
    if (s != StorageStatus::kOk) return s;
    if (watch != nullptr) watch->advanced(i);
    if (Waiter::current().interrupted() != InterruptReason::kNone) return StorageStatus::kInterrupted;
    Waiter::current().yield_if_due();
  }

  std::lock_guard lock(indexes_mutex_);
  auto list = std::make_shared<IndexList>(*indexes_);
  list->push_back(std::move(index));
  indexes_ = std::move(list);
  indexes_raw_.store(indexes_.get(), std::memory_order_release);
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
