#include "catalog/tables/system_table.h"

#include <algorithm>
#include <array>

#include "base/fiber/long_work.h"
#include "catalog/tables/overlay_table.h"
#include "catalog/tables/row_key_extractor.h"
#include "catalog/tables/system_indexes.h"
#include "catalog/views/system_views.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::catalog {

using storage::StorageStatus;

// ---- rows

RowValues::RowValues(const StaticTable& table) {
  values_.resize(table.column_count);
  for (size_t i = 0; i < table.column_count; i++) values_[i].phys = table.columns[i].phys;
}

RowValues::RowValues(const StaticTable& table, const RowLayout& layout, Bytes row) {
  values_.resize(table.column_count);
  for (size_t i = 0; i < table.column_count; i++) {
    Datum& value = values_[i];
    value = layout.column(row, i);
    if (!value.null && value.phys == Phys::kStr) value.str = strings_.copy(value.str);
  }
}

RowValues& RowValues::set(int column, const Datum& value) {
  Datum& into = values_[static_cast<size_t>(column)];
  into = value;
  if (!value.null && value.phys == Phys::kStr) into.str = strings_.copy(value.str);
  return *this;
}

RowValues& RowValues::set_null(int column) {
  return set(column, Datum::make_null(values_[static_cast<size_t>(column)].phys));
}

namespace {

template <class T, class F>
std::string array_of(Oid type, Phys phys, std::span<const T> v, int32_t lower, F datum) {
  std::vector<Datum> elements;
  for (const T& e : v) elements.push_back(datum(e));
  const ArrayDimension dimension{static_cast<int32_t>(v.size()), lower};
  return make_array(type, phys, std::span(&dimension, v.empty() ? 0 : 1), elements);
}

}  // namespace

RowValues& RowValues::oids(int column, std::span<const Oid> v) {
  return str(column, array_of(oid::kOid, Phys::kI32, v, 1, [](Oid e) { return Datum::of_oid(e); }));
}
RowValues& RowValues::oid_vector(int column, std::span<const Oid> v) {
  return str(column, array_of(oid::kOid, Phys::kI32, v, 0, [](Oid e) { return Datum::of_oid(e); }));
}
RowValues& RowValues::i16s(int column, std::span<const int16_t> v) {
  return str(column, array_of(oid::kInt2, Phys::kI16, v, 1, [](int16_t e) { return Datum::of(e); }));
}
RowValues& RowValues::i16_vector(int column, std::span<const int16_t> v) {
  return str(column, array_of(oid::kInt2, Phys::kI16, v, 0, [](int16_t e) { return Datum::of(e); }));
}
RowValues& RowValues::texts(int column, std::span<const std::string> v) {
  return str(column, array_of(oid::kText, Phys::kStr, v, 1, [](const std::string& e) { return Datum::of(Str(e)); }));
}

RowValues& RowValues::chars(int column, std::span<const char> v) {
  return str(column, array_of(oid::kChar, Phys::kStr, v, 1, [](const char& e) { return Datum::of(Str(&e, 1)); }));
}

// ---- tables

namespace {

std::vector<OverlayIndex> indexes_of(const StaticTable& table, const RowLayout& layout) {
  std::vector<OverlayIndex> out;
  for (const SystemIndex& index : system_indexes()) {
    if (index.table != table.oid) continue;
    std::vector<KeyColumn> key;
    std::vector<uint16_t> columns;
    for (int i = 0; i < index.column_count; i++) {
      const StaticColumn& c = table.columns[index.columns[i]];
      KeyColumn k;
      k.type = c.type;
      k.phys = c.phys;
      k.collation = c.collation;
      k.nullable = false;
      key.push_back(k);
      columns.push_back(index.columns[i]);
    }
    OverlayIndex& made = out.emplace_back();
    made.options.unique = index.unique;
    made.extractor = std::make_shared<RowKeyExtractor>(layout, KeyLayout(std::move(key)), std::move(columns));
  }
  return out;
}

const RowKeyExtractor& extractor_of(const OverlayTable& table, int index) {
  return static_cast<const RowKeyExtractor&>(table.extractor(static_cast<size_t>(index)));
}

template <class Visit>
void walk(storage::Cursor& cursor, const RowLayout& layout, const Visit& visit) {
  constexpr uint64_t kUnitsOfBatch = 500;
  std::array<storage::RowRef, 8> batch;  // most ranges have fewer rows
  size_t count = 0;
  while (cursor.next(batch, count) == StorageStatus::kOk && count > 0) {
    note_work(kUnitsOfBatch);
    for (size_t i = 0; i < count; i++) {
      if (!visit(RowReader(layout, batch[i].row), batch[i].key)) return;
    }
  }
}

}  // namespace

namespace {

// Whether no row has a key from `low` on, whoever looks: many tables about objects (comments, initial privileges) have no rows of
// users' own, and built-in rows have keys below those.
bool has_none_from(const OverlayTable& table, const BaseRows& base, Bytes low) {
  return !table.has_upper() && (base.size() == 0 || base.at(base.size() - 1).key < low);
}

}  // namespace

SystemTable::SystemTable(storage::Store& store, Oid database, const StaticTable& definition,
                         std::shared_ptr<const BaseRows> base)
    : definition_(definition),
      base_(std::move(base)),
      storage_(std::make_shared<OverlayTable>(store, durable_id(database, definition.oid), base_,
                                              indexes_of(definition, base_->layout()))) {}

std::string SystemTable::key(std::initializer_list<Datum> values) const {
  std::string out;
  key_layout().append(std::span(values.begin(), values.size()), out);
  return out;
}

std::string SystemTable::key_of(std::span<const Datum> row) const {
  std::string out;
  for (int i = 0; i < definition_.key_count; i++) {
    key_layout().append_column(static_cast<size_t>(i), row[definition_.key_columns[i]], out);
  }
  return out;
}

bool SystemTable::find(storage::Transaction& txn, std::initializer_list<Datum> values, std::string& row) const {
  return storage_->get(txn, txn.newest_view(), key(values), row) == StorageStatus::kOk;
}

void SystemTable::scan(storage::Transaction& txn, std::initializer_list<Datum> prefix,
                       const std::function<bool(RowReader)>& visit) const {
  const auto range = prefix.size() == 0 ? storage::KeyRange::all() : storage::KeyRange::prefix(key(prefix));
  if (prefix.size() > 0 && has_none_from(*storage_, *base_, range.low)) return;
  const auto cursor = storage_->scan(txn, txn.newest_view(), range, storage::Direction::kForward);
  walk(*cursor, layout(), [&](RowReader row, Bytes) { return visit(row); });
}

void SystemTable::scan_from(storage::Transaction& txn, std::initializer_list<Datum> prefix,
                            std::initializer_list<Datum> from, const std::function<bool(RowReader)>& visit) const {
  auto range = storage::KeyRange::prefix(key(prefix));
  range.low = key(from);
  const auto cursor = storage_->scan(txn, txn.newest_view(), range, storage::Direction::kForward);
  walk(*cursor, layout(), [&](RowReader row, Bytes) { return visit(row); });
}

void SystemTable::scan_keys(storage::Transaction& txn, std::initializer_list<Datum> prefix,
                            const std::function<bool(RowReader, Bytes key)>& visit) const {
  const auto range = storage::KeyRange::prefix(key(prefix));
  if (has_none_from(*storage_, *base_, range.low)) return;
  const auto cursor = storage_->scan(txn, txn.newest_view(), range, storage::Direction::kForward);
  walk(*cursor, layout(), visit);
}

void SystemTable::scan_index(storage::Transaction& txn, int index, std::initializer_list<Datum> prefix,
                             const std::function<bool(RowReader)>& visit) const {
  std::string key;
  extractor_of(*storage_, index).key().append(std::span(prefix.begin(), prefix.size()), key);
  const auto cursor = storage_->scan_index(txn, txn.newest_view(), storage_->index_id(static_cast<size_t>(index)),
                                           storage::KeyRange::prefix(key), storage::Direction::kForward);
  walk(*cursor, layout(), [&](RowReader row, Bytes) { return visit(row); });
}

StorageStatus SystemTable::insert(storage::Transaction& txn, const RowValues& row) {
  const std::span<const Datum> values = row.datums();
  std::string image;
  layout().encode(values, image);
  return storage_->insert(txn, key_of(values), image, nullptr);
}

StorageStatus SystemTable::claim(storage::Transaction& txn, Bytes key, std::string& row) const {
  storage::Claimed claimed;
  const auto status = storage_->claim(txn, txn.newest_view(), key, storage::RowLockMode::kNoKeyUpdate,
                                      storage::LockWait::kWait, claimed);
  row = std::move(claimed.row);
  return status;
}

StorageStatus SystemTable::update(storage::Transaction& txn, const RowValues& row) {
  std::string image;
  if (const auto status = claim(txn, key_of(row.datums()), image); status != StorageStatus::kOk) return status;
  return update_claimed(txn, row, image);
}

StorageStatus SystemTable::update_claimed(storage::Transaction& txn, const RowValues& row, Bytes before) {
  const std::span<const Datum> values = row.datums();
  std::string image;
  layout().encode(values, image);
  return image == before ? StorageStatus::kOk : storage_->update(txn, key_of(values), image, nullptr);
}

StorageStatus SystemTable::erase(storage::Transaction& txn, std::initializer_list<Datum> values) {
  return erase_key(txn, key(values));
}

StorageStatus SystemTable::erase_key(storage::Transaction& txn, Bytes key) {
  storage::Claimed claimed;
  if (const auto status = storage_->claim(txn, txn.newest_view(), key, storage::RowLockMode::kUpdate,
                                          storage::LockWait::kWait, claimed);
      status != StorageStatus::kOk) {
    return status;
  }
  return storage_->erase(txn, key);
}

// ---- all of them

namespace {

// Where a table is in the list that it belongs to, shared or of a database, by its OID: 0 for none, else its number from 1.
std::vector<uint16_t> positions(bool shared) {
  std::vector<Oid> oids;
  for (const StaticTable& table : static_tables()) {
    if (table.shared == shared) oids.push_back(table.oid);
  }
  std::sort(oids.begin(), oids.end());
  std::vector<uint16_t> out(oids.empty() ? 0 : size_t{oids.back()} + 1);
  for (size_t i = 0; i < oids.size(); i++) out[oids[i]] = static_cast<uint16_t>(i + 1);
  return out;
}

const std::vector<uint16_t>& numbers_of(bool shared) {
  static const std::vector<uint16_t> of_shared = positions(true), own = positions(false);
  return shared ? of_shared : own;
}

}  // namespace

SystemTables::SystemTables(storage::Store& store, Oid database, BaseRowsSet& bases)
    : numbers_(numbers_of(database == kInvalidOid)) {
  for (const StaticTable& table : static_tables()) {
    if (table.shared != (database == kInvalidOid)) continue;
    tables_.push_back(std::make_unique<SystemTable>(store, database, table, bases.of(table)));
  }
  std::sort(tables_.begin(), tables_.end(), [](const auto& a, const auto& b) { return a->oid() < b->oid(); });
}

SystemTable* SystemTables::find(Oid oid) const {
  const uint16_t number = oid < numbers_.size() ? numbers_[oid] : 0;
  return number == 0 ? nullptr : tables_[number - 1u].get();
}

// ---- base rows: built-in views that have no definition here, and tables of information_schema, do not exist

namespace {

bool relation_hidden(Oid relation) {
  if (relation == kInvalidOid || static_table(relation) != nullptr) return false;
  const StaticTable& classes = static_table_of(pg_class::kOid);
  const int64_t row = classes.find_oid(relation);
  if (row < 0) return true;
  const auto r = static_cast<uint32_t>(row);
  const char kind = classes.columns[pg_class::c_relkind].string(r)[0];
  if (kind == 'i') return classes.columns[pg_class::c_relnamespace].cell(r) != oid::kPgCatalogSchema;
  if (kind != 'v') return true;
  return system_view(classes.columns[pg_class::c_relnamespace].cell(r),
                     classes.columns[pg_class::c_relname].string(r)) == nullptr;
}

bool class_hidden(const StaticTable& t, uint32_t row) { return relation_hidden(t.columns[pg_class::c_oid].cell(row)); }
bool attribute_hidden(const StaticTable& t, uint32_t row) {
  return relation_hidden(t.columns[pg_attribute::c_attrelid].cell(row));
}
bool index_hidden(const StaticTable& t, uint32_t row) {
  return relation_hidden(t.columns[pg_index::c_indrelid].cell(row));
}
bool type_hidden(const StaticTable& t, uint32_t row) {
  if (relation_hidden(t.columns[pg_type::c_typrelid].cell(row))) return true;
  const Oid element = t.columns[pg_type::c_typelem].cell(row);
  if (element < 10000) return false;  // the types of system tables and views lie above
  const int64_t at = t.find_oid(element);
  return at >= 0 && relation_hidden(t.columns[pg_type::c_typrelid].cell(static_cast<uint32_t>(at)));
}

}  // namespace

std::shared_ptr<const BaseRows> BaseRowsSet::of(const StaticTable& table) {
  auto& slot = bases_[table.oid];
  if (slot == nullptr) {
    bool (*hidden)(const StaticTable&, uint32_t) = nullptr;
    switch (table.oid) {
      case pg_class::kOid: hidden = class_hidden; break;
      case pg_attribute::kOid: hidden = attribute_hidden; break;
      case pg_index::kOid: hidden = index_hidden; break;
      case pg_type::kOid: hidden = type_hidden; break;
      default: break;
    }
    slot = std::make_shared<BaseRows>(table, hidden);
  }
  return slot;
}

}  // namespace indigo::catalog
