#include "sql/plan/entry_columns.h"

#include "types/value/key_decoder.h"

namespace indigo::sql {

using types::KeyDecoder;

std::optional<std::vector<EntryColumn>> entry_columns(const catalog::RelationInfo& relation,
                                                      const catalog::IndexInfo& index, std::span<const int> columns) {
  // A partial one has not as many entries as the table has rows, and other structures are not counted exactly.
  if (!index.predicate.empty() || index.method != "btree") return std::nullopt;
  std::vector<EntryColumn> out;
  for (const int column : columns) {
    const size_t before = out.size();
    for (size_t i = 0; i < index.columns.size() && out.size() == before; i++) {
      if (index.columns[i].column == column + 1 && KeyDecoder::can_decode(index.key, i)) out.push_back({false, i});
    }
    for (size_t i = 0; i < relation.key_columns.size() && out.size() == before; i++) {
      if (relation.key_columns[i] == column + 1 && KeyDecoder::can_decode(relation.key, i)) out.push_back({true, i});
    }
    if (column < 0 || out.size() == before) return std::nullopt;
  }
  return out;
}

bool reads_entries_only(const IndexScanPlan& scan) {
  if (!scan.inverted.empty()) return false;
  const catalog::IndexInfo& index = scan.relation->indexes[static_cast<size_t>(scan.index)];
  return entry_columns(*scan.relation, index, scan.scan_columns).has_value();
}

}  // namespace indigo::sql
