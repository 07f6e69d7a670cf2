#include "engine/exec/join/join_table.h"

#include <algorithm>
#include <bit>

#include "engine/exec/join/join_parts.h"

namespace indigo::engine::exec {

void JoinTable::link() {
  const size_t size = std::bit_ceil(std::max<size_t>(16, size_t{rows_.rows()} * 2));
  heads_.assign(size, 0);
  for (uint32_t r = rows_.rows(); r-- > 0;) {  // backwards: chains run in the order of arrival
    if (r >= kAhead) __builtin_prefetch(&heads_[hashes_[r - kAhead] & (size - 1)], 1);
    if (hashes_[r] == kNoMatch) continue;
    const size_t slot = hashes_[r] & (size - 1);
    entries_[r].next = heads_[slot];
    heads_[slot] = r + 1;
  }
  hashes_.clear();
}

Status JoinTable::move_to(JoinParts& parts, bool tags, const std::function<Status()>& check) {
  Vector hash(Phys::kI64), tag(Phys::kI64);
  std::vector<const Vector*> columns;
  for (uint32_t block = 0; block < rows_.block_count(); block++) {
    const uint32_t first = block * kChunkRows, count = rows_.block_rows(block);
    columns.clear();
    for (size_t c = 0; c < rows_.column_count(); c++) columns.push_back(&rows_.column(block, c));
    columns.push_back(&hash);
    if (tags) columns.push_back(&tag);
    for (uint32_t i = 0; i < count; i++) {
      hash.set(i, hashes_[first + i]);
      tag.set(i, entries_[first + i].tag);
      INDIGO_TRY(parts.add_right(hashes_[first + i], columns, i));
    }
    INDIGO_TRY(check());
  }
  rows_.clear();
  hashes_.clear();
  entries_.clear();
  return {};
}

}  // namespace indigo::engine::exec
