#include "storage/statistics.h"

#include <algorithm>

#include "storage/store_impl.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

StoreStatistics statistics_of(const Store& store) {
  const auto& impl = static_cast<const StoreImpl&>(store);
  StoreStatistics s;
  for (size_t i = 0; i < kMemoryKinds; i++) s.memory_bytes[i] = impl.memory().bytes(static_cast<MemoryKind>(i));
  s.memory_limit_bytes = impl.memory().limit_bytes();
  s.versions = impl.versions().used_blocks();
  return s;
}

TableStatistics statistics_of(const Table& table) {
  const auto& impl = static_cast<const TableImpl&>(table);
  TableStatistics s;
  s.versions = impl.version_count();
  return s;
}

}  // namespace indigo::storage
