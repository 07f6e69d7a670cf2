#include "engine/exec/scan/entry_decoder.h"

#include <algorithm>
#include <utility>

#include "sql/plan/entry_columns.h"

namespace indigo::engine::exec {

// Pairs of a key's column and the output that it goes to.
EntryDecoder::Side EntryDecoder::side_of(const types::KeyLayout& layout,
                                         std::vector<std::pair<size_t, size_t>> columns) {
  std::sort(columns.begin(), columns.end());
  Side side;
  std::vector<size_t> wanted;
  for (const auto& [column, output] : columns) {
    wanted.push_back(column);
    side.outputs.push_back(output);
    side.kinds.push_back(layout.column(column).phys);
  }
  side.decoder = types::KeyDecoder(layout, std::move(wanted));
  side.vectors.resize(columns.size());
  return side;
}

std::unique_ptr<EntryDecoder> EntryDecoder::make(const sql::IndexScanPlan& scan) {
  if (!sql::reads_entries_only(scan)) return nullptr;
  const catalog::IndexInfo& index = scan.relation->indexes[static_cast<size_t>(scan.index)];
  const auto found = sql::entry_columns(*scan.relation, index, scan.scan_columns);
  std::vector<std::pair<size_t, size_t>> of_index, of_primary;
  for (size_t i = 0; i < found->size(); i++) {
    const sql::EntryColumn& c = (*found)[i];
    (c.primary ? of_primary : of_index).emplace_back(c.column, i);
  }
  auto out = std::make_unique<EntryDecoder>();
  out->index_ = side_of(index.key, std::move(of_index));
  out->primary_ = side_of(scan.relation->key, std::move(of_primary));
  return out;
}

void EntryDecoder::decode(std::span<const storage::RowRef> rows, const std::vector<bool>& wanted, bool value,
                          Chunk& out, Arena& arena) {
  const auto count = static_cast<uint32_t>(rows.size());
  for (Side* side : {&index_, &primary_}) {
    bool any = false;
    for (size_t i = 0; i < side->outputs.size(); i++) {
      const size_t output = side->outputs[i];
      const bool asked = wanted.empty() || wanted[output] == value;
      side->vectors[i] = asked ? &out.columns[output] : nullptr;
      if (asked) out.columns[output].init(side->kinds[i], count);
      any = any || asked;
    }
    if (!any) continue;
    const bool primary = side == &primary_;
    for (uint32_t r = 0; r < count; r++) {
      side->decoder.decode(primary ? rows[r].key : rows[r].row, r, side->vectors.data(), arena);
    }
  }
}

}  // namespace indigo::engine::exec
