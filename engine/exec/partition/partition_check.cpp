#include "engine/exec/partition/partition_check.h"

#include <algorithm>

#include "catalog/descriptor/detaching_partitions.h"

namespace indigo::engine::exec {

Result<std::unique_ptr<PartitionCheck>> PartitionCheck::make(QueryState& state,
                                                             const catalog::RelationInfo& partition) {
  std::unique_ptr<PartitionCheck> out;
  if (!partition.is_partition || partition.parents.empty()) return out;
  out = std::make_unique<PartitionCheck>();
  out->read_.assign(partition.columns.size(), false);
  Oid child = partition.oid;
  for (RelationPtr at = state.session().catalog().relation(partition.parents[0]); at != nullptr;) {
    if (at->partition_key == nullptr) break;
    at = catalog::with_detaching(state.session().catalog(), at);
    const std::vector<int> columns = matching_columns(*at, partition);
    for (const catalog::PartitionKeyColumn& k : at->partition_key->columns) {
      if (k.column > 0) {
        out->read_[static_cast<size_t>(columns[static_cast<size_t>(k.column) - 1])] = true;
      } else {
        out->read_.assign(out->read_.size(), true);
      }
    }
    INDIGO_ASSIGN(PartitionKeyReader key, PartitionKeyReader::make(state, at, columns));
    const auto number = std::find(at->children.begin(), at->children.end(), child) - at->children.begin();
    out->ancestors_.push_back({std::move(key), static_cast<int>(number)});
    child = at->oid;
    at = at->is_partition && !at->parents.empty() ? state.session().catalog().relation(at->parents[0]) : nullptr;
  }
  return out;
}

bool PartitionCheck::reads(const std::vector<size_t>& columns) const {
  return std::any_of(columns.begin(), columns.end(), [&](size_t c) { return read_[c]; });
}

Result<bool> PartitionCheck::holds(const Chunk& rows, uint32_t row) {
  for (Ancestor& a : ancestors_) {
    INDIGO_ASSIGN(const int found, a.key.find(rows, row));
    if (found != a.partition) return false;
  }
  return true;
}

}  // namespace indigo::engine::exec
