#include "storage/verify.h"

#include <algorithm>

#include "storage/table/table_impl.h"

namespace indigo::storage {

namespace {

constexpr size_t kRowsAtOnce = 256;

// Calls visit(row) for each row that the view sees, until it answers false.
template <class Visit>
Flaw each_row(Table& table, Transaction& txn, const ReadView& view, Visit&& visit) {
  const auto cursor = table.scan(txn, view, KeyRange::all());
  RowRef rows[kRowsAtOnce];
  for (;;) {
    size_t count = 0;
    const StorageStatus status = cursor->next(rows, count);
    if (status != StorageStatus::kOk) return {Flaw::Kind::kNotRead, status, {}, {}};
    if (count == 0) return {};
    for (size_t i = 0; i < count; i++) {
      const Flaw::Kind kind = visit(rows[i]);
      if (kind != Flaw::Kind::kNone) return {kind, status, std::string(rows[i].key), std::string(rows[i].row)};
    }
    Waiter::current().yield_if_due();
  }
}

std::shared_ptr<TableIndex> index_of(Table& table, IndexId index) {
  auto* impl = dynamic_cast<TableImpl*>(&table);
  return impl == nullptr ? nullptr : impl->find_index(index);
}

}  // namespace

Flaw verify_rows(Table& table, Transaction& txn, const ReadView& view) {
  std::string before;
  bool first = true;
  return each_row(table, txn, view, [&](const RowRef& row) {
    const bool ascends = first || Bytes(before) < row.key;
    first = false;
    before = row.key;
    return ascends ? Flaw::Kind::kNone : Flaw::Kind::kOrder;
  });
}

Flaw verify_order(Table& table, IndexId id) {
  const auto index = index_of(table, id);
  if (index == nullptr) return {};
  const auto scan = index->index->scan(KeyRange::all(), Direction::kForward);
  std::string key, primary_key;
  for (bool first = true;;) {
    const auto entries = scan->next(kRowsAtOnce);
    if (entries.empty()) return {};
    for (const IndexEntry& entry : entries) {
      const bool ascends =
          first || Bytes(key) < entry.key || (Bytes(key) == entry.key && Bytes(primary_key) < entry.primary_key);
      if (!ascends) return {Flaw::Kind::kOrder, StorageStatus::kOk, std::string(entry.primary_key), {}};
      first = false;
      key = entry.key;
      primary_key = entry.primary_key;
    }
    Waiter::current().yield_if_due();
  }
}

Flaw verify_entries(Table& table, Transaction& txn, const ReadView& view, IndexId id) {
  const auto index = index_of(table, id);
  if (index == nullptr || index->index->inverted()) return {};
  std::string key;
  std::vector<std::string> found;
  return each_row(table, txn, view, [&](const RowRef& row) {
    bool has_null = false;
    switch (index->extractor->extract(row.key, row.row, key, has_null)) {
      case KeyExtractor::Outcome::kNotIndexed: return Flaw::Kind::kNone;
      case KeyExtractor::Outcome::kError: return Flaw::Kind::kNoKey;
      case KeyExtractor::Outcome::kKey: break;
    }
    const size_t count = index->index->lookup(key, found);
    const auto end = found.begin() + static_cast<std::ptrdiff_t>(count);
    const bool there = std::any_of(found.begin(), end, [&](const std::string& k) { return k == row.key; });
    return there ? Flaw::Kind::kNone : Flaw::Kind::kMissing;
  });
}

}  // namespace indigo::storage
