#include "engine/exec/key_lookup.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/sqlstate.h"
#include "sql/func/registry.h"

namespace indigo::engine::exec {
namespace {

// Where the values go in the leading columns of an index: order[i] is the value of the index's column i. Empty: the index's
// leading columns are others.
std::vector<size_t> leading_order(std::span<const int16_t> index_columns, std::span<const int16_t> columns) {
  std::vector<size_t> order;
  if (index_columns.size() < columns.size()) return order;
  for (size_t i = 0; i < columns.size(); i++) {
    auto at = std::find(columns.begin(), columns.end(), index_columns[i]);
    if (at == columns.end()) return {};
    order.push_back(static_cast<size_t>(at - columns.begin()));
  }
  return order;
}

bool is_integer(Phys p) { return p == Phys::kI16 || p == Phys::kI32 || p == Phys::kI64; }

int64_t integer(const Datum& d) {
  if (d.phys == Phys::kI16) return d.i16;
  return d.phys == Phys::kI32 ? d.i32 : d.i64;
}

}  // namespace

bool values_equal(QueryState& state, const catalog::TypeRef& type, const Datum& a, const Datum& b) {
  const sql::TypeOrder* order = sql::type_order(type.oid);
  if (order != nullptr && order->equal != nullptr) {
    return order->equal(a, b, state.session().catalog().collator(type.collation));
  }
  if (a.phys == Phys::kStr) return a.str == b.str;
  return std::memcmp(&a.block, &b.block, phys_bytes(a.phys)) == 0;
}

bool row_matches(QueryState& state, const catalog::RelationInfo& relation, Bytes row, std::span<const int16_t> columns,
                 std::span<const Datum> values) {
  for (size_t i = 0; i < columns.size(); i++) {
    auto c = static_cast<size_t>(columns[i]) - 1;
    Datum d = relation.layout.column(row, c);
    if (d.null || !values_equal(state, relation.columns[c].type, d, values[i])) return false;
  }
  return true;
}

Result<bool> convert_key_value(const catalog::TypeRef& from, const catalog::TypeRef& to, Phys to_phys, Datum& value) {
  if (from.oid == to.oid || (value.phys == to_phys && !is_integer(to_phys))) return true;
  if (!is_integer(value.phys) || !is_integer(to_phys)) {
    return Error(sqlstate::kFeatureNotSupported, "foreign keys between columns of these types are not supported");
  }
  int64_t v = integer(value);
  if (to_phys == Phys::kI16) {
    if (v < std::numeric_limits<int16_t>::min() || v > std::numeric_limits<int16_t>::max()) return false;
    value = Datum::of(static_cast<int16_t>(v));
  } else if (to_phys == Phys::kI32) {
    if (v < std::numeric_limits<int32_t>::min() || v > std::numeric_limits<int32_t>::max()) return false;
    value = Datum::of(static_cast<int32_t>(v));
  } else {
    value = Datum::of(v);
  }
  return true;
}

Status find_rows(QueryState& state, const catalog::RelationInfo& relation, std::span<const int16_t> columns,
                 std::span<const Datum> values, const std::function<Result<bool>(Bytes key, Bytes row)>& found) {
  storage::Transaction& txn = state.transaction();
  storage::ReadView view = txn.newest_view();
  std::unique_ptr<storage::Cursor> cursor;
  std::string prefix;
  std::vector<size_t> order = leading_order(relation.key_columns, columns);
  if (!order.empty()) {
    for (size_t i = 0; i < order.size(); i++) relation.key.append_column(i, values[order[i]], prefix);
    cursor = relation.table->scan(txn, view, storage::KeyRange::prefix(prefix));
  }
  for (size_t x = 0; cursor == nullptr && x < relation.indexes.size(); x++) {
    const catalog::IndexInfo& index = relation.indexes[x];
    if (index.storage == IndexId() || !index.valid || !index.predicate.empty()) continue;
    std::vector<int16_t> index_columns;
    for (const catalog::IndexColumn& c : index.columns) index_columns.push_back(c.column);
    order = leading_order(index_columns, columns);
    if (order.empty() || !relation.table->index_usable(index.storage, view)) continue;
    prefix.clear();
    for (size_t i = 0; i < order.size(); i++) index.key.append_column(i, values[order[i]], prefix);
    cursor = relation.table->scan_index(txn, view, index.storage, storage::KeyRange::prefix(prefix));
  }
  if (cursor == nullptr) cursor = relation.table->scan(txn, view, storage::KeyRange::all());
  storage::RowRef refs[64];
  while (true) {
    size_t count = 0;
    storage::StorageStatus status = cursor->next(refs, count);
    if (status != storage::StorageStatus::kOk) return storage_error(status, &relation);
    if (count == 0) return {};
    INDIGO_TRY(state.check());
    for (size_t i = 0; i < count; i++) {
      if (!row_matches(state, relation, refs[i].row, columns, values)) continue;
      INDIGO_ASSIGN(bool more, found(refs[i].key, refs[i].row));
      if (!more) return {};
    }
  }
}

}  // namespace indigo::engine::exec
