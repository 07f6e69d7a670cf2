#include "engine/exec/scan/key_lookup.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/sqlstate.h"
#include "catalog/catalog.h"
#include "sql/analyze/type/coerce.h"
#include "storage/table.h"
#include "types/function/registry.h"
#include "types/oids.h"

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

// The same for an index that answers for all rows; empty: not by this one.
std::vector<size_t> usable_order(const catalog::RelationInfo& relation, const catalog::IndexInfo& index,
                                 std::span<const int16_t> columns, const storage::ReadView& view) {
  if (index.storage == IndexId() || !index.valid || !index.predicate.empty()) return {};
  std::vector<int16_t> index_columns;
  for (const catalog::IndexColumn& c : index.columns) index_columns.push_back(c.column);
  std::vector<size_t> order = leading_order(index_columns, columns);
  if (!order.empty() && !relation.table->index_usable(index.storage, view)) order.clear();
  return order;
}

bool is_integer_type(Oid type) { return type == oid::kInt2 || type == oid::kInt4 || type == oid::kInt8; }

int64_t integer(const Datum& d) {
  if (d.phys == Phys::kI16) return d.i16;
  return d.phys == Phys::kI32 ? d.i32 : d.i64;
}

// False: out of range.
bool convert_integer(Phys to, Datum& value) {
  const int64_t v = integer(value);
  if (to == Phys::kI16) {
    if (v < std::numeric_limits<int16_t>::min() || v > std::numeric_limits<int16_t>::max()) return false;
    value = Datum::of(static_cast<int16_t>(v));
  } else if (to == Phys::kI32) {
    if (v < std::numeric_limits<int32_t>::min() || v > std::numeric_limits<int32_t>::max()) return false;
    value = Datum::of(static_cast<int32_t>(v));
  } else {
    value = Datum::of(v);
  }
  return true;
}

// The value of another type that has this one's text; false when that type has none.
Result<bool> through_text(QueryState& state, const types::TypeRef& from, const types::TypeRef& to, Datum& value) {
  types::FuncContext& functions = state.functions();
  std::string text;
  types::type_output(functions, from, value, text);
  if (from.oid == oid::kNumeric && is_integer_type(to.oid)) {  // 1.00 is 1
    if (const size_t point = text.find('.'); point != std::string::npos) {
      const size_t digit = text.find_last_not_of('0');
      text.resize(digit == point ? point : text.size());
    }
  }
  if (!functions.failed())
    value = types::type_input(functions, {to.oid, -1, kInvalidOid}, functions.arena().copy(text));
  if (!functions.failed()) return true;
  functions.take_error();  // not a value of the key's type: no row has it
  return false;
}

}  // namespace

bool values_equal(QueryState& state, const types::TypeRef& type, const Datum& a, const Datum& b) {
  const types::TypeOrder* order = state.session().catalog().order_of_type(type);
  if (order != nullptr && order->equal != nullptr) {
    return order->equal(a, b, state.session().catalog().collator_of_type(type));
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

Result<bool> convert_key_value(QueryState& state, const types::TypeRef& from, const types::TypeRef& to, Phys to_phys,
                               Datum& value) {
  catalog::CatalogView& catalog = state.session().catalog();
  const types::TypeRef have = sql::base_type_ref(catalog, from.oid), want = sql::base_type_ref(catalog, to.oid);
  if (have.oid == want.oid) return true;
  if (is_integer_type(have.oid) && is_integer_type(want.oid)) return convert_integer(to_phys, value);
  // Strings of all types compare by their bytes.
  const bool strings = value.phys == Phys::kStr && to_phys == Phys::kStr;
  if (strings && have.oid == oid::kBpchar && (want.oid == oid::kText || want.oid == oid::kVarchar)) {
    while (!value.str.empty() && value.str.back() == ' ') value.str.remove_suffix(1);  // as its cast does
    return true;
  }
  if (strings && have.oid != oid::kNumeric && want.oid != oid::kNumeric) return true;
  if (value.phys == Phys::kF32 && to_phys == Phys::kF64) {
    value = Datum::of(static_cast<double>(value.f32));
    return true;
  }
  const bool number = is_integer_type(have.oid) || have.oid == oid::kNumeric;
  if (number && (want.oid == oid::kFloat4 || want.oid == oid::kFloat8)) return through_text(state, have, want, value);
  if (is_integer_type(want.oid) && (value.phys == Phys::kF32 || value.phys == Phys::kF64)) {
    const double v = value.phys == Phys::kF32 ? static_cast<double>(value.f32) : value.f64;
    constexpr double kEnd = 9223372036854775808.0;  // one past the largest int8
    if (!(v >= -kEnd && v < kEnd) || std::trunc(v) != v) return false;
    value = Datum::of(static_cast<int64_t>(v));
    return convert_integer(to_phys, value);
  }
  const Datum before = value;
  INDIGO_ASSIGN(const bool converted, through_text(state, have, want, value));
  if (!converted) return false;
  // A value that has lost something on the way (a timestamp its time) is equal to nothing there.
  Datum back = value;
  INDIGO_ASSIGN(const bool returned, through_text(state, want, have, back));
  return returned && values_equal(state, have, before, back);
}

bool finds_by_index(QueryState& state, const catalog::RelationInfo& relation, std::span<const int16_t> columns) {
  if (!leading_order(relation.key_columns, columns).empty()) return true;
  const storage::ReadView view = state.transaction().newest_view();
  return std::any_of(relation.indexes.begin(), relation.indexes.end(), [&](const catalog::IndexInfo& index) {
    return !usable_order(relation, index, columns, view).empty();
  });
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
    order = usable_order(relation, index, columns, view);
    if (order.empty()) continue;
    prefix.clear();
    for (size_t i = 0; i < order.size(); i++) index.key.append_column(i, values[order[i]], prefix);
    const bool whole = order.size() == index.columns.size();
    cursor = relation.table->scan_index(txn, view, index.storage,
                                        whole ? storage::KeyRange::point(prefix) : storage::KeyRange::prefix(prefix));
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
