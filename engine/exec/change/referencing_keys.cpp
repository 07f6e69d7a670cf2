#include "engine/exec/change/referencing_keys.h"

#include <algorithm>

#include "base/memory/memory_reserve.h"
#include "engine/exec/errors.h"
#include "engine/exec/scan/key_lookup.h"
#include "storage/table.h"
#include "types/function/registry.h"

namespace indigo::engine::exec {

namespace {

// One column of a key.
struct HashedColumn {
  size_t column = 0;
  const types::TypeOrder* order = nullptr;
  const types::Collator* collator = nullptr;
};

// False: values of some type cannot be hashed.
bool find_hashes(QueryState& state, const catalog::RelationInfo& table, std::span<const int16_t> columns,
                 std::vector<HashedColumn>& out) {
  catalog::CatalogView& catalog = state.session().catalog();
  for (const int16_t number : columns) {
    HashedColumn h;
    h.column = static_cast<size_t>(number) - 1;
    const types::TypeRef& type = table.columns[h.column].type;
    h.order = catalog.order_of_type(type);
    if (h.order == nullptr || h.order->equal == nullptr || h.order->hash == nullptr) return false;
    h.collator = catalog.collator_of_type(type);
    out.push_back(h);
  }
  return true;
}

uint64_t add_hash(uint64_t hash, const HashedColumn& column, const Datum& value) {
  constexpr uint64_t kMix = 0x9E3779B97F4A7C15;
  const uint64_t own = value.null ? 1 : column.order->hash(value, column.collator);
  return (hash ^ own) * kMix ^ (hash >> 29);
}

Status gather(QueryState& state, const catalog::RelationInfo& table, std::span<const HashedColumn> columns,
              absl::flat_hash_set<uint64_t>& out) {
  storage::Transaction& txn = state.transaction();
  const auto cursor = table.table->scan(txn, txn.newest_view(), storage::KeyRange::all());
  storage::RowRef refs[64];
  while (true) {
    size_t count = 0;
    const storage::StorageStatus status = cursor->next(refs, count);
    if (status != storage::StorageStatus::kOk) return storage_error(status, &table);
    if (count == 0) return {};
    INDIGO_TRY(state.check());
    const MustNotFail scope;  // a hash table of Abseil's that cannot grow is broken
    for (size_t i = 0; i < count; i++) {
      uint64_t hash = 0;
      for (const HashedColumn& c : columns) hash = add_hash(hash, c, table.layout.column(refs[i].row, c.column));
      out.insert(hash);
    }
  }
}

}  // namespace

Result<bool> ReferencingKeys::may_have(QueryState& state, const catalog::RelationInfo& table,
                                       std::span<const int16_t> columns, std::span<const Datum> values) {
  const bool has_null = std::any_of(values.begin(), values.end(), [](const Datum& d) { return d.null; });
  if (!has_null && finds_by_index(state, table, columns)) return true;
  Known& known = known_[{table.oid, {columns.begin(), columns.end()}}];
  if (!known.asked || table.table->rows() > kRowsMax) {
    known.asked = true;
    return true;
  }
  std::vector<HashedColumn> hashed;
  if (!find_hashes(state, table, columns, hashed)) return true;
  if (!known.gathered) {
    INDIGO_TRY(gather(state, table, hashed, known.hashes));
    known.gathered = true;
  }
  uint64_t hash = 0;
  for (size_t i = 0; i < hashed.size(); i++) hash = add_hash(hash, hashed[i], values[i]);
  return known.hashes.contains(hash);
}

}  // namespace indigo::engine::exec
