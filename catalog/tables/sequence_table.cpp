#include "catalog/tables/sequence_table.h"

#include <array>

#include "storage/durability.h"

namespace indigo::catalog {

using storage::StorageStatus;

namespace {

// The one row's key: eight zero bytes, as a hidden row id.
constexpr Bytes kKey{"\0\0\0\0\0\0\0\0", 8};

class OneRowCursor final : public storage::Cursor {
 public:
  OneRowCursor(std::string image, bool present) : image_(std::move(image)), present_(present), left_(present) {}
  StorageStatus next(std::span<storage::RowRef> out, size_t& count) override {
    count = 0;
    if (left_ && !out.empty()) {
      out[0] = {kKey, image_};
      count = 1;
      left_ = false;
    }
    return StorageStatus::kOk;
  }
  void rebind(const storage::KeyRange&, const storage::ReadView&, storage::Direction) override { left_ = present_; }

 private:
  std::string image_;
  bool present_, left_;
};

}  // namespace

std::string SequenceTable::image(storage::Transaction& reader) const {
  Lsn needed;
  const Sequence::State s = sequence_->state(&needed);
  storage::need_durable(reader, needed);
  const std::array values{Datum::of(s.last_value), Datum::of(int64_t{0}), Datum::of(s.is_called)};
  std::string out;
  layout_.encode(values, out);
  return out;
}

StorageStatus SequenceTable::get(storage::Transaction& txn, const storage::ReadView&, Bytes key, std::string& row) {
  if (key != kKey) return StorageStatus::kNotFound;
  row = image(txn);
  return StorageStatus::kOk;
}

StorageStatus SequenceTable::get_many(storage::Transaction& txn, const storage::ReadView& view,
                                      std::span<const Bytes> keys, std::span<std::string> rows, std::span<bool> found) {
  for (size_t i = 0; i < keys.size(); i++) found[i] = get(txn, view, keys[i], rows[i]) == StorageStatus::kOk;
  return StorageStatus::kOk;
}

std::unique_ptr<storage::Cursor> SequenceTable::scan(storage::Transaction& txn, const storage::ReadView&,
                                                     const storage::KeyRange& range, storage::Direction) {
  const bool present = (!range.has_low || Bytes(range.low) <= kKey) && (!range.has_high || kKey <= Bytes(range.high));
  return std::make_unique<OneRowCursor>(image(txn), present);
}

std::unique_ptr<storage::Cursor> SequenceTable::scan_index(storage::Transaction&, const storage::ReadView&, IndexId,
                                                           const storage::KeyRange&, storage::Direction) {
  return std::make_unique<OneRowCursor>(std::string(), false);
}

StorageStatus SequenceTable::insert(storage::Transaction&, Bytes, Bytes, storage::Duplicate*) {
  return StorageStatus::kNotFound;
}
StorageStatus SequenceTable::claim(storage::Transaction&, const storage::ReadView&, Bytes, storage::RowLockMode,
                                   storage::LockWait, storage::Claimed&) {
  return StorageStatus::kNotFound;
}
StorageStatus SequenceTable::update(storage::Transaction&, Bytes, Bytes, storage::Duplicate*) {
  return StorageStatus::kNotFound;
}
StorageStatus SequenceTable::update_key(storage::Transaction&, Bytes, Bytes, Bytes, storage::Duplicate*) {
  return StorageStatus::kNotFound;
}
StorageStatus SequenceTable::erase(storage::Transaction&, Bytes) { return StorageStatus::kNotFound; }
StorageStatus SequenceTable::lock_row(storage::Transaction&, const storage::ReadView&, Bytes, storage::RowLockMode,
                                      storage::LockWait, storage::Claimed&) {
  return StorageStatus::kNotFound;
}
StorageStatus SequenceTable::create_index(storage::Transaction&, IndexId, const storage::IndexOptions&,
                                          std::shared_ptr<const storage::KeyExtractor>, storage::Duplicate*) {
  return StorageStatus::kKeyError;
}

}  // namespace indigo::catalog
