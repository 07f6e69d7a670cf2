#include "storage/unique_lookup.h"

#include <algorithm>

#include "storage/okvl/key_locks.h"
#include "storage/ssn/range_read.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

bool UniqueLookup::possible(const Table& table) { return dynamic_cast<const TableImpl*>(&table) != nullptr; }

UniqueLookup::UniqueLookup(Table& table, IndexId index)
    : table_(static_cast<TableImpl&>(table)), index_(table_.find_index(index)) {}

UniqueLookup::~UniqueLookup() = default;

StorageStatus UniqueLookup::look_up(Transaction& transaction, const ReadView& view, std::span<const Bytes> keys,
                                    std::span<RowRef> rows, std::span<bool> found) {
  std::fill(found.begin(), found.end(), false);
  if (index_ == nullptr) return StorageStatus::kOk;
  auto& txn = static_cast<TransactionImpl&>(transaction);
  const bool locks = txn.locks_reads(view);
  if (locks) {
    const KeySpace space(table_, *index_);
    for (const Bytes key : keys) {
      const StorageStatus s = KeyLocks(txn, space).read_value(key);
      if (s != StorageStatus::kOk) return s;
    }
  }
  index_->index->lookup_many(keys, matches_);
  txn.shown(table_.gone());
  const uint32_t count = matches_.count();
  candidates_.assign(matches_.primary_keys.begin(), matches_.primary_keys.begin() + count);
  for (size_t i = 0; locks && i < count; i++) {
    const StorageStatus s = table_.lock_to_read(txn, candidates_[i]);
    if (s != StorageStatus::kOk) return s;
  }
  if (images_.size() < count) images_.resize(count);
  if (visible_size_ < count) {
    visible_ = std::make_unique<bool[]>(count);
    visible_size_ = count;
  }
  table_.read_many(txn, view, candidates_, std::span(images_).first(count), std::span(visible_.get(), count));
  RangeRead read;
  for (size_t i = 0; i < keys.size(); i++) {
    read.begin(txn, view, index_->id.value, KeyRange::point(keys[i]), Direction::kForward);
    read.reached_end(txn);
    for (uint32_t k = matches_.begin_of(i); k < matches_.ends[i] && !found[i]; k++) {
      if (!visible_[k]) continue;
      bool has_null;
      const auto outcome = index_->extractor->extract(candidates_[k], images_[k], row_key_, has_null);
      if (outcome == KeyExtractor::Outcome::kError) return StorageStatus::kKeyError;
      if (outcome == KeyExtractor::Outcome::kNotIndexed || row_key_ != keys[i]) continue;
      const StorageStatus noted = txn.note_read(table_.id().value, candidates_[k], view, true);
      if (noted != StorageStatus::kOk) return noted;
      rows[i] = {candidates_[k], images_[k]};
      found[i] = true;
    }
  }
  return StorageStatus::kOk;
}

}  // namespace indigo::storage
