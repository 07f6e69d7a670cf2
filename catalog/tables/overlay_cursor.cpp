// The cursors of OverlayTable: the upper table's cursor merged with a range of the base.
#include <algorithm>
#include <tuple>
#include <vector>

#include "base/check.h"
#include "catalog/tables/overlay_table.h"

namespace indigo::catalog {

using storage::Direction;
using storage::KeyRange;
using storage::StorageStatus;

namespace {

// The part [first, last) of a sorted sequence that lies in the range. key(i) is the i-th key; a bound compares with the
// key's beginning as storage ranges do (plain memcmp).
template <class KeyAt>
std::pair<size_t, size_t> bounds(size_t size, const KeyRange& range, KeyAt key) {
  // What users made has OIDs above all built-in ones.
  if (size == 0 || (range.has_low && key(size - 1) < range.low)) return {size, size};
  const auto partition = [&](auto before) {
    size_t low = 0, high = size;
    while (low < high) {
      const size_t middle = (low + high) / 2;
      if (before(key(middle))) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  size_t first = 0, last = size;
  if (range.has_low) {
    first = partition([&](Bytes k) { return range.low_inclusive ? k < range.low : k <= range.low; });
  }
  if (range.has_high) {
    last = partition([&](Bytes k) { return range.high_inclusive ? k <= range.high : k < range.high; });
  }
  return {first, std::max(first, last)};
}

constexpr size_t kBatch = 64;

}  // namespace

// Rows of the upper table that are to be merged with the base's. Where the range has none of these they go straight to who asks.
class UpperBatch {
 public:
  bool empty() const { return next_ == have_; }
  const storage::RowRef& front() const { return rows_[next_]; }
  void pop() { next_++; }
  void clear() { have_ = next_ = 0; }
  StorageStatus fill(storage::Cursor& upper) {
    rows_.resize(kBatch);
    next_ = 0;
    return upper.next(rows_, have_);
  }

 private:
  std::vector<storage::RowRef> rows_;
  size_t have_ = 0, next_ = 0;
};

// In the order of the primary key: equal keys are the upper row's.
class OverlayCursor final : public storage::Cursor {
 public:
  OverlayCursor(const OverlayTable& table, storage::Transaction& txn, const storage::ReadView& view,
                const KeyRange& range, Direction direction)
      : table_(table), txn_(txn) {
    rebind(range, view, direction);
  }

  void rebind(const KeyRange& range, const storage::ReadView& view, Direction direction) override {
    forward_ = direction == Direction::kForward;
    std::tie(first_, last_) = bounds(table_.base_->size(), range, [this](size_t i) { return table_.base_->at(i).key; });
    batch_.clear();
    upper_done_ = true;
    if (storage::Table* up = table_.upper()) {
      upper_done_ = false;
      if (upper_ != nullptr) {
        upper_->rebind(range, view, direction);
      } else {
        upper_ = up->scan(txn_, view, range, direction);
      }
    }
  }

  StorageStatus next(std::span<storage::RowRef> out, size_t& count) override {
    count = 0;
    if (first_ == last_ && batch_.empty()) return next_upper(out, count);
    while (count < out.size()) {
      if (batch_.empty() && !upper_done_) {
        // Rows handed out in this call borrow from the upper cursor: it may move on only at a call's beginning.
        if (count > 0) break;
        const auto status = batch_.fill(*upper_);
        if (status != StorageStatus::kOk) return status;
        upper_done_ = batch_.empty();
      }
      const bool has_upper = !batch_.empty();
      const bool has_base = first_ < last_;
      if (!has_upper && !has_base) break;
      int order = has_upper ? (has_base ? 0 : -1) : 1;
      if (order == 0) {
        order = batch_.front().key.compare(base().key);
        if (!forward_) order = -order;
      }
      if (order <= 0) {
        if (order == 0) skip_base();
        const storage::RowRef& row = batch_.front();
        if (!OverlayTable::is_marker(row.row)) out[count++] = row;
        batch_.pop();
      } else {
        out[count++] = base();
        skip_base();
      }
    }
    return StorageStatus::kOk;
  }

 private:
  // The next rows of the upper table alone, without markers; none at its end only.
  StorageStatus next_upper(std::span<storage::RowRef> out, size_t& count) {
    while (!upper_done_ && count == 0) {
      size_t read = 0;
      const auto status = upper_->next(out, read);
      if (status != StorageStatus::kOk) return status;
      upper_done_ = read == 0;
      for (size_t i = 0; i < read; i++) {
        if (!OverlayTable::is_marker(out[i].row)) out[count++] = out[i];
      }
    }
    return StorageStatus::kOk;
  }
  storage::RowRef base() const { return table_.base_->at(forward_ ? first_ : last_ - 1); }
  void skip_base() {
    if (forward_) {
      first_++;
    } else {
      last_--;
    }
  }

  const OverlayTable& table_;
  storage::Transaction& txn_;
  std::unique_ptr<storage::Cursor> upper_;
  UpperBatch batch_;
  size_t first_ = 0, last_ = 0;  // of the base, not yet handed out
  bool upper_done_ = true, forward_ = true;
};

// In the order of (secondary key, primary key). A base row counts unless the view sees an upper row of its key.
class OverlayIndexCursor final : public storage::Cursor {
 public:
  OverlayIndexCursor(OverlayTable& table, OverlayTable::Index& index, storage::Transaction& txn,
                     const storage::ReadView& view, const KeyRange& range, Direction direction)
      : table_(table), index_(index), txn_(txn) {
    rebind(range, view, direction);
  }

  void rebind(const KeyRange& range, const storage::ReadView& view, Direction direction) override {
    forward_ = direction == Direction::kForward;
    view_ = view;
    const auto& entries = table_.base_index(index_);
    std::tie(first_, last_) = bounds(entries.size(), range, [&](size_t i) { return Bytes(entries[i].key); });
    batch_.clear();
    upper_done_ = true;
    if (storage::Table* up = table_.upper()) {
      upper_done_ = false;
      if (upper_ != nullptr) {
        upper_->rebind(range, view, direction);
      } else {
        upper_ = up->scan_index(txn_, view, index_.id, range, direction);
      }
    }
  }

  StorageStatus next(std::span<storage::RowRef> out, size_t& count) override {
    count = 0;
    if (first_ == last_ && batch_.empty()) {
      if (upper_done_) return StorageStatus::kOk;
      const auto status = upper_->next(out, count);
      upper_done_ = count == 0;
      return status;
    }
    const auto& entries = table_.base_index(index_);
    while (count < out.size()) {
      if (batch_.empty() && !upper_done_) {
        if (count > 0) break;
        const auto status = batch_.fill(*upper_);
        if (status != StorageStatus::kOk) return status;
        upper_done_ = batch_.empty();
      }
      while (first_ < last_ && hidden(entries[base_position()])) skip_base();
      const bool has_upper = !batch_.empty();
      const bool has_base = first_ < last_;
      if (!has_upper && !has_base) break;
      if (has_upper && (!has_base || upper_first(entries[base_position()]))) {
        out[count++] = batch_.front();
        batch_.pop();
      } else {
        out[count++] = table_.base_->at(entries[base_position()].position);
        skip_base();
      }
    }
    return StorageStatus::kOk;
  }

 private:
  size_t base_position() const { return forward_ ? first_ : last_ - 1; }
  void skip_base() {
    if (forward_) {
      first_++;
    } else {
      last_--;
    }
  }
  bool hidden(const OverlayTable::BaseIndexEntry& entry) {
    storage::Table* up = table_.upper();
    return up != nullptr && up->get(txn_, view_, table_.base_->at(entry.position).key, scratch_) == StorageStatus::kOk;
  }
  bool upper_first(const OverlayTable::BaseIndexEntry& entry) {
    bool has_null = false;
    const storage::RowRef& row = batch_.front();
    scratch_.clear();
    const auto outcome = index_.definition.extractor->extract(row.key, row.row, scratch_, has_null);
    INDIGO_CHECK(outcome == storage::KeyExtractor::Outcome::kKey);
    int order = scratch_.compare(entry.key);
    if (order == 0) order = row.key.compare(table_.base_->at(entry.position).key);
    return forward_ ? order < 0 : order > 0;
  }

  OverlayTable& table_;
  OverlayTable::Index& index_;
  storage::Transaction& txn_;
  storage::ReadView view_;
  std::unique_ptr<storage::Cursor> upper_;
  UpperBatch batch_;
  size_t first_ = 0, last_ = 0;
  bool upper_done_ = true, forward_ = true;
  std::string scratch_;
};

std::unique_ptr<storage::Cursor> OverlayTable::scan(storage::Transaction& txn, const storage::ReadView& view,
                                                    const KeyRange& range, Direction direction) {
  return std::make_unique<OverlayCursor>(*this, txn, view, range, direction);
}

std::unique_ptr<storage::Cursor> OverlayTable::scan_index(storage::Transaction& txn, const storage::ReadView& view,
                                                          IndexId id, const KeyRange& range, Direction direction) {
  Index* index = find_index(id);
  INDIGO_CHECK(index != nullptr);
  return std::make_unique<OverlayIndexCursor>(*this, *index, txn, view, range, direction);
}

}  // namespace indigo::catalog
