#include "engine/large_object/large_object_pages.h"

#include <algorithm>
#include <array>
#include <vector>

#include "catalog/generated/columns.h"
#include "catalog/tables/overlay_table.h"
#include "engine/exec/execution.h"
#include "storage/table.h"

namespace indigo::engine {

namespace pg_largeobject = catalog::pg_largeobject;
using storage::StorageStatus;

namespace {

int32_t page_of(int64_t offset) { return static_cast<int32_t>(offset / kLargeObjectPageBytes); }

Status check(StorageStatus status) {
  if (status == StorageStatus::kOk) return {};
  return storage_error(status, nullptr);
}

}  // namespace

std::string LargeObjectPages::key(int32_t page) const { return table_.key({Datum::of_oid(object_), Datum::of(page)}); }

Result<int64_t> LargeObjectPages::size(const storage::ReadView& view) const {
  const auto range = storage::KeyRange::prefix(table_.key({Datum::of_oid(object_)}));
  const auto cursor = table_.storage()->scan(txn_, view, range, storage::Direction::kBackward);
  std::array<storage::RowRef, 1> last;
  size_t count = 0;
  INDIGO_TRY(check(cursor->next(last, count)));
  if (count == 0) return int64_t{0};
  const catalog::RowReader row = table_.reader(last[0].row);
  const auto bytes = static_cast<int64_t>(row.str(pg_largeobject::c_data).size());
  return row.i32(pg_largeobject::c_pageno) * kLargeObjectPageBytes + bytes;
}

Status LargeObjectPages::read(const storage::ReadView& view, int64_t offset, size_t count, std::string& out) const {
  INDIGO_ASSIGN(const int64_t bytes, size(view));
  if (offset >= bytes || count == 0) return {};
  const int64_t end = std::min(bytes, offset + static_cast<int64_t>(count));
  const size_t begin = out.size();
  out.resize(begin + static_cast<size_t>(end - offset));
  storage::KeyRange range;
  range.low = key(page_of(offset));
  range.high = key(page_of(end - 1));
  range.has_low = range.has_high = true;
  const auto cursor = table_.storage()->scan(txn_, view, range, storage::Direction::kForward);
  std::array<storage::RowRef, 32> batch;
  for (size_t found = 0;;) {
    INDIGO_TRY(check(cursor->next(batch, found)));
    if (found == 0) return {};
    for (size_t i = 0; i < found; i++) {
      const catalog::RowReader row = table_.reader(batch[i].row);
      std::string_view data = row.str(pg_largeobject::c_data);
      int64_t at = row.i32(pg_largeobject::c_pageno) * kLargeObjectPageBytes;
      if (at < offset) {
        data.remove_prefix(std::min(data.size(), static_cast<size_t>(offset - at)));
        at = offset;
      }
      data = data.substr(0, static_cast<size_t>(std::max<int64_t>(0, end - at)));
      std::copy(data.begin(), data.end(), out.begin() + static_cast<int64_t>(begin) + (at - offset));
    }
  }
}

Result<bool> LargeObjectPages::claim(int32_t page, std::string& data, std::string& image) const {
  const StorageStatus status = table_.claim(txn_, key(page), image);
  if (status == StorageStatus::kNotFound) return false;
  INDIGO_TRY(check(status));
  data = table_.reader(image).str(pg_largeobject::c_data);
  return true;
}

Status LargeObjectPages::put(int32_t page, std::string_view data) {
  catalog::RowValues row(table_.definition());
  row.oid(pg_largeobject::c_loid, object_).i32(pg_largeobject::c_pageno, page).str(pg_largeobject::c_data, data);
  return check(table_.insert(txn_, row));
}

Status LargeObjectPages::write(int64_t offset, std::string_view bytes) {
  std::string data, image;
  while (!bytes.empty()) {
    const int32_t page = page_of(offset);
    const auto within = static_cast<size_t>(offset % kLargeObjectPageBytes);
    const std::string_view piece = bytes.substr(0, static_cast<size_t>(kLargeObjectPageBytes) - within);
    data.clear();
    INDIGO_ASSIGN(const bool exists, claim(page, data, image));
    if (data.size() < within + piece.size()) data.resize(within + piece.size());
    std::copy(piece.begin(), piece.end(), data.begin() + static_cast<int64_t>(within));
    if (exists) {
      catalog::RowValues row(table_.definition(), table_.layout(), image);
      row.str(pg_largeobject::c_data, data);
      INDIGO_TRY(check(table_.update_claimed(txn_, row, image)));
    } else {
      INDIGO_TRY(put(page, data));
    }
    offset += static_cast<int64_t>(piece.size());
    bytes.remove_prefix(piece.size());
  }
  return {};
}

Status LargeObjectPages::truncate(int64_t length) {
  const int32_t page = page_of(length);
  const auto within = static_cast<size_t>(length % kLargeObjectPageBytes);
  std::string data, image;
  INDIGO_ASSIGN(const bool exists, claim(page, data, image));
  if (exists) {
    data.resize(within);
    catalog::RowValues row(table_.definition(), table_.layout(), image);
    row.str(pg_largeobject::c_data, data);
    INDIGO_TRY(check(table_.update_claimed(txn_, row, image)));
  } else {
    INDIGO_TRY(put(page, std::string(within, '\0')));
  }
  return page == INT32_MAX ? Status() : erase_from(page + 1);
}

Status LargeObjectPages::erase_from(int32_t page) {
  std::vector<std::string> keys;
  table_.scan_from(txn_, {Datum::of_oid(object_)}, {Datum::of_oid(object_), Datum::of(page)},
                   [&](catalog::RowReader row) {
                     keys.push_back(key(row.i32(pg_largeobject::c_pageno)));
                     return true;
                   });
  for (const std::string& k : keys) {
    const StorageStatus status = table_.erase_key(txn_, k);
    if (status != StorageStatus::kNotFound) INDIGO_TRY(check(status));
  }
  return {};
}

}  // namespace indigo::engine
