#include "catalog/relation_memory.h"

#include "catalog/database.h"
#include "catalog/tables/overlay_table.h"
#include "catalog/tables/sequence_table.h"
#include "catalog/tables/system_indexes.h"
#include "storage/statistics.h"
#include "storage/table.h"

namespace indigo::catalog {

storage::TableMemory table_memory(const storage::Table& table) {
  if (const auto* overlay = dynamic_cast<const OverlayTable*>(&table)) return overlay->memory();
  storage::TableMemory none;
  if (dynamic_cast<const SequenceTable*>(&table) != nullptr) {
    none.constant_bytes = sizeof(Sequence);
    return none;
  }
  return storage::memory_of(table).value_or(none);
}

RelationMemory::RelationMemory(const RelationInfo& relation)
    : relation_(relation),
      memory_(relation.table == nullptr ? storage::TableMemory{} : table_memory(*relation.table)),
      keyed_(relation.primary_index() != nullptr && !relation.primary_index()->storage) {}

uint64_t RelationMemory::main() const {
  return memory_.leaf_bytes + memory_.version_bytes + memory_.constant_bytes + (keyed_ ? 0 : memory_.inner_node_bytes);
}

uint64_t RelationMemory::table() const { return main() + memory_.large_row_bytes; }

uint64_t RelationMemory::indexes() const { return memory_.index_bytes() + (keyed_ ? memory_.inner_node_bytes : 0); }

int RelationMemory::system_index_number(Oid index) const {
  const StaticTable& classes = static_table_of(pg_class::kOid);
  const int64_t row = classes.find_oid(index);
  if (row < 0) return -1;
  const std::string_view name = classes.columns[pg_class::c_relname].string(static_cast<uint32_t>(row));
  int number = 0;
  for (const SystemIndex& candidate : system_indexes()) {
    if (candidate.table != relation_.oid) continue;
    if (name == candidate.name) return number;
    number++;
  }
  return -1;
}

uint64_t RelationMemory::index(Oid index) const {
  IndexId id;
  for (const IndexInfo& i : relation_.indexes) {
    if (i.oid != index) continue;
    if (!i.ready) return 0;
    if (!i.storage) return memory_.inner_node_bytes;
    id = i.storage;
  }
  if (const auto* overlay = dynamic_cast<const OverlayTable*>(relation_.table.get())) {
    const int number = system_index_number(index);
    if (number >= 0) id = overlay->index_id(static_cast<size_t>(number));
  }
  for (const storage::IndexMemory& i : memory_.indexes) {
    if (i.id == id) return i.bytes;
  }
  return 0;
}

DatabaseMemory& DatabaseMemory::operator+=(const storage::TableMemory& table) {
  leaf_bytes += table.leaf_bytes;
  inner_node_bytes += table.inner_node_bytes;
  version_bytes += table.version_bytes;
  large_row_bytes += table.large_row_bytes;
  index_bytes += table.index_bytes();
  built_in_bytes += table.constant_bytes;
  return *this;
}

DatabaseMemory memory_of(const SystemTables& tables) {
  DatabaseMemory sum;
  for (const auto& table : tables.all()) sum += table->storage()->memory();
  return sum;
}

DatabaseMemory memory_of(const Database& database) {
  DatabaseMemory sum = memory_of(database.tables());
  for (const auto& [file, physical] : database.all_physical()) {
    if (physical.table != nullptr) sum += table_memory(*physical.table);
    if (physical.sequence != nullptr) sum.sequence_bytes += sizeof(Sequence);
  }
  return sum;
}

}  // namespace indigo::catalog
