#include "storage/statistics.h"

#include "storage/store_impl.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

StoreStatistics statistics_of(Store& store) { return static_cast<StoreImpl&>(store).counters(); }

std::vector<uint64_t> safe_snapshot_blockers(Store& store, uint64_t session) {
  return static_cast<StoreImpl&>(store).certifier().safe_snapshot_blockers(session);
}

std::optional<TableStatistics> statistics_of(Table& table) {
  auto* impl = dynamic_cast<TableImpl*>(&table);
  if (impl == nullptr) return std::nullopt;
  return impl->counters();
}

std::optional<IndexServiceStatistics> index_service_of(const Table& table, IndexId index) {
  const auto* impl = dynamic_cast<const TableImpl*>(&table);
  if (impl == nullptr) return std::nullopt;
  const auto found = impl->find_index(index);
  return found == nullptr ? std::nullopt : found->index->service_statistics();
}

std::optional<uint64_t> index_entries_of(const Table& table, IndexId index) {
  const auto* impl = dynamic_cast<const TableImpl*>(&table);
  const auto found = impl == nullptr ? nullptr : impl->find_index(index);
  if (found == nullptr) return std::nullopt;
  return found->index->entry_count();
}

std::optional<TableMemory> memory_of(const Table& table) {
  const auto* impl = dynamic_cast<const TableImpl*>(&table);
  if (impl == nullptr) return std::nullopt;
  return impl->memory();
}

std::vector<RowWriter> row_writers_of(Table& table) {
  auto* impl = dynamic_cast<TableImpl*>(&table);
  return impl == nullptr ? std::vector<RowWriter>() : impl->row_writers();
}

RowChanges changes_of(const Table& table) {
  const auto* impl = dynamic_cast<const TableImpl*>(&table);
  return impl == nullptr ? RowChanges() : impl->changes();
}

}  // namespace indigo::storage
